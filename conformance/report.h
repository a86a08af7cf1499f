#ifndef CONFORMANCE_REPORT_H
#define CONFORMANCE_REPORT_H

#include "conformance/outcome.h"

struct buf;

/*
 * Reports of a run (docs/conformance.md): junit is XML as CI systems read it, json has the shape of
 * docs/report.schema.json. Both are appended to out; 0 or E_NOMEM.
 */
int report_junit(const struct outcome *o, struct buf *out);
int report_json(const struct outcome *o, struct buf *out);

/* By kind, into a file (replaced at once, when it is whole). 0, or negative with a sentence in err.
 */
int report_write(const char *kind, const char *path, const struct outcome *o, char *err,
                 size_t err_n);

#endif
