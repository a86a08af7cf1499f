#include "agent/llm.h"
#include "agent/llm_error.h"
#include "agent/llm_reader.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <string.h>

/* Anthropic messages. Thinking blocks go back byte for byte with the calls they led to. */

#define NAME "anthropic"

enum { DEFAULT_MAX_TOKENS = 16384 }; /* the API wants a limit in every request */

/* ---- the request --------------------------------------------------------------------------------
 */

static int write_url(const struct llm_target *to, struct buf *out)
{
    return buf_addf(out, "%s/v1/messages", to->base);
}

static int write_auth(const struct llm_target *to, struct buf *out)
{
    return *to->key ? buf_addf(out, "x-api-key: %s", to->key) : 0;
}

static void write_text(struct jsonw *w, const char *text)
{
    if (!*text)
        return; /* an empty block is refused */
    jw_open(w, '{');
    jw_kstr(w, "type", "text");
    jw_kstr(w, "text", text);
    jw_close(w);
}

static void write_calls(struct jsonw *w, const struct history_message *m)
{
    for (size_t i = 0; i < m->n_calls; i++) {
        const struct history_call *c = &m->calls[i];
        jw_open(w, '{');
        jw_kstr(w, "type", "tool_use");
        jw_kstr(w, "id", c->id);
        jw_kstr(w, "name", c->name);
        jw_key(w, "input");
        jw_raw(w, c->args, strlen(c->args));
        jw_close(w);
    }
}

static void write_media(struct jsonw *w, const struct media *m, unsigned input)
{
    if (m->kind != MEDIA_IMAGE || !(input & MEDIA_IMAGE)) {
        write_text(w, media_placeholder(m->kind));
        return;
    }
    jw_open(w, '{');
    jw_kstr(w, "type", "image");
    jw_kopen(w, "source", '{');
    jw_kstr(w, "type", "base64");
    jw_kstr(w, "media_type", m->type);
    jw_kstr(w, "data", m->data);
    jw_close(w);
    jw_close(w);
}

static void write_block(struct jsonw *w, const struct history_message *m, unsigned input)
{
    if (m->role != HISTORY_TOOL) {
        write_text(w, m->text);
        for (size_t i = 0; i < m->media.n; i++)
            write_media(w, &m->media.items[i], input);
        return;
    }
    jw_open(w, '{');
    jw_kstr(w, "type", "tool_result");
    jw_kstr(w, "tool_use_id", m->call_id);
    jw_kstr(w, "content", m->text);
    jw_close(w);
}

/* Results of tools and words of the user that follow each other are one message of the user's. */
static void write_messages(struct jsonw *w, const struct llm_request *req)
{
    const struct history *h = req->history;
    jw_kopen(w, "messages", '[');
    for (size_t i = 0; i < h->n;) {
        bool own = h->messages[i].role == HISTORY_ASSISTANT;
        jw_open(w, '{');
        jw_kstr(w, "role", own ? "assistant" : "user");
        jw_kopen(w, "content", '[');
        for (; i < h->n && (h->messages[i].role == HISTORY_ASSISTANT) == own; i++) {
            if (own)
                llm_write_kept(w, &h->messages[i], NAME);
            write_block(w, &h->messages[i], req->to->input);
            write_calls(w, &h->messages[i]);
        }
        jw_close(w);
        jw_close(w);
    }
    jw_close(w);
}

static void write_tools(struct jsonw *w, const struct llm_request *req)
{
    if (req->n_tools == 0)
        return;
    jw_kopen(w, "tools", '[');
    for (size_t i = 0; i < req->n_tools; i++) {
        jw_open(w, '{');
        llm_write_tool(w, req->tools[i], "input_schema");
        jw_close(w);
    }
    jw_close(w);
}

static void write_effort(struct jsonw *w, const char *effort)
{
    if (!effort)
        return;
    jw_kopen(w, "thinking", '{');
    jw_kstr(w, "type", "adaptive");
    jw_close(w);
    jw_kopen(w, "output_config", '{');
    jw_kstr(w, "effort", effort);
    jw_close(w);
}

static int write_body(const struct llm_request *req, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "model", req->to->model);
    jw_kint(&w, "max_tokens", req->max_tokens > 0 ? req->max_tokens : DEFAULT_MAX_TOKENS);
    jw_kbool(&w, "stream", true);
    write_effort(&w, req->to->effort);
    jw_kstr(&w, "system", req->system);
    write_tools(&w, req);
    write_messages(&w, req);
    jw_close(&w);
    return jw_end(&w);
}

/* ---- the answer ---------------------------------------------------------------------------------
 */

static const struct llm_finish_row reasons[] = {
    {"max_tokens", LLM_FINISH_LENGTH},
    {"model_context_window_exceeded", LLM_FINISH_LENGTH},
    {"refusal", LLM_FINISH_REFUSAL},
    {NULL, LLM_FINISH_NONE},
};

