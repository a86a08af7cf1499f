/* A generateContent request in neutral form. Tolerant: what is not there is left out. */
#include "base/buf.h"
#include "base/err.h"
#include "gemini.h"
#include "neutral.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <ctype.h>
#include <string.h>

const cJSON *gemini_get(const cJSON *obj, const char *camel)
{
    char snake[64];
    size_t n = 0;
    const cJSON *found = json_get(obj, camel);
    for (const char *p = camel; !found && *p && n + 2 < sizeof snake; p++) {
        if (isupper((unsigned char)*p))
            snake[n++] = '_';
        snake[n++] = (char)tolower((unsigned char)*p);
    }
    snake[n] = '\0';
    return found ? found : json_get(obj, snake);
}

const char *gemini_part_kind(const cJSON *part)
{
    static const char *const kinds[] = {
        "text",     "functionCall",   "functionResponse",   "inlineData",
        "fileData", "executableCode", "codeExecutionResult"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (gemini_get(part, kinds[i]))
            return kinds[i];
    return NULL;
}

static bool is_kind(const cJSON *part, const char *want)
{
    const char *kind = gemini_part_kind(part);
    return kind && strcmp(kind, want) == 0;
}

/* --- text --- */

enum wanted { WANT_TEXT, WANT_THOUGHT };

/* The texts of the parts. What a model said in several parts are pieces of one text; what a user
 * said in several parts are several texts. */
static int join(const cJSON *parts, enum wanted wanted, const char *between, struct buf *out)
{
    const cJSON *part;
    int rc = 0;
    cJSON_ArrayForEach(part, parts)
    {
        const char *text = json_get_str(part, "text");
        if (rc < 0 || !text || json_get_bool(part, "thought") != (wanted == WANT_THOUGHT))
            continue;
        if (out->n > 0)
            rc = buf_adds(out, between);
        if (rc == 0)
            rc = buf_adds(out, text);
    }
    return rc;
}

static int add_joined(cJSON *m, const char *name, const cJSON *parts, const char *between)
{
    struct buf text = {0};
    enum wanted wanted = strcmp(name, "thought") == 0 ? WANT_THOUGHT : WANT_TEXT;
    int rc = join(parts, wanted, between, &text);
    if (rc == 0 && (text.n > 0 || wanted == WANT_TEXT))
        rc = buf_cstr(&text) ? neutral_add_string(m, name, text.p) : E_NOMEM;
    buf_deinit(&text);
    return rc;
}

/* --- messages --- */

static int add_calls(cJSON *m, const cJSON *parts)
{
    const cJSON *part;
    int rc = 0;
    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *call = gemini_get(part, "functionCall"), *args = json_get(call, "args");
        if (rc < 0 || !call)
            continue;
        cJSON *copy = args ? cJSON_Duplicate(args, true) : NULL;
        rc = args && !copy
                 ? E_NOMEM
                 : neutral_add_call(m, json_get_str(call, "id"), json_get_str(call, "name"), copy);
    }
    return rc;
}

static int add_model(cJSON *messages, const cJSON *parts)
{
    cJSON *m = neutral_message(messages, "assistant");
    int rc = m ? add_joined(m, "text", parts, "") : E_NOMEM;
    if (rc == 0)
        rc = add_joined(m, "thought", parts, "");
    return rc < 0 ? rc : add_calls(m, parts);
}

static int add_kinds(cJSON *m, const cJSON *parts)
{
    const cJSON *part;
    cJSON *kinds = cJSON_AddArrayToObject(m, "parts");
    int rc = kinds ? 0 : E_NOMEM;
    cJSON_ArrayForEach(part, parts)
    {
        const char *kind = gemini_part_kind(part);
        if (rc == 0 && kind && strcmp(kind, "functionResponse") != 0)
            rc = neutral_append(kinds, cJSON_CreateString(kind));
    }
    return rc;
}

/* The text a tool gave: what agents wrap it in differs. */
static int add_response(cJSON *m, const cJSON *response)
{
    static const char *const wraps[] = {"output", "result", "content", "error"};
    struct buf json = {0};
    struct jsonw w;
    for (size_t i = 0; i < ARRAY_LEN(wraps); i++)
        if (json_get_str(response, wraps[i]))
            return neutral_add_string(m, "text", json_get_str(response, wraps[i]));
    jw_begin(&w, &json);
    jw_tree(&w, response);
    int rc = jw_end(&w);
    if (rc == 0)
        rc = buf_cstr(&json) ? neutral_add_string(m, "text", json.p) : E_NOMEM;
    buf_deinit(&json);
    return rc;
}

