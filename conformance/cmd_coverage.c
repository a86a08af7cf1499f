#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/coverage.h"
#include "conformance/style.h"
#include "conformance/verdict.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <string.h>

/* acp-conformance coverage */

enum { NAME_WIDTH = 18, TEXT_MAX = 90, GROUPS_MAX = 64 };

struct coverage_job {
    struct cli_data data;
    struct coverage coverage;
    struct coverage_words words;
    bool colour;
};

static bool means(const struct coverage_job *j, size_t i)
{
    return coverage_means(&j->words, &j->coverage.rows[i]);
}

/* ---- the matrix ---------------------------------------------------------------------------------
 */

static void print_case(const struct coverage_case *c)
{
    printf("    %-44s ", c->file->id);
    if (c->mutants == 0)
        printf("no mutant of its own");
    for (unsigned i = 0; i < c->mutants; i++)
        printf("%s%u", i == 0 ? "mutants " : " ", c->mutant[i]);
    printf("\n");
}

static enum style style_of_state(enum coverage_state s)
{
    return s == COVERAGE_COVERED ? STYLE_GREEN : s == COVERAGE_OPEN ? STYLE_RED : STYLE_YELLOW;
}

static void print_row(const struct coverage_job *j, const struct coverage_row *row)
{
    struct buf text = {0};
    if (style_add_line(&text, row->rule->text, strlen(row->rule->text), TEXT_MAX) == 0)
        printf("%s%-12s%s %-6s %-10s %s%-14s%s %s\n", style_begin(j->colour, STYLE_BOLD),
               row->rule->id, style_end(j->colour), row->rule->party, row->rule->level,
               style_begin(j->colour, style_of_state(row->state)), coverage_state_name(row->state),
               style_end(j->colour), buf_cstr(&text));
    buf_deinit(&text);
    if (row->watched)
        printf("    a monitor, in every case\n");
    for (size_t i = 0; i < row->n; i++)
        print_case(&row->cases[i]);
    if (row->rule->reason[0])
        printf("    %s%s\n", row->rule->reason,
               row->stale ? "  (out of date: a mutant covers it)" : "");
}

/* ---- the summary --------------------------------------------------------------------------------
 */

struct group {
    const char *name;
    unsigned rows, states[COVERAGE_STATES];
};

static void count(struct group *g, const struct coverage_row *row)
{
    g->rows++;
    g->states[row->state]++;
}

static void print_group(const struct group *g)
{
    unsigned observable = g->rows - g->states[COVERAGE_NOT_OBSERVABLE];
    unsigned percent = observable ? 100 * g->states[COVERAGE_COVERED] / observable : 100;
    printf("  %-*s %5u %11u %8u %4u%% %6u %15u %5u\n", NAME_WIDTH, g->name, g->rows, observable,
           g->states[COVERAGE_COVERED], percent,
           g->states[COVERAGE_NEEDS] + g->states[COVERAGE_CLIENT],
           g->states[COVERAGE_NOT_OBSERVABLE], g->states[COVERAGE_OPEN]);
}

static const char *key_of(const struct requirement *r, bool by_area)
{
    return by_area ? r->area : r->level;
}

static size_t collect(const struct coverage_job *j, bool by_area, struct group *groups)
{
    size_t n = 0, g;
    for (size_t i = 0; i < j->coverage.n; i++) {
        const char *key = key_of(j->coverage.rows[i].rule, by_area);
        if (!means(j, i))
            continue;
        for (g = 0; g < n && strcmp(groups[g].name, key) != 0; g++)
            ;
        if (g == n && n == GROUPS_MAX)
            continue;
        n += g == n;
        groups[g].name = key;
        count(&groups[g], &j->coverage.rows[i]);
    }
    return n;
}

static void print_groups(const struct coverage_job *j, const char *title, bool by_area)
{
    struct group groups[GROUPS_MAX] = {0};
    size_t n = collect(j, by_area, groups);
    printf("\n  %-*s %5s %11s %8s %5s %6s %15s %5s\n", NAME_WIDTH, title, "rows", "observable",
           "covered", "", "needs", "not observable", "open");
    for (size_t i = 0; i < n; i++)
        print_group(&groups[i]);
}

static struct group total_of(const struct coverage_job *j)
{
    struct group total = {.name = "all"};
    for (size_t i = 0; i < j->coverage.n; i++)
        if (means(j, i))
            count(&total, &j->coverage.rows[i]);
    return total;
}

