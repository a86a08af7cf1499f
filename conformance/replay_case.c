#include "conformance/replay.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "conformance/wire.h"
#include "mock-client/base64.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of the recording that the new conversation has another one for. */
struct standin {
    char *old;     /* owned */
    char name[64]; /* "${r2.result./sessionId}" */
};

struct maker {
    const struct trace *t;
    cJSON *steps;
    struct standin *standins; /* owned */
    size_t n;
    struct wire wire;
    cJSON *policy;                 /* owned: whatever the agent asked for is answered by a step */
    const struct trace_event *raw; /* the newest that went out byte for byte */
    bool started, ending;          /* the agent: once; told to end */
    char since[32];                /* the newest request; "": none */
    char cwd[1024];                /* of the recording; "" before the first session */
    char update[64]; /* kind of the newest update since the client last said anything */
    int rc;
};

static void add_standin(struct maker *m, const char *old, const char *name)
{
    struct standin *more = realloc(m->standins, (m->n + 1) * sizeof *more);
    if (more)
        m->standins = more;
    char *copy = more ? strdup(old) : NULL;
    if (!copy) {
        m->rc = E_NOMEM;
        return;
    }
    struct standin *s = &m->standins[m->n++];
    s->old = copy;
    snprintf(s->name, sizeof s->name, "%s", name);
}

/* "$${" is how a case writes "${". */
static int escape(const char *text, struct buf *out)
{
    int rc = 0;
    for (const char *at; rc == 0 && (at = strstr(text, "${")); text = at + 2) {
        rc = buf_add(out, text, (size_t)(at - text));
        rc = rc == 0 ? buf_adds(out, "$${") : rc;
    }
    return rc == 0 ? buf_adds(out, text) : rc;
}

static int translate_text(const struct maker *m, const char *text, struct buf *out)
{
    size_t cwd = strlen(m->cwd);
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->standins[i].old, text) == 0)
            return buf_adds(out, m->standins[i].name);
    if (cwd > 0 && strncmp(text, m->cwd, cwd) == 0 && (text[cwd] == '/' || text[cwd] == '\0')) {
        int rc = buf_adds(out, "${cwd}");
        return rc == 0 ? escape(text + cwd, out) : rc;
    }
    return escape(text, out);
}

