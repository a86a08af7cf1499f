#include "internal.h"

#include "base/err.h"
#include "base/log.h"
#include "json/jsonw.h"

#include <string.h>

/* When the journal in memory is longer than twice this, its older half goes. */
#define JOURNAL_MAX ((size_t)8 << 20)

const char *provider_event_name(enum provider_event_kind kind)
{
    static const char *const names[PROVIDER_EVENT_KINDS] = {
        [PROVIDER_REQUEST] = "request",   [PROVIDER_PART] = "part",
        [PROVIDER_HOLD] = "hold",         [PROVIDER_RELEASE] = "release",
        [PROVIDER_DONE] = "done",         [PROVIDER_GONE] = "gone",
        [PROVIDER_MISS] = "miss",         [PROVIDER_UNDECLARED] = "undeclared",
        [PROVIDER_MISMATCH] = "mismatch", [PROVIDER_REFUSED] = "refused",
        [PROVIDER_SIDE] = "side",         [PROVIDER_SERVER] = "server",
    };
    return names[kind];
}

bool provider_listens(const struct provider *p)
{
    return p->ops.on_event || p->ops.on_line || p->control;
}

static int write_line(struct provider *p, const struct provider_event *e)
{
    struct jsonw w;
    p->line.n = 0;
    jw_begin(&w, &p->line);
    jw_open(&w, '{');
    jw_kint(&w, "seq", (int64_t)++p->seq);
    jw_kint(&w, "t", (int64_t)(uv_now(p->loop) - p->started_at));
    jw_kstr(&w, "event", provider_event_name(e->kind));
    if (e->n > 0)
        jw_kint(&w, "n", e->n);
    if (e->action)
        jw_kstr(&w, "action", e->action);
    if (e->text)
        jw_kstr(&w, "text", e->text);
    if (e->check)
        jw_kstr(&w, "check", e->check);
    if (e->kind == PROVIDER_REQUEST || e->kind == PROVIDER_SERVER)
        jw_ktree(&w, "request", e->request);
    jw_close(&w);
    int rc = jw_end(&w);
    return rc < 0 ? rc : buf_addc(&p->line, '\n');
}

/* Keeps whole lines only. */
static int remember_line(struct provider *p)
{
    struct buf *j = &p->journal;
    if (j->n > 2 * JOURNAL_MAX) {
        const char *from = j->p + j->n - JOURNAL_MAX;
        const char *lf = memchr(from, '\n', JOURNAL_MAX);
        buf_consume(j, lf ? (size_t)(lf + 1 - j->p) : j->n);
    }
    return buf_add(j, p->line.p, p->line.n);
}

static void write_journal(struct provider *p, const struct provider_event *e)
{
    int rc = write_line(p, e);
    if (rc == 0 && p->control)
        rc = remember_line(p);
    if (rc < 0)
        log_error("mock-provider: a journal line is lost: %s", err_text(rc));
    else if (p->ops.on_line)
        p->ops.on_line(p->ctx, p->line.p, p->line.n);
}

/* What the journal calls by these names is against the caller by itself. */
static void judge(struct provider *p, const struct provider_event *e)
{
    if (e->kind == PROVIDER_MISS || e->kind == PROVIDER_UNDECLARED ||
        e->kind == PROVIDER_MISMATCH || e->kind == PROVIDER_REFUSED)
        verdict_add(&p->verdict, provider_event_name(e->kind), e->n, "%s", e->text ? e->text : "");
}

void provider_emit(struct provider *p, const struct provider_event *event)
{
    if (event->n >= SIDE_N)
        return;
    p->counts[event->kind]++;
    judge(p, event);
    if (p->control || p->ops.on_line)
        write_journal(p, event);
    if (p->ops.on_event)
        p->ops.on_event(p->ctx, event);
    if (p->control)
        control_notice(p);
}

void provider_emit_text(struct provider *p, enum provider_event_kind kind, unsigned n,
                        const char *text)
{
    const struct provider_event event = {.kind = kind, .n = n, .text = text};
    provider_emit(p, &event);
}
