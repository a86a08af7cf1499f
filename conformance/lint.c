#include "conformance/lint.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/monitor.h"
#include "conformance/mutant.h"
#include "conformance/proof.h"
#include "conformance/requirement.h"
#include "conformance/shape.h"
#include "mock-client/player.h"
#include "mock-client/policy.h"
#include "mock-provider/provider.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lint {
    struct case_file *file;
    const cJSON *root;
    const struct requirements *reqs;
    lint_cb cb;
    void *ctx;
};

static void report(void *ctx, const char *pointer, const char *text)
{
    struct lint *l = ctx;
    struct lint_fault f;
    if (!l->cb)
        return;
    snprintf(f.pointer, sizeof f.pointer, "%s", pointer);
    snprintf(f.text, sizeof f.text, "%s", text);
    f.at = locate_pointer(l->file->text, l->file->n, pointer);
    l->cb(l->ctx, &f);
}

/* Other modules name places as "steps[3].expect: text"; here they are pointers. Returns the text.
 */
static const char *split_place(const char *err, char *pointer, size_t n)
{
    size_t at = 0;
    const char *p = err;
    pointer[0] = '\0';
    while (isalpha((unsigned char)*p) || *p == '_' || *p == '[' || *p == '.') {
        bool index = *p == '[';
        p += index || *p == '.';
        size_t len = index ? strspn(p, "0123456789")
                           : strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$");
        if (len == 0 || at + len + 2 > n)
            break;
        at += (size_t)snprintf(pointer + at, n - at, "/%.*s", (int)len, p);
        p += len;
        p += index && *p == ']';
    }
    if (p[0] == ':' && p[1] == ' ')
        return p + 2;
    pointer[0] = '\0';
    return err;
}

/* Reports "place: text" below the present path; `drop` is a first part of the place that the path
 * has already ("turns"). */
static void fault_at(struct shape *s, const char *err, const char *drop)
{
    char pointer[160];
    const char *text = split_place(err, pointer, sizeof pointer);
    size_t mark = s->path_n;
    const char *rest = pointer;
    size_t dropped = drop ? strlen(drop) : 0;
    if (drop && pointer[0] && strncmp(pointer + 1, drop, dropped) == 0)
        rest += 1 + dropped;
    for (const char *part = rest; *part == '/';) {
        char name[64];
        size_t n = strcspn(part + 1, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, part + 1);
        shape_enter(s, name);
        part += 1 + n;
    }
    shape_fault(s, "%s", text);
    shape_leave(s, mark);
}

/* ---- members ----------------------------------------------------------------------------------
 */

static void check_id(struct shape *s, const struct lint *l, const char *id)
{
    if (requirements_find(l->reqs, id))
        return;
    const char *near = requirements_nearest(l->reqs, id);
    if (near)
        shape_fault(s, "no requirement has the id \"%s\"; did you mean \"%s\"?", id, near);
    else
        shape_fault(s, "no requirement has the id \"%s\" (conformance/requirements.tsv)", id);
}

static void check_checks(struct shape *s, const cJSON *checks, const void *arg)
{
    const cJSON *id;
    size_t i = 0;
    if (cJSON_GetArraySize(checks) == 0)
        shape_fault(s, "name at least one requirement that this case judges");
    cJSON_ArrayForEach(id, checks)
    {
        size_t mark = shape_enter_index(s, i++);
        if (shape_is(s, id, SHAPE_STRING))
            check_id(s, arg, id->valuestring);
        shape_leave(s, mark);
    }
}

static void check_strings(struct shape *s, const cJSON *list, const void *arg)
{
    (void)arg;
    shape_each(s, list, SHAPE_STRING);
}

static void check_env(struct shape *s, const cJSON *env, const void *arg)
{
    (void)arg;
    shape_each(s, env, SHAPE_STRING | SHAPE_NULL);
}

