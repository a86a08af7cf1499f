#ifndef CONFORMANCE_REPORT_H
#define CONFORMANCE_REPORT_H

#include "conformance/outcome.h"

#include <stdbool.h>

struct buf;

/* Reports of a run (docs/reports.md), one row of one table each. */
struct report_kind {
    const char *name; /* "junit": also how --report calls it */
    bool excerpts;    /* wants outcome.keep_excerpts */
    /* Appends it to out. 0 or E_NOMEM. The outcome is sorted. */
    int (*write)(const struct outcome *o, struct buf *out);
};

/* The i-th kind, NULL behind the last. */
const struct report_kind *report_kind_at(size_t i);

int report_junit(const struct outcome *o, struct buf *out);
int report_tap(const struct outcome *o, struct buf *out);
int report_json(const struct outcome *o, struct buf *out);
int report_markdown(const struct outcome *o, struct buf *out);
int report_html(const struct outcome *o, struct buf *out);

/* By kind, into a file (replaced at once, when it is whole). 0, or negative with a sentence in err.
 */
int report_write(const char *kind, const char *path, const struct outcome *o, char *err,
                 size_t err_n);
/* The same with a text that is there already. */
int report_write_text(const char *path, const struct buf *text, char *err, size_t err_n);

#endif
