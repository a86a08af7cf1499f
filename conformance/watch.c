#include "conformance/monitor.h"

#include "base/err.h"
#include "conformance/monitors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct monitor *const monitors[] = {
#define X(name) &monitor_##name,
    MONITORS(X)
#undef X
};

const struct monitor *monitor_at(size_t i)
{
    return i < ARRAY_LEN(monitors) ? monitors[i] : NULL;
}

bool monitor_judges(const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++)
        for (const char *const *own = monitors[i]->ids; *own; own++)
            if (strcmp(*own, id) == 0)
                return true;
    return false;
}

int watch_init(struct watch *w, uint64_t deadline_us)
{
    *w = (struct watch){.deadline_us = deadline_us};
    w->states = calloc(ARRAY_LEN(monitors), sizeof *w->states);
    if (!w->states)
        return E_NOMEM;
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++) {
        if (monitors[i]->state_n == 0)
            continue;
        w->states[i] = calloc(1, monitors[i]->state_n);
        if (!w->states[i]) {
            watch_deinit(w);
            return E_NOMEM;
        }
    }
    return 0;
}

void watch_deinit(struct watch *w)
{
    for (size_t i = 0; w->states && i < ARRAY_LEN(monitors); i++) {
        if (w->states[i] && monitors[i]->deinit)
            monitors[i]->deinit(w->states[i]);
        free(w->states[i]);
    }
    free(w->states);
    free(w->findings);
    wire_deinit(&w->wire);
    *w = (struct watch){0};
}

static void feed_all(void *ctx, const struct wire_msg *m)
{
    struct watch *w = ctx;
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++)
        monitors[i]->feed(w, w->states[i], m);
}

void watch_feed(struct watch *w, const struct trace_event *e)
{
    w->now_us = e->t_us;
    wire_feed(&w->wire, e, feed_all, w);
    if (w->wire.rc < 0)
        w->rc = w->wire.rc;
}

void watch_ending(struct watch *w, uint64_t now_us)
{
    w->now_us = now_us;
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++)
        if (monitors[i]->ending)
            monitors[i]->ending(w, w->states[i]);
}

void watch_end(struct watch *w)
{
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++)
        if (monitors[i]->end)
            monitors[i]->end(w, w->states[i]);
}

struct blame blame_of(const struct wire_msg *m, const char *id)
{
    return (struct blame){.id = id, .side = m->e->side, .event = m->e};
}

static unsigned count_of(const struct watch *w, const struct blame *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->n; i++)
        n += strcmp(w->findings[i].id, b->id) == 0 && w->findings[i].side == b->side;
    return n;
}

void watch_blame(struct watch *w, const struct blame *b, const char *fmt, ...)
{
    va_list args;
    if (b->event && b->event->invalid_ok)
        return; /* the case wanted it so */
    if (count_of(w, b) >= WATCH_KEEP)
        return;
    if (w->n == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 4;
        struct finding *more = realloc(w->findings, cap * sizeof *more);
        if (!more) {
            w->rc = E_NOMEM;
            return;
        }
        w->findings = more;
        w->cap = cap;
    }
    struct finding *f = &w->findings[w->n++];
    *f = (struct finding){.id = b->id,
                          .at_most = b->at_most == VERDICT_PASS ? VERDICT_FAIL : b->at_most,
                          .side = b->side,
                          .event = b->event};
    snprintf(f->pointer, sizeof f->pointer, "%s", b->pointer ? b->pointer : "");
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
}

/* ---- what is owed ------------------------------------------------------------------------------
 */

/* Somebody asked the harness and got no answer yet: then everything may be waiting for that. */
static bool harness_owes(const struct wire *w)
{
    for (size_t i = 0; i < w->n_calls; i++)
        if (w->calls[i]->side == TRACE_AGENT && wire_is_open(w, w->calls[i]))
            return true;
    return w->model_open > 0;
}

bool watch_owes_answer(const struct watch *w, const struct wire_call *c)
{
    return c->side == TRACE_CLIENT && w->wire.up && wire_is_open(&w->wire, c) && !c->malformed &&
           wire_id_is_plain(c->id) && !harness_owes(&w->wire);
}

uint64_t watch_owed(const struct watch *w, uint64_t now_us)
{
    uint64_t most = 0;
    for (size_t i = 0; i < ARRAY_LEN(monitors); i++) {
        uint64_t wait = monitors[i]->owed ? monitors[i]->owed(w, w->states[i], now_us) : 0;
        most = wait > most ? wait : most;
    }
    return most;
}
