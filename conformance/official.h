#ifndef CONFORMANCE_OFFICIAL_H
#define CONFORMANCE_OFFICIAL_H

#include <stdbool.h>

/*
 * Names that official schemas other than stable v1 have given out. They are no part of v1, but
 * whoever sends them has not made them up: they are reported, not held against anybody (EXT-02,
 * EXT-12, PROMPT-17).
 */
bool official_member(const char *name); /* stable v1's own members included */
bool official_method(const char *name);
bool official_update(const char *name); /* a value of sessionUpdate */

#endif
