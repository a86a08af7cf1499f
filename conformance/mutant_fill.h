#ifndef CONFORMANCE_MUTANT_FILL_H
#define CONFORMANCE_MUTANT_FILL_H

#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/*
 * Appends the n bytes with each "${/pointer}" replaced by the value at that place of the message:
 * a string's text as it stands between its quotes, everything else as JSON. A pointer that leads
 * nowhere leaves nothing behind; "${" without a slash stays as it is. 0 or E_NOMEM.
 */
int mutant_fill(struct buf *out, const char *bytes, size_t n, const cJSON *message);

#endif
