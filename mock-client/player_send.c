#include "mock-client/player_int.h"

#include "mock-client/policy.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The verbs that send messages and wait for their answers. */

static int no_memory(struct player *p, const struct play_step *s)
{
    return play_error(p, s, "out of memory");
}

static int send_request(struct player *p, struct play_step *s, const char *name, const char *method,
                        const cJSON *params)
{
    struct play_call call = {
        .name = name, .id = json_get(s->step, "id"), .method = method, .params = params};
    s->ref = play_send_request(s->agent, &call);
    if (!s->ref)
        return no_memory(p, s);
    return cJSON_IsFalse(json_get(s->step, "wait")) ? PLAY_NEXT : PLAY_WAIT;
}

int play_answer_poll(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return PLAY_WAIT;
    int rc = play_expect(p, s, s->ref->response);
    return rc < 0 ? rc : PLAY_NEXT;
}

int play_initialize_begin(struct player *p, struct play_step *s)
{
    const char *as = json_get_str(s->step, "as");
    cJSON *params = play_initialize_params(p, s->value);
    if (!params)
        return no_memory(p, s);
    int rc = send_request(p, s, as ? as : "initialize", "initialize", params);
    cJSON_Delete(params);
    return rc;
}

/* ---- sessions and prompts ----------------------------------------------------------------------
 */

static cJSON *session_params(const struct player *p, const cJSON *members)
{
    cJSON *params = cJSON_CreateObject();
    bool ok = params && cJSON_AddStringToObject(params, "cwd", p->cwd) &&
              cJSON_AddArrayToObject(params, "mcpServers") && play_merge(params, members) == 0;
    if (ok)
        return params;
    cJSON_Delete(params);
    return NULL;
}

int play_session_begin(struct player *p, struct play_step *s)
{
    cJSON *params = session_params(p, json_get(s->step, "params"));
    if (!params)
        return no_memory(p, s);
    int rc = send_request(p, s, s->value->valuestring, "session/new", params);
    cJSON_Delete(params);
    if (s->ref)
        s->ref->is_session = true;
    return rc;
}

/* Without a session most cases have nothing to judge, and there are lawful reasons (a login). */
static int session_refused(struct player *p, struct play_step *s)
{
    const cJSON *error = json_get(s->ref->response->json, "error");
    const char *message = json_get_str(error, "message");
    if (error)
        play_error(p, s, "session/new was answered with error %lld: %s",
                   (long long)json_get_int(error, "code", 0), message ? message : "no message");
    else
        play_error(p, s, "the answer to session/new holds no sessionId");
    play_unreached(p, s, p->why_text);
    return PLAY_STOP;
}

/* What an agent has to be told before it works as cases expect it. What it answers is judged by
 * nobody but those who watch the wire. */
static int set_up_session(struct player *p, struct play_step *s)
{
    const cJSON *call = cJSON_GetArrayItem(p->options.after_session, s->phase);
    const char *session = play_session_id(p, s->value->valuestring);
    if (!call || !session)
        return PLAY_NEXT;
    cJSON *params = cJSON_Duplicate(json_get(call, "params"), true);
    bool ok = params && cJSON_AddStringToObject(params, "sessionId", session);
    struct play_call c = {.method = json_get_str(call, "method"), .params = params};
    s->ref = ok ? play_send_request(s->agent, &c) : NULL;
    cJSON_Delete(params);
    if (!s->ref)
        return no_memory(p, s);
    s->phase++;
    return PLAY_WAIT;
}

int play_session_poll(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return PLAY_WAIT;
    if (s->phase > 0)
        return set_up_session(p, s);
    if (!json_get(s->step, "expect") && !play_session_id(p, s->value->valuestring))
        return session_refused(p, s);
    int rc = play_answer_poll(p, s);
    return rc == PLAY_NEXT ? set_up_session(p, s) : rc;
}

static cJSON *prompt_blocks(const cJSON *value)
{
    if (!cJSON_IsString(value))
        return cJSON_Duplicate(value, true);
    cJSON *blocks = cJSON_CreateArray(), *block = cJSON_CreateObject();
    bool ok = blocks && block && cJSON_AddStringToObject(block, "type", "text") &&
              cJSON_AddStringToObject(block, "text", value->valuestring);
    if (ok && cJSON_AddItemToArray(blocks, block))
        return blocks;
    cJSON_Delete(block);
    cJSON_Delete(blocks);
    return NULL;
}

