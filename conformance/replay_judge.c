#include "conformance/replay.h"

#include "base/err.h"
#include "conformance/watches.h"

#include <string.h>

enum { ANSWER_US = 5000000 }; /* as long as an answer may take by default */

static bool is_process(const struct trace_event *e, const char *kind)
{
    return e->side == TRACE_PROCESS && strcmp(e->kind, kind) == 0;
}

/* Where the play was over: when the agent was told to end for the last time. */
static size_t find_ending(const struct trace *t)
{
    size_t at = t->n;
    for (size_t i = 0; i < t->n; i++) {
        if (is_process(t->events[i], "start"))
            at = t->n;
        else if (at == t->n &&
                 (is_process(t->events[i], "eof-sent") || is_process(t->events[i], "exit")))
            at = i;
    }
    return at;
}

static uint64_t time_at(const struct trace *t, size_t i)
{
    return t->n == 0 ? 0 : t->events[i < t->n ? i : t->n - 1]->t_us;
}

static void add_finding(void *ctx, const struct finding *f)
{
    result_add_finding(ctx, f, TRACE_AGENT);
}

int replay_judge(struct case_result *r)
{
    struct watches w;
    size_t ending = find_ending(&r->trace);
    int rc = watches_init(&w, ANSWER_US);
    for (size_t i = 0; rc == 0 && i < r->trace.n; i++) {
        if (i == ending)
            watches_ending(&w, time_at(&r->trace, i));
        watches_feed(&w, r->trace.events[i]);
    }
    if (rc == 0) {
        if (ending == r->trace.n)
            watches_ending(&w, time_at(&r->trace, ending));
        watches_end(&w);
        watches_each(&w, add_finding, r);
        rc = w.rc;
    }
    watches_deinit(&w);
    result_conclude(r);
    return rc == 0 ? r->rc : rc;
}