static void translate(struct maker *m, cJSON *value)
{
    struct buf out = {0};
    const char *text = cJSON_GetStringValue(value);
    if (text) {
        if (translate_text(m, text, &out) < 0 || !buf_cstr(&out) ||
            !cJSON_SetValuestring(value, out.p))
            m->rc = E_NOMEM;
        buf_deinit(&out);
        return;
    }
    for (cJSON *child = value ? value->child : NULL; child; child = child->next)
        translate(m, child);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static cJSON *add_step(struct maker *m)
{
    cJSON *step = cJSON_CreateObject();
    if (!step || !cJSON_AddItemToArray(m->steps, step)) {
        cJSON_Delete(step);
        m->rc = E_NOMEM;
        return NULL;
    }
    return step;
}

static void put_text(struct maker *m, cJSON *step, const char *name, const char *text)
{
    if (step && !cJSON_AddStringToObject(step, name, text))
        m->rc = E_NOMEM;
}

static void put_item(struct maker *m, cJSON *to, const char *name, cJSON *item)
{
    if (!item || !to || !cJSON_AddItemToObject(to, name, item)) {
        cJSON_Delete(item);
        m->rc = E_NOMEM;
    }
}

static void put_copy(struct maker *m, cJSON *step, const char *name, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : NULL;
    translate(m, copy);
    if (value)
        put_item(m, step, name, copy);
}

static void put_flag(struct maker *m, cJSON *step, const char *name, bool value)
{
    if (step && !cJSON_AddBoolToObject(step, name, value))
        m->rc = E_NOMEM;
}

static void add_word(struct maker *m, const char *verb, const char *name)
{
    put_text(m, add_step(m), verb, name);
}

/* The client had seen an update of that kind when it spoke: so it has to again. */
static void wait_for_update(struct maker *m)
{
    cJSON *step = m->update[0] ? add_step(m) : NULL;
    cJSON *match = step ? cJSON_AddObjectToObject(step, "saw") : NULL;
    cJSON *params = match ? cJSON_AddObjectToObject(match, "params") : NULL;
    cJSON *update = params ? cJSON_AddObjectToObject(params, "update") : NULL;
    if (step && (!update || !cJSON_AddStringToObject(update, "sessionUpdate", m->update)))
        m->rc = E_NOMEM;
    if (m->since[0])
        put_text(m, step, "since", m->since);
    m->update[0] = '\0';
}

static const char *name_request(const struct trace_event *e, char ret[32])
{
    snprintf(ret, 32, "r%zu", e->seq);
    return ret;
}

static void send_request(struct maker *m, const struct wire_msg *msg)
{
    char name[32];
    cJSON *step = add_step(m);
    const char *cwd = json_get_str(msg->params, "cwd");
    if (strcmp(msg->method, "session/new") == 0 && cwd && !m->cwd[0])
        snprintf(m->cwd, sizeof m->cwd, "%s", cwd);
    put_text(m, step, "request", msg->method);
    put_copy(m, step, "id", msg->id);
    put_copy(m, step, "params", msg->params);
    put_text(m, step, "as", name_request(msg->e, name));
    snprintf(m->since, sizeof m->since, "%s", name);
    put_flag(m, step, "wait", false);
    put_flag(m, step, "invalid", true);
}

static void send_notification(struct maker *m, const struct wire_msg *msg)
{
    cJSON *step = add_step(m);
    put_text(m, step, "notify", msg->method);
    put_copy(m, step, "params", msg->params);
    put_flag(m, step, "invalid", true);
}

/* The answer to a request of the agent: to the first of that method still open. */
static void send_answer(struct maker *m, const struct wire_msg *msg)
{
    cJSON *step = add_step(m);
    cJSON *match = step ? cJSON_AddObjectToObject(step, "respond") : NULL;
    if (!match || !cJSON_AddStringToObject(match, "method", msg->call->method))
        m->rc = E_NOMEM;
    put_copy(m, step, msg->error ? "error" : "result", msg->error ? msg->error : msg->result);
    put_flag(m, step, "invalid", true);
}

/* The id that stands first in the text, or NULL. */
static const struct standin *find_standin(const struct maker *m, const char *text, const char **ret)
{
    const struct standin *first = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const char *at = strstr(text, m->standins[i].old);
        if (at && (!first || at < *ret)) {
            first = &m->standins[i];
            *ret = at;
        }
    }
    return first;
}

static int translate_inside(const struct maker *m, const char *text, struct buf *out)
{
    const struct standin *s;
    const char *at = NULL;
    int rc = 0;
    while (rc == 0 && (s = find_standin(m, text, &at))) {
        char *head = strndup(text, (size_t)(at - text));
        rc = head ? escape(head, out) : E_NOMEM;
        rc = rc == 0 ? buf_adds(out, s->name) : rc;
        free(head);
        text = at + strlen(s->old);
    }
    return rc == 0 ? escape(text, out) : rc;
}

/* Bytes that are no text cannot name a session of the new conversation either. */
static void put_bytes(struct maker *m, cJSON *step, const struct trace_event *e)
{
    struct buf out = {0};
    bool text = utf8_valid_prefix(e->bytes, e->n) == e->n && !memchr(e->bytes, 0, e->n);
    int rc = text ? translate_inside(m, e->bytes, &out) : base64_encode(&out, e->bytes, e->n);
    if (rc < 0 || !buf_cstr(&out))
        m->rc = E_NOMEM;
    else
        put_text(m, step, text ? "send" : "base64", out.p);
    buf_deinit(&out);
}

/* What is no message of the common forms goes out byte for byte. */
static void send_bytes(struct maker *m, const struct wire_msg *msg)
{
    char name[32];
    if (m->raw == msg->e)
        return; /* one write that held several messages */
    m->raw = msg->e;
    cJSON *step = add_step(m);
    put_bytes(m, step, msg->e);
    if (strcmp(msg->e->kind, "line") != 0)
        put_flag(m, step, "newline", false);
    put_flag(m, step, "invalid", true);
    if (msg->kind == WIRE_REQUEST && msg->id) {
        put_copy(m, step, "id", msg->id);
        put_text(m, step, "as", name_request(msg->e, name));
    }
}

