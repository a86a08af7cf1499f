/* What a strict server refuses in an Anthropic messages request, beside its messages. */
#include "anthropic.h"
#include "base/err.h"
#include "rule.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* --- headers and plain options --- */

static int check_headers(const cJSON *neutral, struct fault *f)
{
    const cJSON *headers = json_get(neutral, "headers");
    if (!json_get(headers, "x-api-key") && !json_get(headers, "authorization"))
        return fault_set(f, 401, "", "x-api-key: header is required");
    if (!json_get(headers, "anthropic-version"))
        return fault_set(f, 400, "", "anthropic-version: header is required");
    return 0;
}

static int check_max_tokens(const cJSON *body, struct fault *f)
{
    const cJSON *max = json_get(body, "max_tokens");
    if (!max)
        return fault_set(f, 400, "max_tokens", "field required");
    if (!json_is_int(max) || max->valuedouble < 1)
        return fault_set(f, 400, "max_tokens", "must be a whole number greater than 0");
    return 0;
}

/* The newer version knows no sampling parameters, not even at their defaults. */
static int check_sampling(const cJSON *body, const cJSON *neutral, struct fault *f)
{
    static const char *const names[] = {"temperature", "top_p", "top_k"};
    const char *version = json_get_str(json_get(neutral, "headers"), "anthropic-version");
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (json_get(body, names[i]) && version && strcmp(version, ANTHROPIC_OLD_VERSION) != 0)
            return fault_set(f, 400, names[i], "is not supported in version %.20s", version);
    return 0;
}

static int check_system(const cJSON *body, struct fault *f)
{
    const cJSON *system = json_get(body, "system"), *block;
    if (!system || cJSON_IsString(system))
        return 0;
    if (!cJSON_IsArray(system))
        return fault_set(f, 400, "system", "must be a string or an array of text blocks");
    cJSON_ArrayForEach(block, system)
    {
        const char *type = json_get_str(block, "type"), *text = json_get_str(block, "text");
        if (!type || strcmp(type, "text") != 0 || !text)
            return fault_set(f, 400, "system", "every block must be of type text with its text");
        if (!*text)
            return fault_set(f, 400, "system", "text content blocks must be non-empty");
    }
    return 0;
}

/* --- thinking and effort --- */

static int check_budget(const cJSON *body, const cJSON *thinking, struct fault *f)
{
    int64_t budget = json_get_int(thinking, "budget_tokens", 0);
    if (budget < 1024)
        return fault_set(f, 400, "thinking.budget_tokens", "must be a whole number from 1024 on");
    if (budget >= json_get_int(body, "max_tokens", 0))
        return fault_set(f, 400, "max_tokens", "must be greater than thinking.budget_tokens");
    return 0;
}

static int check_thinking(const cJSON *body, struct fault *f)
{
    static const char *const types[] = {"enabled", "adaptive", "disabled", "between_tools", NULL};
    static const char *const efforts[] = {"low", "medium", "high", "xhigh", "max", NULL};
    const cJSON *thinking = json_get(body, "thinking");
    const char *type = json_get_str(thinking, "type");
    const cJSON *effort = json_get(json_get(body, "output_config"), "effort");
    if (thinking && (!type || !rule_is_one_of(type, types)))
        return fault_set(f, 400, "thinking.type",
                         "must be enabled, adaptive, disabled or between_tools");
    if (effort && (!cJSON_IsString(effort) || !rule_is_one_of(effort->valuestring, efforts)))
        return fault_set(f, 400, "output_config.effort", "must be low, medium, high, xhigh or max");
    return type && strcmp(type, "enabled") == 0 ? check_budget(body, thinking, f) : 0;
}

/* --- tools --- */

/* Tools with a type of their own are the server's: only their name is checked. */
static int check_tool(const cJSON *tool, const char *at, struct fault *f)
{
    const char *name = json_get_str(tool, "name"), *type = json_get_str(tool, "type");
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, at, "\"%.80s\" is no valid tool name", name ? name : "");
    if (type && strcmp(type, "custom") != 0)
        return 0;
    if (!cJSON_IsObject(json_get(tool, "input_schema")))
        return fault_set(f, 400, at, "tool %s has no input_schema", name);
    const char *root = json_get_str(json_get(tool, "input_schema"), "type");
    if (!root)
        return fault_set(f, 400, at, "the input_schema of tool %s has no type", name);
    return rule_check_schema(json_get(tool, "input_schema"), at, name, f);
}

static int check_choice(const cJSON *body, const cJSON *tools, struct fault *f)
{
    static const char *const types[] = {"auto", "any", "tool", "none", NULL};
    const cJSON *choice = rule_given(body, "tool_choice");
    const char *type = json_get_str(choice, "type");
    const char *thinking = json_get_str(json_get(body, "thinking"), "type");
    if (!choice)
        return 0;
    if (!type || !rule_is_one_of(type, types))
        return fault_set(f, 400, "tool_choice.type", "must be auto, any, tool or none");
    if (!tools || !tools->child)
        return fault_set(f, 400, "tool_choice", "may only be specified while providing tools");
    bool forced = strcmp(type, "any") == 0 || strcmp(type, "tool") == 0;
    if (forced && thinking && strcmp(thinking, "enabled") == 0)
        return fault_set(f, 400, "tool_choice",
                         "thinking may not be enabled when tool_choice forces tool use");
    return 0;
}

static bool is_name_twice(const cJSON *tool)
{
    const char *name = json_get_str(tool, "name"), *other;
    for (const cJSON *t = tool->next; t; t = t->next)
        if ((other = json_get_str(t, "name")) && strcmp(name, other) == 0)
            return true;
    return false;
}

static int check_tools(const cJSON *body, bool had_calls, struct fault *f)
{
    const cJSON *tools = rule_given(body, "tools"), *tool;
    char at[32];
    unsigned i = 0;
    if (tools && !cJSON_IsArray(tools))
        return fault_set(f, 400, "tools", "must be an array");
    if (had_calls && (!tools || !tools->child))
        return fault_set(f, 400, "tools", "the history has tool calls, but no tools are declared");
    cJSON_ArrayForEach(tool, tools)
    {
        snprintf(at, sizeof at, "tools.%u", i++);
        int rc = check_tool(tool, at, f);
        if (rc < 0)
            return rc;
        if (is_name_twice(tool))
            return fault_set(f, 400, at, "tool names must be unique");
    }
    return check_choice(body, tools, f);
}

int anthropic_check_options(const cJSON *body, bool had_calls, struct fault *f)
{
    int rc = check_system(body, f);
    if (rc == 0)
        rc = check_thinking(body, f);
    return rc < 0 ? rc : check_tools(body, had_calls, f);
}

int anthropic_check(const cJSON *body, const cJSON *neutral, struct fault *f)
{
    int rc = check_headers(neutral, f);
    if (rc == 0 && !cJSON_IsObject(body))
        return fault_set(f, 400, "", "the body must be a JSON object, not %s",
                         json_type_name(body));
    if (rc == 0)
        rc = rule_check_common(body, f);
    if (rc == 0)
        rc = check_max_tokens(body, f);
    if (rc == 0)
        rc = check_sampling(body, neutral, f);
    return rc < 0 ? rc : anthropic_check_messages(body, f);
}
