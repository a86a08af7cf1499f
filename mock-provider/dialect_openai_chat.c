/* OpenAI chat completions: routes, events, whole answers, errors. */
#include "dialect.h"

#include "base/err.h"
#include "openai.h"
#include "openai_chat.h"
#include "json/json.h"
#include "json/jsonw.h"

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

/* Everything of an event up to its choices is the same in all of them: written once. */
static int write_prefix(struct writer *w)
{
    struct jsonw j;
    int rc = buf_adds(&w->prefix, "data: ");
    if (rc < 0)
        return rc;
    jw_begin(&j, &w->prefix);
    jw_open(&j, '{');
    openai_chat_write_identity(w, &j, "chat.completion.chunk");
    jw_close(&j);
    rc = jw_end(&j);
    w->prefix.n -= rc == 0; /* the closing brace */
    return rc;
}

static const char delta_head[] = ",\"choices\":[{\"index\":0,\"delta\":";

/* Behind the choices: nothing, or the usage so far. */
static int end_chunk(struct writer *w)
{
    struct jsonw j;
    int rc = buf_adds(w->out, "}]");
    if (rc == 0 && w->quirks & QUIRK_USAGE_EACH) {
        w->event.n = 0;
        jw_begin(&j, &w->event);
        jw_open(&j, '{');
        openai_chat_write_usage(&j, &w->usage);
        jw_close(&j);
        rc = jw_end(&j);
        if (rc == 0)
            rc = buf_addf(w->out, ",%.*s", (int)w->event.n - 2, w->event.p + 1);
    }
    return rc < 0 ? rc : buf_adds(w->out, "}\n\n");
}

/* The delta in `event`, with null for what it lacks. */
static int add_nulls(struct writer *w)
{
    static const char *const names[] = {"content", "refusal", "tool_calls", "reasoning_content"};
    struct buf *e = &w->event;
    int rc = buf_cstr(e) ? 0 : E_NOMEM;
    char quoted[32];
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(names); i++) {
        snprintf(quoted, sizeof quoted, "\"%s\":", names[i]);
        if (strstr(e->p, quoted))
            continue;
        e->n--;
        rc = buf_addf(e, "%s\"%s\":null}", e->n > 1 ? "," : "", names[i]);
        if (rc == 0 && !buf_cstr(e))
            rc = E_NOMEM;
    }
    return rc;
}

/* Ahead of the delta, the role again. */
static int add_role(struct writer *w)
{
    static const char role[] = "{\"role\":\"assistant\"";
    struct buf delta = w->event;
    bool there = delta.n >= sizeof role - 1 && memcmp(delta.p, role, sizeof role - 1) == 0;
    if (there)
        return 0;
    w->event = (struct buf){0};
    int rc = buf_addf(&w->event, "%s%s%.*s", role, delta.n > 2 ? "," : "", (int)delta.n - 1,
                      delta.p + 1);
    buf_deinit(&delta);
    return rc;
}

/* Events without choices, as some send them for other news. */
static int send_no_choices(struct writer *w)
{
    static const char *const choices[] = {"[]", "null"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(choices); i++)
        rc =
            buf_addf(w->out, "%.*s,\"choices\":%s}\n\n", (int)w->prefix.n, w->prefix.p, choices[i]);
    return rc;
}

/* An event around what `event` holds, which is the delta. */
static int send_delta(struct writer *w, const char *finish)
{
    int rc = w->quirks & QUIRK_CHOICES ? send_no_choices(w) : 0;
    if (rc == 0 && w->quirks & QUIRK_ROLE_EACH)
        rc = add_role(w);
    if (rc == 0 && w->quirks & QUIRK_NULLS)
        rc = add_nulls(w);
    if (rc < 0 || buf_add(w->out, w->prefix.p, w->prefix.n) < 0 ||
        buf_add(w->out, delta_head, sizeof delta_head - 1) < 0 ||
        buf_add(w->out, w->event.p, w->event.n) < 0)
        return E_NOMEM;
    rc = finish ? buf_addf(w->out, ",\"finish_reason\":\"%s\"", finish)
                : buf_adds(w->out, ",\"finish_reason\":null");
    return rc < 0 ? rc : end_chunk(w);
}

