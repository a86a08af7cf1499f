#include "agent/llm_openai.h"

#include "agent/llm_calls.h"
#include "agent/llm_error.h"
#include "agent/llm_think.h"
#include "base/err.h"
#include "base/log.h"
#include "base/utf8.h"
#include "http/sse.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EVENT (64u << 20) /* one event, or a whole JSON answer */

enum body_kind { BODY_UNKNOWN, BODY_STREAM, BODY_JSON };

struct llm_reader {
    llm_text_cb on_text;
    void *ctx;
    enum body_kind kind;
    struct sse sse;
    struct buf json; /* the body so far, if it is one JSON object */
    struct llm_think think;
    struct llm_calls calls;
    enum llm_finish finish;
    struct llm_usage usage;
    struct llm_error error;
    bool refused, failed, done, saw_chunk;
    int rc; /* sticky: E_NOMEM */
};

static void on_event(void *ctx, const struct sse_event *event);

static void on_think(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct llm_reader *r = ctx;
    r->on_text(r->ctx, kind, p, n);
}

struct llm_reader *llm_openai_reader_create(llm_text_cb on_text, void *ctx)
{
    struct llm_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->on_text = on_text;
    r->ctx = ctx;
    r->think.on_text = on_think;
    r->think.ctx = r;
    sse_init(&r->sse, MAX_EVENT, on_event, r);
    return r;
}

void llm_openai_reader_destroy(struct llm_reader *r)
{
    if (!r)
        return;
    sse_deinit(&r->sse);
    buf_deinit(&r->json);
    llm_calls_deinit(&r->calls);
    free(r);
}

static void fail(struct llm_reader *r, const char *text, bool retry)
{
    r->failed = true;
    r->error.retry = retry;
    llm_error_set(&r->error, text);
}

/* Text is a string, or a list of parts as some compatibles send it. */
static void take_content(struct llm_reader *r, const cJSON *content)
{
    if (cJSON_IsString(content)) {
        llm_think_feed(&r->think, content->valuestring, strlen(content->valuestring));
        return;
    }
    const cJSON *part;
    cJSON_ArrayForEach(part, content)
    {
        const char *text = json_get_str(part, "text");
        if (text)
            llm_think_feed(&r->think, text, strlen(text));
    }
}

/* Servers that know both names send the same text twice: the first one counts. */
static void take_thought(struct llm_reader *r, const cJSON *delta)
{
    const char *text = json_get_str(delta, "reasoning_content");
    if (!text)
        text = json_get_str(delta, "reasoning");
    if (text && *text)
        r->on_text(r->ctx, LLM_THOUGHT, text, strlen(text));
}

static void take_delta(struct llm_reader *r, const cJSON *delta)
{
    take_thought(r, delta);
    take_content(r, json_get(delta, "content"));
    const char *refusal = json_get_str(delta, "refusal");
    if (refusal && *refusal) {
        r->refused = true;
        r->on_text(r->ctx, LLM_TEXT, refusal, strlen(refusal));
    }
    const cJSON *call;
    cJSON_ArrayForEach(call, json_get(delta, "tool_calls"))
    {
        if (llm_calls_add(&r->calls, call) < 0)
            r->rc = E_NOMEM;
    }
}

/* An early "stop" in an empty chunk is only noted: what follows still counts. */
static void take_finish(struct llm_reader *r, const char *reason)
{
    static const struct {
        const char *wire;
        enum llm_finish finish;
    } table[] = {
        {"stop", LLM_FINISH_STOP},
        {"tool_calls", LLM_FINISH_STOP},
        {"function_call", LLM_FINISH_STOP},
        {"length", LLM_FINISH_LENGTH},
        {"max_tokens", LLM_FINISH_LENGTH},
        {"content_filter", LLM_FINISH_REFUSAL},
        {"refusal", LLM_FINISH_REFUSAL},
        {"error", LLM_FINISH_FAILED},
        {"insufficient_system_resource", LLM_FINISH_FAILED},
    };
    if (!reason || !*reason)
        return;
    r->finish = LLM_FINISH_STOP;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(table[i].wire, reason) == 0)
            r->finish = table[i].finish;
    if (r->finish == LLM_FINISH_FAILED && !r->failed)
        fail(r, reason, true);
}

/* Servers that count as they go say it with every chunk: the last one counts. */
static void take_usage(struct llm_reader *r, const cJSON *usage)
{
    int64_t input = json_get_int(usage, "prompt_tokens", -1);
    int64_t output = json_get_int(usage, "completion_tokens", 0);
    if (input >= 0 && output >= 0)
        r->usage = (struct llm_usage){.known = true, .tokens = input + output};
}

