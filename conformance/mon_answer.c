#include "conformance/monitors.h"

#include "json/json.h"

#include <string.h>

/*
 * Every request is answered exactly once, with its own id; notifications never. Only well-formed
 * requests with ids that every implementation copes with are judged, and silence only while the
 * agent lives and nothing that the harness holds back explains it.
 */

/* An answer to nothing that was asked. */
static void judge_stray(struct watch *w, const struct wire_msg *m)
{
    const struct wire *wire = &w->wire;
    struct blame b = blame_of(m, "RPC-25");
    if (wire->junk_sent)
        return; /* it may answer a broken line */
    b.pointer = m->id ? "/id" : "";
    bool named = m->id && !cJSON_IsNull(m->id);
    const struct wire_call *open = NULL;
    for (size_t i = 0; i < wire->n_calls && !open; i++)
        if (wire->calls[i]->side != m->e->side && wire_is_open(wire, wire->calls[i]))
            open = wire->calls[i];
    if (named && open) {
        b.id = "RPC-02";
        b.at_most = wire_id_is_plain(open->id) ? VERDICT_FAIL : VERDICT_INFO;
        watch_blame(
            w, &b,
            "the response's id is not that of any request; %s is still waiting for its answer",
            open->method);
    } else if (m->e->side == TRACE_AGENT && wire->notifications_sent > 0) {
        b.id = "RPC-04";
        watch_blame(w, &b, "a response to no request: notifications are never answered");
    } else {
        b.id = named ? "RPC-02" : "RPC-25";
        if (!named && open && !wire_id_is_plain(open->id))
            b.at_most = VERDICT_INFO; /* it may have been beyond the reader */
        watch_blame(w, &b,
                    named ? "the response's id is not that of any request"
                          : "the response has no id, or null, though every request could be read");
    }
}

static void judge_response(struct watch *w, const struct wire_msg *m)
{
    if (!m->call) {
        judge_stray(w, m);
        return;
    }
    struct blame b = blame_of(m, "RPC-05");
    b.pointer = "/id";
    if (m->call->answers > 1 && wire_id_is_plain(m->call->id))
        watch_blame(w, &b, "%s is answered %u times", m->call->method, m->call->answers);
}

/* Two open requests under one id cannot be told apart by anybody. */
static void judge_reuse(struct watch *w, const struct wire_msg *m)
{
    const struct wire *wire = &w->wire;
    for (size_t i = 0; i < wire->n_calls; i++) {
        const struct wire_call *c = wire->calls[i];
        if (c == m->call || c->side != m->e->side || !wire_is_open(wire, c) ||
            !wire_id_equal(c->id, m->id))
            continue;
        struct blame b = blame_of(m, "RPC-15");
        b.pointer = "/id";
        watch_blame(w, &b, "the id of %s is that of a request which is still open (%s)", m->method,
                    c->method);
        return;
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->kind == WIRE_RESPONSE)
        judge_response(w, m);
    else if (m->kind == WIRE_REQUEST && m->call)
        judge_reuse(w, m);
}

/* An agent that still sends messages is busy, not silent: nothing sets a time for answers. It is
 * waited for PATIENCE deadlines at most, and then not accused either. */
enum { PATIENCE = 4 };

static uint64_t silent_since(const struct wire *wire, const struct wire_call *c)
{
    return wire->heard_us > c->at->t_us ? wire->heard_us : c->at->t_us;
}

static uint64_t owed(const struct watch *w, const void *state, uint64_t now_us)
{
    uint64_t most = 0;
    (void)state;
    for (size_t i = 0; i < w->wire.n_calls; i++) {
        const struct wire_call *c = w->wire.calls[i];
        uint64_t until = silent_since(&w->wire, c) + w->deadline_us;
        uint64_t last = c->at->t_us + PATIENCE * w->deadline_us;
        until = until < last ? until : last;
        if (watch_owes_answer(w, c) && until > now_us && until - now_us > most)
            most = until - now_us;
    }
    return most;
}

static void ending(struct watch *w, void *state)
{
    const struct wire *wire = &w->wire;
    (void)state;
    for (size_t i = 0; i < wire->n_calls; i++) {
        const struct wire_call *c = wire->calls[i];
        if (!watch_owes_answer(w, c) || silent_since(wire, c) + w->deadline_us > w->now_us)
            continue;
        struct blame b = {.id = "RPC-05", .side = TRACE_AGENT, .event = NULL};
        watch_blame(w, &b, "%s is not answered, and nothing else has come for %llu ms", c->method,
                    (unsigned long long)(w->deadline_us / 1000));
    }
}

static const char *const ids[] = {"RPC-02", "RPC-04", "RPC-05", "RPC-15", "RPC-25", NULL};

const struct monitor monitor_answer = {
    .ids = ids,
    .title = "every request is answered exactly once, notifications never",
    .feed = feed,
    .owed = owed,
    .ending = ending,
};
