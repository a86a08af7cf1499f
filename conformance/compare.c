#include "conformance/compare.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------
 */

static void take_check(struct compare_mark *m, const cJSON *check, const char *case_id)
{
    const char *word = json_get_str(check, "verdict");
    int v = word ? verdict_find(word) : -1;
    if (v < 0 || v == VERDICT_SKIP)
        return;
    enum verdict verdict = (enum verdict)v;
    bool worse =
        !m->judged || (verdict_worse(m->verdict, verdict) == verdict && m->verdict != verdict);
    if (worse)
        *m = (struct compare_mark){true, verdict, 1, check, case_id};
    else if (m->verdict == verdict)
        m->cases++;
}

/* A case that was not exercised says nothing where another one was. */
static bool says_nothing(const cJSON *check)
{
    const char *word = json_get_str(check, "verdict");
    return word && verdict_find(word) == VERDICT_NOT_EXERCISED;
}

static void take_case(const struct compare *c, struct compare_agent *a, const cJSON *one,
                      bool exercised)
{
    const cJSON *check;
    cJSON_ArrayForEach(check, json_get(one, "checks"))
    {
        const char *id = json_get_str(check, "id");
        const struct requirement *r = id ? requirements_find(c->reqs, id) : NULL;
        struct compare_mark *m = r ? &a->marks[r - c->reqs->rows] : NULL;
        if (m && says_nothing(check) != exercised &&
            (exercised || !m->judged || m->verdict == VERDICT_NOT_EXERCISED))
            take_check(m, check, json_get_str(one, "id"));
    }
}

static int take_report(const struct compare *c, struct compare_agent *a)
{
    const cJSON *agent = json_get(a->report, "agent"), *one;
    const char *format = json_get_str(a->report, "format");
    a->name = json_get_str(agent, "profile");
    a->version = json_get_str(agent, "version");
    a->version = a->version ? a->version : "";
    if (!format || strcmp(format, "acp-conformance-report") != 0 || !a->name)
        return E_INVALID;
    a->marks = calloc(c->reqs->n + 1, sizeof *a->marks);
    if (!a->marks)
        return E_NOMEM;
    cJSON_ArrayForEach(one, json_get(a->report, "cases"))
    {
        take_case(c, a, one, true);
    }
    cJSON_ArrayForEach(one, json_get(a->report, "cases"))
    {
        take_case(c, a, one, false);
    }
    return 0;
}

static void close_agent(struct compare_agent *a)
{
    cJSON_Delete(a->report);
    free(a->marks);
}

int compare_add(struct compare *c, const char *path, char *err, size_t err_n)
{
    struct case_file file; /* a report is read like a case */
    struct compare_agent a = {0};
    struct json_error why = {.text = ""};
    int rc = case_file_read(path, &file, err, err_n);
    if (rc < 0)
        return rc;
    rc = json_parse(file.text, file.n, &a.report, &why);
    case_file_deinit(&file);
    rc = rc == 0 ? take_report(c, &a) : rc;
    struct compare_agent *more =
        rc == 0 ? realloc(c->agents, (c->n + 1) * sizeof *c->agents) : NULL;
    if (more) {
        c->agents = more;
        c->agents[c->n++] = a;
        return 0;
    }
    close_agent(&a);
    snprintf(err, err_n, "%s is no report of acp-conformance run --report json=FILE: %s", path,
             why.text[0] ? why.text : err_text(rc < 0 ? rc : E_NOMEM));
    return rc < 0 ? rc : E_NOMEM;
}

void compare_match(struct compare *c, struct compare *former)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < former->n; j++)
            if (strcmp(c->agents[i].name, former->agents[j].name) == 0)
                c->agents[i].former = &former->agents[j];
}

void compare_deinit(struct compare *c)
{
    for (size_t i = 0; i < c->n; i++)
        close_agent(&c->agents[i]);
    free(c->agents);
    *c = (struct compare){0};
}

/* ---- looking ------------------------------------------------------------------------------------
 */

void compare_count(const struct compare *c, const struct compare_agent *a, const char *area,
                   unsigned counts[VERDICT_COUNT])
{
    memset(counts, 0, VERDICT_COUNT * sizeof *counts);
    for (size_t i = 0; i < c->reqs->n; i++)
        if (a->marks[i].judged && (!area || strcmp(c->reqs->rows[i].area, area) == 0))
            counts[a->marks[i].verdict]++;
}

void compare_cases(const struct compare_agent *a, unsigned counts[VERDICT_COUNT])
{
    const cJSON *one;
    memset(counts, 0, VERDICT_COUNT * sizeof *counts);
    cJSON_ArrayForEach(one, json_get(a->report, "cases"))
    {
        const char *word = json_get_str(one, "verdict");
        int v = word ? verdict_find(word) : -1;
        if (v >= 0)
            counts[v]++;
    }
}

static bool is_judged(const struct compare *c, size_t requirement)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->agents[i].marks[requirement].judged)
            return true;
    return false;
}

/* True if an earlier requirement of that area was judged. */
static bool was_before(const struct compare *c, size_t requirement)
{
    for (size_t i = 0; i < requirement; i++)
        if (strcmp(c->reqs->rows[i].area, c->reqs->rows[requirement].area) == 0 && is_judged(c, i))
            return true;
    return false;
}

void compare_areas(const struct compare *c, void (*cb)(void *ctx, const char *area), void *ctx)
{
    for (size_t i = 0; i < c->reqs->n; i++)
        if (is_judged(c, i) && !was_before(c, i))
            cb(ctx, c->reqs->rows[i].area);
}

static bool is_breach(const struct compare_mark *m)
{
    return m->judged && (m->verdict == VERDICT_FAIL || m->verdict == VERDICT_WARN);
}

bool compare_is_broken(const struct compare *c, size_t requirement)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_breach(&c->agents[i].marks[requirement]))
            return true;
    return false;
}

const char *compare_drift(const struct compare_agent *a, size_t requirement)
{
    if (!a->former)
        return NULL;
    const struct compare_mark *now = &a->marks[requirement];
    const struct compare_mark *then = &a->former->marks[requirement];
    if (is_breach(now) && !is_breach(then))
        return "new";
    bool fine = now->judged && (now->verdict == VERDICT_PASS || now->verdict == VERDICT_INFO);
    if (is_breach(then) && fine)
        return "fixed";
    bool same = now->judged == then->judged && (!now->judged || now->verdict == then->verdict);
    return same || (fine && then->judged && !is_breach(then)) ? NULL : "changed";
}

static int add_member(struct buf *out, const cJSON *check, const char *name, const char *before)
{
    const cJSON *value = json_get(check, name);
    char *text = value && !cJSON_IsString(value) ? cJSON_PrintUnformatted(value) : NULL;
    const char *words = text ? text : value ? value->valuestring : NULL;
    int rc = words && words[0] ? buf_addf(out, "%s%.300s", before, words) : 0;
    cJSON_free(text);
    return rc;
}

int compare_reason(const struct compare_mark *m, struct buf *out)
{
    int rc = add_member(out, m->check, "pointer", "at ");
    rc = rc < 0 ? rc : add_member(out, m->check, "text", out->n ? ": " : "");
    rc = rc < 0 ? rc : add_member(out, m->check, "expected", out->n ? "; expected " : "expected ");
    return rc < 0 ? rc : add_member(out, m->check, "got", out->n ? ", got " : "got ");
}
