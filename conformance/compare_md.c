#include "conformance/compare.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/sheet.h"
#include "json/json.h"

#include <string.h>

/* The page in Markdown. */

struct page {
    struct sheet s;
    const struct compare *c;
};

static const char *escape(char c)
{
    static const char specials[] = "\\`*_[]<>|\n";
    static const char *const escaped[] = {"\\\\", "\\`",  "\\*",  "\\_", "\\[",
                                          "\\]",  "&lt;", "&gt;", "\\|", " "};
    const char *at = strchr(specials, c);
    return at && c ? escaped[at - specials] : NULL;
}

static void add_foreign(struct page *p, const char *text)
{
    sheet_foreign(&p->s, text, strlen(text), escape);
}

static void add_agents(struct page *p, const char *first)
{
    sheet_addf(&p->s, "| %s |", first);
    for (size_t i = 0; i < p->c->n; i++) {
        sheet_add(&p->s, " ");
        add_foreign(p, p->c->agents[i].name);
        sheet_add(&p->s, " |");
    }
    sheet_add(&p->s, "\n|---|");
    for (size_t i = 0; i < p->c->n; i++)
        sheet_add(&p->s, "---|");
    sheet_add(&p->s, "\n");
}

static void add_totals(struct page *p)
{
    static const enum verdict columns[] = {VERDICT_PASS, VERDICT_INFO,          VERDICT_WARN,
                                           VERDICT_FAIL, VERDICT_NOT_EXERCISED, VERDICT_SKIP,
                                           VERDICT_ERROR};
    sheet_add(&p->s, "| agent | version | cases | PASS | INFO | WARN | FAIL | NOT-EXERCISED | SKIP "
                     "| ERROR | rules broken: FAIL | WARN | seconds |\n"
                     "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < p->c->n; i++) {
        const struct compare_agent *a = &p->c->agents[i];
        unsigned cases[VERDICT_COUNT], rules[VERDICT_COUNT], all = 0;
        const cJSON *ms = json_get(a->report, "duration_ms");
        compare_cases(a, cases);
        compare_count(p->c, a, NULL, rules);
        for (int v = 0; v < VERDICT_COUNT; v++)
            all += cases[v];
        sheet_add(&p->s, "| ");
        add_foreign(p, a->name);
        sheet_add(&p->s, " | ");
        add_foreign(p, a->version);
        sheet_addf(&p->s, " | %u |", all);
        for (size_t v = 0; v < ARRAY_LEN(columns); v++)
            sheet_addf(&p->s, " %u |", cases[columns[v]]);
        sheet_addf(&p->s, " %u | %u | %.0f |\n", rules[VERDICT_FAIL], rules[VERDICT_WARN],
                   cJSON_IsNumber(ms) ? ms->valuedouble / 1000 : 0);
    }
}

static void add_area(void *ctx, const char *area)
{
    struct page *p = ctx;
    sheet_addf(&p->s, "| %s |", area);
    for (size_t i = 0; i < p->c->n; i++) {
        unsigned n[VERDICT_COUNT];
        compare_count(p->c, &p->c->agents[i], area, n);
        unsigned kept = n[VERDICT_PASS] + n[VERDICT_INFO];
        unsigned judged = kept + n[VERDICT_WARN] + n[VERDICT_FAIL] + n[VERDICT_ERROR];
        if (n[VERDICT_FAIL] > 0)
            sheet_addf(&p->s, " **%u FAIL**", n[VERDICT_FAIL]);
        if (n[VERDICT_WARN] > 0)
            sheet_addf(&p->s, " %u WARN", n[VERDICT_WARN]);
        if (judged > 0)
            sheet_addf(&p->s, " %u/%u |", kept, judged);
        else
            sheet_add(&p->s, " - |");
    }
    sheet_add(&p->s, "\n");
}

static void add_requirements(struct page *p)
{
    add_agents(p, "requirement");
    for (size_t i = 0; i < p->c->reqs->n; i++) {
        if (!compare_is_broken(p->c, i))
            continue;
        sheet_addf(&p->s, "| %s |", p->c->reqs->rows[i].id);
        for (size_t k = 0; k < p->c->n; k++) {
            const struct compare_mark *m = &p->c->agents[k].marks[i];
            bool fails = m->judged && m->verdict == VERDICT_FAIL;
            sheet_addf(&p->s, " %s%s%s |", fails ? "**" : "",
                       m->judged ? verdict_name(m->verdict) : "-", fails ? "**" : "");
        }
        sheet_add(&p->s, "\n");
    }
}

static void add_reason(struct page *p, const struct compare_mark *m)
{
    struct buf text = {0};
    sheet_fail(&p->s, compare_reason(m, &text));
    sheet_add(&p->s, ": ");
    sheet_foreign(&p->s, text.n ? text.p : "", text.n, escape);
    sheet_addf(&p->s, " (%s", m->case_id ? m->case_id : "");
    if (m->cases > 1)
        sheet_addf(&p->s, " and %u more", m->cases - 1);
    sheet_add(&p->s, ")\n");
    buf_deinit(&text);
}

static void add_breaches(struct page *p)
{
    for (size_t i = 0; i < p->c->reqs->n; i++) {
        const struct requirement *r = &p->c->reqs->rows[i];
        if (!compare_is_broken(p->c, i))
            continue;
        sheet_addf(&p->s, "\n**%s** (%s) ", r->id, r->level);
        add_foreign(p, r->text);
        sheet_add(&p->s, "\n\n");
        for (size_t k = 0; k < p->c->n; k++) {
            const struct compare_mark *m = &p->c->agents[k].marks[i];
            if (!m->judged || (m->verdict != VERDICT_FAIL && m->verdict != VERDICT_WARN))
                continue;
            sheet_addf(&p->s, "- %s ", verdict_name(m->verdict));
            add_foreign(p, p->c->agents[k].name);
            add_reason(p, m);
        }
    }
}

static void add_drift(struct page *p)
{
    unsigned told = 0;
    for (size_t k = 0; k < p->c->n; k++) {
        const struct compare_agent *a = &p->c->agents[k];
        for (size_t i = 0; i < p->c->reqs->n; i++) {
            const char *what = compare_drift(a, i);
            if (!what)
                continue;
            if (told++ == 0)
                sheet_add(&p->s, "\n## Since the former reports\n\n");
            const struct compare_mark *then = &a->former->marks[i], *now = &a->marks[i];
            sheet_addf(&p->s, "- %s: ", what);
            add_foreign(p, a->name);
            sheet_addf(&p->s, " %s: %s, was %s\n", p->c->reqs->rows[i].id,
                       now->judged ? verdict_name(now->verdict) : "not judged",
                       then->judged ? verdict_name(then->verdict) : "not judged");
        }
    }
}

int compare_markdown(const struct compare *c, struct buf *out)
{
    struct page p = {.s = {.out = out}, .c = c};
    sheet_add(&p.s, "# Agents side by side\n\n");
    add_totals(&p);
    sheet_add(&p.s, "\n## By area\n\nRules that hold, of those that were judged.\n\n");
    add_agents(&p, "area");
    compare_areas(c, add_area, &p);
    sheet_add(&p.s, "\n## By requirement\n\nOnly rules that some agent breaks.\n\n");
    add_requirements(&p);
    add_drift(&p);
    sheet_add(&p.s, "\n## What was seen\n");
    add_breaches(&p);
    return p.s.rc;
}
