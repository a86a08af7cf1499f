#include "conformance/compare.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/embed.h"
#include "conformance/sheet.h"
#include "json/json.h"

#include <string.h>

/* The page in HTML: one self-contained file. */

struct page {
    struct sheet s;
    const struct compare *c;
};

static const char style[] =
    "body{max-width:none}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}"
    "th,td{border:1px solid var(--line);padding:.15rem .45rem;text-align:center;white-space:nowrap}"
    "tbody th{position:sticky;left:0;background:var(--bg);text-align:left}"
    ".FAIL{color:var(--fail);font-weight:700}.WARN{color:var(--warn);font-weight:600}"
    ".PASS{color:var(--pass)}.INFO{color:var(--info)}.NONE{color:var(--skip)}"
    "ul{margin:.2rem 0 .8rem}details{margin:.4rem 0}";

static const char *class_of(const struct compare_mark *m)
{
    if (!m->judged || m->verdict == VERDICT_NOT_EXERCISED)
        return "NONE";
    return m->verdict == VERDICT_ERROR ? "FAIL" : verdict_name(m->verdict);
}

static void add_head(struct page *p)
{
    const struct embed_file *css = embed_find("report/report.css");
    sheet_add(&p->s, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                     "<title>Agents side by side</title><style>\n");
    if (css)
        sheet_add_n(&p->s, css->text, (size_t)(css->end - css->text));
    sheet_add(&p->s, style);
    sheet_add(&p->s, "</style></head><body><main>\n<h1>acp-conformance matrix</h1>\n"
                     "<h2>Agents side by side</h2>\n");
}

