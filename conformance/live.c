#include "conformance/live.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    LIVE_KEPT = 256 << 20,
    LIVE_WAITING = 16 << 20, /* more is looked at at once: memory is bounded */
    LIVE_LINE = 64 << 20,
    ANSWER_US = 5000000, /* as long as an answer may take by default */
    NS_PER_US = 1000
};

struct live_piece {
    struct list link;
    enum trace_side side;
    const char *kind;
    uint64_t at_ns;
    size_t n;
    char bytes[];
};

int live_init(struct live *l, const struct live_ops *ops, void *ctx, size_t limit)
{
    *l = (struct live){.ops = ops, .ctx = ctx, .limit = limit ? limit : LIVE_KEPT};
    list_init(&l->waiting);
    trace_init(&l->trace, uv_hrtime());
    trace_init(&l->spill, l->trace.t0_ns);
    lines_init(&l->in[0], LIVE_LINE);
    lines_init(&l->in[1], LIVE_LINE);
    l->rc = watches_init(&l->watches, ANSWER_US);
    return l->rc;
}

void live_deinit(struct live *l)
{
    struct list *next;
    for (struct list *at = l->waiting.next; at != &l->waiting; at = next) {
        next = at->next;
        free(CONTAINER_OF(at, struct live_piece, link));
    }
    watches_deinit(&l->watches);
    lines_deinit(&l->in[0]);
    lines_deinit(&l->in[1]);
    trace_deinit(&l->spill);
    trace_deinit(&l->trace);
}

/* ---- one event ----------------------------------------------------------------------------------
 */

static void tell_findings(struct live *l)
{
    const struct watch *w = l->watches.v[0];
    while (l->told < w->n)
        l->ops->on_finding(l->ctx, &w->findings[l->told++]);
}

/* The first sign of it: what is owed then will not come any more. */
static void see_ending(struct live *l, const struct trace_event *e)
{
    bool sign = e->side == TRACE_PROCESS &&
                (strcmp(e->kind, "eof-sent") == 0 || strcmp(e->kind, "exit") == 0);
    if (!sign || l->ending)
        return;
    l->ending = true;
    watches_ending(&l->watches, e->t_us);
}

/* Beyond the limit events are only told: the monitors would need what is not kept. */
static void add_event(struct live *l, const struct live_piece *from, const char *kind,
                      const char *bytes, size_t n)
{
    struct trace *t = l->full ? &l->spill : &l->trace;
    const struct trace_event *e = trace_add(t, from->side, kind, bytes, n, NULL, from->at_ns);
    if (!e) {
        l->rc = E_NOMEM;
        return;
    }
    if (!l->full) {
        see_ending(l, e);
        watches_feed(&l->watches, e);
        tell_findings(l);
    }
    l->ops->on_event(l->ctx, e);
    l->kept += n;
    if (l->full) {
        trace_deinit(&l->spill);
        trace_init(&l->spill, l->trace.t0_ns);
    }
    l->full |= l->kept > l->limit;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

static void add_lines(struct live *l, const struct live_piece *p)
{
    struct lines *in = &l->in[p->side == TRACE_CLIENT];
    char *line;
    size_t n;
    int rc;
    if (lines_feed(in, p->bytes, p->n) < 0)
        l->rc = E_NOMEM;
    while ((rc = lines_next(in, &line, &n)) != 0)
        add_event(l, p, rc < 0 ? "too-long" : lines_is_blank(line, n) ? "blank" : "line", line, n);
}

static void add_end(struct live *l, const struct live_piece *p)
{
    char *rest;
    size_t n;
    bool client = p->side == TRACE_CLIENT;
    if (lines_rest(&l->in[client], &rest, &n) > 0)
        add_event(l, p, client ? "raw" : "rest", rest, n);
    struct live_piece end = {.side = TRACE_PROCESS, .at_ns = p->at_ns};
    add_event(l, &end, client ? "eof-sent" : "stdout-eof", "", 0);
}

static void look_at(struct live *l, const struct live_piece *p)
{
    if (p->kind)
        add_event(l, p, p->kind, p->bytes, p->n);
    else if (p->side == TRACE_STDERR)
        add_event(l, p, "bytes", p->bytes, p->n);
    else if (p->n > 0)
        add_lines(l, p);
    else
        add_end(l, p);
}

bool live_look(struct live *l, uint64_t us)
{
    uint64_t until = uv_hrtime() + us * NS_PER_US;
    while (!list_empty(&l->waiting)) {
        struct live_piece *p = CONTAINER_OF(l->waiting.next, struct live_piece, link);
        list_remove(&p->link);
        l->waiting_bytes -= p->n;
        look_at(l, p);
        free(p);
        if (uv_hrtime() >= until)
            break;
    }
    return !list_empty(&l->waiting);
}

static void look_at_all(struct live *l)
{
    bool more;
    do
        more = live_look(l, ANSWER_US);
    while (more);
}

void live_take(struct live *l, enum trace_side side, const char *kind, const char *bytes, size_t n)
{
    struct live_piece *p = malloc(sizeof *p + n);
    if (!p) {
        l->rc = E_NOMEM;
        return;
    }
    *p = (struct live_piece){.side = side, .kind = kind, .at_ns = uv_hrtime(), .n = n};
    memcpy(p->bytes, bytes, n);
    list_append(&l->waiting, &p->link);
    l->waiting_bytes += n;
    if (l->waiting_bytes > LIVE_WAITING)
        look_at_all(l);
}

/* ---- the end ------------------------------------------------------------------------------------
 */

static void add_finding(void *ctx, const struct finding *f)
{
    struct case_result *r = ctx;
    result_add_finding(r, f, TRACE_AGENT);
}

void live_conclude(struct live *l, struct case_result *ret)
{
    look_at_all(l);
    if (!l->full) {
        if (!l->ending)
            watches_ending(&l->watches, (uv_hrtime() - l->trace.t0_ns) / NS_PER_US);
        watches_end(&l->watches);
        tell_findings(l);
    }
    ret->trace = l->trace;
    l->trace = (struct trace){0};
    watches_each(&l->watches, add_finding, ret);
    ret->rc = l->rc < 0 ? l->rc : l->watches.rc;
    result_conclude(ret);
}
