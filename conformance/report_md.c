#include "conformance/report.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/matrix.h"
#include "conformance/profile.h"
#include "conformance/requirement.h"
#include "conformance/sheet.h"

#include <stdlib.h>
#include <string.h>

/* Markdown (GFM) for pull requests and job summaries. The smallest of these take 64 KiB: stories
 * are told while there is room for them, then names, then a number. */

enum { ROOM_FOR_STORIES = 40 * 1024, ROOM_FOR_NAMES = 58 * 1024, VALUE_MAX = 600 };

/* Worst first: what is read first. */
static const enum verdict order[] = {VERDICT_FAIL, VERDICT_ERROR, VERDICT_WARN,
                                     VERDICT_NOT_EXERCISED, VERDICT_INFO};

/* ---- foreign text -------------------------------------------------------------------------------
 */

/* Neither markup nor a link, a mention, an emoji or a formula. */
static const char *escape_inline(char c)
{
    static const char specials[] = "\\`*_[]|~$#!";
    static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\[", "\\]",
                                          "\\|",  "\\~", "\\$", "\\#", "\\!"};
    const char *at = c ? strchr(specials, c) : NULL;
    if (at)
        return escaped[at - specials];
    switch (c) {
    case '\n':
    case '\t':
        return " ";
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '@':
        return "&#64;";
    case ':':
        return "&#58;";
    default:
        return NULL;
    }
}

static const char *escape_line(char c)
{
    return c == '\n' || c == '\t' ? " " : NULL;
}

static void add_inline(struct sheet *s, const char *text)
{
    sheet_foreign(s, text, strlen(text), escape_inline);
}

