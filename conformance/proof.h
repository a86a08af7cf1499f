#ifndef CONFORMANCE_PROOF_H
#define CONFORMANCE_PROOF_H

#include "base/buf.h"
#include "conformance/result.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * What a mutant has to bring about against what it did: the requirements that are not PASS, with
 * the verdict in front where it is meant exactly (docs/cases.md, Mutants).
 */

/* Splits an entry of `fails`: "INFO:RPC-09" is the id "RPC-09" (returned, part of entry) with
 * VERDICT_INFO; without a verdict in front *ret_verdict is -1, which means FAIL, WARN or INFO. */
const char *proof_entry(const char *entry, int *ret_verdict);

/* True if exactly the ids of `fails` failed. Else, if diff is not NULL, a sentence is appended:
 * "RPC-05 did not come; FAIL:TRANS-04 too". */
bool proof_matches(const cJSON *fails, const struct case_result *r, struct buf *diff);

/* Calls cb for each requirement that failed, as `fails` writes it: "ID", or
 * "NOT-EXERCISED:ID". */
void proof_failed(const struct case_result *r, void (*cb)(void *ctx, const char *id), void *ctx);

#endif
