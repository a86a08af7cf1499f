#include "agent/llm.h"
#include "agent/llm_error.h"
#include "agent/llm_openai.h"
#include "agent/llm_reader.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <string.h>

/*
 * OpenAI Responses, without anything stored at the provider: the whole conversation goes each time,
 * and encrypted reasoning items go back before the calls they led to.
 */

#define NAME "openai-responses"

/* ---- the request --------------------------------------------------------------------------------
 */

static int write_url(const struct llm_target *to, struct buf *out)
{
    return buf_addf(out, "%s/responses", to->base);
}

static void write_part(struct jsonw *w, bool own, const char *text)
{
    if (!*text)
        return;
    jw_open(w, '{');
    jw_kstr(w, "type", own ? "output_text" : "input_text");
    jw_kstr(w, "text", text);
    jw_close(w);
}

static void write_media(struct jsonw *w, const struct media *m, unsigned input)
{
    if (m->kind != MEDIA_IMAGE || !(input & MEDIA_IMAGE)) {
        write_part(w, false, media_placeholder(m->kind));
        return;
    }
    jw_open(w, '{');
    jw_kstr(w, "type", "input_image");
    llm_openai_write_url(w, "image_url", m);
    jw_kstr(w, "detail", "auto");
    jw_close(w);
}

static void write_text(struct jsonw *w, const struct history_message *m, unsigned input)
{
    bool own = m->role == HISTORY_ASSISTANT;
    if (!*m->text && m->media.n == 0)
        return;
    jw_open(w, '{');
    jw_kstr(w, "role", own ? "assistant" : "user");
    jw_kopen(w, "content", '[');
    write_part(w, own, m->text);
    for (size_t i = 0; i < m->media.n; i++)
        write_media(w, &m->media.items[i], input);
    jw_close(w);
    jw_close(w);
}

static void write_result(struct jsonw *w, const struct history_message *m)
{
    jw_open(w, '{');
    jw_kstr(w, "type", "function_call_output");
    jw_kstr(w, "call_id", m->call_id);
    jw_kstr(w, "output", m->text);
    jw_close(w);
}

static void write_call(struct jsonw *w, const struct history_call *c)
{
    jw_open(w, '{');
    jw_kstr(w, "type", "function_call");
    jw_kstr(w, "call_id", c->id);
    jw_kstr(w, "name", c->name);
    jw_kstr(w, "arguments", c->args);
    jw_close(w);
}

static void write_message(struct jsonw *w, const struct history_message *m, unsigned input)
{
    llm_write_kept(w, m, NAME);
    if (m->role == HISTORY_TOOL)
        write_result(w, m);
    else
        write_text(w, m, input);
    for (size_t i = 0; i < m->n_calls; i++)
        write_call(w, &m->calls[i]);
}

static void write_tools(struct jsonw *w, const struct llm_request *req)
{
    if (req->n_tools == 0)
        return;
    jw_kopen(w, "tools", '[');
    for (size_t i = 0; i < req->n_tools; i++) {
        jw_open(w, '{');
        jw_kstr(w, "type", "function");
        llm_write_tool(w, req->tools[i], "parameters");
        jw_close(w);
    }
    jw_close(w);
}

static void write_options(struct jsonw *w, const struct llm_request *req)
{
    jw_kbool(w, "stream", true);
    jw_kbool(w, "store", false);
    jw_kopen(w, "include", '[');
    jw_str(w, "reasoning.encrypted_content", strlen("reasoning.encrypted_content"));
    jw_close(w);
    if (req->max_tokens > 0)
        jw_kint(w, "max_output_tokens", req->max_tokens);
    if (!req->to->effort)
        return;
    jw_kopen(w, "reasoning", '{');
    jw_kstr(w, "effort", req->to->effort);
    jw_kstr(w, "summary", "auto");
    jw_close(w);
}

static int write_body(const struct llm_request *req, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "model", req->to->model);
    write_options(&w, req);
    jw_kstr(&w, "instructions", req->system);
    write_tools(&w, req);
    jw_kopen(&w, "input", '[');
    for (size_t i = 0; i < req->history->n; i++)
        write_message(&w, &req->history->messages[i], req->to->input);
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

/* ---- the answer ---------------------------------------------------------------------------------
 */

/* With its arguments, if they did not come in pieces. */
static void take_call(struct llm_reader *r, long index, const cJSON *item, bool whole)
{
    const char *id = json_get_str(item, "call_id");
    const char *args = whole ? json_get_str(item, "arguments") : NULL;
    llm_reader_call(r, index, id ? id : json_get_str(item, "id"), json_get_str(item, "name"),
                    args && *args ? args : NULL);
}

static bool has_arguments(const struct llm_reader *r, long index)
{
    for (size_t i = 0; i < r->calls.n; i++)
        if (r->calls.parts[i].index == index)
            return r->calls.parts[i].args.n > 0;
    return false;
}

