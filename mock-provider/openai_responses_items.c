/* The output items of a response and the response around them. */
#include "openai_responses_items.h"

#include "base/err.h"
#include "openai.h"
#include "openai_responses.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void openai_responses_encrypt(uint64_t signature, char text[OPENAI_ENCRYPTED_SIZE])
{
    snprintf(text, OPENAI_ENCRYPTED_SIZE, "mock%016" PRIx64, signature);
}

/* --- items --- */

void responses_make_id(const struct writer *w, enum output_item kind, unsigned index, char id[32])
{
    static const char *const heads[] = {"resp", "msg", "rs", "fc"};
    snprintf(id, 32, "%s_%016" PRIx64, heads[kind], dialect_hash(w->seed, w->n, index));
}

/* The part of a message: {"type": "output_text", ...}. */
void responses_write_part(struct jsonw *j, const char *text, size_t n)
{
    jw_open(j, '{');
    jw_kstr(j, "type", "output_text");
    jw_key(j, "text");
    jw_str(j, n > 0 ? text : "", n);
    jw_kopen(j, "annotations", '[');
    jw_close(j);
    jw_kopen(j, "logprobs", '[');
    jw_close(j);
    jw_close(j);
}

void responses_write_summary_part(struct jsonw *j, const char *text, size_t n)
{
    jw_open(j, '{');
    jw_kstr(j, "type", "summary_text");
    jw_key(j, "text");
    jw_str(j, n > 0 ? text : "", n);
    jw_close(j);
}

static void write_message(struct jsonw *j, const struct said *s)
{
    jw_kstr(j, "type", "message");
    jw_kstr(j, "status", s->done ? "completed" : "in_progress");
    jw_kstr(j, "role", "assistant");
    jw_kopen(j, "content", '[');
    if (s->done)
        responses_write_part(j, s->text, s->n);
    jw_close(j);
}

static void write_reasoning(struct writer *w, struct jsonw *j, const struct said *s)
{
    char encrypted[OPENAI_ENCRYPTED_SIZE];
    jw_kstr(j, "type", "reasoning");
    jw_kopen(j, "summary", '[');
    if (s->done)
        responses_write_summary_part(j, s->text, s->n);
    jw_close(j);
    openai_responses_encrypt(dialect_sign(0, s->text, s->n), encrypted);
    if (s->done && openai_responses_encrypts(json_get(w->request, "body")))
        jw_kstr(j, "encrypted_content", encrypted);
}

static void write_call(struct jsonw *j, const struct said *s)
{
    jw_kstr(j, "type", "function_call");
    jw_kstr(j, "status", s->done ? "completed" : "in_progress");
    jw_kstr(j, "call_id", s->id);
    jw_kstr(j, "name", s->name);
    jw_key(j, "arguments");
    jw_str(j, s->done ? s->text : "", s->done ? s->n : 0);
}

void responses_write_item(struct writer *w, struct jsonw *j, const struct said *s)
{
    char id[32];
    responses_make_id(w, s->kind, s->index + 1, id);
    jw_open(j, '{');
    jw_kstr(j, "id", id);
    if (s->kind == ITEM_TEXT)
        write_message(j, s);
    else if (s->kind == ITEM_THOUGHT)
        write_reasoning(w, j, s);
    else
        write_call(j, s);
    jw_close(j);
}

/* Adds a finished item to those the last event repeats. */
int responses_keep_item(struct writer *w, const struct said *s)
{
    struct jsonw j;
    int rc = w->items.n > 0 ? buf_addc(&w->items, ',') : 0;
    if (rc < 0)
        return rc;
    jw_begin(&j, &w->items);
    responses_write_item(w, &j, s);
    return jw_end(&j);
}

/* --- the response object --- */

static void write_usage(struct jsonw *j, const struct usage *u)
{
    jw_kopen(j, "usage", '{');
    jw_kint(j, "input_tokens", u->input);
    jw_kopen(j, "input_tokens_details", '{');
    jw_kint(j, "cached_tokens", u->cached);
    jw_kint(j, "cache_write_tokens", u->cache_write);
    jw_close(j);
    jw_kint(j, "output_tokens", u->output);
    jw_kopen(j, "output_tokens_details", '{');
    jw_kint(j, "reasoning_tokens", u->thought);
    jw_close(j);
    jw_kint(j, "total_tokens", (int64_t)u->input + u->output);
    jw_close(j);
}

static const char *status_word(const struct standing *s)
{
    if (s->fault)
        return "failed";
    if (!s->end || s->end->finish == FINISH_NONE)
        return "in_progress";
    if (s->end->word)
        return "incomplete";
    bool whole = s->end->finish == FINISH_STOP || s->end->finish == FINISH_TOOL_CALLS;
    return whole ? "completed" : "incomplete";
}

static void write_why(struct jsonw *j, const struct standing *s)
{
    jw_key(j, "error");
    if (s->fault) {
        jw_open(j, '{');
        jw_kstr(j, "code", s->fault->code ? s->fault->code : "server_error");
        jw_kstr(j, "message", s->fault->text);
        jw_close(j);
    } else {
        jw_null(j);
    }
    jw_key(j, "incomplete_details");
    if (strcmp(status_word(s), "incomplete") == 0) {
        bool length = s->end->finish == FINISH_LENGTH;
        jw_open(j, '{');
        const char *reason = length ? "max_output_tokens" : "content_filter";
        jw_kstr(j, "reason", s->end->word ? s->end->word : reason);
        jw_close(j);
    } else {
        jw_null(j);
    }
}

/* Members that callers look for and a mock has nothing to say about. */
static void write_rest(struct writer *w, struct jsonw *j)
{
    const cJSON *body = json_get(w->request, "body"), *store = json_get(body, "store");
    jw_kstr(j, "instructions", json_get_str(body, "instructions"));
    jw_kopen(j, "metadata", '{');
    jw_close(j);
    jw_kbool(j, "parallel_tool_calls", true);
    jw_kstr(j, "previous_response_id", NULL);
    jw_kbool(j, "store", !cJSON_IsFalse(store));
    jw_kstr(j, "tool_choice", "auto");
    jw_kopen(j, "tools", '[');
    jw_close(j);
}

void responses_write_response(struct writer *w, struct jsonw *j, const struct standing *s)
{
    char id[32];
    responses_make_id(w, ITEM_NONE, 0, id);
    jw_open(j, '{');
    jw_kstr(j, "id", id);
    jw_kstr(j, "object", "response");
    jw_kint(j, "created_at", OPENAI_CREATED + (int64_t)w->n);
    jw_kstr(j, "status", status_word(s));
    jw_kstr(j, "model", json_get_str(w->request, "model"));
    write_why(j, s);
    jw_kopen(j, "output", '[');
    if (s->end && w->items.n > 0)
        jw_raw(j, w->items.p, w->items.n);
    jw_close(j);
    write_rest(w, j);
    if (s->end && s->end->has_usage)
        write_usage(j, &s->end->usage);
    jw_close(j);
}