static unsigned print_faults(const struct coverage_job *j)
{
    unsigned n = 0;
    for (size_t i = 0; i < j->coverage.n; i++) {
        const struct coverage_row *row = &j->coverage.rows[i];
        if (!means(j, i) || (row->state != COVERAGE_OPEN && !row->stale))
            continue;
        if (n++ == 0)
            printf("\n");
        printf("  %s%-12s%s %s\n", style_begin(j->colour, STYLE_RED), row->rule->id,
               style_end(j->colour),
               row->stale ? "is covered: take its reason out of requirements.tsv"
                          : "neither a case's mutant turns it red, nor does requirements.tsv say "
                            "why not");
    }
    return n;
}

static int print_text(const struct coverage_job *j, bool summary)
{
    for (size_t i = 0; i < j->coverage.n && !summary; i++)
        if (means(j, i))
            print_row(j, &j->coverage.rows[i]);
    print_groups(j, "area", true);
    print_groups(j, "level", false);
    struct group total = total_of(j);
    printf("\n");
    print_group(&total);
    return print_faults(j) ? EXIT_DOES_NOT : EXIT_CONFORMS;
}

/* ---- JSON ---------------------------------------------------------------------------------------
 */

static void write_case(struct jsonw *w, const struct coverage_case *c)
{
    jw_open(w, '{');
    jw_kstr(w, "id", c->file->id);
    jw_kopen(w, "mutants", '[');
    for (unsigned i = 0; i < c->mutants; i++)
        jw_int(w, c->mutant[i]);
    jw_close(w);
    jw_close(w);
}

static void write_row(struct jsonw *w, const struct coverage_row *row)
{
    const struct requirement *r = row->rule;
    jw_open(w, '{');
    jw_kstr(w, "id", r->id);
    jw_kstr(w, "party", r->party);
    jw_kstr(w, "level", r->level);
    jw_kstr(w, "area", r->area);
    jw_kstr(w, "text", r->text);
    jw_kstr(w, "state", coverage_state_name(row->state));
    jw_kstr(w, "reason", r->reason);
    jw_kbool(w, "monitored", row->watched);
    jw_kopen(w, "cases", '[');
    for (size_t i = 0; i < row->n; i++)
        write_case(w, &row->cases[i]);
    jw_close(w);
    jw_close(w);
}

static void write_totals(struct jsonw *w, const struct group *g)
{
    jw_kopen(w, "totals", '{');
    jw_kint(w, "rows", g->rows);
    for (int s = 0; s < COVERAGE_STATES; s++)
        jw_kint(w, coverage_state_name((enum coverage_state)s), g->states[s]);
    jw_close(w);
}

static int print_json(const struct coverage_job *j)
{
    struct buf out = {0};
    struct jsonw w;
    struct group total = total_of(j);
    jw_begin(&w, &out);
    jw_open(&w, '{');
    jw_kstr(&w, "format", "acp-conformance-coverage");
    jw_kint(&w, "version", 1);
    write_totals(&w, &total);
    jw_kopen(&w, "requirements", '[');
    for (size_t i = 0; i < j->coverage.n; i++)
        if (means(j, i))
            write_row(&w, &j->coverage.rows[i]);
    jw_close(&w);
    jw_close(&w);
    int rc = jw_end(&w);
    rc = rc == 0 ? buf_addc(&out, '\n') : rc;
    if (rc == 0)
        fwrite(out.p, 1, out.n, stdout);
    buf_deinit(&out);
    if (rc < 0)
        return cli_no_verdict("%s", err_text(rc));
    return total.states[COVERAGE_OPEN] ? EXIT_DOES_NOT : EXIT_CONFORMS;
}

/* ---- the command --------------------------------------------------------------------------------
 */

static int judge_words(const struct coverage_job *j)
{
    const char *bad = coverage_bad_word(&j->words, &j->data.reqs);
    if (!bad)
        return 0;
    const char *near = requirements_nearest(&j->data.reqs, bad);
    return cli_usage_error("\"%s\" is no area, party, level, state or requirement%s%s%s", bad,
                           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

int cmd_coverage(const struct cli *cli)
{
    struct coverage_job j = {.words = {cli->words, cli->n_words}, .colour = style_wanted(stdout)};
    int rc = cli_load(cli, false, &j.data);
    rc = rc != 0 ? rc : judge_words(&j);
    if (rc == 0 && coverage_init(&j.coverage, &j.data.reqs, &j.data.catalog) < 0)
        rc = cli_no_verdict("%s", err_text(E_NOMEM));
    else if (rc == 0)
        rc = cli->json ? print_json(&j) : print_text(&j, cli->summary);
    coverage_deinit(&j.coverage);
    cli_unload(&j.data);
    return rc;
}
