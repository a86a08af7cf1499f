/* OpenAI Responses: routes, events, whole answers. */
#include "dialect.h"

#include "base/err.h"
#include "openai.h"
#include "openai_responses.h"
#include "openai_responses_items.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <string.h>

/* --- routes --- */

static bool owns(const char *path)
{
    return dialect_is_path(path, "/responses");
}

static enum route route(const char *method, const char *path)
{
    if (!owns(path))
        return ROUTE_NONE;
    return strcmp(method, "POST") == 0 ? ROUTE_REPLY : ROUTE_WRONG_METHOD;
}

static int read_request(const cJSON *body, cJSON *neutral, struct fault *fault)
{
    int rc = openai_responses_neutral(body, neutral);
    return rc < 0 ? rc : openai_responses_check(body, fault);
}

/* --- events --- */

static void begin_event(struct writer *w, struct jsonw *j, const char *type)
{
    w->event.n = 0;
    jw_begin(j, &w->event);
    jw_open(j, '{');
    jw_kstr(j, "type", type);
    jw_kint(j, "sequence_number", w->events++);
}

static int end_event(struct writer *w, struct jsonw *j, const char *type)
{
    jw_close(j);
    int rc = jw_end(j);
    return rc < 0 ? rc : dialect_send(w->out, type, w->event.p, w->event.n);
}

static int send_response(struct writer *w, const char *type, const struct standing *s)
{
    struct jsonw j;
    begin_event(w, &j, type);
    jw_key(&j, "response");
    responses_write_response(w, &j, s);
    return end_event(w, &j, type);
}

static int start(struct writer *w)
{
    const struct standing nothing = {0};
    if (w->started)
        return 0;
    w->started = true;
    int rc = send_response(w, "response.created", &nothing);
    return rc < 0 ? rc : send_response(w, "response.in_progress", &nothing);
}

static int send_item(struct writer *w, const char *type, const struct said *s)
{
    struct jsonw j;
    begin_event(w, &j, type);
    jw_kint(&j, "output_index", s->index);
    jw_key(&j, "item");
    responses_write_item(w, &j, s);
    return end_event(w, &j, type);
}

/* The words an item's events have. */
static const struct {
    const char *delta, *done, *index, *part_added, *part_done;
    const char *member; /* of the done event: the whole text */
} words[] = {
    [ITEM_TEXT] = {"response.output_text.delta", "response.output_text.done", "content_index",
                   "response.content_part.added", "response.content_part.done", "text"},
    [ITEM_THOUGHT] = {"response.reasoning_summary_text.delta",
                      "response.reasoning_summary_text.done", "summary_index",
                      "response.reasoning_summary_part.added",
                      "response.reasoning_summary_part.done", "text"},
    [ITEM_CALL] = {"response.function_call_arguments.delta",
                   "response.function_call_arguments.done", NULL, NULL, NULL, "arguments"},
};

/* Opens an event about the open item, up to its own members. */
static void begin_about(struct writer *w, struct jsonw *j, const char *type)
{
    char id[32];
    enum output_item kind = (enum output_item)w->open;
    responses_make_id(w, kind, w->block + 1, id);
    begin_event(w, j, type);
    jw_kstr(j, "item_id", id);
    jw_kint(j, "output_index", w->block);
    if (words[kind].index)
        jw_kint(j, words[kind].index, 0);
}

static int send_part(struct writer *w, const char *type, const char *text, size_t n)
{
    struct jsonw j;
    if (!type)
        return 0;
    begin_about(w, &j, type);
    jw_key(&j, "part");
    if (w->open == ITEM_TEXT)
        responses_write_part(&j, text, n);
    else
        responses_write_summary_part(&j, text, n);
    return end_event(w, &j, type);
}

static int send_text(struct writer *w, const char *type, const char *member, const char *p,
                     size_t n)
{
    struct jsonw j;
    begin_about(w, &j, type);
    jw_key(&j, member);
    jw_str(&j, p, n);
    if (w->open == ITEM_TEXT) {
        jw_kopen(&j, "logprobs", '[');
        jw_close(&j);
    }
    return end_event(w, &j, type);
}

static int send_delta(struct writer *w, const char *text, size_t n)
{
    int rc = buf_add(&w->said, text, n);
    bool hidden =
        w->quirks & QUIRK_DONE_ONLY || (w->open == ITEM_CALL && w->quirks & QUIRK_ARGS_WHOLE);
    if (rc == 0 && w->quirks & QUIRK_EMPTY && !hidden)
        rc = send_text(w, words[w->open].delta, "delta", "", 0);
    if (rc < 0 || hidden)
        return rc;
    return send_text(w, words[w->open].delta, "delta", text, n);
}

static int open_item(struct writer *w, const struct said *s)
{
    w->open = (int)s->kind;
    w->said.n = 0;
    int rc = send_item(w, "response.output_item.added", s);
    return rc < 0 ? rc : send_part(w, words[s->kind].part_added, "", 0);
}

