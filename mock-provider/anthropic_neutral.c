/* An Anthropic messages request in neutral form. Tolerant: what is not there is left out. */
#include "anthropic.h"
#include "base/err.h"
#include "neutral.h"
#include "json/json.h"

#include <string.h>

static bool is_type(const cJSON *block, const char *want)
{
    const char *type = json_get_str(block, "type");
    return type && strcmp(type, want) == 0;
}

static bool is_text(const cJSON *block)
{
    return is_type(block, "text");
}

/* --- what the assistant said --- */

static int add_thought(cJSON *m, const cJSON *content)
{
    const cJSON *block;
    cJSON *parts = NULL;
    int rc = 0;
    cJSON_ArrayForEach(block, content)
    {
        const char *thought = json_get_str(block, "thinking");
        if (rc < 0 || !thought)
            continue;
        if (!parts && !(parts = cJSON_CreateArray()))
            return E_NOMEM;
        cJSON *part = neutral_message(parts, "thought");
        rc = part ? neutral_add_string(part, "text", thought) : E_NOMEM;
    }
    if (rc == 0 && parts)
        rc = neutral_add_text(m, "thought", parts, NULL);
    cJSON_Delete(parts);
    return rc;
}

static int add_call(cJSON *m, const cJSON *block)
{
    const cJSON *input = json_get(block, "input");
    cJSON *args = input ? cJSON_Duplicate(input, true) : NULL;
    if (input && !args)
        return E_NOMEM;
    return neutral_add_call(m, json_get_str(block, "id"), json_get_str(block, "name"), args);
}

static int add_said(cJSON *m, const cJSON *content)
{
    const cJSON *block;
    int rc = neutral_add_text(m, "text", content, is_text);
    if (rc == 0)
        rc = neutral_add_parts(m, content);
    if (rc == 0)
        rc = add_thought(m, content);
    cJSON_ArrayForEach(block, content)
    {
        if (rc == 0 && is_type(block, "tool_use"))
            rc = add_call(m, block);
    }
    return rc;
}

/* --- what the user said: results are messages of their own --- */

static int add_result(cJSON *messages, const cJSON *block)
{
    const cJSON *content = json_get(block, "content");
    cJSON *m = neutral_message(messages, "tool");
    int rc = m ? neutral_add_text(m, "text", content, is_text) : E_NOMEM;
    if (rc == 0)
        rc = neutral_add_parts(m, content);
    if (rc == 0 && json_get_bool(block, "is_error"))
        rc = neutral_add(m, "error", cJSON_CreateTrue());
    return rc < 0 ? rc : neutral_add_string(m, "id", json_get_str(block, "tool_use_id"));
}

static int add_user(cJSON *messages, const cJSON *content)
{
    const cJSON *block;
    bool said = !cJSON_IsArray(content) || !content->child;
    int rc = 0;
    cJSON_ArrayForEach(block, content)
    {
        if (rc == 0 && is_type(block, "tool_result"))
            rc = add_result(messages, block);
        else
            said = true;
    }
    if (rc < 0 || !said)
        return rc;
    cJSON *m = neutral_message(messages, "user");
    return m ? add_said(m, content) : E_NOMEM;
}

static int add_message(cJSON *messages, const cJSON *wire)
{
    const char *role = json_get_str(wire, "role");
    const cJSON *content = json_get(wire, "content");
    if (!role)
        return 0;
    if (strcmp(role, "user") == 0)
        return add_user(messages, content);
    cJSON *m = neutral_message(messages, role);
    return m ? add_said(m, content) : E_NOMEM;
}

static int add_messages(cJSON *neutral, const cJSON *wire_messages)
{
    const cJSON *wire;
    cJSON *messages = cJSON_AddArrayToObject(neutral, "messages");
    int rc = messages ? 0 : E_NOMEM;
    cJSON_ArrayForEach(wire, wire_messages)
    {
        if (rc == 0)
            rc = add_message(messages, wire);
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
            rc = neutral_add_tool(neutral, json_get_str(tool, "name"));
    }
    return rc;
}

int anthropic_neutral(const cJSON *body, cJSON *neutral)
{
    int rc = neutral_add_string(neutral, "model", json_get_str(body, "model"));
    if (rc == 0)
        rc = neutral_add(neutral, "stream", cJSON_CreateBool(json_get_bool(body, "stream")));
    if (rc == 0)
        rc = neutral_add(neutral, "usage_wanted", cJSON_CreateTrue());
    if (rc == 0)
        rc = neutral_add_text(neutral, "system", json_get(body, "system"), is_text);
    if (rc == 0)
        rc = add_messages(neutral, json_get(body, "messages"));
    return rc < 0 ? rc : add_tools(neutral, json_get(body, "tools"));
}
