/* Anthropic messages: routes, events, whole answers, errors. */
#include "dialect.h"

#include "anthropic.h"
#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CREATED "2025-01-01T00:00:00Z"

enum block { BLOCK_NONE, BLOCK_TEXT, BLOCK_THOUGHT, BLOCK_CALL };

/* --- routes --- */

static bool owns(const char *path)
{
    return dialect_is_path(path, "/messages") || dialect_is_path(path, "/messages/count_tokens") ||
           dialect_is_path(path, "/models");
}

static enum route route(const char *method, const char *path)
{
    bool post = strcmp(method, "POST") == 0, get = strcmp(method, "GET") == 0;
    if (dialect_is_path(path, "/messages"))
        return post ? ROUTE_REPLY : ROUTE_WRONG_METHOD;
    if (dialect_is_path(path, "/messages/count_tokens"))
        return post ? ROUTE_COUNT : ROUTE_WRONG_METHOD;
    if (dialect_is_path(path, "/models"))
        return get ? ROUTE_MODELS : ROUTE_WRONG_METHOD;
    return ROUTE_NONE;
}

static int read_request(const cJSON *body, cJSON *neutral, struct fault *fault)
{
    int rc = anthropic_neutral(body, neutral);
    return rc < 0 ? rc : anthropic_check(body, neutral, fault);
}

void anthropic_signature(uint64_t signature, char text[ANTHROPIC_SIGNATURE_SIZE])
{
    snprintf(text, ANTHROPIC_SIGNATURE_SIZE, "mock%016" PRIx64, signature);
}

/* --- errors, models, counts --- */

static const char *fault_type(const struct fault *f)
{
    static const struct {
        int status;
        const char *type;
    } types[] = {
        {401, "authentication_error"}, {402, "billing_error"},  {403, "permission_error"},
        {404, "not_found_error"},      {409, "conflict_error"}, {413, "request_too_large"},
        {429, "rate_limit_error"},     {504, "timeout_error"},  {529, "overloaded_error"},
    };
    if (f->type)
        return f->type;
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (types[i].status == f->status)
            return types[i].type;
    return f->status >= 500 ? "api_error" : "invalid_request_error";
}

static int write_fault(struct buf *out, const struct fault *f)
{
    char words[sizeof f->text + sizeof f->param + 2];
    struct jsonw w;
    snprintf(words, sizeof words, "%s%s%s", f->param, *f->param ? ": " : "", f->text);
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "type", "error");
    jw_kopen(&w, "error", '{');
    jw_kstr(&w, "type", fault_type(f));
    jw_kstr(&w, "message", words);
    jw_close(&w);
    jw_kstr(&w, "request_id", "req_mock");
    jw_close(&w);
    return jw_end(&w);
}

static int write_models(struct buf *out, const cJSON *names)
{
    const cJSON *name, *last = names && names->child ? names->child->prev : NULL;
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "data", '[');
    cJSON_ArrayForEach(name, names)
    {
        jw_open(&w, '{');
        jw_kstr(&w, "type", "model");
        jw_kstr(&w, "id", name->valuestring);
        jw_kstr(&w, "display_name", name->valuestring);
        jw_kstr(&w, "created_at", CREATED);
        jw_kint(&w, "max_input_tokens", 200000);
        jw_kint(&w, "max_tokens", 64000);
        jw_close(&w);
    }
    jw_close(&w);
    jw_kbool(&w, "has_more", false);
    jw_kstr(&w, "first_id", last ? names->child->valuestring : NULL);
    jw_kstr(&w, "last_id", last ? last->valuestring : NULL);
    jw_close(&w);
    return jw_end(&w);
}

static int write_count(struct buf *out, size_t tokens)
{
    return buf_addf(out, "{\"input_tokens\":%zu}", tokens);
}

/* --- the stream --- */

/* Opens the JSON of an event; end_event sends it. */
static void begin_event(struct writer *w, struct jsonw *j, const char *type)
{
    w->event.n = 0;
    jw_begin(j, &w->event);
    jw_open(j, '{');
    jw_kstr(j, "type", type);
}

static int end_event(struct writer *w, struct jsonw *j, const char *type)
{
    jw_close(j);
    int rc = jw_end(j);
    return rc < 0 ? rc : dialect_send(w->out, type, w->event.p, w->event.n);
}

/* input_tokens leaves out what came from the cache and what went there. */
static void write_input(struct jsonw *j, const struct usage *u)
{
    uint32_t cached = u->cached + u->cache_write;
    jw_kint(j, "input_tokens", u->input > cached ? u->input - cached : 0);
    jw_kint(j, "cache_creation_input_tokens", u->cache_write);
    jw_kint(j, "cache_read_input_tokens", u->cached);
}

