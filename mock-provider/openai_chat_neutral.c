/* A chat completions request in neutral form. Tolerant: what is not there is left out. */
#include "base/err.h"
#include "openai_chat.h"
#include "json/json.h"

#include <string.h>

/* Adds, and frees what could not be added. */
static int add(cJSON *obj, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(obj, name, item))
        return 0;
    cJSON_Delete(item);
    return E_NOMEM;
}

static int append(cJSON *array, cJSON *item)
{
    if (item && cJSON_AddItemToArray(array, item))
        return 0;
    cJSON_Delete(item);
    return E_NOMEM;
}

/* The texts of a content, joined by LF. */
static int join_text(const cJSON *content, struct buf *out)
{
    const cJSON *part;
    if (cJSON_IsString(content))
        return buf_adds(out, content->valuestring);
    cJSON_ArrayForEach(part, content)
    {
        const char *text = json_get_str(part, "text");
        if (!text)
            continue;
        if ((out->n > 0 && buf_addc(out, '\n') < 0) || buf_adds(out, text) < 0)
            return E_NOMEM;
    }
    return 0;
}

static int add_text(cJSON *m, const cJSON *content)
{
    if (cJSON_IsString(content)) /* the common case, without a copy */
        return add(m, "text", cJSON_CreateString(content->valuestring));
    struct buf text = {0};
    int rc = join_text(content, &text);
    if (rc == 0)
        rc = buf_cstr(&text) ? add(m, "text", cJSON_CreateString(text.p)) : E_NOMEM;
    buf_deinit(&text);
    return rc;
}

/* The types of the parts, so that scripts can ask for images. */
static int add_parts(cJSON *m, const cJSON *content)
{
    const cJSON *part;
    if (!cJSON_IsArray(content))
        return 0;
    cJSON *parts = cJSON_AddArrayToObject(m, "parts");
    int rc = parts ? 0 : E_NOMEM;
    cJSON_ArrayForEach(part, content)
    {
        const char *type = json_get_str(part, "type");
        if (rc == 0 && type)
            rc = append(parts, cJSON_CreateString(type));
    }
    return rc;
}

static int add_optional(cJSON *m, const char *name, const char *text)
{
    return text ? add(m, name, cJSON_CreateString(text)) : 0;
}

static int add_thought(cJSON *m, const cJSON *wire)
{
    const char *thought = json_get_str(wire, "reasoning_content");
    return add_optional(m, "thought", thought ? thought : json_get_str(wire, "reasoning"));
}

/* Arguments that do not parse are null: `body` has them as they came. */
static int add_args(cJSON *call, const char *text)
{
    cJSON *args = NULL;
    int rc = text ? json_parse(text, strlen(text), &args, NULL) : E_PARSE;
    if (rc == E_NOMEM)
        return rc;
    return add(call, "args", rc == 0 ? args : cJSON_CreateNull());
}

static int add_call(cJSON *calls, const cJSON *wire)
{
    const cJSON *function = json_get(wire, "function");
    cJSON *call = cJSON_CreateObject();
    int rc = call ? 0 : E_NOMEM;
    if (rc == 0)
        rc = add_optional(call, "id", json_get_str(wire, "id"));
    if (rc == 0)
        rc = add_optional(call, "name", json_get_str(function, "name"));
    if (rc == 0)
        rc = add_args(call, json_get_str(function, "arguments"));
    if (rc < 0)
        cJSON_Delete(call);
    return rc < 0 ? rc : append(calls, call);
}

static int add_calls(cJSON *m, const cJSON *wire)
{
    const cJSON *wire_calls = json_get(wire, "tool_calls"), *call;
    if (!cJSON_IsArray(wire_calls))
        return 0;
    cJSON *calls = cJSON_AddArrayToObject(m, "tool_calls");
    int rc = calls ? 0 : E_NOMEM;
    cJSON_ArrayForEach(call, wire_calls)
    {
        if (rc == 0)
            rc = add_call(calls, call);
    }
    return rc;
}

static int add_message(cJSON *messages, const cJSON *wire, const char *role)
{
    const cJSON *content = json_get(wire, "content");
    cJSON *m = cJSON_CreateObject();
    int rc = m ? add_optional(m, "role", role) : E_NOMEM;
    if (rc == 0)
        rc = add_text(m, content);
    if (rc == 0)
        rc = add_parts(m, content);
    if (rc == 0)
        rc = add_thought(m, wire);
    if (rc == 0)
        rc = add_calls(m, wire);
    if (rc == 0)
        rc = add_optional(m, "id", json_get_str(wire, "tool_call_id"));
    if (rc < 0)
        cJSON_Delete(m);
    return rc < 0 ? rc : append(messages, m);
}

static bool is_system(const char *role)
{
    return strcmp(role, "system") == 0 || strcmp(role, "developer") == 0;
}

static int add_system(cJSON *neutral, const cJSON *wire_messages)
{
    struct buf text = {0};
    const cJSON *wire;
    int rc = 0;
    cJSON_ArrayForEach(wire, wire_messages)
    {
        const char *role = json_get_str(wire, "role");
        if (rc < 0 || !role || !is_system(role))
            continue;
        if (text.n > 0)
            rc = buf_addc(&text, '\n');
        if (rc == 0)
            rc = join_text(json_get(wire, "content"), &text);
    }
    if (rc == 0)
        rc = buf_cstr(&text) ? add(neutral, "system", cJSON_CreateString(text.p)) : E_NOMEM;
    buf_deinit(&text);
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
    if (rc < 0 || !messages->child)
        return rc;
    /* prev of the first element is the last one: cJSON's lists are circular backwards */
    return add(neutral, "last", cJSON_Duplicate(messages->child->prev, true));
}

static int add_tools(cJSON *neutral, const cJSON *wire_tools)
{
    const cJSON *tool;
    cJSON *tools = cJSON_AddArrayToObject(neutral, "tools");
    int rc = tools ? 0 : E_NOMEM;
    cJSON_ArrayForEach(tool, wire_tools)
    {
        const char *name = json_get_str(json_get(tool, "function"), "name");
        if (rc == 0 && name)
            rc = append(tools, cJSON_CreateString(name));
    }
    return rc;
}

int openai_chat_neutral(const cJSON *body, cJSON *neutral)
{
    const cJSON *messages = json_get(body, "messages");
    bool usage = json_get_bool(json_get(body, "stream_options"), "include_usage");
    int rc = add_optional(neutral, "model", json_get_str(body, "model"));
    if (rc == 0)
        rc = add(neutral, "stream", cJSON_CreateBool(json_get_bool(body, "stream")));
    if (rc == 0)
        rc = add(neutral, "usage_wanted", cJSON_CreateBool(usage));
    if (rc == 0)
        rc = add_system(neutral, messages);
    if (rc == 0)
        rc = add_messages(neutral, messages);
    return rc < 0 ? rc : add_tools(neutral, json_get(body, "tools"));
}
