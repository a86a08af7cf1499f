/* What a strict server refuses in a chat completions request. */
#include "base/err.h"
#include "openai.h"
#include "openai_chat.h"
#include "rule.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* Where the check is: "messages[3]". */
struct history {
    const cJSON *calls;     /* of the last assistant message: its tool_calls array, or NULL */
    unsigned long answered; /* bit per call */
    bool had_calls;
    char at[48];
};

/* --- content --- */

static int check_part(const cJSON *part, const char *at, struct fault *f)
{
    const char *type = json_get_str(part, "type");
    if (!type)
        return fault_set(f, 400, at, "every content part needs a type");
    if (strcmp(type, "text") == 0 && !json_get_str(part, "text"))
        return fault_set(f, 400, at, "a content part of type text needs its text");
    if (strcmp(type, "image_url") == 0 && !json_get_str(json_get(part, "image_url"), "url"))
        return fault_set(f, 400, at, "a content part of type image_url needs image_url.url");
    return 0;
}

static int check_content(const cJSON *message, const char *at, struct fault *f)
{
    const cJSON *content = json_get(message, "content"), *part;
    if (cJSON_IsString(content))
        return 0;
    if (!cJSON_IsArray(content))
        return fault_set(f, 400, at, "content must be a string or an array of parts, not %s",
                         json_type_name(content));
    if (!content->child)
        return fault_set(f, 400, at, "content is an empty array");
    cJSON_ArrayForEach(part, content)
    {
        int rc = check_part(part, at, f);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- tool calls and their answers --- */

static int find_call(const cJSON *calls, const char *id)
{
    int i = 0;
    const cJSON *call;
    cJSON_ArrayForEach(call, calls)
    {
        const char *known = json_get_str(call, "id");
        if (known && strcmp(known, id) == 0)
            return i;
        i++;
    }
    return -1;
}

static int check_call(const cJSON *call, const cJSON *calls, const char *at, struct fault *f)
{
    const char *id = json_get_str(call, "id"), *type = json_get_str(call, "type");
    const cJSON *function = json_get(call, "function");
    const char *name = json_get_str(function, "name");
    const char *arguments = json_get_str(function, "arguments");
    if (!id || !*id)
        return fault_set(f, 400, at, "a tool call has no id");
    if (cJSON_GetArrayItem(calls, find_call(calls, id)) != call)
        return fault_set(f, 400, at, "two tool calls have the id %.60s", id);
    if (!type || strcmp(type, "function") != 0)
        return fault_set(f, 400, at, "tool call %.60s is not of type function", id);
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, at, "tool call %.60s has no valid function name", id);
    if (!arguments)
        return fault_set(f, 400, at, "the arguments of tool call %.60s must be a string, not %s",
                         id, json_type_name(json_get(function, "arguments")));
    if (!rule_is_json(arguments))
        return fault_set(f, 400, at, "the arguments of tool call %.60s are not valid JSON", id);
    return 0;
}

static int check_calls(const cJSON *calls, struct history *h, struct fault *f)
{
    const cJSON *call;
    if (!cJSON_IsArray(calls) || !calls->child)
        return fault_set(f, 400, h->at, "tool_calls must be an array that is not empty");
    if (cJSON_GetArraySize(calls) > (int)sizeof h->answered * 8)
        return fault_set(f, 400, h->at, "more than %zu tool calls", sizeof h->answered * 8);
    cJSON_ArrayForEach(call, calls)
    {
        int rc = check_call(call, calls, h->at, f);
        if (rc < 0)
            return rc;
    }
    h->calls = calls;
    h->answered = 0;
    h->had_calls = true;
    return 0;
}

/* Every call of the last assistant message must have been answered before anything else comes. */
static int check_all_answered(struct history *h, struct fault *f)
{
    int i = 0;
    const cJSON *call;
    cJSON_ArrayForEach(call, h->calls)
    {
        if (!(h->answered >> i++ & 1))
            return fault_set(f, 400, h->at,
                             "an assistant message with tool_calls must be followed by tool "
                             "messages that answer each of them; nothing answers %.60s",
                             json_get_str(call, "id"));
    }
    h->calls = NULL;
    return 0;
}

/* --- messages by role --- */

static int check_tool(const cJSON *m, struct history *h, struct fault *f)
{
    const char *id = json_get_str(m, "tool_call_id");
    if (!id)
        return fault_set(f, 400, h->at, "a message of role tool needs a tool_call_id");
    int i = h->calls ? find_call(h->calls, id) : -1;
    if (i < 0)
        return fault_set(f, 400, h->at,
                         "a message of role tool must answer a tool call of the assistant message "
                         "before it; %.60s is none of them",
                         id);
    if (h->answered >> i & 1)
        return fault_set(f, 400, h->at, "tool call %.60s is answered twice", id);
    h->answered |= 1ul << i;
    return check_content(m, h->at, f);
}

static int check_assistant(const cJSON *m, struct history *h, struct fault *f)
{
    const cJSON *calls = json_get(m, "tool_calls"), *content = json_get(m, "content");
    int rc = calls ? check_calls(calls, h, f) : 0;
    if (rc < 0)
        return rc;
    if (content && !cJSON_IsNull(content))
        return check_content(m, h->at, f);
    if (!calls && !json_get_str(m, "refusal"))
        return fault_set(f, 400, h->at,
                         "an assistant message without tool_calls needs content, not null");
    return 0;
}

static int check_message(const cJSON *m, struct history *h, struct fault *f)
{
    const char *role = json_get_str(m, "role");
    if (!role)
        return fault_set(f, 400, h->at, "a message must be an object with a role");
    if (strcmp(role, "tool") == 0)
        return check_tool(m, h, f);
    int rc = check_all_answered(h, f);
    if (rc < 0)
        return rc;
    if (strcmp(role, "assistant") == 0)
        return check_assistant(m, h, f);
    if (strcmp(role, "system") == 0 || strcmp(role, "developer") == 0 || strcmp(role, "user") == 0)
        return check_content(m, h->at, f);
    return fault_set(f, 400, h->at, "\"%.40s\" is no role", role);
}

static int check_messages(const cJSON *body, struct history *h, struct fault *f)
{
    const cJSON *messages = json_get(body, "messages"), *m;
    unsigned i = 0;
    if (!messages)
        return fault_set(f, 400, "messages", "the parameter messages is missing");
    if (!cJSON_IsArray(messages) || !messages->child)
        return fault_set(f, 400, "messages", "messages must be an array that is not empty");
    cJSON_ArrayForEach(m, messages)
    {
        snprintf(h->at, sizeof h->at, "messages[%u]", i++);
        int rc = check_message(m, h, f);
        if (rc < 0)
            return rc;
    }
    return check_all_answered(h, f);
}

/* --- tools and options --- */

static int check_tools(const cJSON *body, const struct history *h, struct fault *f)
{
    const cJSON *tools = rule_given(body, "tools"), *tool;
    if (!tools && h->had_calls)
        return fault_set(f, 400, "tools", "the history has tool calls, but no tools are declared");
    if (!tools && (rule_given(body, "tool_choice") || rule_given(body, "parallel_tool_calls")))
        return fault_set(f, 400, "tool_choice",
                         "tool_choice and parallel_tool_calls are only allowed with tools");
    if (tools && (!cJSON_IsArray(tools) || !tools->child))
        return fault_set(f, 400, "tools", "tools must be an array that is not empty: leave it out");
    cJSON_ArrayForEach(tool, tools)
    {
        const char *type = json_get_str(tool, "type");
        const cJSON *function = json_get(tool, "function");
        const char *name = json_get_str(function, "name");
        if (!type || strcmp(type, "function") != 0)
            return fault_set(f, 400, "tools", "a tool must have the type function");
        if (!name || !rule_is_name(name))
            return fault_set(f, 400, "tools", "\"%.80s\" is no valid function name",
                             name ? name : "");
        int rc = rule_check_schema(json_get(function, "parameters"), "tools", name, f);
        if (rc == 0)
            rc = openai_check_strict(function, "parameters", f);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_options(const cJSON *body, struct fault *f)
{
    int rc = rule_check_common(body, f);
    if (rc == 0 && rule_given(body, "stream_options") && !json_get_bool(body, "stream"))
        return fault_set(f, 400, "stream_options",
                         "stream_options is only allowed when stream is true");
    return rc;
}

int openai_chat_check(const cJSON *body, struct fault *f)
{
    struct history h = {0};
    if (!cJSON_IsObject(body))
        return fault_set(f, 400, "", "the body must be a JSON object, not %s",
                         json_type_name(body));
    int rc = check_options(body, f);
    if (rc == 0)
        rc = check_messages(body, &h, f);
    return rc < 0 ? rc : check_tools(body, &h, f);
}
