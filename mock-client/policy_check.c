#include "mock-client/policy.h"

#include "base/err.h"
#include "json/json.h"
#include "json/match.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The shape of policies. */
struct check {
    const char *method; /* NULL: any */
    bool plain;         /* only what answers at once */
    char *err;
    size_t err_n;
};

static int refuse(const struct check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct check *c, const char *fmt, ...)
{
    va_list args;
    int n = snprintf(c->err, c->err_n, "%s: ", c->method ? c->method : "an answer");
    va_start(args, fmt);
    if (n >= 0 && (size_t)n < c->err_n)
        vsnprintf(c->err + n, c->err_n - (size_t)n, fmt, args);
    va_end(args);
    return E_INVALID;
}

static bool is_for(const struct check *c, const char *method)
{
    return !c->method || !method || !strcmp(c->method, method);
}

static int check_word(const struct check *c, const char *word)
{
    const struct policy_word *known = policy_word_find(word);
    if (!known)
        return refuse(c, "unknown answer \"%s\"", word);
    if (!is_for(c, known->method))
        return refuse(c, "\"%s\" is an answer to %s only", word, known->method);
    if (c->plain && known->act == POLICY_SERVICE)
        return refuse(c, "\"%s\" is no answer by hand", word);
    return 0;
}

static int check(const struct check *c, const cJSON *value);

/* ---- objects: one of these members says what they are -------------------------------------------
 */

static int check_hold(const struct check *c, const cJSON *value)
{
    if (!json_get_str(value, "hold") || !json_get(value, "then"))
        return refuse(c, "a hold has a name and \"then\"");
    return check(c, json_get(value, "then"));
}

static int check_rule(const struct check *c, const cJSON *rule)
{
    struct json_error err;
    const cJSON *m;
    if (!json_get(rule, "match") || !json_get(rule, "answer"))
        return refuse(c, "when: each entry has \"match\" and \"answer\"");
    cJSON_ArrayForEach(m, rule) if (strcmp(m->string, "match") != 0 &&
                                    strcmp(m->string, "answer") !=
                                        0) return refuse(c, "when: unknown member \"%s\"",
                                                         m->string);
    if (json_match_check(json_get(rule, "match"), &err) == E_INVALID)
        return refuse(c, "when: %s", err.text);
    return check(c, json_get(rule, "answer"));
}

static int check_else(const struct check *c, const cJSON *value)
{
    const cJSON *other = json_get(value, "else");
    return other ? check(c, other) : 0;
}

static int check_when(const struct check *c, const cJSON *value)
{
    const cJSON *rule, *rules = json_get(value, "when");
    if (cJSON_GetArraySize(rules) == 0 || !cJSON_IsArray(rules))
        return refuse(c, "when: expected a list of {\"match\", \"answer\"}");
    cJSON_ArrayForEach(rule, rules)
    {
        int rc = check_rule(c, rule);
        if (rc < 0)
            return rc;
    }
    return check_else(c, value);
}

static int check_kinds(const struct check *c, const cJSON *value)
{
    const cJSON *m, *kinds = json_get(value, "by_kind");
    if (!is_for(c, POLICY_PERMISSION) || !cJSON_IsObject(kinds))
        return refuse(c, "by_kind is an object, and only for " POLICY_PERMISSION);
    cJSON_ArrayForEach(m, kinds)
    {
        int rc = check(c, m);
        if (rc < 0)
            return rc;
    }
    return check_else(c, value);
}

static int check_option(const struct check *c, const cJSON *value)
{
    if (!is_for(c, POLICY_PERMISSION) || !json_get_str(value, "option"))
        return refuse(c, "option is a text, and only for " POLICY_PERMISSION);
    return 0;
}

static int check_accept(const struct check *c, const cJSON *value)
{
    const cJSON *content = json_get(value, "accept");
    if (!is_for(c, POLICY_ELICITATION) || (!cJSON_IsObject(content) && !cJSON_IsNull(content)))
        return refuse(c, "accept is an object or null, and only for " POLICY_ELICITATION);
    return 0;
}

static const struct form {
    const char *head, *others; /* members that may stand beside it, each with a space behind */
    int (*check)(const struct check *c, const cJSON *value);
    bool plain;
} forms[] = {
    {"result", "invalid ", NULL, true},       {"error", "invalid ", NULL, true},
    {"option", "", check_option, true},       {"accept", "invalid ", check_accept, true},
    {"hold", "then ", check_hold, false},     {"when", "else ", check_when, false},
    {"by_kind", "else ", check_kinds, false},
};

static int check_members(const struct check *c, const struct form *f, const cJSON *value)
{
    const cJSON *m;
    char name[40];
    cJSON_ArrayForEach(m, value)
    {
        snprintf(name, sizeof name, "%.30s ", m->string);
        if (strcmp(m->string, f->head) != 0 && !strstr(f->others, name))
            return refuse(c, "unknown member \"%s\"", m->string);
    }
    return 0;
}

static int check_object(const struct check *c, const cJSON *value)
{
    const struct form *form = NULL;
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (!json_get(value, forms[i].head))
            continue;
        form = &forms[i];
        n++;
    }
    if (n != 1)
        return refuse(c,
                      "needs one of result, error, option, accept, hold, when and by_kind, "
                      "this one has %s",
                      n ? "several" : "none");
    if (c->plain && !form->plain)
        return refuse(c, "\"%s\" is no answer by hand", form->head);
    int rc = check_members(c, form, value);
    return rc < 0 || !form->check ? rc : form->check(c, value);
}

/* ---- anything ----------------------------------------------------------------------------------
 */

static int check_list(const struct check *c, const cJSON *value)
{
    const cJSON *m;
    if (c->plain || !value->child)
        return refuse(c,
                      c->plain ? "a list is no answer by hand" : "an empty list answers nothing");
    cJSON_ArrayForEach(m, value)
    {
        int rc = check(c, m);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check(const struct check *c, const cJSON *value)
{
    if (cJSON_IsString(value))
        return check_word(c, value->valuestring);
    if (cJSON_IsObject(value))
        return check_object(c, value);
    if (cJSON_IsArray(value))
        return check_list(c, value);
    return refuse(c, "an answer is a word, {\"result\": ...}, {\"error\": ...}, a list, or another "
                     "form of docs/cases.md");
}

int policy_check_value(const char *method, const cJSON *value, char *err, size_t err_n)
{
    return check(&(struct check){.method = method, .err = err, .err_n = err_n}, value);
}

int policy_check_plain(const char *method, const cJSON *value, char *err, size_t err_n)
{
    return check(&(struct check){.method = method, .plain = true, .err = err, .err_n = err_n},
                 value);
}

int policy_check(const cJSON *policy, char *err, size_t err_n)
{
    const cJSON *m;
    if (policy && !cJSON_IsObject(policy)) {
        snprintf(err, err_n, "policy: expected an object keyed by method");
        return E_INVALID;
    }
    cJSON_ArrayForEach(m, policy)
    {
        int rc = policy_check_value(m->string, m, err, err_n);
        if (rc < 0)
            return rc;
    }
    return 0;
}