/* Counts that are absent or null keep their value; what was cached is counted apart. */
static void take_usage(struct llm_reader *r, const cJSON *usage)
{
    int64_t input = json_get_int(usage, "input_tokens", -1);
    int64_t output = json_get_int(usage, "output_tokens", -1);
    if (input >= 0) {
        r->usage.known = true;
        r->counted[0] = input + json_get_int(usage, "cache_creation_input_tokens", 0) +
                        json_get_int(usage, "cache_read_input_tokens", 0);
    }
    if (output >= 0)
        r->counted[1] = output;
    r->usage.tokens = r->counted[0] + r->counted[1];
}

static void open_block(struct llm_reader *r, long index, const cJSON *block)
{
    const char *type = json_get_str(block, "type");
    if (!type)
        return;
    llm_reader_text(r, json_get_str(block, "text"));
    llm_reader_thought(r, json_get_str(block, "thinking"));
    if (strcmp(type, "thinking") == 0 || strcmp(type, "redacted_thinking") == 0) {
        cJSON_Delete(r->open);
        r->open = cJSON_Duplicate(block, true);
        r->rc = r->open ? r->rc : E_NOMEM;
    } else if (strcmp(type, "tool_use") == 0) {
        const cJSON *input = json_get(block, "input");
        char *args = input && input->child ? cJSON_PrintUnformatted(input) : NULL;
        llm_reader_call(r, index, json_get_str(block, "id"), json_get_str(block, "name"), args);
        cJSON_free(args);
    }
}

static void append(struct llm_reader *r, const char *name, const char *text)
{
    struct buf whole = {0};
    const char *old = json_get_str(r->open, name);
    if (!r->open || !text)
        return;
    int rc = buf_adds(&whole, old ? old : "");
    rc = rc == 0 ? buf_adds(&whole, text) : rc;
    cJSON *item = rc == 0 && buf_cstr(&whole) ? cJSON_CreateString(whole.p) : NULL;
    bool ok = item && (old ? cJSON_ReplaceItemInObjectCaseSensitive(r->open, name, item)
                           : cJSON_AddItemToObject(r->open, name, item));
    if (!ok) {
        cJSON_Delete(item);
        r->rc = E_NOMEM;
    }
    buf_deinit(&whole);
}

static void take_delta(struct llm_reader *r, long index, const cJSON *delta)
{
    const char *thinking = json_get_str(delta, "thinking");
    const char *json = json_get_str(delta, "partial_json");
    llm_reader_text(r, json_get_str(delta, "text"));
    llm_reader_thought(r, thinking);
    append(r, "thinking", thinking);
    append(r, "signature", json_get_str(delta, "signature"));
    if (json && *json)
        llm_reader_call(r, index, NULL, NULL, json);
}

static void close_block(struct llm_reader *r)
{
    if (r->open)
        llm_reader_keep(r, r->open);
    r->open = NULL;
}

/* A whole message: the body of an answer that is no stream. */
static void take_message(struct llm_reader *r, const cJSON *message)
{
    const cJSON *block;
    long index = 0;
    cJSON_ArrayForEach(block, json_get(message, "content"))
    {
        open_block(r, index++, block);
        close_block(r);
    }
    take_usage(r, json_get(message, "usage"));
    llm_reader_end(r, json_get_str(message, "stop_reason"), reasons);
}

static void take(struct llm_reader *r, const cJSON *root)
{
    const char *type = json_get_str(root, "type");
    long index = (long)json_get_int(root, "index", 0);
    if (!type)
        return;
    if (strcmp(type, "message_start") == 0)
        take_usage(r, json_get(json_get(root, "message"), "usage"));
    else if (strcmp(type, "content_block_start") == 0)
        open_block(r, index, json_get(root, "content_block"));
    else if (strcmp(type, "content_block_delta") == 0)
        take_delta(r, index, json_get(root, "delta"));
    else if (strcmp(type, "content_block_stop") == 0)
        close_block(r);
    else if (strcmp(type, "message_stop") == 0)
        r->done = true;
    else if (strcmp(type, "message") == 0)
        take_message(r, root);
    else if (strcmp(type, "message_delta") == 0) {
        take_usage(r, json_get(root, "usage"));
        llm_reader_end(r, json_get_str(json_get(root, "delta"), "stop_reason"), reasons);
    }
}

static struct llm_reader *create(llm_text_cb on_text, void *ctx)
{
    static const struct llm_format format = {NAME, "message", take};
    return llm_reader_create(&format, on_text, ctx);
}

const struct llm_dialect llm_anthropic = {
    .name = NAME,
    .header = "anthropic-version: 2023-06-01",
    .write_url = write_url,
    .write_auth = write_auth,
    .write_body = write_body,
    .reader_create = create,
    .reader_feed = llm_reader_feed,
    .reader_finish = llm_reader_finish,
    .reader_destroy = llm_reader_destroy,
    .read_error = llm_error_from_body,
};
