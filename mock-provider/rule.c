#include "rule.h"

#include "json/json.h"
#include "json/scan.h"

#include <string.h>

bool rule_is_name(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return n > 0 && n <= 64 && name[n] == '\0';
}

bool rule_is_json(const char *text)
{
    struct json_scan scan;
    return json_scan(text, strlen(text), &scan) == 0;
}

const cJSON *rule_given(const cJSON *obj, const char *name)
{
    const cJSON *member = json_get(obj, name);
    return cJSON_IsNull(member) ? NULL : member;
}

bool rule_is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

int rule_check_common(const cJSON *body, struct fault *f)
{
    const char *model = json_get_str(body, "model");
    const cJSON *stream = rule_given(body, "stream");
    if (!model || !*model)
        return fault_set(f, 400, "model", "you must provide a model parameter");
    if (stream && !cJSON_IsBool(stream))
        return fault_set(f, 400, "stream", "stream must be a boolean");
    return 0;
}

int rule_check_schema(const cJSON *schema, const char *at, const char *name, struct fault *f)
{
    const char *type = json_get_str(schema, "type");
    if (!schema || (type && strcmp(type, "object") == 0))
        return 0;
    return fault_set(f, 400, at, "the schema of function %s must have type object at its root",
                     name);
}
