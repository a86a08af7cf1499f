#ifndef CONFORMANCE_LIVE_H
#define CONFORMANCE_LIVE_H

#include "base/list.h"
#include "conformance/result.h"
#include "conformance/watches.h"
#include "mock-client/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a conversation that is going on -> lines -> events -> monitors. What comes in is kept
 * until somebody has time to look at it, so that whoever hands it in is not held up.
 */
struct live_ops {
    /* Each event once it is there; lent for the call. */
    void (*on_event)(void *ctx, const struct trace_event *e);
    /* Each finding once a monitor has it; lent for the call. */
    void (*on_finding)(void *ctx, const struct finding *f);
};

struct live {
    const struct live_ops *ops; /* lent */
    void *ctx;
    struct trace trace; /* what the monitors need to look back at */
    struct trace spill; /* one event at a time, once the trace is full */
    struct watches watches;
    struct lines in[2];  /* of the agent and the client */
    struct list waiting; /* of struct live_piece */
    size_t waiting_bytes;
    size_t kept;  /* bytes in the trace */
    size_t limit; /* as many at most, then nothing is judged any more */
    size_t told;  /* findings */
    bool full, ending;
    int rc; /* E_NOMEM once memory ran out: nothing is to be concluded then */
};

/* 0 or E_NOMEM; live_deinit in any case. limit 0: 256 MiB. */
int live_init(struct live *l, const struct live_ops *ops, void *ctx, size_t limit);
void live_deinit(struct live *l);

/* Takes a copy. kind NULL: bytes of that stream, n 0 its end; else an event of this (static) kind.
 */
void live_take(struct live *l, enum trace_side side, const char *kind, const char *bytes, size_t n);

/* Looks at what waits, at least one piece and not much longer than `us` microseconds. True if more
 * waits. */
bool live_look(struct live *l, uint64_t us);

/* Looks at all that waits and at what never came; gives the result its trace and findings. */
void live_conclude(struct live *l, struct case_result *ret);

#endif