/* The first delta gives the role; content is null unless text follows. */
static int start(struct writer *w, bool text)
{
    if (w->started)
        return 0;
    w->started = true;
    w->event.n = 0;
    if (w->quirks & QUIRK_NO_ROLE)
        return write_prefix(w);
    if (write_prefix(w) < 0 ||
        buf_addf(&w->event, "{\"role\":\"assistant\",\"content\":%s}", text ? "\"\"" : "null") < 0)
        return E_NOMEM;
    int rc = send_delta(w, NULL);
    if (rc < 0 || !(w->quirks & QUIRK_EARLY))
        return rc;
    w->event.n = 0;
    rc = buf_adds(&w->event, "{}");
    return rc < 0 ? rc : send_delta(w, "stop");
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

/* Thoughts between tags end where anything else begins. */
static int close_tag(struct writer *w)
{
    if (!w->open)
        return 0;
    w->open = 0;
    return send_text(w, "content", "</think>", 8);
}

static int text(struct writer *w, const char *p, size_t n)
{
    int rc = start(w, true);
    if (rc == 0)
        rc = close_tag(w);
    if (rc == 0 && w->quirks & QUIRK_EMPTY)
        rc = send_text(w, "content", "", 0);
    return rc < 0 ? rc : send_text(w, "content", p, n);
}

/* As OpenRouter has it: a text, and beside it a list that wants to come back. */
static int send_details(struct writer *w, const char *text, size_t n)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    jw_key(&j, "reasoning");
    jw_str(&j, text, n);
    jw_kopen(&j, "reasoning_details", '[');
    jw_open(&j, '{');
    jw_kstr(&j, "type", "reasoning.text");
    jw_key(&j, "text");
    jw_str(&j, text, n);
    jw_kstr(&j, "signature", "mock-signature");
    jw_kstr(&j, "format", "mock-v1");
    jw_kint(&j, "index", 0);
    jw_close(&j);
    jw_close(&j);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : send_delta(w, NULL);
}

static int thought(struct writer *w, const char *p, size_t n)
{
    int rc = start(w, false);
    if (w->quirks & QUIRK_THINK_TAGS) {
        if (rc == 0 && !w->open)
            rc = send_text(w, "content", "<think>", 7);
        w->open = 1;
        return rc < 0 ? rc : send_text(w, "content", p, n);
    }
    const char *member = w->quirks & QUIRK_REASONING ? "reasoning" : "reasoning_content";
    if (rc == 0 && w->quirks & QUIRK_EMPTY)
        rc = send_text(w, member, "", 0);
    if (rc == 0 && w->quirks & QUIRK_DETAILS)
        return send_details(w, p, n);
    return rc < 0 ? rc : send_text(w, member, p, n);
}

/* --- calls --- */

/* One event about a call: where it is in the list, whether it opens, its piece of arguments. */
struct fragment {
    const struct call *call;
    bool names; /* it tells id and name */
    const char *args;
    size_t n;
    bool object; /* args go as JSON, not as a text */
};

static void write_fragment_id(struct writer *w, struct jsonw *j, const struct fragment *f)
{
    unsigned index = w->quirks & QUIRK_INDEX_ZERO ? 0 : w->calls;
    if (!(w->quirks & QUIRK_NO_INDEX))
        jw_kint(j, "index", index);
    if (f->names || w->quirks & QUIRK_ID_EACH) {
        if (!(w->quirks & QUIRK_NO_IDS))
            jw_kstr(j, "id", f->call->id);
        jw_kstr(j, "type", "function");
    } else if (w->quirks & QUIRK_ID_EMPTY) {
        jw_kstr(j, "id", "");
    }
}