static int finish_item(struct writer *w, struct said *s)
{
    s->done = true;
    s->text = w->said.n > 0 ? w->said.p : "";
    s->n = w->said.n;
    int rc = send_text(w, words[s->kind].done, words[s->kind].member, s->text, s->n);
    if (rc == 0)
        rc = send_part(w, words[s->kind].part_done, s->text, s->n);
    if (rc == 0)
        rc = send_item(w, "response.output_item.done", s);
    if (rc == 0)
        rc = responses_keep_item(w, s);
    w->open = ITEM_NONE;
    w->block++;
    return rc;
}

/* Calls are finished where they are written: what can be open is a text or a thought. */
static int close_item(struct writer *w)
{
    struct said s = {.kind = (enum output_item)w->open, .index = w->block};
    return w->open == ITEM_NONE ? 0 : finish_item(w, &s);
}

/* --- what a script says --- */

static int say(struct writer *w, enum output_item kind, const char *p, size_t n)
{
    int rc = start(w);
    if (rc == 0 && w->open != (int)kind) {
        rc = close_item(w);
        const struct said s = {.kind = kind, .index = w->block};
        if (rc == 0)
            rc = open_item(w, &s);
    }
    return rc < 0 ? rc : send_delta(w, p, n);
}

static int text(struct writer *w, const char *p, size_t n)
{
    return say(w, ITEM_TEXT, p, n);
}

static int thought(struct writer *w, const char *p, size_t n)
{
    return say(w, ITEM_THOUGHT, p, n);
}

static int call(struct writer *w, const struct call *c)
{
    int rc = start(w);
    if (rc == 0)
        rc = close_item(w);
    struct said s = {.kind = ITEM_CALL, .index = w->block, .id = c->id, .name = c->name};
    if (rc == 0)
        rc = open_item(w, &s);
    for (uint32_t i = 0; rc == 0 && i < c->fragments; i++) {
        size_t from = i == 0 ? 0 : dialect_cut(c, i);
        size_t to = i + 1 == c->fragments ? c->args_n : dialect_cut(c, i + 1);
        if (to > from)
            rc = send_delta(w, c->args + from, to - from);
    }
    return rc < 0 ? rc : finish_item(w, &s);
}

static int event(struct writer *w, const char *json, size_t n)
{
    return dialect_send_typed(w, "response.output_text.delta", json, n);
}

/* The event of its own, then the response that failed: callers look at either. */
static int error(struct writer *w, const struct fault *fault)
{
    struct jsonw j;
    struct fault f = *fault;
    const struct standing failed = {.fault = &f};
    openai_fault_words(&f);
    begin_event(w, &j, "error");
    jw_kstr(&j, "code", f.code ? f.code : f.type);
    jw_kstr(&j, "message", f.text);
    jw_kstr(&j, "param", *f.param ? f.param : NULL);
    int rc = end_event(w, &j, "error");
    return rc < 0 ? rc : send_response(w, "response.failed", &failed);
}

static int end(struct writer *w, const struct ending *e)
{
    const struct standing ended = {.end = e};
    bool whole = !e->word && (e->finish == FINISH_STOP || e->finish == FINISH_TOOL_CALLS);
    int rc = start(w);
    if (rc == 0)
        rc = close_item(w);
    if (rc < 0 || !e->done_mark || e->finish == FINISH_NONE)
        return rc;
    return send_response(w, whole ? "response.completed" : "response.incomplete", &ended);
}

/* --- an answer in one piece --- */

static int keep_text(struct writer *w, enum output_item kind, const struct buf *said)
{
    const struct said s = {kind, w->block, said->p, said->n, NULL, NULL, true};
    if (said->n == 0)
        return 0;
    w->block++;
    return responses_keep_item(w, &s);
}

static int write_whole(struct writer *w, const struct whole *whole)
{
    const struct standing ended = {.end = &whole->end};
    const cJSON *c;
    struct jsonw j;
    int rc = keep_text(w, ITEM_THOUGHT, &whole->thought);
    if (rc == 0)
        rc = keep_text(w, ITEM_TEXT, &whole->text);
    cJSON_ArrayForEach(c, whole->calls)
    {
        const char *args = json_get_str(c, "args");
        const struct said s = {ITEM_CALL,
                               w->block++,
                               args,
                               strlen(args),
                               json_get_str(c, "id"),
                               json_get_str(c, "name"),
                               true};
        if (rc == 0)
            rc = responses_keep_item(w, &s);
    }
    if (rc < 0)
        return rc;
    jw_begin(&j, w->out);
    responses_write_response(w, &j, &ended);
    return jw_end(&j);
}

const struct dialect dialect_openai_responses = {
    .name = "openai-responses",
    .stream_type = "text/event-stream; charset=utf-8",
    .counted = true,
    .malformed = "{\"type\":\"response.output_text.delta\",\"delta\":\"",
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