static cJSON *prompt_params(const char *session, const cJSON *value)
{
    cJSON *params = cJSON_CreateObject(), *blocks = prompt_blocks(value);
    bool ok = params && blocks && cJSON_AddStringToObject(params, "sessionId", session);
    if (ok && cJSON_AddItemToObject(params, "prompt", blocks))
        return params;
    cJSON_Delete(blocks);
    cJSON_Delete(params);
    return NULL;
}

static int no_session(struct player *p, struct play_step *s, const char *name)
{
    play_error(p, s, "there is no session%s%s", name ? " " : "", name ? name : "");
    play_unreached(p, s, p->why_text);
    return PLAY_STOP;
}

int play_prompt_begin(struct player *p, struct play_step *s)
{
    const char *name = json_get_str(s->step, "session");
    const char *session = name ? play_session_id(p, name) : play_last_session(p, s->agent);
    if (!session)
        return no_session(p, s, name);
    cJSON *params = prompt_params(session, s->value);
    if (!params)
        return no_memory(p, s);
    int rc = send_request(p, s, json_get_str(s->step, "as"), "session/prompt", params);
    cJSON_Delete(params);
    return rc;
}

/* ---- anything ----------------------------------------------------------------------------------
 */

int play_request_begin(struct player *p, struct play_step *s)
{
    return send_request(p, s, json_get_str(s->step, "as"), s->value->valuestring,
                        json_get(s->step, "params"));
}

static int send_notification(struct player *p, struct play_step *s, const char *method,
                             const cJSON *params)
{
    struct play_call call = {.method = method, .params = params};
    if (!play_send_message(s->agent, &call))
        return no_memory(p, s);
    return PLAY_NEXT;
}

int play_notify_begin(struct player *p, struct play_step *s)
{
    return send_notification(p, s, s->value->valuestring, json_get(s->step, "params"));
}

/* Takes value. */
static int notify_member(struct player *p, struct play_step *s, const char *method,
                         const char *name, cJSON *value)
{
    cJSON *params = cJSON_CreateObject();
    int rc = no_memory(p, s);
    if (params && value && cJSON_AddItemToObject(params, name, value)) {
        value = NULL;
        rc = send_notification(p, s, method, params);
    }
    cJSON_Delete(value);
    cJSON_Delete(params);
    return rc;
}

int play_cancel_begin(struct player *p, struct play_step *s)
{
    const char *name = s->value->valuestring, *session = play_session_id(p, name);
    if (!session)
        return no_session(p, s, name);
    return notify_member(p, s, "session/cancel", "sessionId", cJSON_CreateString(session));
}

int play_cancel_request_begin(struct player *p, struct play_step *s)
{
    const struct play_ref *ref = play_ref_find(p, s->value->valuestring);
    if (!ref || !ref->id)
        return play_error(p, s, "no request is named \"%s\"", s->value->valuestring);
    return notify_member(p, s, "$/cancel_request", "requestId", cJSON_Duplicate(ref->id, true));
}

int play_await_begin(struct player *p, struct play_step *s)
{
    s->ref = play_ref_find(p, s->value->valuestring);
    if (!s->ref || !s->ref->id)
        return play_error(p, s, "no request is named \"%s\"", s->value->valuestring);
    return PLAY_WAIT;
}

/* ---- respond -----------------------------------------------------------------------------------
 */

int play_respond_begin(struct player *p, struct play_step *s)
{
    (void)p;
    (void)s;
    return PLAY_WAIT;
}

static struct play_ask *find_ask(struct player *p, const struct play_step *s)
{
    const cJSON *pattern = json_get(s->step, "respond");
    for (struct list *l = p->asks.next; l != &p->asks; l = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node);
        if (ask->agent == s->agent && !ask->hold && json_match(pattern, ask->e->json, NULL) == 1)
            return ask;
    }
    return NULL;
}

/* Now that the request is known, what the answer takes from it can be filled in. */
static int fill_answer(struct player *p, struct play_step *s, const struct trace_event *e)
{
    const char *as = json_get_str(s->raw, "as");
    struct json_error err;
    cJSON *whole;
    struct play_ref *ref = as ? play_ref_add(p, as) : NULL;
    if (as && !ref)
        return no_memory(p, s);
    if (ref)
        ref->message = e;
    int rc = play_fill(p, s->raw, &whole, &err);
    if (rc < 0)
        return play_error(p, s, "%s", rc == E_NOTFOUND ? err.text : err_text(rc));
    cJSON_Delete(s->step);
    s->step = whole;
    return 0;
}

