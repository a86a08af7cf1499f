#include "json/match_ops.h"

#include "base/err.h"

#include <stddef.h>
#include <string.h>

static const struct match_op_info operators[MATCH_OP_COUNT] = {
    {"$any", MATCH_ANY, "anything", true, "must be true"},
    {"$absent", MATCH_ABSENT, "nothing", true, "must be true"},
    {"$type", MATCH_TYPE, "a value of type ", false,
     "must be string, number, integer, boolean, object, array or null"},
    {"$regex", MATCH_REGEX, "text matching ", false, "must be a string"},
    {"$in", MATCH_IN, "one of ", false, "must be an array with at least one pattern"},
    {"$not", MATCH_NOT, "anything but ", false, ""},
    {"$all", MATCH_ALL, "", false, "must be an array with at least one pattern"},
    {"$has", MATCH_HAS, "something that holds ", false, ""},
    {"$len", MATCH_LEN, "length ", false,
     "must be a number or an object of min and max (at least one)"},
    {"$min", MATCH_MIN, "a number of at least ", false, "must be a number"},
    {"$max", MATCH_MAX, "a number of at most ", false, "must be a number"},
};

bool match_is_operator(const cJSON *pattern)
{
    return cJSON_IsObject(pattern) && pattern->child && !pattern->child->next &&
           pattern->child->string[0] == '$';
}

const struct match_op_info *match_op_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(operators); i++)
        if (strcmp(operators[i].name, name) == 0)
            return &operators[i];
    return NULL;
}

static bool is_type_name(const cJSON *arg)
{
    static const char *const names[] = {"string", "number", "integer", "boolean",
                                        "object", "array",  "null"};
    for (size_t i = 0; cJSON_IsString(arg) && i < ARRAY_LEN(names); i++)
        if (strcmp(arg->valuestring, names[i]) == 0)
            return true;
    return false;
}

static bool is_range(const cJSON *arg)
{
    if (cJSON_IsNumber(arg))
        return true;
    if (!cJSON_IsObject(arg) || !arg->child)
        return false;
    for (const cJSON *child = arg->child; child; child = child->next)
        if (!cJSON_IsNumber(child) ||
            (strcmp(child->string, "min") != 0 && strcmp(child->string, "max") != 0))
            return false;
    return true;
}

const char *match_op_fault(const struct match_op_info *op, const cJSON *arg)
{
    bool ok = true;
    switch (op->op) {
    case MATCH_ANY:
    case MATCH_ABSENT:
        ok = cJSON_IsTrue(arg);
        break;
    case MATCH_TYPE:
        ok = is_type_name(arg);
        break;
    case MATCH_REGEX:
        ok = cJSON_IsString(arg);
        break;
    case MATCH_IN:
    case MATCH_ALL:
        ok = cJSON_IsArray(arg) && arg->child;
        break;
    case MATCH_LEN:
        ok = is_range(arg);
        break;
    case MATCH_MIN:
    case MATCH_MAX:
        ok = cJSON_IsNumber(arg);
        break;
    case MATCH_NOT:
    case MATCH_HAS:
    case MATCH_OP_COUNT:
        break;
    }
    return ok ? NULL : op->fault;
}