/* Members of a message up to its content. */
static void write_identity(struct writer *w, struct jsonw *j)
{
    char id[48];
    snprintf(id, sizeof id, "msg_%016" PRIx64, dialect_hash(w->seed, w->n, 0));
    jw_kstr(j, "id", id);
    jw_kstr(j, "type", "message");
    jw_kstr(j, "role", "assistant");
    jw_kstr(j, "model", json_get_str(w->request, "model"));
}

static int start(struct writer *w)
{
    struct jsonw j;
    if (w->started)
        return 0;
    w->started = true;
    begin_event(w, &j, "message_start");
    jw_kopen(&j, "message", '{');
    write_identity(w, &j);
    jw_kopen(&j, "content", '[');
    jw_close(&j);
    jw_kstr(&j, "stop_reason", NULL);
    jw_kstr(&j, "stop_sequence", NULL);
    if (w->usage.mode != USAGE_NONE) {
        jw_kopen(&j, "usage", '{');
        write_input(&j, &w->usage);
        jw_kint(&j, "output_tokens", 1);
        jw_close(&j);
    }
    jw_close(&j);
    int rc = end_event(w, &j, "message_start");
    return rc < 0 ? rc : buf_adds(w->out, "event: ping\ndata: {\"type\":\"ping\"}\n\n");
}

/* A delta of the open block: `type` with one text member. */
static int send_delta(struct writer *w, const char *const names[2], const char *text, size_t n)
{
    struct jsonw j;
    begin_event(w, &j, "content_block_delta");
    jw_kint(&j, "index", w->block);
    jw_kopen(&j, "delta", '{');
    jw_kstr(&j, "type", names[0]);
    jw_key(&j, names[1]);
    jw_str(&j, text, n);
    jw_close(&j);
    return end_event(w, &j, "content_block_delta");
}

static int sign(struct writer *w)
{
    static const char *const names[] = {"signature_delta", "signature"};
    char signature[ANTHROPIC_SIGNATURE_SIZE];
    anthropic_signature(w->signature, signature);
    w->signature = 0;
    return send_delta(w, names, signature, strlen(signature));
}

static int stop_block(struct writer *w)
{
    struct jsonw j;
    int rc = w->open == BLOCK_THOUGHT ? sign(w) : 0;
    if (rc < 0 || w->open == BLOCK_NONE)
        return rc;
    begin_event(w, &j, "content_block_stop");
    jw_kint(&j, "index", w->block);
    w->open = BLOCK_NONE;
    w->block++;
    return end_event(w, &j, "content_block_stop");
}

static void write_call_head(struct jsonw *j, const char *id, const char *name)
{
    jw_kstr(j, "type", "tool_use");
    jw_kstr(j, "id", id);
    jw_kstr(j, "name", name);
    jw_key(j, "input");
}

static void write_block(struct jsonw *j, enum block kind, const struct call *c, bool whole)
{
    if (kind == BLOCK_TEXT) {
        jw_kstr(j, "type", "text");
        jw_kstr(j, "text", "");
    } else if (kind == BLOCK_THOUGHT) {
        jw_kstr(j, "type", "thinking");
        jw_kstr(j, "thinking", "");
        jw_kstr(j, "signature", "");
    } else {
        write_call_head(j, c->id, c->name);
        jw_raw(j, whole ? c->args : "{}", whole ? c->args_n : 2);
    }
}

/* Opens a block of that kind, unless it is open; calls are blocks of their own. */
static int open_block(struct writer *w, enum block kind, const struct call *c)
{
    struct jsonw j;
    if (w->open == (int)kind && kind != BLOCK_CALL)
        return 0;
    int rc = start(w);
    if (rc == 0)
        rc = stop_block(w);
    if (rc < 0)
        return rc;
    w->open = (int)kind;
    begin_event(w, &j, "content_block_start");
    jw_kint(&j, "index", w->block);
    jw_kopen(&j, "content_block", '{');
    write_block(&j, kind, c, w->quirks & QUIRK_ARGS_WHOLE);
    jw_close(&j);
    return end_event(w, &j, "content_block_start");
}

static int text(struct writer *w, const char *p, size_t n)
{
    static const char *const names[] = {"text_delta", "text"};
    int rc = open_block(w, BLOCK_TEXT, NULL);
    if (rc == 0 && w->quirks & QUIRK_EMPTY)
        rc = send_delta(w, names, "", 0);
    return rc < 0 ? rc : send_delta(w, names, p, n);
}

static int thought(struct writer *w, const char *p, size_t n)
{
    static const char *const names[] = {"thinking_delta", "thinking"};
    int rc = open_block(w, BLOCK_THOUGHT, NULL);
    if (rc == 0 && w->quirks & QUIRK_EMPTY)
        rc = send_delta(w, names, "", 0);
    w->signature = dialect_sign(w->signature, p, n);
    return rc < 0 ? rc : send_delta(w, names, p, n);
}