static size_t longest_ticks(const char *text)
{
    size_t longest = 0;
    for (size_t n; *text; text += n ? n : 1) {
        n = strspn(text, "`");
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void add_ticks(struct sheet *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sheet_add(s, "`");
}

/* A code span; its fence is longer than any in the text. */
static void add_code(struct sheet *s, const char *text)
{
    size_t ticks = longest_ticks(text), n = strlen(text);
    const char *pad = ticks || !text[0] ? " " : "";
    add_ticks(s, ticks + 1);
    sheet_add(s, pad);
    sheet_foreign(s, text, n < VALUE_MAX ? n : VALUE_MAX, escape_line);
    sheet_addf(s, "%s%s", n > VALUE_MAX ? "…" : "", pad);
    add_ticks(s, ticks + 1);
}

static void add_block(struct sheet *s, const char *text)
{
    size_t ticks = longest_ticks(text) + 1;
    ticks = ticks < 3 ? 3 : ticks;
    add_ticks(s, ticks);
    sheet_add(s, "text\n");
    sheet_foreign(s, text, strlen(text), NULL);
    sheet_add(s, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
    add_ticks(s, ticks);
    sheet_add(s, "\n");
}

/* ---- the head -----------------------------------------------------------------------------------
 */

static void add_head(struct sheet *s, const struct outcome *o)
{
    char started[32];
    const char *between = ": ";
    outcome_started(o, started, sizeof started);
    sheet_add(s, "# ACP conformance: ");
    add_code(s, o->agent_name ? o->agent_name : o->setting->profile->name);
    if (o->agent_version) {
        sheet_add(s, " ");
        add_code(s, o->agent_version);
    }
    sheet_addf(s, " %s\n\n**%zu case%s** in %.2f s", outcome_words(o), o->n, o->n == 1 ? "" : "s",
               (double)o->duration_us / 1e6);
    for (int v = 0; v < VERDICT_COUNT; v++) {
        if (o->counts[v] == 0)
            continue;
        sheet_addf(s, "%s%u %s", between, o->counts[v], verdict_name((enum verdict)v));
        between = ", ";
    }
    if (o->stale > 0)
        sheet_addf(s, "; no longer true in the baseline: %u", o->stale);
    sheet_addf(s, "%s\n\nProfile ", o->interrupted ? " (interrupted: cases are missing)" : "");
    add_code(s, o->setting->profile->name);
    sheet_addf(s, ", started %s, acp-conformance " ACP_VERSION "%s\n", started,
               o->setting->strict ? ", strict" : "");
}

static void add_row(struct sheet *s, const struct matrix *m, const struct matrix_row *row)
{
    unsigned passed = row->cases[VERDICT_PASS];
    sheet_add(s, "| ");
    sheet_foreign(s, row->area, row->area_n, escape_inline);
    sheet_addf(s, " | %u", passed);
    if (passed < row->n)
        sheet_addf(s, "/%zu", row->n);
    sheet_add(s, " |");
    for (size_t i = 0; i < MATRIX_LEVELS; i++) {
        const struct matrix_cell *cell = &row->levels[i];
        if (!m->used[i])
            continue;
        if (cell->n == 0)
            sheet_add(s, " |");
        else if (cell->counts[VERDICT_PASS] == cell->n)
            sheet_addf(s, " %u |", cell->n);
        else
            sheet_addf(s, " **%u/%u** |", cell->counts[VERDICT_PASS], cell->n);
    }
    sheet_add(s, "\n");
}

static void add_matrix(struct sheet *s, const struct matrix *m)
{
    sheet_add(s, "\n## Passed, by area and level\n\n| area | cases |");
    for (size_t i = 0; i < MATRIX_LEVELS; i++)
        if (m->used[i])
            sheet_addf(s, " %s |", matrix_level(i));
    sheet_add(s, "\n| :-- | --: |");
    for (size_t i = 0; i < MATRIX_LEVELS; i++)
        sheet_add(s, m->used[i] ? " --: |" : "");
    sheet_add(s, "\n");
    for (size_t i = 0; i < m->n; i++)
        add_row(s, m, &m->rows[i]);
}

/* ---- what did not pass --------------------------------------------------------------------------
 */

static void add_value(struct sheet *s, const char *label, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_addf(s, "  - %s ", label);
    add_code(s, text);
    sheet_add(s, "\n");
}

static void add_check(struct sheet *s, const struct check_result *c)
{
    sheet_addf(s, "- **%s %s** ", verdict_name(c->verdict), c->id);
    if (c->rule) {
        sheet_addf(s, "(%s) ", c->rule->level);
        add_inline(s, c->rule->text);
    }
    sheet_add(s, "\n");
    add_value(s, "note", c->note);
    add_value(s, "at", c->pointer);
    add_value(s, "expected", c->expected);
    add_value(s, "got", c->got);
    if (!c->expected || !c->expected[0])
        add_value(s, "because", c->text);
}

static void add_story(struct sheet *s, const char *story)
{
    if (!story)
        return;
    sheet_add(s, "\n<details><summary>Transcript and stderr</summary>\n\n");
    add_block(s, story);
    sheet_add(s, "\n</details>\n");
}

static void add_again(struct sheet *s, const struct outcome *o, const struct case_file *c)
{
    char *again = outcome_again(o, c);
    sheet_fail(s, again ? 0 : E_NOMEM);
    sheet_add(s, "\nAgain: ");
    add_code(s, again ? again : "");
    sheet_add(s, "\n");
    free(again);
}

static void add_case(struct sheet *s, const struct outcome *o, const struct outcome_case *c)
{
    const struct case_result *r = &c->result;
    bool brief = s->out->n > ROOM_FOR_STORIES;
    sheet_addf(s, "\n%s %s ", brief ? "-" : "###", verdict_name(r->verdict));
    add_code(s, r->file->id);
    if (brief)
        return;
    sheet_add(s, " ");
    add_inline(s, case_title(r->file));
    sheet_add(s, "\n\n");
    if (r->reason) {
        add_inline(s, r->reason);
        sheet_add(s, "\n\n");
    }
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].verdict != VERDICT_PASS)
            add_check(s, &r->checks[i]);
    add_story(s, c->failure);
    add_again(s, o, r->file);
}

static void add_stories(struct sheet *s, const struct outcome *o)
{
    size_t shown = 0, unnamed = 0;
    for (size_t v = 0; v < ARRAY_LEN(order); v++)
        for (size_t i = 0; i < o->n; i++) {
            if (o->cases[i].result.verdict != order[v])
                continue;
            sheet_add(s, shown++ == 0 ? "\n## What did not pass\n" : "");
            if (s->out->n > ROOM_FOR_NAMES)
                unnamed++;
            else
                add_case(s, o, &o->cases[i]);
        }
    if (unnamed > 0)
        sheet_addf(s, "\n- and %zu more", unnamed);
    if (s->out->n > ROOM_FOR_STORIES)
        sheet_add(s, "\n\nThis text is kept short: the html and json reports hold all of it.\n");
}

/* ---- what was not run ---------------------------------------------------------------------------
 */

static bool same_reason(const struct case_result *a, const struct case_result *b)
{
    return a->verdict == b->verdict && a->reason && b->reason && strcmp(a->reason, b->reason) == 0;
}

/* How many cases share the reason of case i; 0 if an earlier one has told of it. */
static size_t count_reason(const struct outcome *o, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < o->n; k++) {
        if (!same_reason(&o->cases[k].result, &o->cases[i].result))
            continue;
        if (k < i)
            return 0;
        n++;
    }
    return n;
}

static void add_skips(struct sheet *s, const struct outcome *o)
{
    if (o->counts[VERDICT_SKIP] == 0)
        return;
    sheet_add(s, "\n## Skipped\n\n| cases | because |\n| --: | :-- |\n");
    for (size_t i = 0; i < o->n; i++) {
        size_t n = o->cases[i].result.verdict == VERDICT_SKIP ? count_reason(o, i) : 0;
        if (n == 0)
            continue;
        sheet_addf(s, "| %zu | ", n);
        add_inline(s, o->cases[i].result.reason);
        sheet_add(s, " |\n");
    }
}

int report_markdown(const struct outcome *o, struct buf *out)
{
    struct sheet s = {.out = out};
    struct matrix m;
    int rc = matrix_build(o, &m);
    if (rc < 0)
        return rc;
    add_head(&s, o);
    add_matrix(&s, &m);
    add_stories(&s, o);
    add_skips(&s, o);
    matrix_deinit(&m);
    return s.rc;
}
