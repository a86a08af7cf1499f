/* A chat completion in one piece, and what its events share with it. */
#include "openai_chat.h"

#include "openai.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>

void openai_chat_write_identity(struct writer *w, struct jsonw *j, const char *object)
{
    char id[48];
    snprintf(id, sizeof id, "chatcmpl-%016" PRIx64, dialect_hash(w->seed, w->n, 0));
    jw_kstr(j, "id", id);
    jw_kstr(j, "object", object);
    jw_kint(j, "created", OPENAI_CREATED + (int64_t)w->n);
    jw_kstr(j, "model", json_get_str(w->request, "model"));
}

void openai_chat_write_usage(struct jsonw *j, const struct usage *u)
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

const char *openai_chat_finish_word(const struct ending *e)
{
    static const char *const words[] = {
        [FINISH_STOP] = "stop",
        [FINISH_TOOL_CALLS] = "tool_calls",
        [FINISH_LENGTH] = "length",
        [FINISH_FILTER] = "content_filter",
    };
    return dialect_finish_word(e, words);
}

static void write_calls(struct writer *w, struct jsonw *j, const cJSON *calls)
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
        if (w->quirks & QUIRK_ARGS_OBJECT) {
            jw_key(j, "arguments");
            dialect_write_args(j, json_get_str(c, "args"));
        } else {
            jw_kstr(j, "arguments", json_get_str(c, "args"));
        }
        jw_close(j);
        jw_close(j);
    }
    jw_close(j);
}

static void write_message(struct writer *w, struct jsonw *j, const struct whole *whole)
{
    jw_kopen(j, "message", '{');
    jw_kstr(j, "role", "assistant");
    jw_key(j, "content");
    if (whole->text.n > 0 || !whole->calls->child)
        jw_str(j, whole->text.n > 0 ? whole->text.p : "", whole->text.n);
    else
        jw_null(j);
    if (whole->thought.n > 0) {
        jw_key(j, w->quirks & QUIRK_REASONING ? "reasoning" : "reasoning_content");
        jw_str(j, whole->thought.p, whole->thought.n);
    }
    jw_kstr(j, "refusal", NULL);
    if (whole->calls->child)
        write_calls(w, j, whole->calls);
    jw_close(j);
}

int openai_chat_write_whole(struct writer *w, const struct whole *whole)
{
    struct jsonw j;
    jw_begin(&j, w->out);
    jw_open(&j, '{');
    openai_chat_write_identity(w, &j, "chat.completion");
    jw_kopen(&j, "choices", '[');
    jw_open(&j, '{');
    jw_kint(&j, "index", 0);
    write_message(w, &j, whole);
    jw_kstr(&j, "finish_reason", openai_chat_finish_word(&whole->end));
    jw_close(&j);
    jw_close(&j);
    if (whole->end.has_usage)
        openai_chat_write_usage(&j, &whole->end.usage);
    jw_close(&j);
    return jw_end(&j);
}
