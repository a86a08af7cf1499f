#include "conformance/console.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/profile.h"
#include "conformance/requirement.h"
#include "conformance/style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The order in which verdicts are counted for people. */
static const enum verdict order[VERDICT_COUNT] = {VERDICT_PASS, VERDICT_INFO,          VERDICT_WARN,
                                                  VERDICT_FAIL, VERDICT_NOT_EXERCISED, VERDICT_SKIP,
                                                  VERDICT_ERROR};

void console_begin(struct console *c, size_t total)
{
    *c = (struct console){
        .live = isatty(STDOUT_FILENO), .colour = style_wanted(stdout), .total = total};
}

static void print_counts(const unsigned counts[VERDICT_COUNT], bool colour)
{
    const char *between = "";
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        enum verdict v = order[i];
        if (counts[v] == 0)
            continue;
        printf("%s%s%u %s%s", between, style_begin(colour, style_of(v)), counts[v], verdict_name(v),
               style_end(colour));
        between = ", ";
    }
}

static void wipe_line(const struct console *c)
{
    if (c->live)
        fputs("\r\033[K", stdout);
}

static void draw_line(const struct console *c, const char *last)
{
    printf("[%zu/%zu] ", c->done, c->total);
    print_counts(c->counts, c->colour);
    printf("  %.40s", last);
}

void console_case(struct console *c, const struct case_result *r, const char *block, bool quiet)
{
    c->done++;
    c->counts[r->verdict]++;
    wipe_line(c);
    if (quiet && !c->live)
        return;
    if (block && !quiet)
        fputs(block, stdout);
    else if (!c->live)
        printf("%-13s %s (%.0f ms)%s%s\n", verdict_name(r->verdict), r->file->id,
               (double)r->duration_us / 1000, r->reason ? ": " : "", r->reason ? r->reason : "");
    if (c->live)
        draw_line(c, r->file->id);
    fflush(stdout);
}

/* ---- summary ------------------------------------------------------------------------------------
 */

/* Rows of the two tables: a name and how often each verdict came. */
struct row {
    char name[32];
    unsigned counts[VERDICT_COUNT];
};

enum { MAX_ROWS = 64 };

struct table {
    struct row rows[MAX_ROWS];
    size_t n;
};

static void count(struct table *t, const char *name, size_t n, enum verdict v)
{
    size_t i = 0;
    while (i < t->n && (strlen(t->rows[i].name) != n || strncmp(t->rows[i].name, name, n) != 0))
        i++;
    if (i == MAX_ROWS)
        return;
    if (i == t->n) {
        snprintf(t->rows[i].name, sizeof t->rows[i].name, "%.*s", (int)n, name);
        t->n++;
    }
    t->rows[i].counts[v]++;
}

static void print_cell(unsigned n, enum verdict v, int width, bool colour)
{
    if (n == 0)
        printf("  %*s", width, "-");
    else
        printf("  %s%*u%s", style_begin(colour, style_of(v)), width, n, style_end(colour));
}

static void print_table(const struct console *c, const char *title, const struct table *t)
{
    printf("\n%-20s", title);
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        printf("  %s", verdict_name(order[i]));
    printf("\n");
    for (size_t r = 0; r < t->n; r++) {
        printf("  %-18s", t->rows[r].name);
        for (size_t i = 0; i < VERDICT_COUNT; i++)
            print_cell(t->rows[r].counts[order[i]], order[i], (int)strlen(verdict_name(order[i])),
                       c->colour);
        printf("\n");
    }
}

static void print_areas(const struct console *c, const struct outcome *o)
{
    struct table t = {.n = 0};
    for (size_t i = 0; i < o->n; i++)
        count(&t, o->cases[i].result.file->id, case_area(o->cases[i].result.file),
              o->cases[i].result.verdict);
    print_table(c, "cases by area", &t);
}

static void print_levels(const struct console *c, const struct outcome *o)
{
    static const char *const levels[] = {"MUST",   "MUST NOT",   "SCHEMA",
                                         "SHOULD", "SHOULD NOT", "MAY"};
    struct table t = {.n = 0}, sorted = {.n = 0};
    for (size_t i = 0; i < o->n; i++) {
        const struct case_result *r = &o->cases[i].result;
        for (size_t k = 0; r->verdict != VERDICT_SKIP && k < r->n; k++)
            if (r->checks[k].rule)
                count(&t, r->checks[k].rule->level, strlen(r->checks[k].rule->level),
                      r->checks[k].verdict);
    }
    for (size_t l = 0; l < ARRAY_LEN(levels); l++)
        for (size_t i = 0; i < t.n; i++)
            if (strcmp(t.rows[i].name, levels[l]) == 0)
                sorted.rows[sorted.n++] = t.rows[i];
    print_table(c, "checks by level", &sorted);
}

static int slower(const void *a, const void *b)
{
    const struct case_result *const *x = a, *const *y = b;
    return ((*x)->duration_us < (*y)->duration_us) - ((*x)->duration_us > (*y)->duration_us);
}

static void print_slowest(const struct outcome *o)
{
    enum { SHOWN = 3 };
    const struct case_result **sorted = calloc(o->n + 1, sizeof *sorted);
    if (!sorted)
        return;
    for (size_t i = 0; i < o->n; i++)
        sorted[i] = &o->cases[i].result;
    if (o->n > 0)
        qsort(sorted, o->n, sizeof *sorted, slower);
    printf("\nslowest:");
    for (size_t i = 0; i < o->n && i < SHOWN; i++)
        printf("%s %s %.0f ms", i ? "," : "", sorted[i]->file->id,
               (double)sorted[i]->duration_us / 1000);
    printf("\n");
    free(sorted);
}

void console_summary(struct console *c, const struct outcome *o)
{
    enum exit_code code = outcome_exit_code(o);
    wipe_line(c);
    if (o->n > 1) {
        print_areas(c, o);
        print_levels(c, o);
        print_slowest(o);
    }
    printf("\n%s%s%s%s: ", o->agent_name ? o->agent_name : o->setting->profile->name,
           o->agent_version ? " " : "", o->agent_version ? o->agent_version : "",
           o->interrupted ? " (interrupted)" : "");
    printf("%s%s%s, ", style_begin(c->colour, code == EXIT_CONFORMS ? STYLE_GREEN : STYLE_RED),
           outcome_words(o), style_end(c->colour));
    printf("%zu case%s in %.2f s: ", o->n, o->n == 1 ? "" : "s", (double)o->duration_us / 1e6);
    print_counts(o->counts, c->colour);
    printf("\n");
    fflush(stdout);
}
