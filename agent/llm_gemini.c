#include "agent/llm.h"
#include "agent/llm_error.h"
#include "agent/llm_reader.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * Gemini generateContent. Parts with a signature go back as they came and where they were; here the
 * signature of a call travels with the first call of its message.
 */

#define NAME "gemini"

/* ---- the request --------------------------------------------------------------------------------
 */

static int write_url(const struct llm_target *to, struct buf *out)
{
    return buf_addf(out, "%s/v1beta/models/%s:streamGenerateContent?alt=sse", to->base, to->model);
}

static int write_auth(const struct llm_target *to, struct buf *out)
{
    return *to->key ? buf_addf(out, "x-goog-api-key: %s", to->key) : 0;
}

static void write_text(struct jsonw *w, const char *text)
{
    if (!*text)
        return; /* an empty part is refused */
    jw_open(w, '{');
    jw_kstr(w, "text", text);
    jw_close(w);
}

/* Ids of ours ("call_...") are unknown to the API, but it takes any that stand on both sides. */
static void write_calls(struct jsonw *w, const struct history_message *m)
{
    cJSON *kept = llm_kept(m->calls, m->n_calls, NAME);
    const char *signature = cJSON_GetStringValue(cJSON_GetArrayItem(kept, 0));
    for (size_t i = 0; i < m->n_calls; i++) {
        jw_open(w, '{');
        jw_kopen(w, "functionCall", '{');
        jw_kstr(w, "id", m->calls[i].id);
        jw_kstr(w, "name", m->calls[i].name);
        jw_key(w, "args");
        jw_raw(w, m->calls[i].args, strlen(m->calls[i].args));
        jw_close(w);
        if (i == 0 && signature)
            jw_kstr(w, "thoughtSignature", signature);
        jw_close(w);
    }
    cJSON_Delete(kept);
}

static const char *find_name(const struct history *h, size_t before, const char *id)
{
    for (size_t i = before; i-- > 0;)
        for (size_t k = 0; k < h->messages[i].n_calls; k++)
            if (strcmp(h->messages[i].calls[k].id, id) == 0)
                return h->messages[i].calls[k].name;
    return "";
}

static void write_result(struct jsonw *w, const struct history *h, size_t at)
{
    const struct history_message *m = &h->messages[at];
    jw_open(w, '{');
    jw_kopen(w, "functionResponse", '{');
    jw_kstr(w, "id", m->call_id);
    jw_kstr(w, "name", find_name(h, at, m->call_id));
    jw_kopen(w, "response", '{');
    jw_kstr(w, "output", m->text);
    jw_close(w);
    jw_close(w);
    jw_close(w);
}

static void write_media(struct jsonw *w, const struct media *m, unsigned input)
{
    if (!(m->kind & input)) {
        write_text(w, media_placeholder(m->kind));
        return;
    }
    jw_open(w, '{');
    jw_kopen(w, "inlineData", '{');
    jw_kstr(w, "mimeType", m->type);
    jw_kstr(w, "data", m->data);
    jw_close(w);
    jw_close(w);
}

static void write_parts(struct jsonw *w, const struct llm_request *req, size_t at)
{
    const struct history_message *m = &req->history->messages[at];
    if (m->role == HISTORY_TOOL) {
        write_result(w, req->history, at);
        return;
    }
    write_text(w, m->text);
    for (size_t i = 0; i < m->media.n; i++)
        write_media(w, &m->media.items[i], req->to->input);
    write_calls(w, m);
}

