#include "mock-client/player_int.h"

#include "mock-client/subst.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What can be said about a step without playing it. */

#define COMMON "check:s note:s within:n at_most:s agent:s"

int play_lint_fail(struct json_error *reterr, const char *path, const char *fmt, ...)
{
    va_list args;
    int n = snprintf(reterr->text, sizeof reterr->text, "%s%s", path, path[0] ? ": " : "");
    va_start(args, fmt);
    if (n >= 0 && (size_t)n < sizeof reterr->text)
        vsnprintf(reterr->text + n, sizeof reterr->text - (size_t)n, fmt, args);
    va_end(args);
    return E_INVALID;
}

int play_lint_pattern(const cJSON *pattern, const char *where, struct json_error *reterr)
{
    struct json_error err;
    int rc = json_match_check(pattern, &err);
    return rc == E_INVALID ? play_lint_fail(reterr, where, "%s", err.text) : rc;
}

/* ---- the verb ----------------------------------------------------------------------------------
 */

/* The types "list" gives to the member; NULL if it does not name it. n: their number of letters. */
static const char *member_types(const char *list, const char *name, size_t *ret_n)
{
    size_t len = strlen(name);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (!strncmp(at, name, len) && at[len] == ':') {
            *ret_n = word - len - 1;
            return at + len + 1;
        }
        at += word;
    }
    return NULL;
}

/* Some members are called like verbs ({"prompt": ..., "session": "s"}): a verb that is a member of
 * another one of the step's verbs is none. */
static bool is_member_of_other(const cJSON *step, const struct play_verb *verb)
{
    size_t n;
    const struct play_verb *other;
    for (size_t i = 0; (other = play_verb_at(i)) != NULL; i++)
        if (other != verb && json_get(step, other->name) &&
            member_types(other->members, verb->name, &n))
            return true;
    return false;
}

/* The step's verbs: how many, and the first. */
static size_t find_verbs(const cJSON *step, const struct play_verb **ret)
{
    size_t n = 0;
    const struct play_verb *verb;
    for (size_t i = 0; (verb = play_verb_at(i)) != NULL; i++) {
        if (!json_get(step, verb->name) || is_member_of_other(step, verb))
            continue;
        if (n++ == 0)
            *ret = verb;
    }
    return n;
}

const struct play_verb *play_verb_find(const cJSON *step)
{
    const struct play_verb *verb = NULL;
    find_verbs(step, &verb);
    return verb;
}

const char *player_step_verb(const cJSON *step)
{
    const struct play_verb *verb = play_verb_find(step);
    return verb ? verb->name : NULL;
}

/* ---- members -----------------------------------------------------------------------------------
 */

static int check_entry(const cJSON *entry, const char *where, struct json_error *reterr)
{
    const cJSON *m;
    if (!cJSON_IsObject(entry) || !json_get(entry, "match"))
        return play_lint_fail(reterr, where, "needs \"match\"");
    cJSON_ArrayForEach(m, entry)
    {
        if (strcmp(m->string, "match") != 0 && strcmp(m->string, "check") != 0 &&
            strcmp(m->string, "note") != 0 && strcmp(m->string, "at_most") != 0)
            return play_lint_fail(reterr, where, "unknown member \"%s\"", m->string);
        if (strcmp(m->string, "match") != 0 && !cJSON_IsString(m))
            return play_lint_fail(reterr, where, "%s is a text", m->string);
    }
    return play_lint_pattern(json_get(entry, "match"), where, reterr);
}

