#include "agent/llm_openai.h"

#include "agent/llm_reader.h"
#include "base/err.h"
#include "json/json.h"

#include <string.h>

/* Text is a string, or a list of parts as some compatibles send it. */
static void take_content(struct llm_reader *r, const cJSON *content)
{
    const cJSON *part;
    llm_reader_text(r, cJSON_GetStringValue(content));
    if (cJSON_IsArray(content))
        cJSON_ArrayForEach(part, content) llm_reader_text(r, json_get_str(part, "text"));
}

/* Servers that know both names send the same text twice: the first one counts. */
static void take_thought(struct llm_reader *r, const cJSON *delta)
{
    const char *text = json_get_str(delta, "reasoning_content");
    llm_reader_thought(r, text ? text : json_get_str(delta, "reasoning"));
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

/* Servers that count as they go say it with every chunk: the last one counts. */
static void take_usage(struct llm_reader *r, const cJSON *usage)
{
    int64_t input = json_get_int(usage, "prompt_tokens", -1);
    int64_t output = json_get_int(usage, "completion_tokens", 0);
    if (input >= 0 && output >= 0)
        r->usage = (struct llm_usage){.known = true, .tokens = input + output};
}

/* An early "stop" in an empty chunk is only noted: what follows still counts. */
static void take(struct llm_reader *r, const cJSON *root)
{
    static const struct llm_finish_row reasons[] = {
        {"length", LLM_FINISH_LENGTH},
        {"max_tokens", LLM_FINISH_LENGTH},
        {"content_filter", LLM_FINISH_REFUSAL},
        {"refusal", LLM_FINISH_REFUSAL},
        {"error", LLM_FINISH_FAILED},
        {"insufficient_system_resource", LLM_FINISH_FAILED},
        {NULL, LLM_FINISH_NONE},
    };
    take_usage(r, json_get(root, "usage"));
    const cJSON *choice;
    cJSON_ArrayForEach(choice, json_get(root, "choices"))
    {
        const cJSON *delta = json_get(choice, "delta");
        if (json_get_int(choice, "index", 0) != 0)
            continue;
        take_delta(r, delta ? delta : json_get(choice, "message"));
        llm_reader_end(r, json_get_str(choice, "finish_reason"), reasons);
    }
}

struct llm_reader *llm_openai_reader_create(llm_text_cb on_text, void *ctx)
{
    static const struct llm_format format = {"openai-chat", "chat completion", take};
    return llm_reader_create(&format, on_text, ctx);
}