/* The same role twice in a row is one content. */
static void write_contents(struct jsonw *w, const struct llm_request *req)
{
    const struct history *h = req->history;
    jw_kopen(w, "contents", '[');
    for (size_t i = 0; i < h->n;) {
        bool own = h->messages[i].role == HISTORY_ASSISTANT;
        jw_open(w, '{');
        jw_kstr(w, "role", own ? "model" : "user");
        jw_kopen(w, "parts", '[');
        for (; i < h->n && (h->messages[i].role == HISTORY_ASSISTANT) == own; i++)
            write_parts(w, req, i);
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
    jw_open(w, '{');
    jw_kopen(w, "functionDeclarations", '[');
    for (size_t i = 0; i < req->n_tools; i++) {
        jw_open(w, '{');
        llm_write_tool(w, req->tools[i], "parametersJsonSchema");
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
    jw_close(w);
}

static void write_limits(struct jsonw *w, const struct llm_request *req)
{
    char level[40] = "";
    for (size_t i = 0; req->to->effort && req->to->effort[i] && i + 1 < sizeof level; i++) {
        level[i] = (char)toupper((unsigned char)req->to->effort[i]);
        level[i + 1] = '\0';
    }
    jw_kopen(w, "generationConfig", '{');
    if (req->max_tokens > 0)
        jw_kint(w, "maxOutputTokens", req->max_tokens);
    if (level[0]) {
        jw_kopen(w, "thinkingConfig", '{');
        jw_kbool(w, "includeThoughts", true);
        jw_kstr(w, "thinkingLevel", level);
        jw_close(w);
    }
    jw_close(w);
}

static int write_body(const struct llm_request *req, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "systemInstruction", '{');
    jw_kopen(&w, "parts", '[');
    write_text(&w, req->system);
    jw_close(&w);
    jw_close(&w);
    write_limits(&w, req);
    write_tools(&w, req);
    write_contents(&w, req);
    jw_close(&w);
    return jw_end(&w);
}

/* ---- the answer ---------------------------------------------------------------------------------
 */

static void take_call(struct llm_reader *r, const cJSON *part, const cJSON *call)
{
    const cJSON *args = json_get(call, "args");
    const char *signature = json_get_str(part, "thoughtSignature");
    char *text = args ? cJSON_PrintUnformatted(args) : NULL;
    char id[32];
    const char *given = json_get_str(call, "id");
    /* Without ids the order says which result is whose; each call comes whole. */
    snprintf(id, sizeof id, "fc_%zu", r->calls.n + 1);
    llm_reader_call(r, (long)r->calls.n, given && *given ? given : id, json_get_str(call, "name"),
                    text);
    cJSON_free(text);
    if (signature && !r->kept)
        llm_reader_keep(r, cJSON_CreateString(signature));
}

static void take_part(struct llm_reader *r, const cJSON *part)
{
    const cJSON *call = json_get(part, "functionCall");
    const char *text = json_get_str(part, "text");
    if (json_get_bool(part, "thought"))
        llm_reader_thought(r, text);
    else
        llm_reader_text(r, text);
    if (call)
        take_call(r, part, call);
}

static void take_usage(struct llm_reader *r, const cJSON *usage)
{
    int64_t input = json_get_int(usage, "promptTokenCount", -1);
    if (input >= 0)
        r->usage =
            (struct llm_usage){.known = true,
                               .tokens = input + json_get_int(usage, "candidatesTokenCount", 0) +
                                         json_get_int(usage, "thoughtsTokenCount", 0)};
}

/* There is no end mark: the body ends, and a reason must have come before. */
static void take(struct llm_reader *r, const cJSON *root)
{
    static const struct llm_finish_row reasons[] = {
        {"MAX_TOKENS", LLM_FINISH_LENGTH},
        {"SAFETY", LLM_FINISH_REFUSAL},
        {"RECITATION", LLM_FINISH_REFUSAL},
        {"BLOCKLIST", LLM_FINISH_REFUSAL},
        {"PROHIBITED_CONTENT", LLM_FINISH_REFUSAL},
        {"SPII", LLM_FINISH_REFUSAL},
        {"MALFORMED_FUNCTION_CALL", LLM_FINISH_FAILED},
        {"UNEXPECTED_TOOL_CALL", LLM_FINISH_FAILED},
        {"TOO_MANY_TOOL_CALLS", LLM_FINISH_FAILED},
        {"LANGUAGE", LLM_FINISH_FAILED},
        {"OTHER", LLM_FINISH_FAILED},
        {NULL, LLM_FINISH_NONE},
    };
    const cJSON *candidate = cJSON_GetArrayItem(json_get(root, "candidates"), 0), *part;
    take_usage(r, json_get(root, "usageMetadata"));
    cJSON_ArrayForEach(part, json_get(json_get(candidate, "content"), "parts")) take_part(r, part);
    llm_reader_end(r, json_get_str(candidate, "finishReason"), reasons);
    if (json_get_str(json_get(root, "promptFeedback"), "blockReason"))
        r->finish = LLM_FINISH_REFUSAL;
}

static struct llm_reader *create(llm_text_cb on_text, void *ctx)
{
    static const struct llm_format format = {NAME, "answer of generateContent", take};
    return llm_reader_create(&format, on_text, ctx);
}

const struct llm_dialect llm_gemini = {
    .name = NAME,
    .write_url = write_url,
    .write_auth = write_auth,
    .write_body = write_body,
    .reader_create = create,
    .reader_feed = llm_reader_feed,
    .reader_finish = llm_reader_finish,
    .reader_destroy = llm_reader_destroy,
    .read_error = llm_error_from_body,
};
