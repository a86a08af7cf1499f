#ifndef CONFORMANCE_OUTCOME_H
#define CONFORMANCE_OUTCOME_H

#include "conformance/excerpt.h"
#include "conformance/result.h"
#include "conformance/run_case.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A whole run: what reports and summaries are written from. */
struct outcome_case {
    struct case_result result; /* owned; its trace is gone */
    char *failure;             /* owned: the printed block without colours; NULL if it passed */
    struct excerpt excerpt;    /* of the trace; empty if nobody wanted it */
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
    bool keep_excerpts; /* some report shows transcripts */
    const char *again;  /* lent: " --profile x": the run's own options; NULL: "" */
    unsigned counts[VERDICT_COUNT];
    unsigned stale; /* entries of the baseline that no longer fail */
};

/* Takes the result (copies the struct, zeroes *r) and drops its trace. failure is taken. 0 or
 * E_NOMEM (then both are freed or kept all the same). */
int outcome_add(struct outcome *o, struct case_result *r, char *failure);
/* The same for a case that is in there already, at `place`. */
int outcome_replace(struct outcome *o, size_t place, struct case_result *r, char *failure);
void outcome_sort(struct outcome *o);
void outcome_deinit(struct outcome *o); /* accepts a zeroed one */

enum exit_code outcome_exit_code(const struct outcome *o);

/* The same in words: "conforms", "does not conform", "no verdict", "stale baseline". Static. */
const char *outcome_words(const struct outcome *o);

/* The command that runs exactly this case again, to be typed into a shell; owned by the caller.
 * NULL: out of memory. */
char *outcome_again(const struct outcome *o, const struct case_file *c);

/* UTC, "2026-11-30T23:12:00Z". */
void outcome_started(const struct outcome *o, char *text, size_t n);

#endif
