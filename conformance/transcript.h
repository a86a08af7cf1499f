#ifndef CONFORMANCE_TRANSCRIPT_H
#define CONFORMANCE_TRANSCRIPT_H

#include "mock-client/trace.h"

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * The trace as people read it: one line an event, times in ms, arrows between the three sides.
 *    12.3  client --> agent            #2 session/prompt {"sessionId":"s",...
 *    13.0             agent --> model  request 1: "say hello"
 */
struct transcript_window {
    const struct trace_event *focus; /* marked; NULL: the end is what matters */
    size_t before, after;            /* how many events around it, or at the end */
    bool colour;
};

/* 0 or E_NOMEM. */
int transcript_write(const struct trace *t, const struct transcript_window *window,
                     struct buf *out);

/* One event without time and arrow: "#2 result {...}". At most max bytes of foreign text. */
int transcript_summary(const struct trace_event *e, size_t max, struct buf *out);

#endif
