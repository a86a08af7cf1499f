#ifndef AGENT_HOOK_H
#define AGENT_HOOK_H

#include "agent/plugin.h"

#include <uv.h>

/*
 * Hooks of plugins: programs that are told what happens, as JSON on their standard input, one after
 * the other. Exit code 2 objects: the rest is then not asked. Every other failure is told on
 * standard error and changes nothing.
 */

/* What happens. All lent; the arguments and texts for the call only, the others as long as the run
 * lasts. */
struct hook_question {
    uv_loop_t *loop;
    config_env env; /* may be NULL */
    const struct plugin_set *set;
    enum hook_event event;
    const char *session_id, *cwd;
    const char *tool;   /* of beforeTool and afterTool */
    const cJSON *args;  /* of that call; may be NULL */
    const char *result; /* of afterTool: what the model will be told */
    bool failed;
    const char *stop_reason; /* of turnEnd */
    /* reason: what the objection says, lent; NULL: nobody objects. */
    void (*cb)(void *ctx, const char *reason);
    void *ctx;
};

struct hook_run;

/* 1: cb comes once, on a later turn of the loop, unless it is stopped. 0: there is no such hook, cb
 * never comes. E_NOMEM: it never comes either. */
int hook_start(const struct hook_question *q, struct hook_run **ret);

/* What runs ends behind the scenes. Accepts NULL. */
void hook_stop(struct hook_run *run);

#endif
