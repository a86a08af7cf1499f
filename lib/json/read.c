#include "json/json.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

static const char *const expected_names[] = {
    [JSON_STR] = "string",   [JSON_BOOL] = "boolean",
    [JSON_I64] = "integer",  [JSON_U32] = "integer from 0 to 4294967295",
    [JSON_OBJ] = "object",   [JSON_ARR] = "array",
    [JSON_ANY] = "any value"};

static int read_fail(struct json_error *reterr, const char *where, const char *name,
                     const char *fault)
{
    if (!reterr)
        return E_INVALID;
    snprintf(reterr->path, sizeof reterr->path, "%s%s%s", where, *where && *name ? "." : "", name);
    snprintf(reterr->text, sizeof reterr->text, "%s%s%s", reterr->path, *reterr->path ? ": " : "",
             fault);
    return E_INVALID;
}

static int read_mismatch(struct json_error *reterr, const char *where, const char *name,
                         const char *expected, const cJSON *got)
{
    char fault[96];
    if (cJSON_IsNumber(got))
        snprintf(fault, sizeof fault, "expected %s, got number %.17g", expected, got->valuedouble);
    else
        snprintf(fault, sizeof fault, "expected %s, got %s", expected, json_type_name(got));
    return read_fail(reterr, where, name, fault);
}

/* True if the item had the type of the field and is now in the target. */
static bool read_value(const cJSON *item, const struct json_field *field, void *target)
{
    void *to = (char *)target + field->offset;
    switch (field->type) {
    case JSON_STR:
        if (!cJSON_IsString(item))
            return false;
        *(const char **)to = item->valuestring;
        return true;
    case JSON_BOOL:
        if (!cJSON_IsBool(item))
            return false;
        *(bool *)to = cJSON_IsTrue(item);
        return true;
    case JSON_I64:
        if (!json_is_int(item))
            return false;
        *(int64_t *)to = (int64_t)item->valuedouble;
        return true;
    case JSON_U32:
        if (!json_is_int(item) || item->valuedouble < 0 || item->valuedouble > UINT32_MAX)
            return false;
        *(uint32_t *)to = (uint32_t)item->valuedouble;
        return true;
    case JSON_OBJ:
    case JSON_ARR:
        if (field->type == JSON_OBJ ? !cJSON_IsObject(item) : !cJSON_IsArray(item))
            return false;
        *(const cJSON **)to = item;
        return true;
    case JSON_ANY:
        *(const cJSON **)to = item;
        return true;
    }
    return false;
}

int json_read_fields(const cJSON *obj, const char *where, struct json_fields fields, void *target,
                     struct json_error *reterr)
{
    if (obj && !cJSON_IsObject(obj))
        return read_mismatch(reterr, where, "", "object", obj);
    for (const struct json_field *f = fields.list; f < fields.list + fields.n; f++) {
        const cJSON *item = json_get(obj, f->name);
        if (!item && f->flags & JSON_REQUIRED)
            return read_fail(reterr, where, f->name, "missing");
        if (!item || (cJSON_IsNull(item) && f->flags & JSON_NULLABLE))
            continue;
        if (!read_value(item, f, target) && !(f->flags & JSON_LENIENT))
            return read_mismatch(reterr, where, f->name, expected_names[f->type], item);
    }
    return 0;
}