/* ---- reading ------------------------------------------------------------------------------------
 */

/* Ids that the agent makes up are lent to the new conversation from its own answers. */
static void learn(struct maker *m, const struct wire_msg *msg)
{
    char name[32], place[64];
    const char *id = json_get_str(msg->result, "sessionId");
    name_request(msg->call->at, name);
    if (id) {
        snprintf(place, sizeof place, "${%s.result./sessionId}", name);
        add_standin(m, id, place);
    }
}

static void on_client(struct maker *m, const struct wire_msg *msg)
{
    bool line = strcmp(msg->e->kind, "line") == 0;
    if (m->raw != msg->e)
        wait_for_update(m);
    if (line && msg->kind == WIRE_REQUEST && msg->call && !msg->call->malformed)
        send_request(m, msg);
    else if (line && msg->kind == WIRE_NOTIFICATION)
        send_notification(m, msg);
    else if (line && msg->kind == WIRE_RESPONSE && msg->call)
        send_answer(m, msg);
    else
        send_bytes(m, msg);
}

/* What a client waits for; the rest comes when it comes. */
static bool is_shown(const char *update)
{
    static const char *const kinds[] = {"agent_message_chunk", "agent_thought_chunk", "tool_call",
                                        "tool_call_update", "plan"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (update && strcmp(kinds[i], update) == 0)
            return true;
    return false;
}

static void leave_to_steps(struct maker *m, const char *method)
{
    if (!json_get(m->policy, method) && !cJSON_AddStringToObject(m->policy, method, "manual"))
        m->rc = E_NOMEM;
}

/* Of this code, in answer to whatever, up to that event. */
static unsigned count_errors(const struct trace *t, const struct trace_event *end,
                             const cJSON *code)
{
    unsigned n = 0;
    for (size_t i = 0; i <= end->seq; i++) {
        const struct trace_event *e = t->events[i];
        const cJSON *other = json_get(json_get(e->json, "error"), "code");
        n += e->side == TRACE_AGENT && json_equal(other, code);
    }
    return n;
}

/* An error that answers what was no request: as many of its code as there were. */
static void wait_for_stray(struct maker *m, const struct wire_msg *msg)
{
    const cJSON *code = json_get(msg->error, "code");
    cJSON *step = cJSON_IsNumber(code) ? add_step(m) : NULL;
    cJSON *match = step ? cJSON_AddObjectToObject(step, "saw") : NULL;
    cJSON *error = match ? cJSON_AddObjectToObject(match, "error") : NULL;
    if (!step)
        return;
    if (!error || !cJSON_AddNumberToObject(error, "code", code->valuedouble) ||
        !cJSON_AddNumberToObject(step, "count", count_errors(m->t, msg->e, code)))
        m->rc = E_NOMEM;
}

static void on_agent(struct maker *m, const struct wire_msg *msg)
{
    char name[32];
    if (msg->kind == WIRE_RESPONSE && msg->call && msg->call->answers <= 1) {
        add_word(m, "await", name_request(msg->call->at, name));
        learn(m, msg);
        m->update[0] = '\0';
    } else if (msg->kind == WIRE_RESPONSE) {
        wait_for_stray(m, msg);
    } else if (msg->kind == WIRE_REQUEST) {
        leave_to_steps(m, msg->method);
    } else if (is_shown(msg->update_kind)) {
        snprintf(m->update, sizeof m->update, "%s", msg->update_kind);
    }
}

static void on_message(void *ctx, const struct wire_msg *msg)
{
    struct maker *m = ctx;
    if (msg->e->side == TRACE_CLIENT)
        on_client(m, msg);
    else if (msg->e->side == TRACE_AGENT)
        on_agent(m, msg);
}

static void on_model(struct maker *m, const struct trace_event *e)
{
    const char *name = json_get_str(e->json, "text");
    if (strcmp(e->kind, "hold") == 0 && name)
        add_word(m, "hold", name);
    else if (strcmp(e->kind, "release") == 0 && name)
        add_word(m, "release", name);
}

/* "KILL", or "signal 2". */
static void add_signal(struct maker *m, const char *text)
{
    static const struct {
        const char *number, *name;
    } names[] = {{"signal 1", "HUP"},   {"signal 2", "INT"},   {"signal 3", "QUIT"},
                 {"signal 10", "USR1"}, {"signal 12", "USR2"}, {"signal 15", "TERM"}};
    m->ending = strcmp(text, "KILL") == 0;
    if (m->ending)
        put_flag(m, add_step(m), "kill", true);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i].number, text) == 0)
            add_word(m, "signal", names[i].name);
}