static int send_fragment(struct writer *w, const struct fragment *f)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    jw_kopen(&j, "tool_calls", '[');
    jw_open(&j, '{');
    write_fragment_id(w, &j, f);
    jw_kopen(&j, "function", '{');
    if (f->names || w->quirks & QUIRK_ID_EACH)
        jw_kstr(&j, "name", f->call->name);
    else if (w->quirks & QUIRK_ID_EMPTY)
        jw_kstr(&j, "name", "");
    jw_key(&j, "arguments");
    if (f->object)
        dialect_write_args(&j, f->args);
    else
        jw_str(&j, f->args, f->n);
    jw_close(&j);
    jw_close(&j);
    jw_close(&j);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : send_delta(w, NULL);
}

static int send_pieces(struct writer *w, const struct call *c)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < c->fragments; i++) {
        size_t from = i == 0 ? 0 : dialect_cut(c, i);
        size_t to = i + 1 == c->fragments ? c->args_n : dialect_cut(c, i + 1);
        const struct fragment f = {.call = c,
                                   .names = i == 0 && w->quirks & QUIRK_ID_LATE,
                                   .args = c->args + from,
                                   .n = to - from};
        if (to > from)
            rc = send_fragment(w, &f);
    }
    return rc;
}

/* What comes behind the opening fragment; interleaved, it waits in `said` until all have opened. */
static int send_rest(struct writer *w, const struct call *c)
{
    struct buf *out = w->out;
    const struct fragment again = {.call = c, .args = c->args, .n = c->args_n};
    if (w->quirks & QUIRK_INTERLEAVED)
        w->out = &w->said;
    int rc = send_pieces(w, c);
    if (rc == 0 && w->quirks & QUIRK_ARGS_AGAIN)
        rc = send_fragment(w, &again);
    w->out = out;
    return rc;
}

static int call(struct writer *w, const struct call *c)
{
    const bool whole = w->quirks & QUIRK_ARGS_OBJECT, braces = w->quirks & QUIRK_ARGS_BRACES;
    const struct fragment opening = {.call = c,
                                     .names = !(w->quirks & QUIRK_ID_LATE),
                                     .args = whole    ? c->args
                                             : braces ? "{}"
                                                      : "",
                                     .n = braces ? 2 : 0,
                                     .object = whole};
    int rc = start(w, false);
    if (rc == 0)
        rc = close_tag(w);
    if (rc == 0)
        rc = send_fragment(w, &opening);
    return rc < 0 || whole ? rc : send_rest(w, c);
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

static int send_usage(struct writer *w, const struct usage *usage)
{
    struct jsonw j;
    w->event.n = 0;
    jw_begin(&j, &w->event);
    jw_open(&j, '{');
    openai_chat_write_identity(w, &j, "chat.completion.chunk");
    jw_kopen(&j, "choices", '[');
    jw_close(&j);
    openai_chat_write_usage(&j, usage);
    jw_close(&j);
    int rc = jw_end(&j);
    return rc < 0 ? rc : event(w, w->event.p, w->event.n);
}

/* With a usage that comes along, it is one of those events that all have it. */
static int send_finish(struct writer *w, const struct ending *e, const char *word)
{
    int rc = start(w, true);
    w->event.n = 0;
    if (rc == 0)
        rc = buf_adds(&w->event, "{}");
    if (rc == 0 && e->has_usage && w->quirks & QUIRK_USAGE_LAST) {
        w->usage = e->usage;
        w->quirks |= QUIRK_USAGE_EACH;
    }
    return rc < 0 ? rc : send_delta(w, word);
}

static int end(struct writer *w, const struct ending *e)
{
    const char *word = openai_chat_finish_word(e);
    int rc = w->open ? close_tag(w) : 0;
    if (rc == 0)
        rc = buf_add(w->out, w->said.p, w->said.n);
    w->said.n = 0;
    if (rc == 0 && word)
        rc = send_finish(w, e, word);
    if (rc == 0 && e->has_usage && !(w->quirks & QUIRK_USAGE_LAST))
        rc = send_usage(w, &e->usage);
    if (rc == 0 && e->done_mark)
        rc = buf_adds(w->out, "data: [DONE]\n\n");
    return rc;
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
    .whole = openai_chat_write_whole,
};