/* Ids may be left out: then results stand in the order of their calls. */
static const char *result_id(const cJSON *messages, const cJSON *response, int i)
{
    const char *id = json_get_str(response, "id");
    const cJSON *m = messages->child ? messages->child->prev : NULL;
    for (int back = 0; m && back < i; back++)
        m = m->prev; /* the results before this one */
    const cJSON *call = cJSON_GetArrayItem(json_get(m, "tool_calls"), i);
    if (!id)
        id = json_get_str(call, "id");
    return id ? id : json_get_str(response, "name");
}

static int add_result(cJSON *messages, const cJSON *response, int i)
{
    const char *id = result_id(messages, response, i);
    const cJSON *content = json_get(response, "response");
    cJSON *m = neutral_message(messages, "tool");
    int rc = m ? add_response(m, content) : E_NOMEM;
    if (rc == 0 && json_get(content, "error"))
        rc = neutral_add(m, "error", cJSON_CreateTrue());
    return rc < 0 ? rc : neutral_add_string(m, "id", id);
}

static int add_user(cJSON *messages, const cJSON *parts)
{
    const cJSON *part;
    bool said = false;
    int rc = 0, results = 0;
    cJSON_ArrayForEach(part, parts)
    {
        if (rc == 0 && is_kind(part, "functionResponse"))
            rc = add_result(messages, gemini_get(part, "functionResponse"), results++);
        else
            said = true;
    }
    if (rc < 0 || !said)
        return rc;
    cJSON *m = neutral_message(messages, "user");
    rc = m ? add_joined(m, "text", parts, "\n") : E_NOMEM;
    return rc < 0 ? rc : add_kinds(m, parts);
}

static int add_messages(cJSON *neutral, const cJSON *contents)
{
    const cJSON *content;
    cJSON *messages = cJSON_AddArrayToObject(neutral, "messages");
    int rc = messages ? 0 : E_NOMEM;
    cJSON_ArrayForEach(content, contents)
    {
        const char *role = json_get_str(content, "role");
        const cJSON *parts = json_get(content, "parts");
        if (rc == 0)
            rc = role && strcmp(role, "model") == 0 ? add_model(messages, parts)
                                                    : add_user(messages, parts);
    }
    return rc < 0 ? rc : neutral_add_last(neutral, messages);
}

/* --- the request --- */

const char *gemini_method(const char *path, size_t *ret_n)
{
    size_t n = strcspn(path, "?");
    const char *colon = memchr(path, ':', n);
    if (!colon)
        return NULL;
    *ret_n = n - (size_t)(colon + 1 - path);
    return colon + 1;
}

bool gemini_is_method(const char *path, const char *want)
{
    size_t n;
    const char *method = gemini_method(path, &n);
    return method && n == strlen(want) && memcmp(method, want, n) == 0;
}

/* Between "models/" and the colon. */
static int add_model_name(cJSON *neutral, const char *path)
{
    struct buf name = {0};
    const char *from = strstr(path, "models/");
    if (!from)
        return 0;
    from += strlen("models/");
    int rc = buf_add(&name, from, strcspn(from, ":?"));
    if (rc == 0)
        rc = buf_cstr(&name) ? neutral_add_string(neutral, "model", name.p) : E_NOMEM;
    buf_deinit(&name);
    return rc;
}

static int add_tools(cJSON *neutral, const cJSON *wire_tools)
{
    const cJSON *tool, *function;
    int rc = neutral_add_tool(neutral, NULL);
    cJSON_ArrayForEach(tool, wire_tools)
    {
        cJSON_ArrayForEach(function, gemini_get(tool, "functionDeclarations"))
        {
            if (rc == 0)
                rc = neutral_add_tool(neutral, json_get_str(function, "name"));
        }
    }
    return rc;
}

int gemini_neutral(const cJSON *body, cJSON *neutral)
{
    const char *path = json_get_str(neutral, "path");
    const cJSON *system = gemini_get(body, "systemInstruction");
    bool stream = path && gemini_is_method(path, "streamGenerateContent");
    int rc = path ? add_model_name(neutral, path) : 0;
    if (rc == 0)
        rc = neutral_add(neutral, "stream", cJSON_CreateBool(stream));
    if (rc == 0)
        rc = neutral_add(neutral, "usage_wanted", cJSON_CreateTrue());
    if (rc == 0)
        rc = add_joined(neutral, "system", json_get(system, "parts"), "\n");
    if (rc == 0)
        rc = add_messages(neutral, json_get(body, "contents"));
    return rc < 0 ? rc : add_tools(neutral, json_get(body, "tools"));
}
