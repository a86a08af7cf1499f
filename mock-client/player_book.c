#include "mock-client/player_int.h"

#include "base/err.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool play_has_method(const struct trace_event *e, const char *method)
{
    const char *m = json_get_str(e->json, "method");
    return m && !strcmp(m, method);
}

const char *play_session_of(const struct trace_event *e)
{
    return json_get_str(json_get(e->json, "params"), "sessionId");
}

bool play_same_session(const struct trace_event *a, const struct trace_event *b)
{
    const char *one = play_session_of(a), *other = play_session_of(b);
    return a->agent == b->agent && one && other && !strcmp(one, other);
}

bool play_is_agent_message(const struct player *p, const struct trace_event *e)
{
    if (e->side != TRACE_AGENT || !e->json)
        return false;
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        const struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->is_fence && ref->response == e)
            return false;
    }
    return true;
}

/* ---- sending -----------------------------------------------------------------------------------
 */

const struct trace_event *play_send_message(struct play_agent *a, const struct play_call *call)
{
    struct buf line = {0};
    struct jsonw w;
    const struct trace_event *e = NULL;
    jw_begin(&w, &line);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    if (call->id)
        jw_ktree(&w, "id", call->id);
    jw_kstr(&w, "method", call->method);
    if (call->params)
        jw_ktree(&w, "params", call->params);
    jw_close(&w);
    if (jw_end(&w) == 0)
        e = client_send(a->client, line.p, line.n);
    buf_deinit(&line);
    return e;
}

struct play_ref *play_send_request(struct play_agent *a, const struct play_call *call)
{
    struct player *p = a->player;
    struct play_call with_id = *call;
    struct play_ref *ref = play_ref_add(p, call->name);
    if (!ref)
        return NULL;
    ref->agent = a;
    ref->id = call->id ? cJSON_Duplicate(call->id, true) : cJSON_CreateNumber((double)++p->last_id);
    with_id.id = ref->id;
    if (ref->id)
        ref->sent = play_send_message(a, &with_id);
    return ref->sent ? ref : NULL;
}

/* ---- what was said -----------------------------------------------------------------------------
 */

static int book_cancel(struct player *p, const struct trace_event *e)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->sent && !ref->response && play_has_method(ref->sent, "session/prompt") &&
            play_same_session(ref->sent, e))
            ref->cancelled = true;
    }
    return play_asks_cancel(p, e);
}

static void book_response(struct player *p, const struct trace_event *e)
{
    const cJSON *id = json_get(e->json, "id");
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->id && !ref->lost && !ref->response && ref->agent && ref->agent->name == e->agent &&
            json_equal(ref->id, id)) {
            ref->response = e;
            return;
        }
    }
}

static int book_agent(struct player *p, const struct trace_event *e)
{
    struct play_agent *a = play_agent_of(p, e);
    if (!a || !a->client || !cJSON_IsObject(e->json) || e->scan.id.kind == JSON_KIND_NONE)
        return 0;
    if (json_get_str(e->json, "method"))
        return play_ask(a, e);
    book_response(p, e);
    return 0;
}

static void book_initialize(struct player *p, const struct trace_event *e)
{
    struct play_agent *a = play_agent_of(p, e);
    if (a)
        a->caps = json_get(json_get(e->json, "params"), "clientCapabilities");
}

static int book_client(struct player *p, const struct trace_event *e)
{
    char err[300], text[400];
    if (p->ops->validate && !e->invalid_ok && p->ops->validate(p->ctx, e, err, sizeof err) < 0) {
        snprintf(text, sizeof text,
                 "steps[%d] sends an invalid message (say \"invalid\": true if "
                 "that is meant): %s",
                 e->step, err);
        play_end(p, PLAYER_ERROR, text);
        return 0;
    }
    if (e->json && play_has_method(e, "initialize"))
        book_initialize(p, e);
    return e->json && play_has_method(e, "session/cancel") ? book_cancel(p, e) : 0;
}

void play_book(struct player *p)
{
    const struct trace *t = p->options.trace;
    int rc = 0;
    while (p->booked < t->n && rc >= 0 && !p->ending) {
        const struct trace_event *e = t->events[p->booked++];
        if (e->side == TRACE_AGENT && e->json)
            rc = book_agent(p, e);
        else if (e->side == TRACE_CLIENT)
            rc = book_client(p, e);
    }
    if (rc < 0)
        play_end(p, PLAYER_ERROR, err_text(rc));
}
