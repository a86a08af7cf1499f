#include "conformance/mutant.h"

#include "base/err.h"
#include "conformance/shape.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/match.h"

#include <string.h>

const struct mutant_kind_info mutant_kinds[MUTANT_KINDS] = {
    [MUTANT_DROP] = {"drop", SHAPE_BOOL, false, true, "drop"},
    [MUTANT_DUPLICATE] = {"duplicate", SHAPE_BOOL, false, true, "send twice"},
    [MUTANT_SET] = {"set", SHAPE_OBJECT, false, true, "set"},
    [MUTANT_REMOVE] = {"remove", SHAPE_ARRAY, false, true, "remove"},
    [MUTANT_AFTER] = {"after", SHAPE_ANY, false, true, "hold back until after"},
    [MUTANT_INJECT] = {"inject", SHAPE_STRING, true, true, "inject"},
    [MUTANT_REPLACE] = {"replace", SHAPE_STRING, true, true, "replace by"},
    [MUTANT_AT_START] = {"at_start", SHAPE_STRING, true, false,
                         "at the start of the agent's output:"},
    [MUTANT_AT_EXIT] = {"at_exit", SHAPE_STRING, true, false, "at the end of the agent's output:"},
    [MUTANT_EXIT] = {"exit", SHAPE_OBJECT, false, false, "the agent seems to exit with"},
    [MUTANT_IGNORE_EOF] = {"ignore_eof", SHAPE_BOOL, false, false,
                           "the agent is not told that stdin closed"},
    [MUTANT_DEAF] = {"deaf", SHAPE_BOOL, false, false, "nothing reaches the agent any more"},
};

static bool is_one_of(const char *text, const char *const *set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, set[i]) == 0)
            return true;
    return false;
}

static void check_pattern(struct shape *s, const cJSON *pattern, const void *arg)
{
    struct json_error err;
    (void)arg;
    if (json_match_check(pattern, &err) != 0)
        shape_fault(s, "%s", err.text);
}

static void check_from(struct shape *s, const cJSON *from, const void *arg)
{
    static const char *const sides[] = {"agent", "client", "model"};
    (void)arg;
    if (!is_one_of(from->valuestring, sides, ARRAY_LEN(sides)))
        shape_fault(s, "unknown side \"%s\"; write agent, client or model", from->valuestring);
}

static void check_where(struct shape *s, const cJSON *where, const void *arg)
{
    static const char *const places[] = {"before", "after"};
    (void)arg;
    if (!is_one_of(where->valuestring, places, ARRAY_LEN(places)))
        shape_fault(s, "unknown place \"%s\"; write before or after", where->valuestring);
}

static void check_nth(struct shape *s, const cJSON *nth, const void *arg)
{
    (void)arg;
    if (nth->valuedouble < 1)
        shape_fault(s, "matches are counted from 1");
}

static void check_pointer(struct shape *s, const char *pointer)
{
    if (pointer[0] != '/')
        shape_fault(s, "\"%s\" is no JSON pointer into the message; it begins with a slash",
                    pointer);
}

static void check_set(struct shape *s, const cJSON *set, const void *arg)
{
    const cJSON *value;
    (void)arg;
    cJSON_ArrayForEach(value, set) check_pointer(s, value->string);
}

static void check_remove(struct shape *s, const cJSON *list, const void *arg)
{
    const cJSON *pointer;
    (void)arg;
    shape_each(s, list, SHAPE_STRING);
    cJSON_ArrayForEach(pointer, list) if (cJSON_IsString(pointer))
        check_pointer(s, pointer->valuestring);
}

static void check_exit(struct shape *s, const cJSON *exit, const void *arg)
{
    static const struct shape_member ends[] = {
        {"code", SHAPE_NUMBER, false, NULL},
        {"signal", SHAPE_NUMBER, false, NULL},
    };
    shape_object(s, exit, ends, ARRAY_LEN(ends), arg);
    if (cJSON_GetArraySize(exit) != 1)
        shape_fault(s, "write {\"code\": N} or {\"signal\": N}");
}

static void check_true(struct shape *s, const cJSON *value, const void *arg)
{
    (void)arg;
    if (!cJSON_IsTrue(value))
        shape_fault(s, "write true, or leave the member out");
}