static int write_answer(const struct play_step *s, const struct trace_event *e, struct buf *line)
{
    const cJSON *policy = json_get(s->step, "answer");
    if (policy)
        return policy_answer(policy, e->json, e->scan.id, line);
    if (json_get(s->step, "error"))
        return policy_write_error(e->scan.id, json_get(s->step, "error"), line);
    return policy_write_result(e->scan.id, json_get(s->step, "result"), line);
}

static int respond(struct player *p, struct play_step *s, struct play_ask *ask)
{
    const struct trace_event *e = ask->e;
    struct buf line = {0};
    int rc = fill_answer(p, s, e);
    list_remove(&ask->node);
    free(ask);
    if (rc < 0)
        return rc;
    rc = write_answer(s, e, &line);
    p->options.trace->invalid_ok = json_get_bool(s->step, "invalid");
    if (rc >= 0 && line.n && !client_send(s->agent->client, line.p, line.n))
        rc = E_NOMEM;
    p->options.trace->invalid_ok = false;
    buf_deinit(&line);
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    if (json_get(s->raw, "check"))
        play_held(p, s, e);
    return PLAY_NEXT;
}

int play_respond_poll(struct player *p, struct play_step *s)
{
    struct play_ask *ask = find_ask(p, s);
    return ask ? respond(p, s, ask) : PLAY_WAIT;
}

/* ---- batch -------------------------------------------------------------------------------------
 */

static int batch_prepare(struct player *p, struct play_step *s)
{
    int n = cJSON_GetArraySize(s->value);
    const char *check = json_get_str(s->raw, "check");
    p->batch = calloc((size_t)n + 1, sizeof *p->batch);
    if (!p->batch)
        return no_memory(p, s);
    for (int i = 0; i < n; i++) {
        struct play_step *part = &p->batch[p->n_batch++];
        if (play_step_init(p, part, cJSON_GetArrayItem(s->value, i), s->index) < 0)
            return play_error(p, s, "element %d has no verb", i);
        if (check)
            part->check = check;
        part->agent = s->agent;
    }
    return 0;
}

int play_batch_begin(struct player *p, struct play_step *s)
{
    int rc = batch_prepare(p, s);
    client_cork(s->agent->client);
    for (size_t i = 0; i < p->n_batch && rc >= 0 && rc != PLAY_STOP; i++) {
        rc = play_step_begin(p, &p->batch[i]);
        p->batch[i].phase = rc;
    }
    client_uncork(s->agent->client);
    return rc < 0 || rc == PLAY_STOP ? rc : PLAY_WAIT;
}

int play_batch_poll(struct player *p, struct play_step *s)
{
    while (s->cursor < p->n_batch) {
        struct play_step *part = &p->batch[s->cursor];
        int rc = part->phase == PLAY_WAIT ? part->verb->poll(p, part) : PLAY_NEXT;
        if (rc != PLAY_NEXT)
            return rc;
        s->cursor++;
    }
    return PLAY_NEXT;
}

int play_batch_late(struct player *p, struct play_step *s, const char *why)
{
    struct play_step *part = &p->batch[s->cursor];
    int rc = part->verb->late(p, part, why);
    for (size_t i = s->cursor + 1; i < p->n_batch; i++)
        if (p->batch[i].phase == PLAY_WAIT)
            play_unreached(p, &p->batch[i], p->why_text);
    return rc;
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

int play_respond_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *answer = json_get(step, "answer");
    int n = !!json_get(step, "result") + !!json_get(step, "error") + !!answer;
    char text[200];
    if (n != 1)
        return play_lint_fail(reterr, "respond", "needs one of result, error and answer");
    if (answer && policy_check_plain(NULL, answer, text, sizeof text) < 0)
        return play_lint_fail(reterr, "respond.answer", "%s", text);
    return 0;
}

int play_batch_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *part;
    char err[200];
    int i = 0;
    cJSON_ArrayForEach(part, json_get(step, "batch"))
    {
        const struct play_verb *verb = play_verb_find(part);
        if (player_check_step(part, err, sizeof err) < 0)
            return play_lint_fail(reterr, "batch", "[%d]: %s", i, err);
        if (json_get(part, "agent"))
            return play_lint_fail(reterr, "batch", "[%d]: \"agent\" belongs to the whole batch", i);
        if (!verb || !(verb->flags & PLAY_SENDS) || json_get(part, "chunks"))
            return play_lint_fail(reterr, "batch",
                                  "[%d]: only steps that send in one piece may "
                                  "stand in a batch",
                                  i);
        i++;
    }
    return i ? 0 : play_lint_fail(reterr, "batch", "is empty");
}