/* Texts of an item that came in pieces have been given out already. */
static void take_item(struct llm_reader *r, long index, const cJSON *item, bool streamed)
{
    const char *type = json_get_str(item, "type");
    const cJSON *part;
    if (!type)
        return;
    if (strcmp(type, "reasoning") == 0 && json_get_str(item, "encrypted_content"))
        llm_reader_keep(r, cJSON_Duplicate(item, true));
    if (strcmp(type, "function_call") == 0)
        take_call(r, index, item, !has_arguments(r, index));
    if (streamed)
        return;
    cJSON_ArrayForEach(part, json_get(item, "summary"))
        llm_reader_thought(r, json_get_str(part, "text"));
    cJSON_ArrayForEach(part, json_get(item, "content"))
    {
        const char *refusal = json_get_str(part, "refusal");
        r->refused |= refusal != NULL;
        llm_reader_text(r, refusal ? refusal : json_get_str(part, "text"));
    }
}

static void open_item(struct llm_reader *r, long index, const cJSON *item)
{
    const char *type = json_get_str(item, "type");
    if (type && strcmp(type, "function_call") == 0)
        take_call(r, index, item, true);
}

static void take_usage(struct llm_reader *r, const cJSON *usage)
{
    int64_t input = json_get_int(usage, "input_tokens", -1);
    if (input >= 0)
        r->usage = (struct llm_usage){.known = true,
                                      .tokens = input + json_get_int(usage, "output_tokens", 0)};
}

static void take_end(struct llm_reader *r, const cJSON *response)
{
    static const struct llm_finish_row reasons[] = {
        {"max_output_tokens", LLM_FINISH_LENGTH},
        {"content_filter", LLM_FINISH_REFUSAL},
        {"failed", LLM_FINISH_FAILED},
        {"cancelled", LLM_FINISH_FAILED},
        {NULL, LLM_FINISH_NONE},
    };
    const char *why = json_get_str(json_get(response, "incomplete_details"), "reason");
    take_usage(r, json_get(response, "usage"));
    llm_reader_end(r, why ? why : json_get_str(response, "status"), reasons);
    r->done = true;
}

/* The body of an answer that is no stream. */
static void take_response(struct llm_reader *r, const cJSON *response)
{
    const cJSON *item;
    long index = 0;
    cJSON_ArrayForEach(item, json_get(response, "output")) take_item(r, index++, item, false);
    take_end(r, response);
}

static void take_delta(struct llm_reader *r, const char *type, long index, const char *delta)
{
    if (delta && *delta)
        r->told = index + 1;
    if (strcmp(type, "output_text.delta") == 0)
        llm_reader_text(r, delta);
    else if (strcmp(type, "refusal.delta") == 0) {
        r->refused = true;
        llm_reader_text(r, delta);
    } else if (strcmp(type, "reasoning_summary_text.delta") == 0 ||
               strcmp(type, "reasoning_text.delta") == 0)
        llm_reader_thought(r, delta);
    else if (strcmp(type, "function_call_arguments.delta") == 0 && delta && *delta)
        llm_reader_call(r, index, NULL, NULL, delta);
}

static void take_failure(struct llm_reader *r, const cJSON *error)
{
    llm_error_take(error, error, &r->error);
    r->failed = true;
}

static void take(struct llm_reader *r, const cJSON *root)
{
    static const char prefix[] = "response.";
    const char *type = json_get_str(root, "type");
    long index = (long)json_get_int(root, "output_index", 0);
    const cJSON *response = json_get(root, "response"), *item = json_get(root, "item");
    if (!type) {
        if (json_get(root, "output"))
            take_response(r, root);
        return;
    }
    if (strcmp(type, "error") == 0)
        take_failure(r, root);
    if (strncmp(type, prefix, strlen(prefix)) != 0)
        return;
    type += strlen(prefix);
    if (strcmp(type, "failed") == 0)
        take_failure(r, json_get(response, "error"));
    else if (strcmp(type, "completed") == 0 || strcmp(type, "incomplete") == 0)
        take_end(r, response);
    else if (strcmp(type, "output_item.added") == 0)
        open_item(r, index, item);
    else if (strcmp(type, "output_item.done") == 0)
        take_item(r, index, item, r->told == index + 1);
    else
        take_delta(r, type, index, json_get_str(root, "delta"));
}

static struct llm_reader *create(llm_text_cb on_text, void *ctx)
{
    static const struct llm_format format = {NAME, "response", take};
    return llm_reader_create(&format, on_text, ctx);
}

const struct llm_dialect llm_openai_responses = {
    .name = NAME,
    .write_url = write_url,
    .write_auth = llm_openai_write_auth,
    .write_body = write_body,
    .reader_create = create,
    .reader_feed = llm_reader_feed,
    .reader_finish = llm_reader_finish,
    .reader_destroy = llm_reader_destroy,
    .read_error = llm_error_from_body,
};
