#ifndef CONFORMANCE_RUN_CASE_H
#define CONFORMANCE_RUN_CASE_H

#include "conformance/result.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct profile;
struct run_case;

/* What all cases of a run share; lent until the last of them is done. */
struct run_setting {
    const struct profile *profile;
    const struct requirements *reqs;
    const char *bindir; /* {bindir} of the profile */
    bool strict;
    double timeout_scale;
    uint64_t seed;
};

struct run_case_options {
    struct case_file *file; /* lent until cb */
    const cJSON *mutant;    /* sits on the wire; lent until cb, NULL: none */
    double scale;           /* multiplies the setting's deadlines; 0: 1 */
    /* Called once, from the loop, when nothing of the case is left. r is the callee's to take (copy
     * the struct and zero it) or to leave. applied: the mutant changed something. */
    void (*cb)(void *ctx, struct case_result *r, bool applied);
    void *ctx;
};

/*
 * Runs one case on the loop: fresh folders, a provider of its own, the agent, the monitors. 0, or
 * E_NOMEM (then cb never comes).
 */
int run_case_start(uv_loop_t *loop, const struct run_setting *setting,
                   const struct run_case_options *options, struct run_case **ret);

/* Ends it at once: the agent is killed, the result is an ERROR. cb follows. */
void run_case_abort(struct run_case *r);

#endif
