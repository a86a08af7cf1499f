#ifndef CONFORMANCE_EXPLAIN_H
#define CONFORMANCE_EXPLAIN_H

#include <cjson/cJSON.h>
#include <stddef.h>

struct buf;

/*
 * What a case says, for people: what it needs, its tags, the model's turns, the steps, and the
 * mutants that show that it can fail. max: bytes of a line. 0 or E_NOMEM.
 */
int explain_play(const cJSON *json, size_t max, struct buf *out);

#endif
