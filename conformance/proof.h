#ifndef CONFORMANCE_PROOF_H
#define CONFORMANCE_PROOF_H

#include "base/buf.h"
#include "conformance/result.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * What a mutant has to bring about against what it did: the requirements that are not PASS, those
 * NOT-EXERCISED written "NOT-EXERCISED:ID" (docs/cases.md, Mutants).
 */

/* True if exactly the ids of `fails` failed. Else, if diff is not NULL, a sentence is appended:
 * "RPC-05 did not fail; TRANS-04 failed too". */
bool proof_matches(const cJSON *fails, const struct case_result *r, struct buf *diff);

/* Calls cb for each requirement that failed, as `fails` writes it. */
void proof_failed(const struct case_result *r, void (*cb)(void *ctx, const char *id), void *ctx);

#endif
