/* A chat completions request in neutral form. Tolerant: what is not there is left out. */
#include "base/buf.h"
#include "base/err.h"
#include "neutral.h"
#include "openai_chat.h"
#include "json/json.h"

#include <string.h>

static bool is_system(const char *role)
{
    return strcmp(role, "system") == 0 || strcmp(role, "developer") == 0;
}

static int add_thought(cJSON *m, const cJSON *wire)
{
    const char *thought = json_get_str(wire, "reasoning_content");
    return neutral_add_string(m, "thought", thought ? thought : json_get_str(wire, "reasoning"));
}

static int add_calls(cJSON *m, const cJSON *wire)
{
    const cJSON *call;
    int rc = 0;
    cJSON_ArrayForEach(call, json_get(wire, "tool_calls"))
    {
        const cJSON *function = json_get(call, "function");
        if (rc == 0)
            rc = neutral_add_call_text(m, json_get_str(call, "id"), json_get_str(function, "name"),
                                       json_get_str(function, "arguments"));
    }
    return rc;
}

static int add_message(cJSON *messages, const cJSON *wire, const char *role)
{
    const cJSON *content = json_get(wire, "content");
    cJSON *m = neutral_message(messages, role);
    int rc = m ? neutral_add_text(m, "text", content, NULL) : E_NOMEM;
    if (rc == 0)
        rc = neutral_add_parts(m, content);
    if (rc == 0)
        rc = add_thought(m, wire);
    if (rc == 0)
        rc = add_calls(m, wire);
    return rc < 0 ? rc : neutral_add_string(m, "id", json_get_str(wire, "tool_call_id"));
}

/* Several system messages are one text: each is a part of it. */
static int add_system(cJSON *neutral, const cJSON *wire_messages)
{
    const cJSON *wire;
    cJSON *parts = cJSON_CreateArray();
    int rc = parts ? 0 : E_NOMEM;
    cJSON_ArrayForEach(wire, wire_messages)
    {
        const char *role = json_get_str(wire, "role");
        if (rc < 0 || !role || !is_system(role))
            continue;
        cJSON *part = neutral_message(parts, role);
        rc = part ? neutral_add_text(part, "text", json_get(wire, "content"), NULL) : E_NOMEM;
    }
    if (rc == 0)
        rc = neutral_add_text(neutral, "system", parts, NULL);
    cJSON_Delete(parts);
    return rc;
}

static int add_messages(cJSON *neutral, const cJSON *wire_messages)
{
    const cJSON *wire;
    cJSON *messages = cJSON_AddArrayToObject(neutral, "messages");
    int rc = messages ? 0 : E_NOMEM;
    cJSON_ArrayForEach(wire, wire_messages)
    {
        const char *role = json_get_str(wire, "role");
        if (rc == 0 && role && !is_system(role))
            rc = add_message(messages, wire, role);
    }
    return rc < 0 ? rc : neutral_add_last(neutral, messages);
}

static int add_tools(cJSON *neutral, const cJSON *wire_tools)
{
    const cJSON *tool;
    int rc = neutral_add_tool(neutral, NULL);
    cJSON_ArrayForEach(tool, wire_tools)
    {
        if (rc == 0)
            rc = neutral_add_tool(neutral, json_get_str(json_get(tool, "function"), "name"));
    }
    return rc;
}

int openai_chat_neutral(const cJSON *body, cJSON *neutral)
{
    const cJSON *messages = json_get(body, "messages");
    bool usage = json_get_bool(json_get(body, "stream_options"), "include_usage");
    int rc = neutral_add_string(neutral, "model", json_get_str(body, "model"));
    if (rc == 0)
        rc = neutral_add(neutral, "stream", cJSON_CreateBool(json_get_bool(body, "stream")));
    if (rc == 0)
        rc = neutral_add(neutral, "usage_wanted", cJSON_CreateBool(usage));
    if (rc == 0)
        rc = add_system(neutral, messages);
    if (rc == 0)
        rc = add_messages(neutral, messages);
    return rc < 0 ? rc : add_tools(neutral, json_get(body, "tools"));
}