/* Every member a mutant may have; the edits in the order of mutant_kinds. */
static const struct shape_member members[] = {
    {"drop", SHAPE_BOOL, false, check_true},       {"duplicate", SHAPE_BOOL, false, check_true},
    {"set", SHAPE_OBJECT, false, check_set},       {"remove", SHAPE_ARRAY, false, check_remove},
    {"after", SHAPE_ANY, false, check_pattern},    {"inject", SHAPE_STRING, false, NULL},
    {"replace", SHAPE_STRING, false, NULL},        {"at_start", SHAPE_STRING, false, NULL},
    {"at_exit", SHAPE_STRING, false, NULL},        {"exit", SHAPE_OBJECT, false, check_exit},
    {"ignore_eof", SHAPE_BOOL, false, check_true}, {"deaf", SHAPE_BOOL, false, check_true},
    {"on", SHAPE_ANY, false, check_pattern},       {"nth", SHAPE_NUMBER, false, check_nth},
    {"from", SHAPE_STRING, false, check_from},     {"agent", SHAPE_STRING, false, NULL},
    {"where", SHAPE_STRING, false, check_where},   {"newline", SHAPE_BOOL, false, NULL},
    {"base64", SHAPE_BOOL, false, NULL},           {"fails", SHAPE_ARRAY, true, NULL},
    {"note", SHAPE_STRING, false, NULL},
};

static void check_edit(struct shape *s, const cJSON *mutant)
{
    unsigned edits = 0;
    bool needs_on = false, bytes = false;
    for (int k = 0; k < MUTANT_KINDS; k++) {
        if (!json_get(mutant, mutant_kinds[k].name))
            continue;
        edits++;
        needs_on |= mutant_kinds[k].needs_on;
        bytes |= mutant_kinds[k].has_bytes;
    }
    if (edits == 2 && json_get(mutant, "set") && json_get(mutant, "remove"))
        edits = 1;
    if (edits != 1)
        shape_fault(s,
                    "a mutant makes exactly one edit (drop, duplicate, set with or without remove, "
                    "remove, after, inject, replace, at_start, at_exit, exit, ignore_eof or deaf), "
                    "this one makes %u",
                    edits);
    if (needs_on && !json_get(mutant, "on"))
        shape_fault(s, "missing member \"on\": which messages are edited?");
    if (!bytes && (json_get(mutant, "newline") || json_get(mutant, "base64")))
        shape_fault(s,
                    "\"newline\" and \"base64\" belong to inject, replace, at_start and at_exit");
    if (json_get(mutant, "where") && !json_get(mutant, "inject"))
        shape_fault(s, "\"where\" belongs to inject");
}

static void check_model_side(struct shape *s, const cJSON *mutant)
{
    static const char *const able[] = {"drop", "duplicate", "set", "remove"};
    const char *from = json_get_str(mutant, "from");
    if (!from || strcmp(from, "model") != 0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(able); i++)
        if (json_get(mutant, able[i]))
            return;
    shape_fault(
        s, "requests on their way to the model can be dropped, duplicated, set and removed from");
}

void mutant_check(struct shape *s, const cJSON *mutant)
{
    shape_object(s, mutant, members, ARRAY_LEN(members), NULL);
    check_edit(s, mutant);
    check_model_side(s, mutant);
    if (json_get(mutant, "fails") && cJSON_GetArraySize(json_get(mutant, "fails")) == 0 &&
        !json_get(mutant, "note"))
        shape_fault(s, "\"fails\" is empty: which checks notice this edit? Where none may, a "
                       "\"note\" says why that behaviour is as good");
}

int mutant_describe(const cJSON *mutant, struct buf *out)
{
    int rc = 0;
    struct jsonw w;
    const char *from = json_get_str(mutant, "from"), *agent = json_get_str(mutant, "agent");
    for (int k = 0; k < MUTANT_KINDS && rc == 0; k++) {
        const cJSON *value = json_get(mutant, mutant_kinds[k].name);
        if (!value)
            continue;
        rc = buf_adds(out, mutant_kinds[k].does);
        if (rc == 0 && !cJSON_IsBool(value) && (rc = buf_addc(out, ' ')) == 0) {
            jw_begin(&w, out);
            jw_tree(&w, value);
            rc = jw_end(&w);
        }
    }
    if (rc == 0 && json_get(mutant, "on")) {
        rc = buf_addf(out, " (on %s%s%s's ", from ? from : "agent", agent ? " " : "",
                      agent ? agent : "");
        jw_begin(&w, out);
        jw_tree(&w, json_get(mutant, "on"));
        rc = rc == 0 ? jw_end(&w) : rc;
        rc = rc == 0 ? buf_addc(out, ')') : rc;
    }
    return rc;
}
