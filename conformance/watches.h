#ifndef CONFORMANCE_WATCHES_H
#define CONFORMANCE_WATCHES_H

#include "conformance/monitor.h"

#include <stddef.h>
#include <stdint.h>

/* The monitors of a case with one process of the agent or several: each has a watch of its own. */
struct watches {
    struct watch **v; /* owned; the first process has the first */
    const char **agents;
    size_t n;
    uint64_t deadline_us;
    int rc; /* E_NOMEM once memory ran out: nothing is to be concluded then */
};

/* 0 or E_NOMEM. */
int watches_init(struct watches *w, uint64_t deadline_us);
void watches_deinit(struct watches *w); /* accepts a zeroed one */

/* As watch_feed, watch_owed, watch_ending and watch_end, for all of them. What the model does is
 * seen by all, as nothing tells whose request it was. */
void watches_feed(struct watches *w, const struct trace_event *e);
uint64_t watches_owed(const struct watches *w, uint64_t now_us);
void watches_ending(struct watches *w, uint64_t now_us);
void watches_end(struct watches *w);

/* Calls cb with each finding. */
void watches_each(const struct watches *w, void (*cb)(void *ctx, const struct finding *f),
                  void *ctx);

#endif