static bool need_is_known(const char *need)
{
    static const char *const whole[] = {"auth:none", "auth:agent", "modes", "configOptions"};
    static const char *const heads[] = {"cap:", "no-cap:", "intent:", "profile:"};
    for (size_t i = 0; i < ARRAY_LEN(whole); i++)
        if (strcmp(need, whole[i]) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        if (strncmp(need, heads[i], strlen(heads[i])) == 0)
            return need[strlen(heads[i])] != '\0';
    return false;
}

static void check_needs(struct shape *s, const cJSON *needs, const void *arg)
{
    const cJSON *need;
    size_t i = 0;
    (void)arg;
    cJSON_ArrayForEach(need, needs)
    {
        size_t mark = shape_enter_index(s, i++);
        if (shape_is(s, need, SHAPE_STRING) && !need_is_known(need->valuestring))
            shape_fault(s,
                        "unknown need \"%s\"; write cap:PATH, no-cap:PATH, intent:NAME, auth:none, "
                        "auth:agent, "
                        "modes, configOptions or profile:WORD",
                        need->valuestring);
        shape_leave(s, mark);
    }
}

static void check_policy(struct shape *s, const cJSON *policy, const void *arg)
{
    char err[256];
    (void)arg;
    if (policy_check(policy, err, sizeof err) < 0)
        shape_fault(s, "%s", err);
}

/* The services name their member in what they say. */
static void check_service(struct shape *s, const cJSON *value, const void *arg)
{
    char err[384];
    cJSON *only = cJSON_CreateObject();
    (void)arg;
    bool ok =
        only && cJSON_AddItemReferenceToObject(only, value->string, (cJSON *)(uintptr_t)value);
    if (ok && player_check_client(only, err, sizeof err) < 0)
        shape_fault(s, "%s", err);
    cJSON_Delete(only);
}

static void check_client(struct shape *s, const cJSON *client, const void *arg)
{
    static const struct shape_member members[] = {
        {"capabilities", SHAPE_OBJECT | SHAPE_NULL, false, NULL},
        {"info", SHAPE_OBJECT | SHAPE_NULL, false, NULL},
        {"policy", SHAPE_OBJECT, false, check_policy},
        {"fs", SHAPE_OBJECT, false, check_service},
        {"terminal", SHAPE_STRING | SHAPE_ARRAY, false, check_service},
        {"elicitation", SHAPE_STRING | SHAPE_ARRAY | SHAPE_OBJECT, false, check_service},
    };
    shape_object(s, client, members, ARRAY_LEN(members), arg);
}

static void check_model(struct shape *s, const cJSON *model, const void *arg)
{
    char err[384];
    (void)arg;
    if (provider_check_script(model, err, sizeof err) < 0)
        fault_at(s, err, cJSON_IsArray(model) ? "turns" : NULL);
}

static const struct shape_member link_members[] = {{"link", SHAPE_STRING, true, NULL}};

static void check_files(struct shape *s, const cJSON *files, const void *arg)
{
    const cJSON *file;
    (void)arg;
    shape_each(s, files, SHAPE_STRING | SHAPE_OBJECT);
    cJSON_ArrayForEach(file, files)
    {
        size_t mark = shape_enter(s, file->string);
        if (file->string[0] == '/' || strstr(file->string, ".."))
            shape_fault(s, "a path has to be relative and stay below the working directory");
        if (cJSON_IsObject(file))
            shape_object(s, file, link_members, ARRAY_LEN(link_members), NULL);
        shape_leave(s, mark);
    }
}

static void check_steps(struct shape *s, const cJSON *steps, const void *arg)
{
    char err[384];
    (void)arg;
    if (cJSON_GetArraySize(steps) == 0)
        shape_fault(s, "a case needs at least one step");
    else if (player_check_steps(steps, err, sizeof err) < 0)
        fault_at(s, err, "steps");
}

static void check_fails(struct shape *s, const struct lint *l, const cJSON *fails)
{
    const cJSON *id;
    size_t i = 0;
    cJSON_ArrayForEach(id, fails)
    {
        size_t mark = shape_enter_index(s, i++);
        int verdict;
        if (shape_is(s, id, SHAPE_STRING))
            check_id(s, l, proof_entry(id->valuestring, &verdict));
        shape_leave(s, mark);
    }
}

static void check_mutants(struct shape *s, const cJSON *mutants, const void *arg)
{
    const cJSON *mutant;
    size_t i = 0, noticed = 0;
    cJSON_ArrayForEach(mutant, mutants)
    {
        size_t mark = shape_enter_index(s, i++);
        noticed += cJSON_GetArraySize(json_get(mutant, "fails")) > 0;
        if (shape_is(s, mutant, SHAPE_OBJECT)) {
            mutant_check(s, mutant);
            size_t inner = shape_enter(s, "fails");
            check_fails(s, arg, json_get(mutant, "fails"));
            shape_leave(s, inner);
        }
        shape_leave(s, mark);
    }
    if (noticed == 0 && s->faults == 0)
        shape_fault(s,
                    "a case needs at least one mutant: an edit of the wire that its checks notice");
}

static void check_timeout(struct shape *s, const cJSON *ms, const void *arg)
{
    (void)arg;
    if (!(ms->valuedouble > 0))
        shape_fault(s, "the deadline is a positive number of milliseconds");
}

/* Gone from a case by now, if it was in its form. */
static void check_vary(struct shape *s, const cJSON *value, const void *arg)
{
    (void)value;
    (void)arg;
    shape_fault(s, "vary must be {NAME: {POINTER: VALUE, ...}, ...}, with at least one name");
}

static const struct shape_member case_members[] = {
    {"title", SHAPE_STRING, true, NULL},
    {"checks", SHAPE_ARRAY, true, check_checks},
    {"why", SHAPE_STRING, false, NULL},
    {"tags", SHAPE_ARRAY, false, check_strings},
    {"needs", SHAPE_ARRAY, false, check_needs},
    {"client", SHAPE_OBJECT, false, check_client},
    {"model", SHAPE_ARRAY | SHAPE_OBJECT, false, check_model},
    {"files", SHAPE_OBJECT, false, check_files},
    {"env", SHAPE_OBJECT, false, check_env},
    {"args", SHAPE_ARRAY, false, check_strings},
    {"handshake", SHAPE_BOOL, false, NULL},
    {"steps", SHAPE_ARRAY, true, check_steps},
    {"mutants", SHAPE_ARRAY, true, check_mutants},
    {"timeout", SHAPE_NUMBER, false, check_timeout},
    {"vary", SHAPE_ANY, false, check_vary},
};

/* ---- what holds between members ----------------------------------------------------------------
 */

static void check_duplicates(struct shape *s, const cJSON *value)
{
    size_t i = 0;
    for (const cJSON *a = cJSON_IsObject(value) || cJSON_IsArray(value) ? value->child : NULL; a;
         a = a->next) {
        size_t mark = a->string ? shape_enter(s, a->string) : shape_enter_index(s, i);
        for (const cJSON *b = a->string ? a->next : NULL; b; b = b->next)
            if (strcmp(a->string, b->string) == 0)
                shape_fault(s, "the member stands twice in its object");
        check_duplicates(s, a);
        shape_leave(s, mark);
        i++;
    }
}

/* Who judges what: a set of ids collected from steps and the model's turns. */
struct judged {
    struct shape *shape;
    const cJSON *checks;
    const char *ids[256];
    size_t n;
};

static bool lists(const cJSON *checks, const char *id)
{
    const cJSON *c;
    cJSON_ArrayForEach(c, checks) if (cJSON_IsString(c) &&
                                      strcmp(c->valuestring, id) == 0) return true;
    return false;
}

static void add_judged(void *ctx, const char *id)
{
    struct judged *j = ctx;
    if (!lists(j->checks, id))
        shape_fault(j->shape, "it judges %s, which \"checks\" of the case does not list", id);
    if (j->n < ARRAY_LEN(j->ids))
        j->ids[j->n++] = id;
}

static void judged_by_steps(struct judged *j, const cJSON *steps)
{
    const cJSON *step;
    size_t i = 0, mark = shape_enter(j->shape, "steps");
    const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(j->checks, 0));
    cJSON_ArrayForEach(step, steps)
    {
        size_t inner = shape_enter_index(j->shape, i++);
        player_step_checks(step, first, add_judged, j);
        shape_leave(j->shape, inner);
    }
    shape_leave(j->shape, mark);
}

