#include "neutral.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"

#include <string.h>

int neutral_add(cJSON *obj, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(obj, name, item))
        return 0;
    cJSON_Delete(item);
    return E_NOMEM;
}

int neutral_append(cJSON *array, cJSON *item)
{
    if (item && cJSON_AddItemToArray(array, item))
        return 0;
    cJSON_Delete(item);
    return E_NOMEM;
}

int neutral_add_string(cJSON *obj, const char *name, const char *text)
{
    return text ? neutral_add(obj, name, cJSON_CreateString(text)) : 0;
}

/* --- text --- */

static int join_text(const cJSON *content, neutral_is_text is_text, struct buf *out)
{
    const cJSON *part;
    cJSON_ArrayForEach(part, content)
    {
        const char *text = json_get_str(part, "text");
        if (!text || (is_text && !is_text(part)))
            continue;
        if ((out->n > 0 && buf_addc(out, '\n') < 0) || buf_adds(out, text) < 0)
            return E_NOMEM;
    }
    return 0;
}

int neutral_add_text(cJSON *obj, const char *name, const cJSON *content, neutral_is_text is_text)
{
    struct buf text = {0};
    if (cJSON_IsString(content)) /* the common case, without a copy */
        return neutral_add(obj, name, cJSON_CreateString(content->valuestring));
    int rc = join_text(content, is_text, &text);
    if (rc == 0)
        rc = buf_cstr(&text) ? neutral_add(obj, name, cJSON_CreateString(text.p)) : E_NOMEM;
    buf_deinit(&text);
    return rc;
}

int neutral_add_parts(cJSON *m, const cJSON *content)
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
            rc = neutral_append(parts, cJSON_CreateString(type));
    }
    return rc;
}

/* --- calls --- */

/* The array of that name, made if it is not there. NULL: out of memory. */
static cJSON *array_of(cJSON *obj, const char *name)
{
    cJSON *known = json_get(obj, name);
    return known ? known : cJSON_AddArrayToObject(obj, name);
}

int neutral_add_call(cJSON *m, const char *id, const char *name, cJSON *args)
{
    cJSON *calls = array_of(m, "tool_calls"), *call = cJSON_CreateObject();
    int rc = calls && call ? neutral_add_string(call, "id", id) : E_NOMEM;
    if (rc == 0)
        rc = neutral_add_string(call, "name", name);
    if (rc < 0) {
        cJSON_Delete(args);
        cJSON_Delete(call);
        return rc;
    }
    rc = neutral_add(call, "args", args ? args : cJSON_CreateNull());
    if (rc < 0) {
        cJSON_Delete(call);
        return rc;
    }
    return neutral_append(calls, call);
}

int neutral_add_call_text(cJSON *m, const char *id, const char *name, const char *args)
{
    cJSON *json = NULL;
    int rc = args ? json_parse(args, strlen(args), &json, NULL) : E_PARSE;
    return rc == E_NOMEM ? rc : neutral_add_call(m, id, name, json);
}

/* --- messages and tools --- */

cJSON *neutral_message(cJSON *messages, const char *role)
{
    cJSON *m = cJSON_CreateObject();
    if (!m || !cJSON_AddStringToObject(m, "role", role) || !cJSON_AddItemToArray(messages, m)) {
        cJSON_Delete(m);
        return NULL;
    }
    return m;
}

static const char *role_of(const cJSON *message)
{
    const char *role = json_get_str(message, "role");
    return role ? role : "";
}

int neutral_add_last(cJSON *neutral, const cJSON *messages)
{
    if (!messages->child)
        return 0;
    /* prev of the first element is the last one: cJSON's lists are circular backwards */
    const cJSON *last = messages->child->prev;
    while (last != messages->child && strcmp(role_of(last), "system") == 0)
        last = last->prev;
    return neutral_add(neutral, "last", cJSON_Duplicate(last, true));
}

int neutral_add_tool(cJSON *neutral, const char *name)
{
    cJSON *tools = array_of(neutral, "tools");
    if (!tools)
        return E_NOMEM;
    return name ? neutral_append(tools, cJSON_CreateString(name)) : 0;
}
