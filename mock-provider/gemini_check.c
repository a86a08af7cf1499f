/* What a strict server refuses in a generateContent request, beside its contents. */
#include "base/err.h"
#include "gemini.h"
#include "rule.h"
#include "json/json.h"

#include <string.h>
#include <strings.h>

/* --- who asks, and how --- */

static int check_caller(const cJSON *neutral, struct fault *f)
{
    const cJSON *headers = json_get(neutral, "headers");
    const char *path = json_get_str(neutral, "path");
    bool in_path = path && (strstr(path, "?key=") || strstr(path, "&key="));
    if (!json_get(headers, "x-goog-api-key") && !json_get(headers, "authorization") && !in_path)
        return fault_set(f, 403, "",
                         "method doesn't allow unregistered callers: send x-goog-api-key");
    if (json_get_bool(neutral, "stream") && path && !strstr(path, "alt=sse"))
        return fault_set(f, 400, "", "this mock streams with ?alt=sse only");
    return 0;
}

/* Members of other APIs that callers carry over. */
static int check_foreign(const cJSON *body, struct fault *f)
{
    static const char *const names[] = {"messages",    "input",      "stream",     "system",
                                        "temperature", "max_tokens", "tool_choice"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (json_get(body, names[i]))
            return fault_set(f, 400, "", "unknown name \"%s\": cannot find field", names[i]);
    return 0;
}

/* --- options --- */

static bool is_word(const cJSON *item, const char *const *words)
{
    const char *text = cJSON_GetStringValue(item);
    if (!text)
        return false;
    while (*words && strcasecmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

static int check_thinking(const cJSON *body, struct fault *f)
{
    static const char *const levels[] = {"MINIMAL", "LOW", "MEDIUM", "HIGH", NULL};
    const cJSON *thinking = gemini_get(gemini_get(body, "generationConfig"), "thinkingConfig");
    const cJSON *level = gemini_get(thinking, "thinkingLevel");
    const cJSON *budget = gemini_get(thinking, "thinkingBudget");
    if (level && budget)
        return fault_set(f, 400, "generationConfig.thinkingConfig",
                         "thinkingLevel and thinkingBudget cannot be set together");
    if (level && !is_word(level, levels))
        return fault_set(f, 400, "generationConfig.thinkingConfig",
                         "thinkingLevel must be MINIMAL, LOW, MEDIUM or HIGH");
    if (budget && (!json_is_int(budget) || budget->valuedouble < -1))
        return fault_set(f, 400, "generationConfig.thinkingConfig",
                         "thinkingBudget must be a whole number from -1 on");
    return 0;
}

static int check_max(const cJSON *body, struct fault *f)
{
    const cJSON *max = gemini_get(gemini_get(body, "generationConfig"), "maxOutputTokens");
    if (max && (!json_is_int(max) || max->valuedouble < 1))
        return fault_set(f, 400, "generationConfig.maxOutputTokens",
                         "must be a whole number from 1 on");
    return 0;
}

/* --- tools --- */

static int check_function(const cJSON *function, struct fault *f)
{
    static const char *const object[] = {"OBJECT", NULL};
    const char *name = json_get_str(function, "name");
    const cJSON *schema = gemini_get(function, "parametersJsonSchema");
    const cJSON *subset = json_get(function, "parameters");
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, "tools", "\"%.80s\" is no valid function name", name ? name : "");
    if (schema && subset)
        return fault_set(f, 400, "tools",
                         "function %s has both parameters and parametersJsonSchema", name);
    if (subset && !is_word(json_get(subset, "type"), object))
        return fault_set(f, 400, "tools", "the parameters of function %s must be of type OBJECT",
                         name);
    return rule_check_schema(schema, "tools", name, f);
}

static int check_tools(const cJSON *body, bool had_calls, struct fault *f)
{
    const cJSON *tools = rule_given(body, "tools"), *tool, *function;
    if (tools && !cJSON_IsArray(tools))
        return fault_set(f, 400, "tools", "tools must be an array");
    if (had_calls && (!tools || !tools->child))
        return fault_set(f, 400, "tools", "the history has tool calls, but no tools are declared");
    cJSON_ArrayForEach(tool, tools)
    {
        cJSON_ArrayForEach(function, gemini_get(tool, "functionDeclarations"))
        {
            int rc = check_function(function, f);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int check_choice(const cJSON *body, struct fault *f)
{
    static const char *const modes[] = {"AUTO", "ANY", "NONE", "VALIDATED", NULL};
    static const char *const naming[] = {"ANY", "VALIDATED", NULL};
    const cJSON *config = gemini_get(gemini_get(body, "toolConfig"), "functionCallingConfig");
    const cJSON *mode = json_get(config, "mode");
    if (mode && !is_word(mode, modes))
        return fault_set(f, 400, "toolConfig", "mode must be AUTO, ANY, NONE or VALIDATED");
    if (gemini_get(config, "allowedFunctionNames") && !is_word(mode, naming))
        return fault_set(f, 400, "toolConfig",
                         "allowedFunctionNames is only allowed with mode ANY or VALIDATED");
    return 0;
}

int gemini_check(const cJSON *body, const cJSON *neutral, struct fault *f)
{
    bool had_calls = false;
    int rc = check_caller(neutral, f);
    if (rc == 0 && !cJSON_IsObject(body))
        return fault_set(f, 400, "", "the body must be a JSON object, not %s",
                         json_type_name(body));
    if (rc == 0)
        rc = check_foreign(body, f);
    if (rc == 0)
        rc = check_max(body, f);
    if (rc == 0)
        rc = check_thinking(body, f);
    if (rc == 0)
        rc = gemini_check_contents(body, &had_calls, f);
    if (rc == 0)
        rc = check_tools(body, had_calls, f);
    return rc < 0 ? rc : check_choice(body, f);
}
