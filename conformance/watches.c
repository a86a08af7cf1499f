#include "conformance/watches.h"

#include "base/err.h"

#include <stdlib.h>

static struct watch *add(struct watches *w, const char *agent)
{
    struct watch **v = realloc(w->v, (w->n + 1) * sizeof *v);
    w->v = v ? v : w->v;
    const char **agents = realloc(w->agents, (w->n + 1) * sizeof *agents);
    w->agents = agents ? agents : w->agents;
    struct watch *own = v && agents ? calloc(1, sizeof *own) : NULL;
    if (!own || watch_init(own, w->deadline_us) < 0) {
        free(own);
        w->rc = E_NOMEM;
        return NULL;
    }
    w->v[w->n] = own;
    w->agents[w->n++] = agent;
    for (size_t i = 0; i < w->n; i++)
        w->v[i]->shared_model = w->n > 1;
    return own;
}

int watches_init(struct watches *w, uint64_t deadline_us)
{
    *w = (struct watches){.deadline_us = deadline_us};
    return add(w, NULL) ? 0 : E_NOMEM;
}

void watches_deinit(struct watches *w)
{
    for (size_t i = 0; i < w->n; i++) {
        watch_deinit(w->v[i]);
        free(w->v[i]);
    }
    free(w->v);
    free(w->agents);
    *w = (struct watches){0};
}

/* The names are the trace's, one pointer each. */
static struct watch *watch_of(struct watches *w, const char *agent)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->agents[i] == agent)
            return w->v[i];
    return add(w, agent);
}

static bool is_of_one_process(const struct trace_event *e)
{
    return e->side == TRACE_AGENT || e->side == TRACE_CLIENT || e->side == TRACE_STDERR ||
           e->side == TRACE_PROCESS;
}

void watches_feed(struct watches *w, const struct trace_event *e)
{
    if (!is_of_one_process(e)) {
        for (size_t i = 0; i < w->n; i++)
            watch_feed(w->v[i], e);
        return;
    }
    struct watch *own = watch_of(w, e->agent);
    if (own)
        watch_feed(own, e);
}

uint64_t watches_owed(const struct watches *w, uint64_t now_us)
{
    uint64_t most = 0;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t wait = watch_owed(w->v[i], now_us);
        most = wait > most ? wait : most;
    }
    return most;
}

void watches_ending(struct watches *w, uint64_t now_us)
{
    for (size_t i = 0; i < w->n; i++)
        watch_ending(w->v[i], now_us);
}

void watches_end(struct watches *w)
{
    for (size_t i = 0; i < w->n; i++) {
        watch_end(w->v[i]);
        if (w->v[i]->rc < 0)
            w->rc = w->v[i]->rc;
    }
}

void watches_each(const struct watches *w, void (*cb)(void *ctx, const struct finding *f),
                  void *ctx)
{
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->v[i]->n; k++)
            cb(ctx, &w->v[i]->findings[k]);
}
