#include "conformance/report_html.h"

#include <stdio.h>

/* One list item an event; the style sheet draws the lanes and arrows of its class. What the arrow
 * says stands in the text as well, for those who do not see it. */
static const struct {
    const char *class, *way;
} sides[] = {
    [TRACE_AGENT] = {"a", "agent → client"},
    [TRACE_CLIENT] = {"c", "client → agent"},
    [TRACE_MODEL] = {"m", "agent → model"},
    [TRACE_MODEL_EVENT] = {"e", "model → agent"},
    [TRACE_STDERR] = {"p", "agent"},
    [TRACE_PROCESS] = {"p", "agent"},
    [TRACE_NOTE] = {"n", ""},
};

static bool is_breach(enum verdict v)
{
    return v == VERDICT_FAIL || v == VERDICT_WARN;
}

static void add_class(struct sheet *s, const struct excerpt_row *row)
{
    sheet_addf(s, "<li class=\"%s%s%s%s\">", sides[row->side].class, row->answer ? " r" : "",
               row->error ? " bad" : "",
               row->n_marks == 0                  ? ""
               : is_breach(row->marks[0].verdict) ? " broke"
                                                  : " seen");
}

static void add_mark(struct sheet *s, const struct excerpt_mark *mark)
{
    char class[32];
    snprintf(class, sizeof class, "mark %s", html_class(mark->verdict));
    html_link(s, class, mark->id, is_breach(mark->verdict) ? " broken here" : " judged here");
}

static void add_row(struct sheet *s, const struct excerpt_row *row)
{
    if (row->left_out > 0)
        sheet_addf(s, "<li class=\"gap\">%zu event%s left out\n", row->left_out,
                   row->left_out == 1 ? "" : "s");
    add_class(s, row);
    sheet_addf(s, "<time>%.1f</time><i>%s</i><p>", (double)row->t_us / 1000, sides[row->side].way);
    for (unsigned i = 0; i < row->n_marks; i++)
        add_mark(s, &row->marks[i]);
    sheet_element(s, "b", row->label);
    if (row->times > 1)
        sheet_addf(s, " <u>×%u</u>", row->times);
    sheet_add(s, row->text[0] ? " " : "");
    sheet_element(s, "code", row->text);
    sheet_add(s, "\n");
}

void html_sequence(struct sheet *s, const struct excerpt *e)
{
    if (e->n == 0)
        return;
    sheet_add(s, "<h4>Sequence and transcript</h4>\n<ol class=\"seq\">\n"
                 "<li class=\"head\" aria-hidden=\"true\"><time>ms</time>"
                 "<i><span>client</span><span>agent</span><span>model</span></i><p>message\n");
    for (size_t i = 0; i < e->n; i++)
        add_row(s, &e->rows[i]);
    sheet_add(s, "</ol>\n");
}
