#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/config.h"
#include "agent/wiretap.h"

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* The ACP agent: one connection on a pair of descriptors, its sessions, its ways to the models. */
struct agent;

struct agent_options {
    int in, out;                 /* taken */
    const char *cwd;             /* of sessions that name none; NULL: they must */
    const char *model;           /* "provider/model"; NULL: the provider's own */
    const char *work_mode;       /* of new sessions; NULL: as configured */
    const char *append;          /* joins every system prompt; may be NULL */
    const char *title;           /* of new sessions; NULL: made from the first prompt */
    bool safe_mode;              /* see env.h */
    uint32_t max_tokens;         /* 0: the provider's default */
    size_t max_line;             /* 0: 64 MiB */
    uint32_t permission_timeout; /* seconds; 0: 120 */
    config_env env;
    struct wiretap *wiretap; /* lent, may be NULL */
};

struct agent_ops {
    /* It begins to end (end of input, lost output, agent_shutdown); called once. */
    void (*on_ending)(void *ctx);
    void (*on_closed)(void *ctx); /* the last call */
};

/* Everything in options but the descriptors is lent and outlives the agent. 0 or a negative code.
 */
int agent_open(uv_loop_t *loop, const struct agent_options *options, const struct agent_ops *ops,
               void *ctx, struct agent **ret);

/* Running turns are answered as cancelled, what waits is written (for a bounded time), everything
 * closes. Idempotent. */
void agent_shutdown(struct agent *a);

#endif
