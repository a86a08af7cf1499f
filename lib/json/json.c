#include "json/json.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "json/tame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INT64_LIMIT 9223372036854775808.0 /* 2^63 */

/* People look for a place by line and column in a file, by byte in a message of one line. */
static void explain_fault(const char *p, const struct json_scan *scan, struct json_error *reterr)
{
    size_t line = 1, column = 1;
    if (!reterr)
        return;
    for (size_t i = 0; i < scan->error_at; i++) {
        column = p[i] == '\n' ? 1 : column + 1;
        line += p[i] == '\n';
    }
    reterr->path[0] = '\0';
    if (line > 1)
        snprintf(reterr->text, sizeof reterr->text, "line %zu, column %zu: %s", line, column,
                 scan->error_text);
    else
        snprintf(reterr->text, sizeof reterr->text, "byte %zu: %s", scan->error_at,
                 scan->error_text);
}

/* Everything cJSON could refuse has been refused or tamed before: what is left is memory. */
static int parse_plain(const char *p, size_t n, cJSON **ret)
{
    cJSON *root = cJSON_ParseWithLengthOpts(p, n + 1, NULL, true);
    if (!root)
        return E_NOMEM;
    *ret = root;
    return 0;
}

static int parse_tamed(const char *p, size_t n, cJSON **ret)
{
    struct buf tame = {0};
    int rc = json_tame(p, n, &tame);
    if (rc == 0)
        rc = buf_cstr(&tame) ? parse_plain(tame.p, tame.n, ret) : E_NOMEM;
    buf_deinit(&tame);
    return rc;
}

int json_parse_scanned(const char *p, size_t n, const struct json_scan *scan, cJSON **ret)
{
    if (scan->lone_surrogate || scan->nul_escape || scan->long_number)
        return parse_tamed(p, n, ret);
    return parse_plain(p, n, ret);
}

int json_parse(const char *p, size_t n, cJSON **ret, struct json_error *reterr)
{
    struct json_scan scan;
    int rc = json_scan(p, n, &scan);
    if (rc < 0) {
        explain_fault(p, &scan, reterr);
        return rc;
    }
    rc = json_parse_scanned(p, n, &scan, ret);
    if (rc < 0 && reterr)
        *reterr = (struct json_error){.text = "out of memory"};
    return rc;
}

/* Of duplicate names the last one counts, as in json/scan.h. */
cJSON *json_get(const cJSON *obj, const char *name)
{
    cJSON *found = NULL;
    if (!cJSON_IsObject(obj))
        return NULL;
    for (cJSON *child = obj->child; child; child = child->next)
        if (child->string && strcmp(child->string, name) == 0)
            found = child;
    return found;
}

const char *json_get_str(const cJSON *obj, const char *name)
{
    return cJSON_GetStringValue(json_get(obj, name));
}

bool json_get_bool(const cJSON *obj, const char *name)
{
    return cJSON_IsTrue(json_get(obj, name));
}

bool json_is_int(const cJSON *item)
{
    if (!cJSON_IsNumber(item))
        return false;
    double v = item->valuedouble;
    return v >= -INT64_LIMIT && v < INT64_LIMIT && v == trunc(v);
}

int64_t json_get_int(const cJSON *obj, const char *name, int64_t fallback)
{
    const cJSON *item = json_get(obj, name);
    return json_is_int(item) ? (int64_t)item->valuedouble : fallback;
}

const char *json_type_name(const cJSON *item)
{
    if (!item)
        return "nothing";
    switch (item->type & 0xFF) {
    case cJSON_True:
    case cJSON_False:
        return "boolean";
    case cJSON_NULL:
        return "null";
    case cJSON_Number:
        return "number";
    case cJSON_String:
        return "string";
    case cJSON_Array:
        return "array";
    case cJSON_Object:
        return "object";
    default:
        return "raw text";
    }
}

static bool members_equal(const cJSON *a, const cJSON *b)
{
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
        return false;
    for (const cJSON *child = a->child; child; child = child->next)
        if (!child->string || !json_equal(json_get(a, child->string), json_get(b, child->string)))
            return false;
    return true;
}

static bool elements_equal(const cJSON *a, const cJSON *b)
{
    const cJSON *x = a->child, *y = b->child;
    while (x && y && json_equal(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

bool json_equal(const cJSON *a, const cJSON *b)
{
    if (!a || !b || (a->type & 0xFF) != (b->type & 0xFF))
        return !a && !b;
    switch (a->type & 0xFF) {
    case cJSON_Number:
        return !(a->valuedouble < b->valuedouble) && !(a->valuedouble > b->valuedouble);
    case cJSON_String:
    case cJSON_Raw:
        return strcmp(a->valuestring, b->valuestring) == 0;
    case cJSON_Array:
        return elements_equal(a, b);
    case cJSON_Object:
        return members_equal(a, b);
    default:
        return true;
    }
}
