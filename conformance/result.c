#include "conformance/result.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/requirement.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------------------
 */

static struct check_result *find(struct case_result *r, const char *id)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->checks[i].id, id) == 0)
            return &r->checks[i];
    return NULL;
}

/* The entry of that id, made if it is not there. id is lent. NULL: out of memory. */
static struct check_result *entry(struct case_result *r, const char *id)
{
    struct check_result *c = find(r, id);
    if (c)
        return c;
    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 8;
        struct check_result *more = realloc(r->checks, cap * sizeof *more);
        if (!more) {
            r->rc = E_NOMEM;
            return NULL;
        }
        r->checks = more;
        r->cap = cap;
    }
    c = &r->checks[r->n++];
    *c = (struct check_result){.id = id, .rule = requirements_find(r->reqs, id), .step = -1};
    return c;
}

int result_init(struct case_result *r, struct case_file *file, const struct requirements *reqs,
                bool strict)
{
    char err[64];
    const cJSON *id;
    *r = (struct case_result){.file = file, .reqs = reqs, .strict = strict};
    cJSON_ArrayForEach(id, json_get(case_json(file, err, sizeof err), "checks"))
    {
        if (cJSON_IsString(id))
            entry(r, id->valuestring);
    }
    r->n_listed = r->n;
    return r->rc;
}

static void deinit_check(struct check_result *c)
{
    free(c->text);
    free(c->pointer);
    free(c->expected);
    free(c->got);
    free(c->note);
}

void result_deinit(struct case_result *r)
{
    for (size_t i = 0; i < r->n; i++)
        deinit_check(&r->checks[i]);
    free(r->checks);
    free(r->reason);
    free(r->cwd);
    free(r->stderr_tail);
    trace_deinit(&r->trace);
    *r = (struct case_result){0};
}

/* ---- what is said -------------------------------------------------------------------------------
 */

static void say(struct case_result *r, char **to, const char *text)
{
    free(*to);
    *to = strdup(text ? text : "");
    if (!*to)
        r->rc = E_NOMEM;
}

/* What a check says of itself in one place. */
struct word {
    const char *by, *text, *pointer, *expected, *got, *note;
    int step;
    const struct trace_event *event;
};

static void keep(struct case_result *r, struct check_result *c, const struct word *w)
{
    c->by = w->by;
    c->step = w->step;
    c->event = w->event;
    say(r, &c->text, w->text);
    say(r, &c->pointer, w->pointer);
    say(r, &c->expected, w->expected);
    say(r, &c->got, w->got);
    say(r, &c->note, w->note);
}

/* Verbs that look for what an answer of the model brings about. */
static bool is_effect(const char *verb)
{
    static const char *const verbs[] = {"text",      "saw",         "count",      "order", "file",
                                        "model_saw", "model_count", "model_gone", "hold"};
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        if (strcmp(verb, verbs[i]) == 0)
            return true;
    return false;
}

/* The first of the heaviest breaches is the one that is told. */
static void break_check(struct case_result *r, struct check_result *c, enum verdict cost,
                        const struct word *w)
{
    c->firmly |= !is_effect(w->by);
    bool heavier = !c->broken || verdict_worse(cost, c->verdict) != c->verdict;
    c->broken = true;
    if (!heavier)
        return;
    c->verdict = cost;
    keep(r, c, w);
}

static enum verdict capped(const struct check_result *c, enum verdict at_most)
{
    enum verdict cost = verdict_of_breach(c->rule);
    return verdict_worse(cost, at_most) == cost && cost != VERDICT_ERROR ? at_most : cost;
}

void result_add_check(struct case_result *r, const struct player_check *p)
{
    struct check_result *c = entry(r, p->id);
    int cap = p->at_most ? verdict_find(p->at_most) : VERDICT_FAIL;
    struct word w = {p->verb, p->text, p->pointer, p->expected, p->got, p->note, p->step, p->event};
    if (!c)
        return;
    if (p->outcome == PLAYER_BROKEN) {
        break_check(r, c, capped(c, cap < 0 ? VERDICT_FAIL : (enum verdict)cap), &w);
    } else if (p->outcome == PLAYER_HELD) {
        c->held = true;
        c->by = c->by ? c->by : p->verb;
    } else {
        if (!c->held && !c->broken && !c->unreached)
            keep(r, c, &w);
        c->unreached = true;
    }
}

void result_add_mismatch(struct case_result *r, const char *id, const char *text)
{
    struct check_result *c = entry(r, id);
    struct word w = {.by = "model", .text = text, .step = -1};
    if (c)
        break_check(r, c, capped(c, VERDICT_FAIL), &w);
}

void result_add_held(struct case_result *r, const char *id, const char *by)
{
    struct check_result *c = entry(r, id);
    if (!c)
        return;
    c->held = true;
    c->by = c->by ? c->by : by;
}

void result_add_finding(struct case_result *r, const struct finding *f, enum trace_side judged)
{
    struct word w = {.by = "monitor",
                     .text = f->text,
                     .pointer = f->pointer,
                     .step = f->event ? f->event->step : -1,
                     .event = f->event};
    if (f->side != judged && !r->both_sides) {
        result_error(r, f->text);
        return;
    }
    struct check_result *c = entry(r, f->id);
    if (c)
        break_check(r, c, capped(c, f->at_most), &w);
}

void result_excuse_effects(struct case_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct check_result *c = &r->checks[i];
        if (!c->broken || c->firmly)
            continue;
        c->broken = c->held = false;
        c->unreached = true;
    }
}

/* ---- reasons ------------------------------------------------------------------------------------
 */

static void give_reason(struct case_result *r, const char *code, const char *reason)
{
    if (r->reason)
        return;
    r->reason_code = code;
    say(r, &r->reason, reason);
}

void result_skip(struct case_result *r, const char *code, const char *reason)
{
    r->verdict = VERDICT_SKIP;
    give_reason(r, code, reason);
}

void result_not_exercised(struct case_result *r, const char *code, const char *reason)
{
    r->not_exercised = true;
    give_reason(r, code, reason);
}

void result_error(struct case_result *r, const char *reason)
{
    if (!r->error) { /* what stopped the harness tells more than what it did not get to see */
        free(r->reason);
        r->reason = NULL;
    }
    r->error = true;
    give_reason(r, "harness", reason);
}

/* ---- verdicts -----------------------------------------------------------------------------------
 */

/* Monitors watch every case that was played at all. */
static bool was_judged(const struct case_result *r, const struct check_result *c)
{
    return c->held || (!c->unreached && !r->error && monitor_judges(c->id));
}

static void conclude_check(const struct case_result *r, struct check_result *c)
{
    if (c->broken)
        c->verdict = verdict_strict(c->verdict, r->strict);
    else
        c->verdict = was_judged(r, c) && !r->not_exercised ? VERDICT_PASS : VERDICT_NOT_EXERCISED;
}

void result_conclude(struct case_result *r)
{
    if (r->verdict == VERDICT_SKIP)
        return;
    if (r->rc < 0)
        result_error(r, err_text(r->rc));
    r->verdict = r->error ? VERDICT_ERROR : VERDICT_PASS;
    for (size_t i = 0; i < r->n; i++) {
        conclude_check(r, &r->checks[i]);
        r->verdict = verdict_worse(r->verdict, r->checks[i].verdict);
    }
}

const struct check_result *result_worst(const struct case_result *r)
{
    const struct check_result *worst = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].verdict != VERDICT_PASS &&
            (!worst || r->checks[i].verdict > worst->verdict))
            worst = &r->checks[i];
    return worst;
}
