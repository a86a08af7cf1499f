/* OpenAI chat completions: routes, events, whole answers, errors. */
#include "dialect.h"

#include "base/err.h"
#include "openai.h"
#include "openai_chat.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- routes --- */

static bool owns(const char *path)
{
    return dialect_is_path(path, "/chat/completions") || dialect_is_path(path, "/models");
}

static enum route route(const char *method, const char *path)
{
    bool post = strcmp(method, "POST") == 0, get = strcmp(method, "GET") == 0;
    if (dialect_is_path(path, "/chat/completions"))
        return post ? ROUTE_REPLY : ROUTE_WRONG_METHOD;
    if (dialect_is_path(path, "/models"))
        return get ? ROUTE_MODELS : ROUTE_WRONG_METHOD;
    return ROUTE_NONE;
}

static int read_request(const cJSON *body, cJSON *neutral, struct fault *fault)
{
    int rc = openai_chat_neutral(body, neutral);
    return rc < 0 ? rc : openai_chat_check(body, fault);
}

/* --- the stream --- */

static void write_identity(struct writer *w, struct jsonw *j, const char *object)
{
    char id[48];
    snprintf(id, sizeof id, "chatcmpl-%016" PRIx64, dialect_hash(w->seed, w->n, 0));
    jw_kstr(j, "id", id);
    jw_kstr(j, "object", object);
    jw_kint(j, "created", OPENAI_CREATED + (int64_t)w->n);
    jw_kstr(j, "model", json_get_str(w->request, "model"));
}

/* Everything of an event up to its choices is the same in all of them: written once. */
static int write_prefix(struct writer *w)
{
    struct jsonw j;
    int rc = buf_adds(&w->prefix, "data: ");
    if (rc < 0)
        return rc;
    jw_begin(&j, &w->prefix);
    jw_open(&j, '{');
    write_identity(w, &j, "chat.completion.chunk");
    jw_close(&j);
    rc = jw_end(&j);
    w->prefix.n -= rc == 0; /* the closing brace */
    return rc;
}

static const char delta_head[] = ",\"choices\":[{\"index\":0,\"delta\":";

/* An event around what `event` holds, which is the delta. */
static int send_delta(struct writer *w, const char *finish)
{
    if (buf_add(w->out, w->prefix.p, w->prefix.n) < 0 ||
        buf_add(w->out, delta_head, sizeof delta_head - 1) < 0 ||
        buf_add(w->out, w->event.p, w->event.n) < 0)
        return E_NOMEM;
    if (!finish)
        return buf_adds(w->out, ",\"finish_reason\":null}]}\n\n");
    return buf_addf(w->out, ",\"finish_reason\":\"%s\"}]}\n\n", finish);
}

/* The first delta gives the role; content is null unless text follows. */
static int start(struct writer *w, bool text)
{
    if (w->started)
        return 0;
    w->started = true;
    w->event.n = 0;
    if (write_prefix(w) < 0 ||
        buf_addf(&w->event, "{\"role\":\"assistant\",\"content\":%s}", text ? "\"\"" : "null") < 0)
        return E_NOMEM;
    return send_delta(w, NULL);
}

static int send_text(struct writer *w, const char *member, const char *text, size_t n)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    jw_key(&j, member);
    jw_str(&j, text, n);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : send_delta(w, NULL);
}

static int text(struct writer *w, const char *p, size_t n)
{
    int rc = start(w, true);
    return rc < 0 ? rc : send_text(w, "content", p, n);
}

static int thought(struct writer *w, const char *p, size_t n)
{
    int rc = start(w, false);
    return rc < 0 ? rc : send_text(w, "reasoning_content", p, n);
}

static int send_fragment(struct writer *w, unsigned index, const struct call *opening,
                         const char *args, size_t n)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    jw_kopen(&j, "tool_calls", '[');
    jw_open(&j, '{');
    jw_kint(&j, "index", index);
    if (opening) {
        jw_kstr(&j, "id", opening->id);
        jw_kstr(&j, "type", "function");
    }
    jw_kopen(&j, "function", '{');
    if (opening)
        jw_kstr(&j, "name", opening->name);
    jw_key(&j, "arguments");
    jw_str(&j, args, n);
    jw_close(&j);
    jw_close(&j);
    jw_close(&j);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : send_delta(w, NULL);
}

static int call(struct writer *w, const struct call *c)
{
    unsigned index = w->calls;
    int rc = start(w, false);
    if (rc == 0)
        rc = send_fragment(w, index, c, "", 0);
    for (uint32_t i = 0; rc == 0 && i < c->fragments; i++) {
        size_t from = i == 0 ? 0 : dialect_cut(c, i);
        size_t to = i + 1 == c->fragments ? c->args_n : dialect_cut(c, i + 1);
        if (to > from)
            rc = send_fragment(w, index, NULL, c->args + from, to - from);
    }
    return rc;
}

