#include "conformance/report_html.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/requirement.h"

#include <stdlib.h>

static const struct check_result *check_of(const struct case_result *r,
                                           const struct requirement *rule)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].rule == rule)
            return &r->checks[i];
    return NULL;
}

static void add_judges(struct sheet *s, const struct outcome *o, const struct requirement *rule)
{
    sheet_add(s, "<dt>judged by<dd>");
    for (size_t i = 0; i < o->n; i++) {
        const struct case_result *r = &o->cases[i].result;
        const struct check_result *c = check_of(r, rule);
        if (!c)
            continue;
        html_link(s, html_class(r->verdict == VERDICT_SKIP ? VERDICT_SKIP : c->verdict),
                  r->file->id, "");
    }
}

static void add_rule(struct sheet *s, const struct outcome *o, const struct requirement *rule)
{
    sheet_add(s, "<details");
    sheet_attribute(s, "id", rule->id);
    sheet_add(s, "><summary>");
    sheet_element(s, "code", rule->id);
    sheet_add(s, " ");
    sheet_element(s, "small", rule->level);
    sheet_add(s, " ");
    sheet_element(s, "span", rule->text);
    sheet_add(s, "</summary>\n<dl><dt>how it is seen<dd>");
    sheet_markup(s, rule->how);
    sheet_add(s, "\n<dt>source<dd>");
    sheet_markup(s, rule->source);
    sheet_addf(s, "\n<dt>a breach costs<dd>%s at most\n", verdict_name(verdict_of_breach(rule)));
    add_judges(s, o, rule);
    sheet_add(s, "</dl></details>\n");
}

void html_rules(struct sheet *s, const struct outcome *o)
{
    const struct requirements *reqs = o->setting->reqs;
    for (size_t i = 0; i < reqs->n; i++) {
        bool used = false;
        for (size_t k = 0; k < o->n && !used; k++)
            used = check_of(&o->cases[k].result, &reqs->rows[i]) != NULL;
        if (used)
            add_rule(s, o, &reqs->rows[i]);
    }
}

/* ---- what was broken ----------------------------------------------------------------------------
 */

struct breach {
    const struct requirement *rule;
    unsigned n; /* cases that broke it */
    enum verdict worst;
};

static bool is_breach(enum verdict v)
{
    return v == VERDICT_FAIL || v == VERDICT_WARN || v == VERDICT_ERROR;
}

static void count_breaches(const struct outcome *o, struct breach *b)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct check_result *c = check_of(&o->cases[i].result, b->rule);
        if (!c || o->cases[i].result.verdict == VERDICT_SKIP || !is_breach(c->verdict))
            continue;
        b->n++;
        b->worst = verdict_worse(b->worst, c->verdict);
    }
}

static int worse_first(const void *a, const void *b)
{
    const struct breach *x = a, *y = b;
    if (x->worst != y->worst)
        return x->worst < y->worst ? 1 : -1;
    return (x->n < y->n) - (x->n > y->n);
}

static void list_breaches(struct sheet *s, const struct breach *all, size_t n)
{
    enum { SHOWN = 12 };
    sheet_add(s,
              "<section id=\"breaches\">\n<h2>What was broken most</h2>\n<ul class=\"checks\">\n");
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        sheet_add(s, "<li>");
        html_badge(s, all[i].worst);
        sheet_add(s, " ");
        html_link(s, "rule", all[i].rule->id, "");
        sheet_addf(s, "<small>in %u case%s</small> ", all[i].n, all[i].n == 1 ? "" : "s");
        sheet_markup(s, all[i].rule->text);
        sheet_add(s, "\n");
    }
    sheet_add(s, "</ul>\n");
    if (n > SHOWN)
        sheet_addf(s, "<p class=\"hint\">and %zu more</p>\n", n - SHOWN);
    sheet_add(s, "</section>\n");
}

void html_breaches(struct sheet *s, const struct outcome *o)
{
    const struct requirements *reqs = o->setting->reqs;
    size_t n = 0;
    struct breach *all = calloc(reqs->n + 1, sizeof *all);
    if (!all) {
        sheet_fail(s, E_NOMEM);
        return;
    }
    for (size_t i = 0; i < reqs->n; i++) {
        all[n] = (struct breach){.rule = &reqs->rows[i]};
        count_breaches(o, &all[n]);
        n += all[n].n > 0;
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, worse_first);
        list_breaches(s, all, n);
    }
    free(all);
}
