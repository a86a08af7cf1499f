#ifndef CONFORMANCE_RELAY_H
#define CONFORMANCE_RELAY_H

#include "mock-client/trace.h"

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * An agent's process behind our own stdin and stdout: every byte goes through as it came, in both
 * directions, and back-pressure with it. Whoever looks on is told after a byte is on its way.
 */
struct relay;

struct relay_ops {
    /* From the client (TRACE_CLIENT), the agent (TRACE_AGENT) or its stderr (TRACE_STDERR). Bytes
     * are lent; n 0: that direction has ended. */
    void (*on_bytes)(void *ctx, enum trace_side from, const char *bytes, size_t n);
    /* The last call ever made: the agent is over and what it said has left. Exit code, or the
     * signal that ended it (then code is 0). */
    void (*on_over)(void *ctx, int64_t code, int signum);
};

/* argv is NULL-ended. SIGTERM, SIGINT and SIGHUP are handed on to the agent. 0, or the spawn error
 * (then no callback ever comes). ops and ctx are lent. */
int relay_open(uv_loop_t *loop, const char *const *argv, const struct relay_ops *ops, void *ctx,
               struct relay **ret);

#endif
