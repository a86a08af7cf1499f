#include "json/match.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/jsonw.h"
#include "json/match_ops.h"
#include "json/path.h"

#include <regex.h>
#include <string.h>

struct matcher {
    struct json_path path;
    struct json_mismatch *ret; /* NULL: nobody wants to know why */
};

static int match_value(struct matcher *m, const cJSON *pattern, const cJSON *value);

/* Copies at most size - 1 bytes, whole characters, "..." at the end if that was not all. */
static void copy_cut(char *to, size_t size, const char *text)
{
    size_t n = strlen(text);
    if (n >= size) {
        n = size - sizeof "...";
        n -= utf8_incomplete_tail(text, n);
        memcpy(to + n, "...", sizeof "...");
    } else {
        to[n] = '\0';
    }
    memcpy(to, text, n);
}

/* head, and item as JSON behind it. */
static int describe(char *to, size_t size, const char *head, const cJSON *item)
{
    struct buf text = {0};
    struct jsonw w;
    int rc = buf_adds(&text, head);
    if (rc == 0 && item) {
        jw_begin(&w, &text);
        jw_tree(&w, item);
        rc = jw_end(&w);
    }
    if (rc == 0 && !buf_cstr(&text))
        rc = E_NOMEM;
    if (rc == 0)
        copy_cut(to, size, text.p);
    buf_deinit(&text);
    return rc;
}

/* 0: a mismatch, noted. */
static int mismatch(struct matcher *m, const char *head, const cJSON *expected, const cJSON *got)
{
    struct json_mismatch *ret = m->ret;
    if (!ret)
        return 0;
    memcpy(ret->pointer, m->path.text, m->path.n + 1);
    int rc = describe(ret->expected, sizeof ret->expected, head, expected);
    if (rc == 0)
        rc = describe(ret->got, sizeof ret->got, got ? "" : "nothing", got);
    return rc;
}

static int match_quietly(const cJSON *pattern, const cJSON *value)
{
    struct matcher quiet = {.ret = NULL};
    return match_value(&quiet, pattern, value);
}

static int match_type(const char *name, const cJSON *value)
{
    if (strcmp(name, "integer") == 0)
        return json_is_int(value);
    return value && strcmp(name, json_type_name(value)) == 0;
}

static int match_regex(const char *pattern, const cJSON *value)
{
    regex_t regex;
    if (!cJSON_IsString(value))
        return 0;
    int rc = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (rc != 0)
        return rc == REG_ESPACE ? E_NOMEM : 0;
    rc = regexec(&regex, value->valuestring, 0, NULL, 0);
    regfree(&regex);
    return rc == REG_ESPACE ? E_NOMEM : rc == 0;
}

static int match_some(const cJSON *patterns, const cJSON *value)
{
    int rc = 0;
    for (const cJSON *p = patterns->child; p && rc == 0; p = p->next)
        rc = match_quietly(p, value);
    return rc;
}

static int match_has(const cJSON *wanted, const cJSON *value)
{
    int rc = 0;
    if (cJSON_IsString(value))
        return cJSON_IsString(wanted) && strstr(value->valuestring, wanted->valuestring);
    if (!cJSON_IsArray(value))
        return 0;
    for (const cJSON *element = value->child; element && rc == 0; element = element->next)
        rc = match_quietly(wanted, element);
    return rc;
}

static double length_of(const cJSON *value)
{
    size_t n = 0;
    if (!cJSON_IsString(value))
        return cJSON_GetArraySize(value);
    for (const char *p = value->valuestring; *p; p++)
        n += ((unsigned char)*p & 0xC0) != 0x80;
    return (double)n;
}

static int match_len(const cJSON *wanted, const cJSON *value)
{
    if (!cJSON_IsString(value) && !cJSON_IsArray(value) && !cJSON_IsObject(value))
        return 0;
    double n = length_of(value);
    const cJSON *min = json_get(wanted, "min"), *max = json_get(wanted, "max");
    if (cJSON_IsNumber(wanted))
        min = max = wanted;
    return (!min || n >= min->valuedouble) && (!max || n <= max->valuedouble);
}

static int match_all(struct matcher *m, const cJSON *patterns, const cJSON *value)
{
    int rc = 1;
    for (const cJSON *p = patterns->child; p && rc == 1; p = p->next)
        rc = match_value(m, p, value);
    return rc;
}

static int match_not(const cJSON *pattern, const cJSON *value)
{
    int rc = match_quietly(pattern, value);
    return rc < 0 ? rc : !rc;
}

/* The argument has been checked. */
static int match_operator(enum match_op op, const cJSON *arg, const cJSON *value)
{
    switch (op) {
    case MATCH_ANY:
        return value != NULL;
    case MATCH_ABSENT:
        return value == NULL;
    case MATCH_TYPE:
        return match_type(arg->valuestring, value);
    case MATCH_REGEX:
        return match_regex(arg->valuestring, value);
    case MATCH_IN:
        return match_some(arg, value);
    case MATCH_NOT:
        return match_not(arg, value);
    case MATCH_HAS:
        return match_has(arg, value);
    case MATCH_LEN:
        return match_len(arg, value);
    case MATCH_MIN:
        return cJSON_IsNumber(value) && value->valuedouble >= arg->valuedouble;
    case MATCH_MAX:
        return cJSON_IsNumber(value) && value->valuedouble <= arg->valuedouble;
    case MATCH_ALL:
    case MATCH_OP_COUNT:
        break;
    }
    return 0;
}

static int apply_operator(struct matcher *m, const cJSON *pattern, const cJSON *value)
{
    const struct match_op_info *op = match_op_find(pattern->child->string);
    const cJSON *arg = pattern->child;
    if (!op || match_op_fault(op, arg))
        return mismatch(m, "a well-formed pattern instead of ", pattern, value);
    if (op->op == MATCH_ALL)
        return match_all(m, arg, value);
    int rc = match_operator(op->op, arg, value);
    return rc != 0 ? rc : mismatch(m, op->words, op->bare ? NULL : arg, value);
}

static int match_object(struct matcher *m, const cJSON *pattern, const cJSON *value)
{
    int rc = 1;
    for (const cJSON *p = pattern->child; p && rc == 1; p = p->next) {
        size_t before = json_path_enter(&m->path, p->string);
        rc = match_value(m, p, json_get(value, p->string));
        json_path_leave(&m->path, before);
    }
    return rc;
}

static int match_array(struct matcher *m, const cJSON *pattern, const cJSON *value)
{
    const cJSON *p = pattern->child, *v = value->child;
    int rc = 1;
    for (size_t i = 0; (p || v) && rc == 1; i++) {
        size_t before = json_path_enter_index(&m->path, i);
        rc = p && v ? match_value(m, p, v) : mismatch(m, p ? "" : "the end of the array", p, v);
        json_path_leave(&m->path, before);
        p = p ? p->next : NULL;
        v = v ? v->next : NULL;
    }
    return rc;
}

static int match_value(struct matcher *m, const cJSON *pattern, const cJSON *value)
{
    if (match_is_operator(pattern))
        return apply_operator(m, pattern, value);
    if (cJSON_IsObject(pattern) && cJSON_IsObject(value))
        return match_object(m, pattern, value);
    if (cJSON_IsArray(pattern) && cJSON_IsArray(value))
        return match_array(m, pattern, value);
    return json_equal(pattern, value) ? 1 : mismatch(m, "", pattern, value);
}

int json_match(const cJSON *pattern, const cJSON *value, struct json_mismatch *ret)
{
    struct matcher m = {.ret = ret};
    return match_value(&m, pattern, value);
}
