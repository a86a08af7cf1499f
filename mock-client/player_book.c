#include "mock-client/player_int.h"

#include "mock-client/policy.h"

#include "base/err.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERMISSION "session/request_permission"
#define PROMPT     "session/prompt"
#define CANCEL     "session/cancel"

static bool has_method(const struct trace_event *e, const char *method)
{
    const char *m = json_get_str(e->json, "method");
    return m && !strcmp(m, method);
}

static const char *session_of(const struct trace_event *e)
{
    return json_get_str(json_get(e->json, "params"), "sessionId");
}

static bool same_session(const struct trace_event *e, const char *session)
{
    const char *own = session_of(e);
    return own && session && !strcmp(own, session);
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

const struct trace_event *play_send_message(struct player *p, const cJSON *id, const char *method,
                                            const cJSON *params)
{
    struct buf line = {0};
    struct jsonw w;
    const struct trace_event *e = NULL;
    jw_begin(&w, &line);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    if (id)
        jw_ktree(&w, "id", id);
    jw_kstr(&w, "method", method);
    if (params)
        jw_ktree(&w, "params", params);
    jw_close(&w);
    if (jw_end(&w) == 0)
        e = client_send(p->client, line.p, line.n);
    buf_deinit(&line);
    return e;
}

struct play_ref *play_send_request(struct player *p, const char *name, const cJSON *id,
                                   const char *method, const cJSON *params)
{
    struct play_ref *ref = play_ref_add(p, name);
    if (!ref)
        return NULL;
    ref->id = id ? cJSON_Duplicate(id, true) : cJSON_CreateNumber((double)++p->last_id);
    if (ref->id)
        ref->sent = play_send_message(p, ref->id, method, params);
    return ref->sent ? ref : NULL;
}

/* ---- requests of the agent ---------------------------------------------------------------------
 */

static void ask_destroy(struct play_ask *ask)
{
    list_remove(&ask->node);
    free(ask);
}

void play_asks_deinit(struct player *p)
{
    while (!list_empty(&p->asks))
        ask_destroy(CONTAINER_OF(p->asks.next, struct play_ask, node));
}

static int ask_keep(struct player *p, const struct trace_event *e, bool never)
{
    struct play_ask *ask = calloc(1, sizeof *ask);
    if (!ask)
        return E_NOMEM;
    ask->e = e;
    ask->never = never;
    list_append(&p->asks, &ask->node);
    return 0;
}

/* True while a turn of that session runs that was cancelled. */
static bool is_cancelled(const struct player *p, const char *session)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        const struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->cancelled && !ref->response && same_session(ref->sent, session))
            return true;
    }
    return false;
}

static void answer(struct player *p, const struct buf *line, bool may_be_invalid)
{
    p->options.trace->invalid_ok = may_be_invalid;
    client_send(p->client, line->p, line->n);
    p->options.trace->invalid_ok = false;
}

static int answer_by_policy(struct player *p, const struct trace_event *e, const char *method)
{
    const cJSON *value = policy_find(json_get(p->client_side, "policy"), method);
    struct buf line = {0};
    int act = policy_answer(value, e->json, e->scan.id, &line);
    bool cancelled = !strcmp(method, PERMISSION) && is_cancelled(p, session_of(e));
    if (cancelled && act >= 0 && act != POLICY_NEVER) {
        line.n = 0;
        act = policy_answer_cancelled(e->scan.id, &line);
        value = NULL;
    }
    int rc = act;
    if (act == POLICY_ANSWER)
        answer(p, &line, policy_may_be_invalid(value));
    else if (act > 0)
        rc = ask_keep(p, e, act == POLICY_NEVER);
    buf_deinit(&line);
    return rc;
}

static int answer_cancelled(struct player *p, const struct play_ask *ask)
{
    struct buf line = {0};
    int rc = policy_answer_cancelled(ask->e->scan.id, &line);
    if (rc == 0)
        answer(p, &line, false);
    buf_deinit(&line);
    return rc;
}

/* ---- what was said -----------------------------------------------------------------------------
 */

static int book_cancel(struct player *p, const char *session)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->sent && !ref->response && has_method(ref->sent, PROMPT) &&
            same_session(ref->sent, session))
            ref->cancelled = true;
    }
    for (struct list *l = p->asks.next, *next = l->next; l != &p->asks; l = next, next = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node);
        if (ask->never || !has_method(ask->e, PERMISSION) || !same_session(ask->e, session))
            continue;
        int rc = answer_cancelled(p, ask);
        if (rc < 0)
            return rc;
        ask_destroy(ask);
    }
    return 0;
}

static void book_response(struct player *p, const struct trace_event *e)
{
    const cJSON *id = json_get(e->json, "id");
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->id && !ref->lost && !ref->response && json_equal(ref->id, id)) {
            ref->response = e;
            return;
        }
    }
}

static int book_agent(struct player *p, const struct trace_event *e)
{
    const char *method = json_get_str(e->json, "method");
    if (!cJSON_IsObject(e->json) || e->scan.id.kind == JSON_KIND_NONE)
        return 0;
    if (method)
        return answer_by_policy(p, e, method);
    book_response(p, e);
    return 0;
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
    return e->json && has_method(e, CANCEL) ? book_cancel(p, session_of(e)) : 0;
}

void play_book(struct player *p)
{
    const struct trace *t = p->options.trace;
    int rc = 0;
    while (p->booked < t->n && rc >= 0 && !p->ending) {
        const struct trace_event *e = t->events[p->booked++];
        if (e->side == TRACE_AGENT && e->json && p->client)
            rc = book_agent(p, e);
        else if (e->side == TRACE_CLIENT)
            rc = book_client(p, e);
    }
    if (rc < 0)
        play_end(p, PLAYER_ERROR, err_text(rc));
}