static void take_chunk(struct llm_reader *r, const cJSON *root)
{
    r->saw_chunk = true;
    take_usage(r, json_get(root, "usage"));
    if (llm_error_in_json(root, &r->error)) {
        r->failed = true;
        return;
    }
    const cJSON *choice;
    cJSON_ArrayForEach(choice, json_get(root, "choices"))
    {
        const cJSON *delta = json_get(choice, "delta");
        if (json_get_int(choice, "index", 0) != 0)
            continue;
        take_delta(r, delta ? delta : json_get(choice, "message"));
        take_finish(r, json_get_str(choice, "finish_reason"));
    }
}

/* Bytes that are not UTF-8 spoil only themselves, not the event they stand in. */
static int parse_repaired(const char *p, size_t n, cJSON **ret)
{
    struct buf whole = {0};
    int rc = utf8_append_repaired(&whole, p, n);
    if (rc == 0)
        rc = buf_cstr(&whole) ? json_parse(whole.p, whole.n, ret, NULL) : E_NOMEM;
    buf_deinit(&whole);
    return rc;
}

static int parse_text(const char *p, size_t n, cJSON **ret)
{
    int rc = json_parse(p, n, ret, NULL);
    if (rc == E_PARSE && utf8_valid_prefix(p, n) < n)
        rc = parse_repaired(p, n, ret);
    return rc;
}

static void on_event(void *ctx, const struct sse_event *event)
{
    struct llm_reader *r = ctx;
    cJSON *root = NULL;
    if (r->done || r->failed || event->data_n == 0)
        return;
    if (strncmp(event->data, "[DONE]", 6) == 0) {
        r->done = true;
        return;
    }
    int rc = parse_text(event->data, event->data_n, &root);
    if (rc == 0)
        take_chunk(r, root);
    else if (rc == E_NOMEM)
        r->rc = rc;
    else if (strcmp(event->name, "error") == 0)
        fail(r, event->data, true);
    else
        log_warn("model stream: an event that is not JSON was skipped"); /* keep-alives look so */
    cJSON_Delete(root);
}

/* Some servers send blank lines first, and some answer with one JSON object where a stream was
 * asked for: the first byte that means something tells. Returns where that byte stands. */
static size_t find_kind(struct llm_reader *r, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (strchr(" \t\r\n\xef\xbb\xbf", p[i]) != NULL && p[i] != '\0'))
        i++;
    if (i < n)
        r->kind = p[i] == '{' || p[i] == '[' ? BODY_JSON : BODY_STREAM;
    return i;
}

static int add_json(struct llm_reader *r, const char *p, size_t n)
{
    if (r->json.n + n > MAX_EVENT) {
        fail(r, "the answer is larger than 64 MiB", false);
        return 1;
    }
    return buf_add(&r->json, p, n);
}

int llm_openai_reader_feed(struct llm_reader *r, const char *bytes, size_t n)
{
    if (r->kind == BODY_UNKNOWN) {
        size_t skip = find_kind(r, bytes, n);
        bytes += skip;
        n -= skip;
    }
    if (n == 0)
        return r->rc;
    if (r->kind == BODY_JSON)
        return add_json(r, bytes, n);
    int rc = sse_feed(&r->sse, bytes, n);
    if (rc == E_TOOBIG)
        log_warn("model stream: an event over 64 MiB was skipped");
    else if (rc < 0)
        return rc;
    return r->rc < 0 ? r->rc : r->done || r->failed;
}

static int finish_body(struct llm_reader *r)
{
    if (r->kind != BODY_JSON) {
        int rc = sse_finish(&r->sse); /* the last event may lack its blank line */
        return rc == E_NOMEM ? rc : r->rc;
    }
    cJSON *root = NULL;
    int rc = buf_cstr(&r->json) ? parse_text(r->json.p, r->json.n, &root) : E_NOMEM;
    if (rc == 0)
        take_chunk(r, root);
    cJSON_Delete(root);
    return rc == E_NOMEM ? rc : r->rc;
}

static void settle_finish(struct llm_reader *r)
{
    if (r->failed)
        r->finish = LLM_FINISH_FAILED;
    else if (r->finish == LLM_FINISH_NONE)
        fail(r,
             r->saw_chunk ? "the answer ended before its end mark"
                          : "the answer was no chat completion",
             true);
    else if (r->finish == LLM_FINISH_STOP && r->refused)
        r->finish = LLM_FINISH_REFUSAL;
}

int llm_openai_reader_finish(struct llm_reader *r, struct llm_reply *ret)
{
    *ret = (struct llm_reply){0};
    int rc = r->rc < 0 || r->done || r->failed ? r->rc : finish_body(r);
    llm_think_finish(&r->think);
    settle_finish(r);
    ret->finish = r->finish;
    ret->usage = r->usage;
    ret->error = r->error;
    if (rc == 0 && r->finish == LLM_FINISH_STOP)
        rc = llm_calls_take(&r->calls, &ret->calls, &ret->n_calls);
    if (rc < 0) {
        ret->finish = LLM_FINISH_FAILED;
        ret->error = (struct llm_error){0};
        llm_error_set(&ret->error, "out of memory");
    }
    return rc;
}
