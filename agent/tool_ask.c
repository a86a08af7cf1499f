#include "agent/tool.h"

#include "agent/tool_later.h"
#include "agent/update.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A question to the user: a form if the client shows forms, else, where there are answers to choose
 * from, the options of a permission request. Whatever is no clear answer is none.
 */

#define WAIT_MS     1800000u /* people think, and fetch coffee */
#define OPTIONS_MAX 20
#define NOBODY                                                                                     \
    "The user cannot be asked here. Put the question at the end of your answer, and end your "     \
    "turn."

struct question {
    const char *text;
    const cJSON *options; /* or NULL */
};

static int read_args(const cJSON *args, struct question *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"question", JSON_STR, JSON_REQUIRED, offsetof(struct question, text)},
        {"options", JSON_ARR, JSON_NULLABLE, offsetof(struct question, options)},
    };
    return json_read(args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

static const char *fault_of(const struct question *q)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, q->options)
    {
        if (!cJSON_IsString(option) || !*option->valuestring)
            return "arguments.options: each is a text";
    }
    if (cJSON_GetArraySize(q->options) > OPTIONS_MAX)
        return "arguments.options: 20 at most";
    return *q->text ? NULL : "arguments.question: is empty";
}

static int prepare(struct tool_call *c)
{
    struct question q = {NULL, NULL};
    struct json_error err;
    if (read_args(c->args, &q, &err) < 0)
        return tool_refuse(c, err.text);
    const char *fault = fault_of(&q);
    if (fault)
        return tool_refuse(c, fault);
    c->title = strdup(q.text);
    return c->title ? 0 : E_NOMEM;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void finish(struct tool_run *run, bool failed, const char *text)
{
    struct tool_result result = {.failed = failed, .text = strdup(text)};
    tool_finish(run, &result);
}

/* True: the client gave no result, and the call is over. */
static bool failed(struct tool_run *run, const struct rpc_outcome *o)
{
    char why[512];
    run->job = NULL;
    if (!client_call_failed(o, "The user could not be asked", why, sizeof why))
        return false;
    finish(run, true, why);
    return true;
}

/* Clients are not trusted to keep to the form (ELIC-15). */
static bool is_answer(const struct tool_run *run, const char *answer)
{
    struct question q = {NULL, NULL};
    const cJSON *option;
    (void)read_args(run->call->args, &q, NULL); /* they were read before */
    cJSON_ArrayForEach(option, q.options)
    {
        if (answer && strcmp(option->valuestring, answer) == 0)
            return true;
    }
    return answer && !(q.options && q.options->child);
}

static void on_form(void *ctx, const struct rpc_outcome *o)
{
    struct tool_run *run = ctx;
    if (failed(run, o))
        return;
    const char *action = json_get_str(o->result, "action");
    const char *answer = json_get_str(json_get(o->result, "content"), "answer");
    if (action && strcmp(action, "accept") == 0 && is_answer(run, answer))
        finish(run, false, answer);
    else if (action && strcmp(action, "decline") == 0)
        finish(run, false, "The user does not want to answer.");
    else if (action && strcmp(action, "cancel") == 0)
        finish(run, false, "The user closed the question without an answer.");
    else
        finish(run, true, "The client's answer is none to the question.");
}

static void on_choice(void *ctx, const struct rpc_outcome *o)
{
    struct tool_run *run = ctx;
    struct question q = {NULL, NULL};
    if (failed(run, o))
        return;
    const char *id = json_get_str(json_get(o->result, "outcome"), "optionId");
    char *end = NULL;
    long i = id && strncmp(id, "answer_", 7) == 0 ? strtol(id + 7, &end, 10) : -1;
    (void)read_args(run->call->args, &q, NULL); /* they were read before */
    const cJSON *chosen =
        end && !*end && end > id + 7 ? cJSON_GetArrayItem(q.options, (int)i) : NULL;
    finish(run, false, chosen ? chosen->valuestring : "The user chose none of the answers.");
}

/* ---- asking --------------------------------------------------------------------------------- */

static void write_schema(struct jsonw *w, const struct question *q)
{
    jw_kopen(w, "requestedSchema", '{');
    jw_kstr(w, "type", "object");
    jw_kopen(w, "properties", '{');
    jw_kopen(w, "answer", '{');
    jw_kstr(w, "type", "string");
    jw_kstr(w, "title", "Answer");
    if (q->options && q->options->child)
        jw_ktree(w, "enum", q->options);
    jw_close(w);
    jw_close(w);
    jw_kopen(w, "required", '[');
    jw_cstr(w, "answer");
    jw_close(w);
    jw_close(w);
}

static int ask_by_form(struct tool_run *run, const struct tool_call *c, const struct question *q,
                       struct client_call **ret)
{
    const struct client_wait wait = {.ms = WAIT_MS, .cb = on_form, .ctx = run};
    struct jsonw *w = client_call_begin(&c->client, ACP_ELICITATION_CREATE);
    jw_kstr(w, "toolCallId", c->id);
    jw_kstr(w, "mode", "form");
    jw_kstr(w, "message", q->text);
    write_schema(w, q);
    return client_call_end(&c->client, w, &wait, ret);
}

static void write_option(struct jsonw *w, const char *id, const char *name,
                         enum acp_permission_kind kind)
{
    jw_open(w, '{');
    jw_kstr(w, "optionId", id);
    jw_kstr(w, "name", name);
    jw_kstr(w, "kind", acp_permission_kind_name(kind));
    jw_close(w);
}

static int ask_by_options(struct tool_run *run, const struct tool_call *c, const struct question *q,
                          struct client_call **ret)
{
    const struct client_wait wait = {.ms = WAIT_MS, .cb = on_choice, .ctx = run};
    struct jsonw *w = client_call_begin(&c->client, ACP_SESSION_REQUEST_PERMISSION);
    const cJSON *option;
    char id[24];
    int i = 0;
    jw_kopen(w, "toolCall", '{');
    jw_kstr(w, "toolCallId", c->id);
    update_write_call(w, c);
    jw_close(w);
    jw_kopen(w, "options", '[');
    cJSON_ArrayForEach(option, q->options)
    {
        snprintf(id, sizeof id, "answer_%d", i++);
        write_option(w, id, option->valuestring, ACP_PERMISSION_ALLOW_ONCE);
    }
    write_option(w, "none", "None of these", ACP_PERMISSION_REJECT_ONCE);
    jw_close(w);
    return client_call_end(&c->client, w, &wait, ret);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct question q = {NULL, NULL};
    struct client_call *call = NULL;
    (void)read_args(c->args, &q, NULL); /* they were read before */
    if (!c->client.forms && !(q.options && q.options->child)) {
        struct tool_result result = {.failed = true, .text = strdup(NOBODY)};
        return tool_later_start(run, &result);
    }
    int rc = c->client.forms ? ask_by_form(run, c, &q, &call) : ask_by_options(run, c, &q, &call);
    run->job = call;
    return rc;
}

static void stop(struct tool_run *run)
{
    struct question q = {NULL, NULL};
    (void)read_args(run->call->args, &q, NULL);
    if (run->call->client.forms || (q.options && q.options->child))
        client_call_drop(run->job);
    else
        tool_later_stop(run);
}

const struct tool tool_ask = {
    .spec = {.name = "ask",
             .description = "Asks the user a question and waits for the answer. For what only the "
                            "user can know or decide, and you cannot go on without; not for "
                            "permission, which is asked for by itself.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"question\":{\"type\":\"string\"},"
                       "\"options\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
                       "\"maxItems\":20,\"description\":\"Answers to choose from, if there are "
                       "few\"}},"
                       "\"required\":[\"question\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_THINK,
    .prepare = prepare,
    .start = start,
    .stop = stop,
};