static int check_expect(const cJSON *expect, const char *where, struct json_error *reterr)
{
    const cJSON *entry;
    char at[64];
    int i = 0;
    if (!cJSON_IsArray(expect))
        return play_lint_pattern(expect, where, reterr);
    if (!expect->child)
        return play_lint_fail(reterr, where, "is empty");
    cJSON_ArrayForEach(entry, expect)
    {
        snprintf(at, sizeof at, "%s[%d]", where, i++);
        int rc = check_entry(entry, at, reterr);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool is_range(const cJSON *value)
{
    if (cJSON_IsNumber(value))
        return value->valuedouble >= 0;
    return cJSON_IsNumber(json_get(value, "min")) || cJSON_IsNumber(json_get(value, "max"));
}

static bool has_type(char type, const cJSON *value)
{
    switch (type) {
    case 's':
        return cJSON_IsString(value);
    case 'o':
        return cJSON_IsObject(value);
    case 'a':
        return cJSON_IsArray(value);
    case 'n':
        return cJSON_IsNumber(value) && value->valuedouble >= 0;
    case 'b':
        return cJSON_IsBool(value);
    case 't':
        return cJSON_IsTrue(value);
    case 'r':
        return is_range(value);
    default:
        return true; /* patterns and `expect` have a check of their own */
    }
}

static const char *type_name(char type)
{
    static const struct {
        char type;
        const char *name;
    } names[] = {
        {'s', "a text"},
        {'o', "an object"},
        {'a', "a list"},
        {'n', "a number"},
        {'b', "a boolean"},
        {'t', "true"},
        {'r', "a number or {\"min\", \"max\"}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].type == type)
            return names[i].name;
    return "something else";
}

int play_ranges_check(const cJSON *step, const char *verb, const char *names,
                      struct json_error *reterr)
{
    const cJSON *m, *value = json_get(step, verb);
    if (!value->child)
        return play_lint_fail(reterr, verb, "needs one of: %s", names);
    cJSON_ArrayForEach(m, value)
    {
        if (!strstr(names, m->string))
            return play_lint_fail(reterr, verb, "unknown member \"%s\"", m->string);
        if (!is_range(m))
            return play_lint_fail(reterr, verb, "%s is a number or {\"min\", \"max\"}", m->string);
    }
    return 0;
}

static int check_value(const cJSON *value, const char *types, size_t n, struct json_error *reterr)
{
    bool held = false;
    for (size_t i = 0; i < n && !held; i++)
        held = has_type(types[i], value);
    if (!held)
        return play_lint_fail(reterr, value->string, "expected %s%s%s", type_name(types[0]),
                              n > 1 ? " or " : "", n > 1 ? type_name(types[1]) : "");
    if (types[0] == 'm')
        return play_lint_pattern(value, value->string, reterr);
    if (types[0] == 'v')
        return cJSON_IsString(value) ? 0 : play_event_check(value, false, value->string, reterr);
    return types[0] == 'e' ? check_expect(value, value->string, reterr) : 0;
}

static int check_member(const struct play_verb *verb, const cJSON *m, struct json_error *reterr)
{
    size_t n = strlen(verb->value);
    const char *types = !strcmp(m->string, verb->name) ? verb->value : NULL;
    if (!types)
        types = member_types(COMMON, m->string, &n);
    if (!types)
        types = member_types(verb->members, m->string, &n);
    if (!types)
        return play_lint_fail(reterr, verb->name, "unknown member \"%s\"", m->string);
    if (!strcmp(m->string, "at_most") && cJSON_IsString(m) && strcmp(m->valuestring, "WARN") != 0 &&
        strcmp(m->valuestring, "INFO") != 0)
        return play_lint_fail(reterr, "at_most", "is \"WARN\" or \"INFO\"");
    return check_value(m, types, n, reterr);
}

static int check_step(const cJSON *step, struct json_error *reterr)
{
    const struct play_verb *verb = NULL;
    size_t n = cJSON_IsObject(step) ? find_verbs(step, &verb) : 0;
    const cJSON *m;
    if (n == 0)
        return play_lint_fail(reterr, "",
                              "a step is an object with one of the verbs of "
                              "docs/cases.md; this one has none");
    if (n > 1)
        return play_lint_fail(reterr, verb->name, "a step has one verb, this one has %zu", n);
    cJSON_ArrayForEach(m, step)
    {
        int rc = check_member(verb, m, reterr);
        if (rc < 0)
            return rc;
    }
    return verb->check ? verb->check(step, reterr) : 0;
}

int player_check_step(const cJSON *step, char *err, size_t err_n)
{
    struct json_error e = {0};
    int rc = check_step(step, &e);
    if (rc < 0)
        snprintf(err, err_n, "%s", rc == E_INVALID ? e.text : err_text(rc));
    return rc;
}

/* ---- names -------------------------------------------------------------------------------------
 */

struct names {
    const cJSON *steps;
    int index;             /* of the step being looked at */
    const cJSON *in_batch; /* the part of a batch being looked at, or NULL */
    const cJSON *step;
    struct json_error *err;
    int rc;
};

static bool step_makes(const cJSON *step, const char *name)
{
    const char *session = json_get_str(step, "session"), *as = json_get_str(step, "as");
    const char *verb = player_step_verb(step);
    if (!verb)
        return false;
    if (!strcmp(verb, "initialize") && !strcmp(name, "initialize"))
        return true;
    return (as && !strcmp(as, name)) ||
           (session && !strcmp(verb, "session") && !strcmp(session, name));
}

static bool made_by(const cJSON *step, const char *name, const cJSON *until)
{
    const cJSON *part;
    if (step_makes(step, name))
        return true;
    cJSON_ArrayForEach(part, json_get(step, "batch"))
    {
        if (part == until)
            return false;
        if (step_makes(part, name))
            return true;
    }
    return false;
}

static bool is_made(const struct names *n, const char *name)
{
    if (!strcmp(name, "initialize"))
        return true; /* by the handshake */
    for (int i = 0; i < n->index; i++)
        if (made_by(cJSON_GetArrayItem(n->steps, i), name, NULL))
            return true;
    if (n->in_batch)
        return made_by(cJSON_GetArrayItem(n->steps, n->index), name, n->in_batch);
    /* respond names the request before it writes the answer */
    return json_get(n->step, "respond") && step_makes(n->step, name);
}

static void check_var(void *ctx, const char *text, size_t len)
{
    static const char *const fields[] = {"", "id", "result", "error", "message"};
    struct names *n = ctx;
    struct play_var var;
    bool known = false;
    if (n->rc < 0)
        return;
    if (!play_var_parse(text, len, &var)) {
        n->rc = play_lint_fail(n->err, "", "${%.*s} is no name", (int)len, text);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        known = known || !strcmp(fields[i], var.field);
    if (!known)
        n->rc = play_lint_fail(n->err, "", "${%.*s}: a step has id, result, error and message",
                               (int)len, text);
    else if (strcmp(var.name, "cwd") != 0 && strcmp(var.name, "provider") != 0 &&
             !is_made(n, var.name))
        n->rc = play_lint_fail(n->err, "", "${%.*s}: no step before is named \"%s\"", (int)len,
                               text, var.name);
}

/* A process that no `start` before has named. */
static bool is_started(const struct names *n, const char *name)
{
    for (int i = 0; i < n->index; i++) {
        const char *own = json_get_str(cJSON_GetArrayItem(n->steps, i), "start");
        if (own && !strcmp(own, name))
            return true;
    }
    return false;
}

static void check_process(struct names *n, const char *member, const char *name)
{
    if (n->rc == 0 && name && !is_started(n, name))
        n->rc = play_lint_fail(n->err, member, "no step before starts a process \"%s\"", name);
}

static void check_processes(struct names *n)
{
    static const char *const lists[] = {"order", "same"};
    const cJSON *entry, *start = json_get(n->step, "start");
    check_process(n, "agent", json_get_str(n->step, "agent"));
    check_process(n, "since", json_get_str(json_get(n->step, "since"), "of"));
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        cJSON_ArrayForEach(entry, json_get(n->step, lists[i]))
        {
            const cJSON *none = json_get(entry, "none");
            check_process(n, lists[i], json_get_str(none ? none : entry, "of"));
        }
    if (n->rc == 0 && cJSON_IsString(start) && is_started(n, start->valuestring))
        n->rc = play_lint_fail(n->err, "start", "there is a process \"%s\" already",
                               start->valuestring);
}

/* Members that hold the name of another step. */
static void check_references(struct names *n)
{
    static const char *const members[] = {"session", "cancel", "cancel_request", "await", "since"};
    for (size_t i = 0; i < ARRAY_LEN(members) && n->rc == 0; i++) {
        const char *name = json_get_str(n->step, members[i]);
        const char *verb = player_step_verb(n->step);
        if (!name || !verb || (!strcmp(verb, "session") && !strcmp(members[i], "session")))
            continue;
        if (!is_made(n, name))
            n->rc = play_lint_fail(n->err, members[i], "no step before is named \"%s\"", name);
    }
}

static void check_names(struct names *n, const cJSON *step)
{
    const cJSON *part, *parts = json_get(step, "batch");
    n->step = step;
    check_processes(n);
    if (!parts && n->rc == 0) {
        subst_names(step, check_var, n);
        check_references(n);
        return;
    }
    cJSON_ArrayForEach(part, parts)
    {
        n->in_batch = n->step = part;
        if (n->rc == 0)
            subst_names(part, check_var, n);
        check_references(n);
    }
    n->in_batch = NULL;
}

int player_check_steps(const cJSON *steps, char *err, size_t err_n)
{
    struct json_error e = {0};
    struct names n = {.steps = steps, .err = &e};
    const cJSON *step;
    if (!cJSON_IsArray(steps)) {
        snprintf(err, err_n, "steps: expected a list");
        return E_INVALID;
    }
    cJSON_ArrayForEach(step, steps)
    {
        int rc = check_step(step, &e);
        if (rc == 0) {
            check_names(&n, step);
            rc = n.rc;
        }
        if (rc < 0) {
            snprintf(err, err_n, "steps[%d]: %s", n.index, rc == E_INVALID ? e.text : err_text(rc));
            return rc;
        }
        n.index++;
    }
    return 0;
}

/* ---- checks ------------------------------------------------------------------------------------
 */

bool play_step_judges(const struct play_verb *verb, const cJSON *step)
{
    if (json_get_str(step, "check"))
        return true;
    if (!(verb->flags & PLAY_JUDGES))
        return false;
    return !(verb->flags & PLAY_KEEPS) || json_get(step, "equals") || json_get(step, "contains") ||
           json_get(step, "match");
}

void player_step_checks(const cJSON *step, const char *default_check,
                        void (*cb)(void *ctx, const char *id), void *ctx)
{
    const struct play_verb *verb = play_verb_find(step);
    const cJSON *expect = json_get(step, "expect"), *entry;
    const char *own = json_get_str(step, "check");
    const char *check = own ? own : default_check;
    if (!verb)
        return;
    if (verb->flags & PLAY_BATCH) {
        cJSON_ArrayForEach(entry, json_get(step, "batch"))
            player_step_checks(entry, check, cb, ctx);
    } else if (cJSON_IsArray(expect)) {
        cJSON_ArrayForEach(entry, expect)
        {
            const char *id = json_get_str(entry, "check");
            cb(ctx, id ? id : check);
        }
    } else if (expect || play_step_judges(verb, step)) {
        cb(ctx, check);
    }
}
