/* What a strict server refuses in a Responses request, beside its input. */
#include "base/err.h"
#include "openai.h"
#include "openai_responses.h"
#include "rule.h"
#include "json/json.h"

#include <string.h>

bool openai_responses_encrypts(const cJSON *body)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, json_get(body, "include"))
    {
        if (cJSON_IsString(word) && strcmp(word->valuestring, "reasoning.encrypted_content") == 0)
            return true;
    }
    return false;
}

/* Members of the older API that callers carry over. */
static int check_moved(const cJSON *body, struct fault *f)
{
    static const char *const moved[][2] = {
        {"messages", "input"},
        {"max_tokens", "max_output_tokens"},
        {"max_completion_tokens", "max_output_tokens"},
        {"reasoning_effort", "reasoning.effort"},
        {"response_format", "text.format"},
    };
    for (size_t i = 0; i < ARRAY_LEN(moved); i++)
        if (json_get(body, moved[i][0]))
            return fault_set(f, 400, moved[i][0],
                             "unsupported parameter %s: in the Responses API it is %s", moved[i][0],
                             moved[i][1]);
    return 0;
}

static int check_options(const cJSON *body, struct fault *f)
{
    static const char *const efforts[] = {"none", "minimal", "low", "medium",
                                          "high", "xhigh",   "max", NULL};
    const cJSON *effort = rule_given(json_get(body, "reasoning"), "effort");
    const cJSON *max = rule_given(body, "max_output_tokens"), *include = json_get(body, "include");
    if (effort && (!cJSON_IsString(effort) || !rule_is_one_of(effort->valuestring, efforts)))
        return fault_set(f, 400, "reasoning.effort", "reasoning.effort is no known effort");
    if (max && (!json_is_int(max) || max->valuedouble < 16))
        return fault_set(f, 400, "max_output_tokens",
                         "max_output_tokens must be a whole number from 16 on");
    if (include && !cJSON_IsNull(include) && !cJSON_IsArray(include))
        return fault_set(f, 400, "include", "include must be an array");
    /* nothing is stored: the whole conversation has to come every time */
    if (rule_given(body, "previous_response_id"))
        return fault_set(f, 400, "previous_response_id",
                         "the previous response is not found: nothing is stored here");
    return 0;
}

/* Tools of another type are the server's: not looked into. */
static int check_tool(const cJSON *tool, struct fault *f)
{
    const char *type = json_get_str(tool, "type"), *name = json_get_str(tool, "name");
    if (!type)
        return fault_set(f, 400, "tools", "every tool needs a type");
    if (strcmp(type, "function") != 0)
        return 0;
    if (json_get(tool, "function"))
        return fault_set(f, 400, "tools",
                         "a function's members stand in the tool itself, not in \"function\"");
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, "tools", "\"%.80s\" is no valid function name", name ? name : "");
    int rc = rule_check_schema(rule_given(tool, "parameters"), "tools", name, f);
    return rc < 0 ? rc : openai_check_strict(tool, "parameters", f);
}

static int check_choice(const cJSON *body, const cJSON *tools, struct fault *f)
{
    static const char *const words[] = {"auto", "none", "required", NULL};
    const cJSON *choice = rule_given(body, "tool_choice");
    if (!choice)
        return 0;
    if (cJSON_IsString(choice) ? !rule_is_one_of(choice->valuestring, words)
                               : !json_get_str(choice, "type"))
        return fault_set(f, 400, "tool_choice",
                         "tool_choice must be auto, none, required or an object with a type");
    bool none = cJSON_IsString(choice) && strcmp(choice->valuestring, "required") != 0;
    if (!none && (!tools || !tools->child))
        return fault_set(f, 400, "tool_choice",
                         "tool_choice asks for a tool, but none is declared");
    return 0;
}

static int check_tools(const cJSON *body, bool had_calls, struct fault *f)
{
    const cJSON *tools = rule_given(body, "tools"), *tool;
    if (tools && !cJSON_IsArray(tools))
        return fault_set(f, 400, "tools", "tools must be an array");
    if (had_calls && (!tools || !tools->child))
        return fault_set(f, 400, "tools", "the history has tool calls, but no tools are declared");
    cJSON_ArrayForEach(tool, tools)
    {
        int rc = check_tool(tool, f);
        if (rc < 0)
            return rc;
    }
    return check_choice(body, tools, f);
}

int openai_responses_check(const cJSON *body, struct fault *f)
{
    bool had_calls = false;
    if (!cJSON_IsObject(body))
        return fault_set(f, 400, "", "the body must be a JSON object, not %s",
                         json_type_name(body));
    int rc = rule_check_common(body, f);
    if (rc == 0)
        rc = check_moved(body, f);
    if (rc == 0)
        rc = check_options(body, f);
    if (rc == 0)
        rc = openai_responses_check_input(body, &had_calls, f);
    return rc < 0 ? rc : check_tools(body, had_calls, f);
}
