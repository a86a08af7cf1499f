/* A Responses request in neutral form. Tolerant: what is not there is left out. */
#include "base/err.h"
#include "neutral.h"
#include "openai_responses.h"
#include "json/json.h"

#include <string.h>

/* What the assistant said is several items on the wire and one message in the neutral form. */
struct reading {
    cJSON *messages;                  /* lent */
    cJSON *said;                      /* the open message of the assistant, lent; or NULL */
    cJSON *texts, *thoughts, *system; /* arrays of {"text"}; owned */
};

static const char *type_of(const cJSON *item)
{
    const char *type = json_get_str(item, "type");
    return type ? type : "message";
}

static int note(cJSON *array, const cJSON *content)
{
    cJSON *part = neutral_message(array, "part");
    return part ? neutral_add_text(part, "text", content, NULL) : E_NOMEM;
}

/* --- the assistant's message --- */

static void empty(cJSON *array)
{
    while (array->child)
        cJSON_DeleteItemFromArray(array, 0);
}

static int close_said(struct reading *r)
{
    if (!r->said)
        return 0;
    int rc = neutral_add_text(r->said, "text", r->texts, NULL);
    if (rc == 0 && r->thoughts->child)
        rc = neutral_add_text(r->said, "thought", r->thoughts, NULL);
    empty(r->texts);
    empty(r->thoughts);
    r->said = NULL;
    return rc;
}

static int open_said(struct reading *r)
{
    if (!r->said)
        r->said = neutral_message(r->messages, "assistant");
    return r->said ? 0 : E_NOMEM;
}

static int read_call(struct reading *r, const cJSON *item)
{
    int rc = open_said(r);
    return rc < 0
               ? rc
               : neutral_add_call_text(r->said, json_get_str(item, "call_id"),
                                       json_get_str(item, "name"), json_get_str(item, "arguments"));
}

static int read_reasoning(struct reading *r, const cJSON *item)
{
    int rc = open_said(r);
    return rc < 0 ? rc : note(r->thoughts, json_get(item, "summary"));
}

/* --- all other items --- */

static int read_output(struct reading *r, const cJSON *item)
{
    const cJSON *output = json_get(item, "output");
    int rc = close_said(r);
    cJSON *m = rc == 0 ? neutral_message(r->messages, "tool") : NULL;
    rc = m ? neutral_add_text(m, "text", output, NULL) : E_NOMEM;
    if (rc == 0)
        rc = neutral_add_parts(m, output);
    return rc < 0 ? rc : neutral_add_string(m, "id", json_get_str(item, "call_id"));
}

static int read_message(struct reading *r, const cJSON *item)
{
    const char *role = json_get_str(item, "role");
    const cJSON *content = json_get(item, "content");
    if (!role)
        return 0;
    if (strcmp(role, "system") == 0 || strcmp(role, "developer") == 0)
        return note(r->system, content);
    if (strcmp(role, "assistant") == 0) {
        int rc = open_said(r);
        return rc < 0 ? rc : note(r->texts, content);
    }
    int rc = close_said(r);
    cJSON *m = rc == 0 ? neutral_message(r->messages, role) : NULL;
    rc = m ? neutral_add_text(m, "text", content, NULL) : E_NOMEM;
    return rc < 0 ? rc : neutral_add_parts(m, content);
}

static int read_item(struct reading *r, const cJSON *item)
{
    const char *type = type_of(item);
    if (strcmp(type, "message") == 0)
        return read_message(r, item);
    if (strcmp(type, "function_call") == 0)
        return read_call(r, item);
    if (strcmp(type, "function_call_output") == 0)
        return read_output(r, item);
    return strcmp(type, "reasoning") == 0 ? read_reasoning(r, item) : 0;
}

/* --- the request --- */

static int read_input(struct reading *r, const cJSON *input)
{
    const cJSON *item;
    int rc = 0;
    if (cJSON_IsString(input)) {
        cJSON *m = neutral_message(r->messages, "user");
        return m ? neutral_add_text(m, "text", input, NULL) : E_NOMEM;
    }
    cJSON_ArrayForEach(item, input)
    {
        if (rc == 0)
            rc = read_item(r, item);
    }
    return rc < 0 ? rc : close_said(r);
}

static int read_all(struct reading *r, const cJSON *body, cJSON *neutral)
{
    const cJSON *instructions = json_get(body, "instructions");
    r->messages = cJSON_AddArrayToObject(neutral, "messages");
    r->texts = cJSON_CreateArray();
    r->thoughts = cJSON_CreateArray();
    r->system = cJSON_CreateArray();
    bool made = r->messages && r->texts && r->thoughts && r->system;
    int rc = made ? 0 : E_NOMEM;
    if (rc == 0 && cJSON_IsString(instructions))
        rc = note(r->system, instructions);
    if (rc == 0)
        rc = read_input(r, json_get(body, "input"));
    if (rc == 0)
        rc = neutral_add_text(neutral, "system", r->system, NULL);
    return rc < 0 ? rc : neutral_add_last(neutral, r->messages);
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

int openai_responses_neutral(const cJSON *body, cJSON *neutral)
{
    struct reading r = {0};
    int rc = neutral_add_string(neutral, "model", json_get_str(body, "model"));
    if (rc == 0)
        rc = neutral_add(neutral, "stream", cJSON_CreateBool(json_get_bool(body, "stream")));
    if (rc == 0)
        rc = neutral_add(neutral, "usage_wanted", cJSON_CreateTrue());
    if (rc == 0)
        rc = read_all(&r, body, neutral);
    cJSON_Delete(r.texts);
    cJSON_Delete(r.thoughts);
    cJSON_Delete(r.system);
    return rc < 0 ? rc : add_tools(neutral, json_get(body, "tools"));
}