static int event(struct writer *w, const char *json, size_t n)
{
    if (buf_add(w->out, "data: ", 6) < 0 || buf_add(w->out, json, n) < 0)
        return E_NOMEM;
    return buf_add(w->out, "\n\n", 2);
}

static int error(struct writer *w, const struct fault *fault)
{
    w->event.n = 0;
    int rc = openai_write_fault(&w->event, fault);
    return rc < 0 ? rc : event(w, w->event.p, w->event.n);
}

/* --- the end --- */

static const char *finish_word(enum finish finish)
{
    static const char *const words[] = {
        [FINISH_STOP] = "stop",
        [FINISH_TOOL_CALLS] = "tool_calls",
        [FINISH_LENGTH] = "length",
        [FINISH_FILTER] = "content_filter",
    };
    return finish >= FINISH_STOP ? words[finish] : NULL;
}

static void write_usage(struct jsonw *j, const struct usage *u)
{
    jw_kopen(j, "usage", '{');
    jw_kint(j, "prompt_tokens", u->input);
    jw_kint(j, "completion_tokens", u->output);
    jw_kint(j, "total_tokens", (int64_t)u->input + u->output);
    jw_kopen(j, "prompt_tokens_details", '{');
    jw_kint(j, "cached_tokens", u->cached);
    jw_close(j);
    jw_kopen(j, "completion_tokens_details", '{');
    jw_kint(j, "reasoning_tokens", u->thought);
    jw_close(j);
    jw_close(j);
}

static int send_usage(struct writer *w, const struct usage *usage)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    write_identity(w, &j, "chat.completion.chunk");
    jw_kopen(&j, "choices", '[');
    jw_close(&j);
    write_usage(&j, usage);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : event(w, w->event.p, w->event.n);
}

static int send_finish(struct writer *w, const char *word)
{
    int rc = start(w, true);
    w->event.n = 0;
    if (rc == 0)
        rc = buf_adds(&w->event, "{}");
    return rc < 0 ? rc : send_delta(w, word);
}

static int end(struct writer *w, const struct ending *e)
{
    const char *word = finish_word(e->finish);
    int rc = word ? send_finish(w, word) : 0;
    if (rc == 0 && e->has_usage)
        rc = send_usage(w, &e->usage);
    if (rc == 0 && e->done_mark)
        rc = buf_adds(w->out, "data: [DONE]\n\n");
    return rc;
}

/* --- an answer in one piece --- */

static void write_calls(struct jsonw *j, const cJSON *calls)
{
    const cJSON *c;
    jw_kopen(j, "tool_calls", '[');
    cJSON_ArrayForEach(c, calls)
    {
        jw_open(j, '{');
        jw_kstr(j, "id", json_get_str(c, "id"));
        jw_kstr(j, "type", "function");
        jw_kopen(j, "function", '{');
        jw_kstr(j, "name", json_get_str(c, "name"));
        jw_kstr(j, "arguments", json_get_str(c, "args"));
        jw_close(j);
        jw_close(j);
    }
    jw_close(j);
}

static void write_message(struct jsonw *j, const struct whole *whole)
{
    jw_kopen(j, "message", '{');
    jw_kstr(j, "role", "assistant");
    jw_key(j, "content");
    if (whole->text.n > 0 || !whole->calls->child)
        jw_str(j, whole->text.n > 0 ? whole->text.p : "", whole->text.n);
    else
        jw_null(j);
    if (whole->thought.n > 0) {
        jw_key(j, "reasoning_content");
        jw_str(j, whole->thought.p, whole->thought.n);
    }
    jw_kstr(j, "refusal", NULL);
    if (whole->calls->child)
        write_calls(j, whole->calls);
    jw_close(j);
}

static int write_whole(struct writer *w, const struct whole *whole)
{
    struct jsonw j;
    jw_begin(&j, w->out);
    jw_open(&j, '{');
    write_identity(w, &j, "chat.completion");
    jw_kopen(&j, "choices", '[');
    jw_open(&j, '{');
    jw_kint(&j, "index", 0);
    write_message(&j, whole);
    jw_kstr(&j, "finish_reason", finish_word(whole->end.finish));
    jw_close(&j);
    jw_close(&j);
    if (whole->end.has_usage)
        write_usage(&j, &whole->end.usage);
    jw_close(&j);
    return jw_end(&j);
}

const struct dialect dialect_openai_chat = {
    .name = "openai-chat",
    .stream_type = "text/event-stream",
    .malformed = "{\"choices\":[{\"delta\":{\"content\":\"",
    .owns = owns,
    .route = route,
    .read = read_request,
    .write_fault = openai_write_fault,
    .write_models = openai_write_models,
    .text = text,
    .thought = thought,
    .call = call,
    .error = error,
    .event = event,
    .end = end,
    .whole = write_whole,
};
