#include "conformance/report_html.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/matrix.h"
#include "conformance/profile.h"
#include "conformance/report.h"
#include "conformance/requirement.h"
#include "json/json.h"

#include <string.h>

/* One self-contained page: report/report.html with its {{places}} filled. */

struct page {
    struct sheet s;
    const struct outcome *o;
    struct matrix m;
};

/* Cases that failed are unfolded if they are no more than this. */
enum { UNFOLDED = 2 };

/* ---- the head -----------------------------------------------------------------------------------
 */

static void add_file(struct page *p, const char *name)
{
    const struct embed_file *f = embed_find(name);
    if (f)
        sheet_add_n(&p->s, f->text, (size_t)(f->end - f->text));
}

static void add_style(struct page *p)
{
    add_file(p, "report/report.css");
}

static void add_script(struct page *p)
{
    add_file(p, "report/report.js");
}

static void add_version(struct page *p)
{
    sheet_add(&p->s, ACP_VERSION);
}

static void add_agent(struct page *p)
{
    const struct outcome *o = p->o;
    sheet_markup(&p->s, o->agent_name ? o->agent_name : o->setting->profile->name);
    if (o->agent_version) {
        sheet_add(&p->s, " ");
        sheet_markup(&p->s, o->agent_version);
    }
}

static void add_words(struct page *p)
{
    sheet_add(&p->s, outcome_words(p->o));
}

static void add_class(struct page *p)
{
    enum exit_code code = outcome_exit_code(p->o);
    sheet_add(&p->s, code == EXIT_STALE      ? "warn"
                     : code == EXIT_CONFORMS ? "pass"
                     : code == EXIT_DOES_NOT ? "fail"
                                             : "error");
}

static void add_facts(struct page *p)
{
    char started[32] = "";
    const struct run_setting *setting = p->o->setting;
    const cJSON *word;
    outcome_started(p->o, started, sizeof started);
    sheet_addf(&p->s, "%zu case%s in %.2f s, started %.10s %.8s UTC", p->o->n,
               p->o->n == 1 ? "" : "s", (double)p->o->duration_us / 1e6, started, started + 11);
    sheet_add(&p->s, p->o->interrupted ? ", <strong>interrupted: cases are missing</strong>" : "");
    if (p->o->stale > 0)
        sheet_addf(&p->s, ", <strong>no longer true in the baseline: %u</strong>", p->o->stale);
    sheet_add(&p->s, setting->strict ? ", strict" : "");
    if (setting->timeout_scale < 1 || setting->timeout_scale > 1)
        sheet_addf(&p->s, ", deadlines × %g", setting->timeout_scale);
    sheet_addf(&p->s, ", seed %llu, %u at once<br>Profile <code>",
               (unsigned long long)setting->seed, p->o->jobs);
    sheet_markup(&p->s, setting->profile->name);
    sheet_add(&p->s, "</code>, command <code>");
    cJSON_ArrayForEach(word, json_get(setting->profile->json, "command"))
    {
        sheet_markup(&p->s, cJSON_IsString(word) ? word->valuestring : "?");
        sheet_add(&p->s, word->next ? " " : "");
    }
    sheet_add(&p->s, "</code>");
}

static void add_totals(struct page *p)
{
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (p->o->counts[html_order[i]] > 0)
            sheet_addf(&p->s,
                       "<li><label class=\"v %s\"><input type=\"checkbox\" value=\"%s\" hidden> "
                       "<b>%u</b> %s</label>\n",
                       html_class(html_order[i]), html_class(html_order[i]),
                       p->o->counts[html_order[i]], verdict_name(html_order[i]));
}

static void add_bar(struct page *p)
{
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (p->o->counts[html_order[i]] > 0)
            sheet_addf(&p->s, "<i class=\"%s\" style=\"flex-grow:%u\"></i>",
                       html_class(html_order[i]), p->o->counts[html_order[i]]);
}

/* ---- the matrix ---------------------------------------------------------------------------------
 */

static void add_levels(struct page *p)
{
    for (size_t i = 0; i < MATRIX_LEVELS; i++)
        if (p->m.used[i])
            sheet_addf(&p->s, "<th scope=\"col\">%s", matrix_level(i));
}

static void add_area_name(struct page *p, const struct matrix_row *row)
{
    sheet_markup_n(&p->s, row->area, row->area_n);
}

static void open_area_link(struct page *p, const struct matrix_row *row)
{
    sheet_add(&p->s, "<a href=\"#area-");
    sheet_value(&p->s, row->area, row->area_n);
    sheet_add(&p->s, "\"");
}

