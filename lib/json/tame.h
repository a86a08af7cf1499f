#ifndef JSON_TAME_H
#define JSON_TAME_H

#include <stddef.h>

struct buf;

/*
 * Appends a scanned text changed as little as cJSON needs: \u0000 and unpaired surrogate escapes
 * become \uFFFD (cJSON cuts strings at the first and refuses the second), numbers of more than 63
 * bytes are written shorter with the value they have as a double. 0 or E_NOMEM.
 */
int json_tame(const char *p, size_t n, struct buf *out);

#endif
