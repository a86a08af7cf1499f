#include "conformance/failure.h"

#include "base/buf.h"
#include "conformance/catalog.h"
#include "conformance/requirement.h"
#include "conformance/style.h"
#include "conformance/transcript.h"

#include <string.h>

enum { BEFORE = 12, AFTER = 2, STDERR_LINES = 8, VALUE_MAX = 400 };

struct page {
    const struct case_result *r;
    struct buf *out;
    bool colour;
    int rc;
};

#define ADD(p, ...) ((p)->rc = (p)->rc < 0 ? (p)->rc : buf_addf((p)->out, __VA_ARGS__))

static void add_styled(struct page *p, enum style s, const char *text)
{
    if (p->rc == 0)
        p->rc = style_add(p->out, p->colour, s, text);
}

static void add_foreign(struct page *p, const char *label, const char *text)
{
    if (!text || !text[0])
        return;
    ADD(p, "      %-9s ", label);
    if (p->rc == 0)
        p->rc = style_add_line(p->out, text, strlen(text), VALUE_MAX);
    ADD(p, "\n");
}

static void add_place(struct page *p, const struct check_result *c)
{
    bool pointer = c->pointer && c->pointer[0];
    if (!c->by)
        return;
    ADD(p, "    ");
    if (c->step >= 0)
        ADD(p, "steps[%d] ", c->step);
    ADD(p, "%s%s%s\n", c->by, pointer ? ", at " : "", pointer ? c->pointer : "");
}

static void add_check(struct page *p, const struct check_result *c)
{
    ADD(p, "  ");
    add_styled(p, style_of(c->verdict), verdict_name(c->verdict));
    ADD(p, " ");
    add_styled(p, STYLE_BOLD, c->id);
    if (c->rule)
        ADD(p, " (%s) %s\n", c->rule->level, c->rule->text);
    else
        ADD(p, " (no such requirement)\n");
    add_place(p, c);
    add_foreign(p, "note", c->note);
    bool compared = c->expected && c->expected[0];
    add_foreign(p, "expected", c->expected);
    add_foreign(p, "got", c->got);
    if (!compared)
        add_foreign(p, "because", c->text);
}

static void add_head(struct page *p)
{
    add_styled(p, style_of(p->r->verdict), verdict_name(p->r->verdict));
    ADD(p, "  ");
    add_styled(p, STYLE_BOLD, p->r->file->id);
    ADD(p, "  %s\n", case_title(p->r->file));
    if (p->r->reason && p->r->reason[0])
        ADD(p, "  %s\n", p->r->reason);
}

static void add_transcript(struct page *p)
{
    const struct check_result *worst = result_worst(p->r);
    struct transcript_window w = {worst ? worst->event : NULL, BEFORE, AFTER, p->colour};
    if (p->r->trace.n == 0)
        return;
    if (!w.focus)
        w.before += AFTER + 1;
    ADD(p, "  transcript (ms)\n");
    if (p->rc == 0)
        p->rc = transcript_write(&p->r->trace, &w, p->out);
}

/* The last lines of a text. */
static const char *tail_of(const char *text, unsigned lines)
{
    const char *at = text + strlen(text);
    while (at > text && at[-1] == '\n')
        at--;
    while (at > text && (at[-1] != '\n' || --lines > 0))
        at--;
    return at;
}

static void add_stderr(struct page *p)
{
    const char *text = p->r->stderr_tail;
    if (!text || !text[0])
        return;
    ADD(p, "  the agent's last words on stderr\n");
    for (text = tail_of(text, STDERR_LINES); *text;) {
        size_t n = strcspn(text, "\n");
        ADD(p, "    ");
        if (p->rc == 0)
            p->rc = style_add_line(p->out, text, n, VALUE_MAX);
        ADD(p, "\n");
        text += n + (text[n] == '\n');
    }
}

int failure_write(const struct case_result *r, const char *again, bool colour, struct buf *out)
{
    struct page p = {r, out, colour, 0};
    add_head(&p);
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].verdict != VERDICT_PASS)
            add_check(&p, &r->checks[i]);
    add_transcript(&p);
    add_stderr(&p);
    if (r->overdue)
        ADD(&p,
            "  a slow agent rather than a silent one? --timeout-scale X, or timeout_scale in its "
            "profile, gives it more time\n");
    if (again)
        ADD(&p, "  again: %s\n", again);
    ADD(&p, "\n");
    return p.rc;
}