/* "12", or "10/12" if some did not pass. */
static void add_share(struct page *p, unsigned passed, size_t n)
{
    sheet_addf(&p->s, "%u", passed);
    if (passed < n)
        sheet_addf(&p->s, "/%zu", n);
}

static void add_cell(struct page *p, const struct matrix_row *row, size_t level)
{
    const struct matrix_cell *cell = &row->levels[level];
    if (cell->n == 0) {
        sheet_add(&p->s, "<td>");
        return;
    }
    sheet_addf(&p->s, "<td class=\"%s\">", html_class(cell->worst));
    open_area_link(p, row);
    sheet_addf(&p->s, " data-l=\"%s\" title=\"", matrix_level(level));
    for (size_t i = 0, n = 0; i < VERDICT_COUNT; i++)
        if (cell->counts[html_order[i]] > 0)
            sheet_addf(&p->s, "%s%u %s", n++ ? ", " : "", cell->counts[html_order[i]],
                       verdict_name(html_order[i]));
    sheet_add(&p->s, "\">");
    add_share(p, cell->counts[VERDICT_PASS], cell->n);
    sheet_add(&p->s, "</a>");
}

static void add_rows(struct page *p)
{
    for (size_t r = 0; r < p->m.n; r++) {
        const struct matrix_row *row = &p->m.rows[r];
        sheet_add(&p->s, "<tr><th scope=\"row\">");
        open_area_link(p, row);
        sheet_add(&p->s, ">");
        add_area_name(p, row);
        sheet_add(&p->s, "</a><td>");
        add_share(p, row->cases[VERDICT_PASS], row->n);
        for (size_t i = 0; i < MATRIX_LEVELS; i++)
            if (p->m.used[i])
                add_cell(p, row, i);
        sheet_add(&p->s, "\n");
    }
}

/* ---- cases and rules ----------------------------------------------------------------------------
 */

static void add_cases(struct page *p)
{
    unsigned bad = p->o->counts[VERDICT_FAIL] + p->o->counts[VERDICT_ERROR];
    for (size_t r = 0; r < p->m.n; r++) {
        const struct matrix_row *row = &p->m.rows[r];
        sheet_add(&p->s, "<section class=\"area\" id=\"area-");
        sheet_value(&p->s, row->area, row->area_n);
        sheet_add(&p->s, "\">\n<h3>");
        add_area_name(p, row);
        sheet_add(&p->s, "</h3>\n");
        for (size_t i = 0; i < row->n; i++) {
            const struct outcome_case *c = &p->o->cases[row->first + i];
            enum verdict v = c->result.verdict;
            html_case(&p->s, p->o, c, bad <= UNFOLDED && (v == VERDICT_FAIL || v == VERDICT_ERROR));
        }
        sheet_add(&p->s, "</section>\n");
    }
}

static void add_rules(struct page *p)
{
    html_rules(&p->s, p->o);
}

static void add_breaches(struct page *p)
{
    html_breaches(&p->s, p->o);
}

/* ---- the template -------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    void (*add)(struct page *p);
} places[] = {
    {"style", add_style},   {"script", add_script},     {"version", add_version},
    {"agent", add_agent},   {"words", add_words},       {"class", add_class},
    {"facts", add_facts},   {"totals", add_totals},     {"bar", add_bar},
    {"levels", add_levels}, {"rows", add_rows},         {"cases", add_cases},
    {"rules", add_rules},   {"breaches", add_breaches},
};

static void fill_place(struct page *p, const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (strlen(places[i].name) == n && strncmp(places[i].name, name, n) == 0)
            places[i].add(p);
}

static void fill_template(struct page *p, const char *text)
{
    const char *place, *end;
    while ((place = strstr(text, "{{")) && (end = strstr(place, "}}"))) {
        sheet_add_n(&p->s, text, (size_t)(place - text));
        fill_place(p, place + 2, (size_t)(end - place - 2));
        text = end + 2;
    }
    sheet_add(&p->s, text);
}

int report_html(const struct outcome *o, struct buf *out)
{
    struct page p = {.s = {.out = out}, .o = o};
    const struct embed_file *f = embed_find("report/report.html");
    int rc = f ? matrix_build(o, &p.m) : E_NOTFOUND;
    if (rc < 0)
        return rc;
    fill_template(&p, f->text);
    matrix_deinit(&p.m);
    return p.s.rc;
}
