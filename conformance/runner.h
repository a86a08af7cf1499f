#ifndef CONFORMANCE_RUNNER_H
#define CONFORMANCE_RUNNER_H

#include "conformance/run_case.h"

#include <stddef.h>

/* Many cases on one loop, `parallel` of them at once. */
struct runner_job {
    struct run_case_options options; /* but for cb and ctx */
    void *user;                      /* the owner's */
};

struct runner_ops {
    /* A job is done; r as in run_case.h. False: no further jobs are started. */
    bool (*on_done)(void *ctx, const struct runner_job *job, struct case_result *r, bool applied);
    /* The next job, lent until it is done; NULL if there is none now. Asked at the start and
     * whenever a job is done. */
    const struct runner_job *(*next)(void *ctx);
};

struct runner_options {
    const struct run_setting *setting;
    unsigned parallel; /* 0: 1 */
};

/* Runs until nothing is left. 0; E_CANCELLED if SIGINT or SIGTERM came (all agents were killed,
 * their cases told as ERROR); E_NOMEM; or UV_EBUSY for a handle that was left open. */
int runner_run(const struct runner_options *options, const struct runner_ops *ops, void *ctx);

#endif