static void begin_table(struct page *p, const char *first)
{
    sheet_add(&p->s, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
    sheet_element(&p->s, "th scope=\"col\"", first);
    for (size_t i = 0; i < p->c->n; i++)
        sheet_element(&p->s, "th scope=\"col\"", p->c->agents[i].name);
    sheet_add(&p->s, "</tr></thead><tbody>\n");
}

static void end_table(struct page *p)
{
    sheet_add(&p->s, "</tbody></table></div>\n");
}

static void add_total_row(struct page *p, const char *title, enum verdict v)
{
    sheet_element(&p->s, "tr><th scope=\"row\"", title);
    for (size_t i = 0; i < p->c->n; i++) {
        unsigned cases[VERDICT_COUNT];
        compare_cases(&p->c->agents[i], cases);
        sheet_addf(&p->s, "<td>%u</td>", cases[v]);
    }
    sheet_add(&p->s, "</tr>\n");
}

static void add_totals(struct page *p)
{
    static const enum verdict order[] = {VERDICT_PASS, VERDICT_INFO,          VERDICT_WARN,
                                         VERDICT_FAIL, VERDICT_NOT_EXERCISED, VERDICT_SKIP,
                                         VERDICT_ERROR};
    begin_table(p, "cases");
    sheet_add(&p->s, "<tr><th scope=\"row\">version</th>");
    for (size_t i = 0; i < p->c->n; i++) {
        const char *version = p->c->agents[i].version;
        sheet_element(&p->s, "td", version[0] ? version : "-");
    }
    sheet_add(&p->s, "</tr>\n");
    for (size_t v = 0; v < ARRAY_LEN(order); v++)
        add_total_row(p, verdict_name(order[v]), order[v]);
    sheet_add(&p->s, "<tr><th scope=\"row\">seconds</th>");
    for (size_t i = 0; i < p->c->n; i++) {
        const cJSON *ms = json_get(p->c->agents[i].report, "duration_ms");
        sheet_addf(&p->s, "<td>%.0f</td>", cJSON_IsNumber(ms) ? ms->valuedouble / 1000 : 0);
    }
    sheet_add(&p->s, "</tr>\n");
    end_table(p);
}

static void add_area(void *ctx, const char *area)
{
    struct page *p = ctx;
    sheet_element(&p->s, "tr><th scope=\"row\"", area);
    for (size_t i = 0; i < p->c->n; i++) {
        unsigned n[VERDICT_COUNT];
        compare_count(p->c, &p->c->agents[i], area, n);
        unsigned kept = n[VERDICT_PASS] + n[VERDICT_INFO];
        unsigned judged = kept + n[VERDICT_WARN] + n[VERDICT_FAIL] + n[VERDICT_ERROR];
        const char *class = n[VERDICT_FAIL] ? "FAIL" : n[VERDICT_WARN] ? "WARN" : "PASS";
        if (judged > 0)
            sheet_addf(&p->s, "<td class=\"%s\" title=\"%u FAIL, %u WARN\">%u/%u</td>", class,
                       n[VERDICT_FAIL], n[VERDICT_WARN], kept, judged);
        else
            sheet_add(&p->s, "<td class=\"NONE\">-</td>");
    }
    sheet_add(&p->s, "</tr>\n");
}

static void add_reason(struct page *p, const char *before, const struct compare_mark *m)
{
    struct buf text = {0};
    sheet_fail(&p->s, compare_reason(m, &text));
    sheet_add(&p->s, before);
    sheet_value(&p->s, text.n ? text.p : "", text.n);
    buf_deinit(&text);
}

static void add_mark(struct page *p, const struct compare_agent *a, size_t requirement)
{
    const struct compare_mark *m = &a->marks[requirement];
    const char *drift = compare_drift(a, requirement);
    sheet_addf(&p->s, "<td class=\"%s\"", class_of(m));
    if (m->judged && m->verdict != VERDICT_PASS) {
        add_reason(p, " title=\"", m);
        sheet_add(&p->s, "\"");
    }
    sheet_addf(&p->s, ">%s", m->judged ? verdict_name(m->verdict) : "-");
    if (drift)
        sheet_addf(&p->s, " <small>%s</small>", drift);
    sheet_add(&p->s, "</td>");
}

static bool is_told(const struct page *p, size_t requirement)
{
    bool told = compare_is_broken(p->c, requirement);
    for (size_t k = 0; k < p->c->n; k++)
        told = told || compare_drift(&p->c->agents[k], requirement);
    return told;
}

static void add_requirements(struct page *p)
{
    begin_table(p, "requirement");
    for (size_t i = 0; i < p->c->reqs->n; i++) {
        const struct requirement *r = &p->c->reqs->rows[i];
        if (!is_told(p, i))
            continue;
        sheet_addf(&p->s, "<tr><th scope=\"row\" title=\"");
        sheet_value(&p->s, r->text, strlen(r->text));
        sheet_addf(&p->s, "\"><a href=\"#%s\">%s</a></th>", r->id, r->id);
        for (size_t k = 0; k < p->c->n; k++)
            add_mark(p, &p->c->agents[k], i);
        sheet_add(&p->s, "</tr>\n");
    }
    end_table(p);
}

static void add_breaches_of(struct page *p, size_t requirement)
{
    for (size_t k = 0; k < p->c->n; k++) {
        const struct compare_mark *m = &p->c->agents[k].marks[requirement];
        if (!m->judged || (m->verdict != VERDICT_FAIL && m->verdict != VERDICT_WARN))
            continue;
        sheet_addf(&p->s, "<li><b class=\"%s\">%s</b> ", class_of(m), verdict_name(m->verdict));
        sheet_element(&p->s, "b", p->c->agents[k].name);
        add_reason(p, " ", m);
        sheet_addf(&p->s, " (%s", m->case_id ? m->case_id : "");
        if (m->cases > 1)
            sheet_addf(&p->s, " and %u more", m->cases - 1);
        sheet_add(&p->s, ")</li>\n");
    }
}

static void add_breaches(struct page *p)
{
    for (size_t i = 0; i < p->c->reqs->n; i++) {
        const struct requirement *r = &p->c->reqs->rows[i];
        if (!is_told(p, i))
            continue;
        sheet_addf(&p->s, "<h3 id=\"%s\">%s (%s) ", r->id, r->id, r->level);
        sheet_markup(&p->s, r->text);
        sheet_add(&p->s, "</h3><ul>\n");
        add_breaches_of(p, i);
        sheet_add(&p->s, "</ul>\n");
    }
}

int compare_html(const struct compare *c, struct buf *out)
{
    struct page p = {.s = {.out = out}, .c = c};
    add_head(&p);
    add_totals(&p);
    sheet_add(&p.s, "<h2>By area</h2><p>Rules that hold, of those that were judged.</p>\n");
    begin_table(&p, "area");
    compare_areas(c, add_area, &p);
    end_table(&p);
    sheet_add(&p.s, "<h2>By requirement</h2><p>Only rules that some agent breaks.</p>\n");
    add_requirements(&p);
    sheet_add(&p.s, "<h2>What was seen</h2>\n");
    add_breaches(&p);
    sheet_add(&p.s, "</main></body></html>\n");
    return p.s.rc;
}