static int call(struct writer *w, const struct call *c)
{
    static const char *const names[] = {"input_json_delta", "partial_json"};
    int rc = open_block(w, BLOCK_CALL, c);
    if (rc == 0 && w->quirks & QUIRK_ARGS_WHOLE)
        return stop_block(w);
    if (rc == 0)
        rc = send_delta(w, names, "", 0);
    for (uint32_t i = 0; rc == 0 && i < c->fragments; i++) {
        size_t from = i == 0 ? 0 : dialect_cut(c, i);
        size_t to = i + 1 == c->fragments ? c->args_n : dialect_cut(c, i + 1);
        if (to > from)
            rc = send_delta(w, names, c->args + from, to - from);
    }
    return rc < 0 ? rc : stop_block(w);
}

static int event(struct writer *w, const char *json, size_t n)
{
    return dialect_send_typed(w, "content_block_delta", json, n);
}

static int error(struct writer *w, const struct fault *fault)
{
    w->event.n = 0;
    int rc = write_fault(&w->event, fault);
    return rc < 0 ? rc : dialect_send(w->out, "error", w->event.p, w->event.n);
}

/* --- the end --- */

static const char *finish_word(const struct ending *e)
{
    static const char *const words[] = {
        [FINISH_STOP] = "end_turn",
        [FINISH_TOOL_CALLS] = "tool_use",
        [FINISH_LENGTH] = "max_tokens",
        [FINISH_FILTER] = "refusal",
    };
    return dialect_finish_word(e, words);
}

static int send_finish(struct writer *w, const struct ending *e)
{
    struct jsonw j;
    begin_event(w, &j, "message_delta");
    jw_kopen(&j, "delta", '{');
    jw_kstr(&j, "stop_reason", finish_word(e));
    jw_kstr(&j, "stop_sequence", NULL);
    jw_close(&j);
    if (e->has_usage) {
        jw_kopen(&j, "usage", '{');
        write_input(&j, &e->usage);
        jw_kint(&j, "output_tokens", e->usage.output);
        jw_close(&j);
    }
    return end_event(w, &j, "message_delta");
}

static int end(struct writer *w, const struct ending *e)
{
    int rc = start(w);
    if (rc == 0)
        rc = stop_block(w);
    if (rc == 0)
        rc = send_finish(w, e);
    if (rc == 0 && e->done_mark)
        rc = buf_adds(w->out, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    return rc;
}

/* --- an answer in one piece --- */

static void write_thought(struct jsonw *j, const struct buf *thought)
{
    char signature[ANTHROPIC_SIGNATURE_SIZE];
    anthropic_signature(dialect_sign(0, thought->p, thought->n), signature);
    jw_open(j, '{');
    jw_kstr(j, "type", "thinking");
    jw_key(j, "thinking");
    jw_str(j, thought->p, thought->n);
    jw_kstr(j, "signature", signature);
    jw_close(j);
}

static void write_content(struct jsonw *j, const struct whole *whole)
{
    const cJSON *c;
    jw_kopen(j, "content", '[');
    if (whole->thought.n > 0)
        write_thought(j, &whole->thought);
    if (whole->text.n > 0) {
        jw_open(j, '{');
        jw_kstr(j, "type", "text");
        jw_key(j, "text");
        jw_str(j, whole->text.p, whole->text.n);
        jw_close(j);
    }
    cJSON_ArrayForEach(c, whole->calls)
    {
        jw_open(j, '{');
        write_call_head(j, json_get_str(c, "id"), json_get_str(c, "name"));
        dialect_write_args(j, json_get_str(c, "args"));
        jw_close(j);
    }
    jw_close(j);
}

static int write_whole(struct writer *w, const struct whole *whole)
{
    struct jsonw j;
    jw_begin(&j, w->out);
    jw_open(&j, '{');
    write_identity(w, &j);
    write_content(&j, whole);
    jw_kstr(&j, "stop_reason", finish_word(&whole->end));
    jw_kstr(&j, "stop_sequence", NULL);
    if (whole->end.has_usage) {
        jw_kopen(&j, "usage", '{');
        write_input(&j, &whole->end.usage);
        jw_kint(&j, "output_tokens", whole->end.usage.output);
        jw_close(&j);
    }
    jw_close(&j);
    return jw_end(&j);
}

const struct dialect dialect_anthropic = {
    .name = "anthropic",
    .stream_type = "text/event-stream; charset=utf-8",
    .mark = "anthropic-version",
    .malformed = "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"",
    .owns = owns,
    .route = route,
    .read = read_request,
    .write_fault = write_fault,
    .write_models = write_models,
    .write_count = write_count,
    .text = text,
    .thought = thought,
    .call = call,
    .error = error,
    .event = event,
    .end = end,
    .whole = write_whole,
};