/* What ends an agent. Signals after its stdin was closed are the harness's own ladder. */
static void on_process(struct maker *m, const struct trace_event *e)
{
    cJSON *step = NULL;
    if (strcmp(e->kind, "start") == 0) {
        if (m->started)
            put_flag(m, add_step(m), "restart", true);
        m->started = true;
        m->ending = false;
    } else if (strcmp(e->kind, "eof-sent") == 0 && !m->ending) {
        m->ending = true;
        put_flag(m, add_step(m), "close_stdin", true);
    } else if (strcmp(e->kind, "signal") == 0 && !m->ending) {
        add_signal(m, e->bytes);
    } else if (strcmp(e->kind, "exit") == 0) {
        step = add_step(m);
        if (step && !cJSON_AddObjectToObject(step, "exit"))
            m->rc = E_NOMEM;
    }
}

static bool read_events(struct maker *m)
{
    bool sent = false;
    for (size_t i = 0; i < m->t->n && m->rc == 0; i++) {
        const struct trace_event *e = m->t->events[i];
        if (e->side == TRACE_MODEL_EVENT)
            on_model(m, e);
        if (e->side == TRACE_PROCESS)
            on_process(m, e);
        sent |= e->side == TRACE_CLIENT;
        wire_feed(&m->wire, e, on_message, m);
    }
    return sent;
}

static bool has_several(const struct trace *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->events[i]->agent)
            return true;
    return false;
}

/* Takes steps and policy. The caller owns it, whatever m->rc says; NULL: out of memory. */
static cJSON *make_play(struct maker *m, const cJSON *header)
{
    static const char *const members[] = {"model", "files", "env", "args"};
    static const char *const checks[] = {"RPC-05"};
    cJSON *play = cJSON_CreateObject();
    put_text(m, play, "title", "What the client said in a recorded conversation");
    put_item(m, play, "checks", cJSON_CreateStringArray(checks, 1));
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (json_get(header, members[i]))
            put_item(m, play, members[i], cJSON_Duplicate(json_get(header, members[i]), true));
    put_flag(m, play, "handshake", false);
    put_item(m, play ? cJSON_AddObjectToObject(play, "client") : NULL, "policy", m->policy);
    put_item(m, play, "steps", m->steps);
    m->policy = m->steps = NULL;
    return play;
}

static void maker_deinit(struct maker *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->standins[i].old);
    free(m->standins);
    cJSON_Delete(m->steps);
    cJSON_Delete(m->policy);
    wire_deinit(&m->wire);
}

int replay_case(const struct trace *t, const cJSON *header, struct case_file *ret, char *err,
                size_t err_n)
{
    struct maker m = {.t = t, .steps = cJSON_CreateArray(), .policy = cJSON_CreateObject()};
    const char *cwd = json_get_str(header, "cwd");
    *ret = (struct case_file){0};
    snprintf(m.cwd, sizeof m.cwd, "%s", cwd ? cwd : "");
    if (has_several(t)) {
        snprintf(err, err_n, "it has several processes of the agent, only one can be played to");
        m.rc = E_UNSUPPORTED;
    } else if (!m.steps || !m.policy) {
        m.rc = E_NOMEM;
    } else if (!read_events(&m)) {
        snprintf(err, err_n, "the client says nothing in it");
        m.rc = E_UNSUPPORTED;
    }
    int rc = m.rc < 0 ? m.rc : m.wire.rc;
    if (rc == 0) {
        ret->id = strdup("replay/trace");
        ret->path = strdup("the trace");
        ret->json = make_play(&m, header);
        rc = !ret->id || !ret->path || !ret->json || m.rc < 0 ? E_NOMEM : 0;
    }
    maker_deinit(&m);
    if (rc < 0)
        case_file_deinit(ret);
    return rc;
}
