#include "conformance/wire_internal.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ids --------------------------------------------------------------------------------------
 */

bool wire_id_equal(const cJSON *a, const cJSON *b)
{
    if (cJSON_IsNumber(a) && cJSON_IsNumber(b))
        return !(a->valuedouble < b->valuedouble) && !(a->valuedouble > b->valuedouble);
    if (cJSON_IsString(a) && cJSON_IsString(b))
        return strcmp(a->valuestring, b->valuestring) == 0;
    return cJSON_IsNull(a) && cJSON_IsNull(b);
}

bool wire_id_is_plain(const cJSON *id)
{
    if (cJSON_IsString(id))
        return true;
    return cJSON_IsNumber(id) && id->valuedouble >= 0 && id->valuedouble <= 2147483647.0 &&
           !(floor(id->valuedouble) < id->valuedouble);
}

/* ---- calls ------------------------------------------------------------------------------------
 */

bool wire_is_open(const struct wire *w, const struct wire_call *c)
{
    return c->connection == w->connection && !c->answer;
}

struct wire_call *wire_call_find(const struct wire *w, enum trace_side asker, const cJSON *id,
                                 bool any)
{
    struct wire_call *answered = NULL;
    for (size_t i = w->n_calls; i-- > 0;) {
        struct wire_call *c = w->calls[i];
        if (c->connection != w->connection || c->side != asker || !wire_id_equal(c->id, id))
            continue;
        if (!c->answer)
            return c;
        answered = answered ? answered : c;
    }
    return any ? answered : NULL;
}

/* Invalid params do not make it so: those are answered with an error. */
static bool is_malformed(const struct wire_msg *m)
{
    const char *version = json_get_str(m->json, "jsonrpc");
    bool params = !m->params || cJSON_IsObject(m->params) || cJSON_IsArray(m->params) ||
                  cJSON_IsNull(m->params);
    return !version || strcmp(version, "2.0") != 0 || !params;
}

static struct wire_call *add_call(struct wire *w, const struct wire_msg *m)
{
    struct wire_call *c = NULL;
    if (grow_pointers(&w->calls, w->n_calls, &w->cap_calls) < 0 || !(c = calloc(1, sizeof *c))) {
        w->rc = E_NOMEM;
        return NULL;
    }
    *c = (struct wire_call){.side = m->e->side,
                            .at = m->e,
                            .id = m->id,
                            .method = m->method,
                            .params = m->params,
                            .session = m->session,
                            .connection = w->connection,
                            .malformed = is_malformed(m)};
    w->calls[w->n_calls++] = c;
    return c;
}

/* ---- sessions ---------------------------------------------------------------------------------
 */

struct wire_session *wire_session_find(const struct wire *w, const char *id)
{
    for (size_t i = w->n_sessions; i-- > 0;) {
        struct wire_session *s = w->sessions[i];
        if (s->connection == w->connection && strcmp(s->id, id) == 0)
            return s;
    }
    return NULL;
}

static struct wire_session *session_of(struct wire *w, const char *id)
{
    struct wire_session *s = wire_session_find(w, id);
    if (s)
        return s;
    if (grow_pointers(&w->sessions, w->n_sessions, &w->cap_sessions) < 0 ||
        !(s = calloc(1, sizeof *s)))
        goto fail;
    s->id = strdup(id);
    if (!s->id)
        goto fail;
    s->connection = w->connection;
    w->sessions[w->n_sessions++] = s;
    return s;

fail:
    free(s);
    w->rc = E_NOMEM;
    return NULL;
}

static bool is(const struct wire_call *c, const char *method)
{
    return strcmp(c->method, method) == 0;
}

static bool is_load(const struct wire_call *c)
{
    return is(c, "session/load") || is(c, "session/resume") || is(c, "session/fork");
}

static void note_client_request(struct wire *w, struct wire_msg *m)
{
    struct wire_session *s = m->session;
    if (is(m->call, "initialize")) {
        w->initialized = true;
        w->initialize_odd = m->e->invalid_ok;
        w->client_caps = json_get(m->params, "clientCapabilities");
    }
    if (!s)
        return;
    if (is_load(m->call)) {
        s->known = true;
        s->resumed |= is(m->call, "session/resume");
        s->loads_open++;
    }
    if (is(m->call, "session/prompt")) {
        s->turns_open++;
        s->turns_begun++;
        s->cancel_sent = s->cancel_sent && s->turns_open > 1;
        s->quiet = false;
    }
}

static void note_turn_end(const struct wire_msg *m, struct wire_session *s)
{
    const char *reason = json_get_str(m->result, "stopReason");
    s->turns_open -= s->turns_open > 0;
    s->quiet = s->turns_open == 0;
    s->ended_us = m->e->t_us;
    s->ended_cancelled = s->cancel_sent && reason && strcmp(reason, "cancelled") == 0;
}

static void note_agent_answer(struct wire *w, const struct wire_msg *m)
{
    struct wire_session *s = m->call->session;
    const char *made = json_get_str(m->result, "sessionId");
    if (made) {
        struct wire_session *fresh = session_of(w, made);
        if (fresh)
            fresh->known = true;
    }
    if (s && is(m->call, "session/prompt"))
        note_turn_end(m, s);
    if (s && is_load(m->call)) {
        s->loads_open -= s->loads_open > 0;
        s->quiet = false;
    }
}

/* ---- messages ----------------------------------------------------------------------------------
 */

static void note_response(struct wire *w, struct wire_msg *m)
{
    m->call = m->id ? wire_call_find(w, wire_other_side(m->e->side), m->id, true) : NULL;
    if (!m->call)
        return;
    m->session = m->call->session;
    if (m->call->answers++ > 0)
        return;
    m->call->answer = m->e;
    if (m->e->side == TRACE_AGENT)
        note_agent_answer(w, m);
}

void wire_note(struct wire *w, struct wire_msg *m)
{
    const char *session = json_get_str(m->params, "sessionId");
    if (m->kind == WIRE_RESPONSE) {
        note_response(w, m);
        return;
    }
    if (m->kind != WIRE_REQUEST && m->kind != WIRE_NOTIFICATION)
        return;
    m->session = session ? session_of(w, session) : NULL;
    if (m->kind == WIRE_REQUEST && (m->call = add_call(w, m)) && m->e->side == TRACE_CLIENT)
        note_client_request(w, m);
    if (m->session && m->e->side == TRACE_CLIENT && strcmp(m->method, "session/cancel") == 0 &&
        m->session->turns_open > 0)
        m->session->cancel_sent = true;
}
