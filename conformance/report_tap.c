#include "conformance/report.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/requirement.h"
#include "conformance/sheet.h"

#include <stdlib.h>
#include <string.h>

/* TAP version 14: one test point a case, with a YAML block. "not ok" is FAIL and ERROR; cases that
 * were not judged are skipped; a run without a verdict bails out. So a TAP consumer says "passed"
 * exactly when the exit code is 0. */

static const char *escape_description(char c)
{
    switch (c) {
    case '#':
        return "\\#";
    case '\\':
        return "\\\\";
    case '\n':
    case '\t':
        return " ";
    default:
        return NULL;
    }
}

static void add_description(struct sheet *s, const char *text)
{
    sheet_foreign(s, text, strlen(text), escape_description);
}

static void add_member(struct sheet *s, const char *indent, const char *name, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_addf(s, "%s%s: ", indent, name);
    sheet_quoted(s, text);
    sheet_add(s, "\n");
}

static void add_check(struct sheet *s, const struct check_result *c)
{
    static const char indent[] = "      ";
    sheet_add(s, "    - id: ");
    sheet_quoted(s, c->id);
    sheet_addf(s, "\n%sverdict: %s\n", indent, verdict_name(c->verdict));
    if (c->rule) {
        add_member(s, indent, "level", c->rule->level);
        add_member(s, indent, "rule", c->rule->text);
    }
    add_member(s, indent, "by", c->by);
    if (c->step >= 0)
        sheet_addf(s, "%sstep: %d\n", indent, c->step);
    add_member(s, indent, "pointer", c->pointer);
    add_member(s, indent, "expected", c->expected);
    add_member(s, indent, "got", c->got);
    add_member(s, indent, "text", c->text);
    add_member(s, indent, "note", c->note);
}

static void add_checks(struct sheet *s, const struct case_result *r)
{
    bool begun = false;
    for (size_t i = 0; r->verdict != VERDICT_SKIP && i < r->n; i++) {
        if (r->checks[i].verdict == VERDICT_PASS)
            continue;
        if (!begun)
            sheet_add(s, "  checks:\n");
        begun = true;
        add_check(s, &r->checks[i]);
    }
}

static void add_again(struct sheet *s, const struct outcome *o, const struct case_result *r)
{
    if (r->verdict == VERDICT_PASS)
        return;
    char *again = outcome_again(o, r->file);
    sheet_fail(s, again ? 0 : E_NOMEM);
    add_member(s, "  ", "again", again);
    free(again);
}

/* As a block, for people: each line stands behind four spaces, so that none of them ends it. Some
 * parsers stumble over empty ones. */
static void add_story(struct sheet *s, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_add(s, "  story: |\n");
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n == 0 && text[strspn(text, "\n")] == '\0')
            break;
        sheet_add(s, "    ");
        sheet_foreign(s, text, n, NULL);
        sheet_add(s, "\n");
        text += n + (text[n] == '\n');
    }
}

static void add_directive(struct sheet *s, const struct case_result *r)
{
    if (r->verdict != VERDICT_SKIP && r->verdict != VERDICT_NOT_EXERCISED)
        return;
    sheet_add(s, r->verdict == VERDICT_SKIP ? " # SKIP " : " # SKIP NOT-EXERCISED ");
    add_description(s, r->reason ? r->reason : "");
}

static void add_case(struct sheet *s, const struct outcome *o, size_t i)
{
    const struct case_result *r = &o->cases[i].result;
    bool bad = r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR;
    sheet_addf(s, "%sok %zu - ", bad ? "not " : "", i + 1);
    add_description(s, r->file->id);
    sheet_add(s, " - ");
    add_description(s, case_title(r->file));
    add_directive(s, r);
    sheet_addf(s, "\n  ---\n  verdict: %s\n  duration_ms: %.3f\n", verdict_name(r->verdict),
               (double)r->duration_us / 1000);
    add_member(s, "  ", "reason", r->reason);
    add_checks(s, r);
    add_again(s, o, r);
    add_story(s, o->cases[i].failure);
    sheet_add(s, "  ...\n");
}

/* What makes a run fail in which no test did. */
static void add_bail_out(struct sheet *s, const struct outcome *o)
{
    enum exit_code code = outcome_exit_code(o);
    if (o->interrupted)
        sheet_add(s, "Bail out! the run was interrupted\n");
    else if (code == EXIT_NO_VERDICT && o->counts[VERDICT_ERROR] == 0)
        sheet_add(s, "Bail out! no case was executed\n");
    else if (code == EXIT_STALE)
        sheet_addf(s, "Bail out! no longer true in the baseline: %u\n", o->stale);
}

int report_tap(const struct outcome *o, struct buf *out)
{
    struct sheet s = {.out = out};
    sheet_addf(&s, "TAP version 14\n1..%zu%s\n", o->n, o->n ? "" : " # SKIP no case was run");
    for (size_t i = 0; i < o->n; i++)
        add_case(&s, o, i);
    add_bail_out(&s, o);
    return s.rc;
}
