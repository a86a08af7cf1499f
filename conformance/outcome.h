#ifndef CONFORMANCE_OUTCOME_H
#define CONFORMANCE_OUTCOME_H

#include "conformance/result.h"
#include "conformance/run_case.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A whole run: what reports and summaries are written from. */
struct outcome_case {
    struct case_result result; /* owned; its trace is gone */
    char *failure;             /* owned: the printed block without colours; NULL if it passed */
};

struct outcome {
    const struct run_setting *setting;
    char *agent_name, *agent_version; /* owned; NULL if the agent did not say */
    struct outcome_case
        *cases; /* owned, in the order of their ids once outcome_sort() was called */
    size_t n, cap;
    unsigned jobs;
    time_t started;
    uint64_t duration_us;
    bool interrupted;
    unsigned counts[VERDICT_COUNT];
};

/* Takes the result (copies the struct, zeroes *r) and drops its trace. failure is taken. 0 or
 * E_NOMEM (then both are freed all the same). */
int outcome_add(struct outcome *o, struct case_result *r, char *failure);
void outcome_sort(struct outcome *o);
void outcome_deinit(struct outcome *o); /* accepts a zeroed one */

enum exit_code outcome_exit_code(const struct outcome *o);

/* UTC, "2026-11-30T23:12:00Z". */
void outcome_started(const struct outcome *o, char *text, size_t n);

#endif
