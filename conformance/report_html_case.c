#include "conformance/report_html.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/explain.h"
#include "conformance/requirement.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 600 };

const enum verdict html_order[VERDICT_COUNT] = {VERDICT_FAIL,          VERDICT_ERROR, VERDICT_WARN,
                                                VERDICT_NOT_EXERCISED, VERDICT_INFO,  VERDICT_SKIP,
                                                VERDICT_PASS};

const char *html_class(enum verdict v)
{
    static const char *const classes[VERDICT_COUNT] = {
        [VERDICT_PASS] = "pass", [VERDICT_INFO] = "info",   [VERDICT_NOT_EXERCISED] = "none",
        [VERDICT_WARN] = "warn", [VERDICT_ERROR] = "error", [VERDICT_FAIL] = "fail",
        [VERDICT_SKIP] = "skip",
    };
    return classes[v];
}

void html_badge(struct sheet *s, enum verdict v)
{
    sheet_addf(s, "<b class=\"v %s\">%s</b>", html_class(v), verdict_name(v));
}

void html_link(struct sheet *s, const char *class, const char *id, const char *more)
{
    sheet_addf(s, "<a class=\"%s\" href=\"#", class);
    sheet_value(s, id, strlen(id));
    sheet_add(s, "\">");
    sheet_markup(s, id);
    sheet_addf(s, "%s</a> ", more);
}

/* ---- checks -------------------------------------------------------------------------------------
 */

static void add_pair(struct sheet *s, const char *name, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_addf(s, "<dt>%s<dd><code>", name);
    sheet_markup(s, text);
    sheet_add(s, "</code>\n");
}

static void add_place(struct sheet *s, const struct check_result *c)
{
    if (!c->by)
        return;
    sheet_add(s, "<dt>seen by<dd>");
    if (c->step >= 0)
        sheet_addf(s, "step %d, ", c->step);
    sheet_markup(s, c->by);
    if (c->pointer && c->pointer[0])
        sheet_add(s, ", at ");
    sheet_element(s, "code", c->pointer);
    sheet_add(s, "\n");
}

static void add_breach(struct sheet *s, const struct check_result *c)
{
    bool compared = c->expected && c->expected[0];
    sheet_add(s, "<dl>");
    add_place(s, c);
    add_pair(s, "note", c->note);
    add_pair(s, "expected", c->expected);
    add_pair(s, "got", c->got);
    add_pair(s, "because", compared ? NULL : c->text);
    sheet_add(s, "</dl>\n");
}

static void add_check(struct sheet *s, const struct case_result *r, const struct check_result *c)
{
    bool judged = r->verdict != VERDICT_SKIP;
    sheet_add(s, "<li>");
    if (judged)
        html_badge(s, c->verdict);
    sheet_add(s, judged ? " " : "");
    html_link(s, "rule", c->id, "");
    if (c->rule) {
        sheet_element(s, "small", c->rule->level);
        sheet_add(s, " ");
        sheet_markup(s, c->rule->text);
    } else {
        sheet_add(s, "(no such requirement)");
    }
    sheet_add(s, "\n");
    if (judged && c->verdict != VERDICT_PASS)
        add_breach(s, c);
}

/* ---- the rest -----------------------------------------------------------------------------------
 */

static void add_summary(struct sheet *s, const struct case_result *r)
{
    sheet_add(s, "<summary>");
    html_badge(s, r->verdict);
    sheet_add(s, " ");
    sheet_element(s, "code", r->file->id);
    sheet_add(s, " ");
    sheet_element(s, "span", case_title(r->file));
    if (r->duration_us > 0)
        sheet_addf(s, " <time>%.0f ms</time>", (double)r->duration_us / 1000);
    sheet_add(s, "</summary>\n");
}

/* The levels of its checks, for the filter. */
static void add_levels(struct sheet *s, const struct case_result *r)
{
    sheet_add(s, " data-l=\"");
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].rule)
            sheet_addf(s, "%s;", r->checks[i].rule->level);
    sheet_add(s, "\"");
}

static void add_tags(struct sheet *s, const cJSON *tags)
{
    const cJSON *tag;
    if (cJSON_GetArraySize(tags) == 0)
        return;
    sheet_add(s, " data-t=\"");
    cJSON_ArrayForEach(tag, tags) if (cJSON_IsString(tag))
    {
        sheet_value(s, tag->valuestring, strlen(tag->valuestring));
        sheet_add(s, " ");
    }
    sheet_add(s, "\"");
}

static void add_explanation(struct sheet *s, struct case_file *c)
{
    struct buf text = {0};
    char err[64];
    const cJSON *json = case_json(c, err, sizeof err);
    int rc = json ? explain_play(json, LINE_MAX_BYTES, &text) : 0;
    const char *play = rc == 0 ? buf_cstr(&text) : NULL;
    sheet_fail(s, play ? 0 : E_NOMEM);
    if (json && play) {
        sheet_add(s, "<details><summary>What the case does</summary>\n<pre>");
        sheet_markup(s, play + strspn(play, "\n"));
        sheet_add(s, "</pre></details>\n");
    }
    buf_deinit(&text);
}

static void add_again(struct sheet *s, const struct outcome *o, const struct case_file *c)
{
    char *again = outcome_again(o, c);
    sheet_fail(s, again ? 0 : E_NOMEM);
    sheet_add(s, "<p class=\"again\">Run it again: ");
    sheet_element(s, "code", again);
    sheet_add(s, "</p>\n");
    free(again);
}

static void add_stderr(struct sheet *s, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_add(s, "<h4>The agent's last words on stderr</h4>\n");
    sheet_element(s, "pre", text);
    sheet_add(s, "\n");
}

void html_case(struct sheet *s, const struct outcome *o, const struct outcome_case *c, bool open)
{
    const struct case_result *r = &c->result;
    sheet_addf(s, "<details class=\"case %s\"", html_class(r->verdict));
    sheet_attribute(s, "id", r->file->id);
    add_levels(s, r);
    add_tags(s, json_get(r->file->json, "tags"));
    sheet_add(s, open ? " open>" : ">");
    add_summary(s, r);
    sheet_add(s, "<div>\n");
    sheet_element(s, "p class=\"reason\"", r->reason);
    if (r->overdue)
        sheet_add(s, "<p>A slow agent rather than a silent one? <code>--timeout-scale X</code>, or "
                     "<code>timeout_scale</code> in its profile, gives it more time.</p>\n");
    sheet_element(s, "p", json_get_str(r->file->json, "why"));
    sheet_add(s, "<ul class=\"checks\">\n");
    for (size_t v = 0; v < VERDICT_COUNT; v++)
        for (size_t i = 0; i < r->n; i++)
            if (r->checks[i].verdict == html_order[v])
                add_check(s, r, &r->checks[i]);
    sheet_add(s, "</ul>\n");
    html_sequence(s, &c->excerpt);
    add_stderr(s, r->stderr_tail);
    add_explanation(s, r->file);
    add_again(s, o, r->file);
    sheet_add(s, "</div></details>\n");
}