static void judged_by_model(struct judged *j, const cJSON *model)
{
    const cJSON *turn, *turns = cJSON_IsArray(model) ? model : json_get(model, "turns");
    size_t i = 0, mark = shape_enter(j->shape, "model");
    if (turns != model)
        shape_enter(j->shape, "turns");
    cJSON_ArrayForEach(turn, turns)
    {
        size_t inner = shape_enter_index(j->shape, i++);
        const char *id = json_get_str(turn, "check");
        if (id)
            add_judged(j, id);
        shape_leave(j->shape, inner);
    }
    shape_leave(j->shape, mark);
}

static bool is_judged(const struct judged *j, const char *id)
{
    for (size_t i = 0; i < j->n; i++)
        if (strcmp(j->ids[i], id) == 0)
            return true;
    return monitor_judges(id);
}

static void check_judges(struct shape *s, const cJSON *root)
{
    const cJSON *id, *checks = json_get(root, "checks");
    struct judged j = {.shape = s, .checks = checks};
    size_t i = 0;
    judged_by_steps(&j, json_get(root, "steps"));
    judged_by_model(&j, json_get(root, "model"));
    size_t mark = shape_enter(s, "checks");
    cJSON_ArrayForEach(id, checks)
    {
        size_t inner = shape_enter_index(s, i++);
        if (cJSON_IsString(id) && !is_judged(&j, id->valuestring))
            shape_fault(s, "nothing judges %s: no step, model turn or monitor has it as its check",
                        id->valuestring);
        shape_leave(s, inner);
    }
    shape_leave(s, mark);
}

static unsigned not_json(struct lint *l, const char *err)
{
    struct json_scan scan;
    struct lint_fault f = {.text = ""};
    snprintf(f.text, sizeof f.text, "%.300s", err);
    if (json_scan(l->file->text, l->file->n, &scan) < 0) {
        f.at = locate_offset(l->file->text, l->file->n, scan.error_at);
        snprintf(f.text, sizeof f.text, "not JSON: %s", scan.error_text);
    }
    if (l->cb)
        l->cb(l->ctx, &f);
    return 1;
}

unsigned lint_case(struct case_file *c, const struct requirements *reqs, lint_cb cb, void *ctx)
{
    char err[512];
    struct lint l = {c, NULL, reqs, cb, ctx};
    struct shape s;
    shape_init(&s, report, &l);
    l.root = case_json(c, err, sizeof err);
    if (!l.root)
        return not_json(&l, err);
    if (!shape_is(&s, l.root, SHAPE_OBJECT))
        return s.faults;
    shape_object(&s, l.root, case_members, ARRAY_LEN(case_members), &l);
    check_duplicates(&s, l.root);
    if (s.faults == 0) /* the rest would only repeat what is wrong already */
        check_judges(&s, l.root);
    return s.faults;
}
