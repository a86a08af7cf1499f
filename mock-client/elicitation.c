#include "mock-client/elicitation.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>

static const char *text_of_format(const char *format)
{
    static const char *const rows[][2] = {
        {"email", "user@example.org"},
        {"uri", "https://example.org/"},
        {"date", "2026-01-31"},
        {"date-time", "2026-01-31T12:00:00Z"},
    };
    for (size_t i = 0; format && i < ARRAY_LEN(rows); i++)
        if (!strcmp(rows[i][0], format))
            return rows[i][1];
    return "";
}

/* As long as the field wants it to be. */
static cJSON *plain_text(const cJSON *field)
{
    char text[4097];
    const char *known = text_of_format(json_get_str(field, "format"));
    int64_t least = json_get_int(field, "minLength", 0);
    size_t n = strlen(known);
    memcpy(text, known, n);
    for (; (int64_t)n < least && n < sizeof text - 1; n++)
        text[n] = 'x';
    text[n] = '\0';
    return cJSON_CreateString(text);
}

static cJSON *plain_number(const cJSON *field)
{
    const cJSON *min = json_get(field, "minimum"), *max = json_get(field, "maximum");
    double value = 0;
    if (cJSON_IsNumber(max) && max->valuedouble < value)
        value = max->valuedouble;
    if (cJSON_IsNumber(min) && min->valuedouble > value)
        value = min->valuedouble;
    return cJSON_CreateNumber(value);
}

/* The i-th value of an enum, or of a list of {"const"}. NULL if there is none. */
static const cJSON *choice(const cJSON *field, const char *titled, int i)
{
    const cJSON *plain = cJSON_GetArrayItem(json_get(field, "enum"), i);
    return plain ? plain : json_get(cJSON_GetArrayItem(json_get(field, titled), i), "const");
}

static cJSON *plain_list(const cJSON *field)
{
    int64_t least = json_get_int(field, "minItems", 0);
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; list && i < least; i++) {
        const cJSON *value = choice(json_get(field, "items"), "anyOf", i);
        if (!value)
            break;
        cJSON *copy = cJSON_Duplicate(value, true);
        if (!cJSON_AddItemToArray(list, copy)) {
            cJSON_Delete(copy);
            cJSON_Delete(list);
            return NULL;
        }
    }
    return list;
}

/* A value for the field; *ret NULL if its type is unknown. 0 or E_NOMEM. */
static int plain_value(const cJSON *field, cJSON **ret)
{
    const char *type = json_get_str(field, "type");
    const cJSON *first = choice(field, "oneOf", 0);
    *ret = NULL;
    if (!type)
        return 0;
    if (!strcmp(type, "string"))
        *ret = first ? cJSON_Duplicate(first, true) : plain_text(field);
    else if (!strcmp(type, "number") || !strcmp(type, "integer"))
        *ret = plain_number(field);
    else if (!strcmp(type, "boolean"))
        *ret = cJSON_CreateFalse();
    else if (!strcmp(type, "array"))
        *ret = plain_list(field);
    else
        return 0;
    return *ret ? 0 : E_NOMEM;
}

static bool is_required(const cJSON *schema, const char *name)
{
    const cJSON *r;
    cJSON_ArrayForEach(r, json_get(schema, "required"))
    {
        if (cJSON_IsString(r) && !strcmp(r->valuestring, name))
            return true;
    }
    return false;
}

static int fill_field(const cJSON *schema, const cJSON *field, cJSON *content)
{
    const cJSON *preset = json_get(field, "default");
    cJSON *value = NULL;
    int rc = 0;
    if (preset && !cJSON_IsNull(preset)) {
        value = cJSON_Duplicate(preset, true);
        rc = value ? 0 : E_NOMEM;
    } else if (is_required(schema, field->string)) {
        rc = plain_value(field, &value);
    }
    if (rc < 0 || !value || cJSON_AddItemToObject(content, field->string, value))
        return rc;
    cJSON_Delete(value);
    return E_NOMEM;
}

cJSON *elicitation_fill(const cJSON *requested_schema)
{
    const cJSON *field;
    cJSON *content = cJSON_CreateObject();
    cJSON_ArrayForEach(field, json_get(requested_schema, "properties"))
    {
        if (content && fill_field(requested_schema, field, content) < 0) {
            cJSON_Delete(content);
            return NULL;
        }
    }
    return content;
}
