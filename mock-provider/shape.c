#include "shape.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

void shape_deinit(struct shape_run *w)
{
    buf_deinit(&w->line_up);
}

/* --- the end of what is written --- */

/* Everything goes through here: nothing passes the byte at which the stream stops. */
static void put(struct shape_run *w, const struct shape *s, struct buf *out, size_t from)
{
    uint64_t room = s->stop && !s->stop_by_events ? s->stop_at - w->bytes : UINT64_MAX;
    size_t n = out->n - from;
    if (w->stopped || n >= room) {
        n = w->stopped ? 0 : (size_t)room;
        out->n = from + n;
        w->stopped = true;
    }
    w->bytes += n;
}

static void count_event(struct shape_run *w, const struct shape *s)
{
    w->written++;
    if (s->stop && s->stop_by_events && w->written >= s->stop_at)
        w->stopped = true;
}

/* --- lines --- */

struct line {
    const char *p;
    size_t n;
};

/* The next line of an event's text, without its end; false: none is left. */
static bool next_line(const char **at, const char *end, struct line *ret)
{
    const char *lf = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (*at >= end)
        return false;
    const char *stop = lf ? lf : end;
    *ret = (struct line){*at, (size_t)(stop - *at)};
    if (ret->n > 0 && ret->p[ret->n - 1] == '\r')
        ret->n--;
    *at = stop + 1;
    return true;
}

static const char *eol_of(const struct shape *s, const struct buf *event)
{
    static const char *const ends[] = {NULL, "\n", "\r\n", "\r"};
    bool crlf = event->n > 1 && event->p[event->n - 2] == '\r';
    return s->eol == SHAPE_EOL_OWN ? (crlf ? "\r\n" : "\n") : ends[s->eol];
}

static bool begins(struct line l, const char *head)
{
    size_t n = strlen(head);
    return l.n >= n && memcmp(l.p, head, n) == 0;
}

/* --- one event --- */

struct writing {
    struct shape_run *w;
    const struct shape *s;
    struct buf *out;
    const char *eol;
};

static int add_line(struct writing *to, const char *name, const char *p, size_t n)
{
    bool space = !to->s->no_space && n > 0 && *name;
    if (buf_adds(to->out, name) < 0 || (space && buf_addc(to->out, ' ') < 0) ||
        buf_add(to->out, p, n) < 0)
        return E_NOMEM;
    return buf_adds(to->out, to->eol);
}

static int add_spaces(struct buf *out, size_t n)
{
    int rc = buf_reserve(out, n);
    if (rc == 0) {
        memset(out->p + out->n, ' ', n);
        out->n += n;
    }
    return rc;
}

/* The end of a data line. */
static int end_data(struct writing *to)
{
    int rc = to->s->trailing ? buf_adds(to->out, "  ") : 0;
    return rc < 0 ? rc : buf_adds(to->out, to->eol);
}

/* Between the first brace and what follows, white space, a new line and one more member may stand.
 */
static int add_stretched(struct writing *to, const char *p, size_t n)
{
    bool huge = to->s->huge > 0 && to->w->events == 1;
    int rc = buf_adds(to->out, to->s->no_space ? "data:" : "data: ");
    if (rc == 0)
        rc = buf_add(to->out, p, 1);
    if (rc == 0 && huge)
        rc = add_spaces(to->out, to->s->huge);
    if (rc == 0 && to->s->multiline)
        rc = buf_adds(to->out, to->eol);
    if (rc == 0 && to->s->multiline)
        rc = buf_adds(to->out, to->s->no_space ? "data:" : "data: ");
    if (rc == 0 && to->s->extra && p[1] == '"')
        rc = buf_adds(to->out, "\"x_mock\":{\"a\":[null,1e3,\"\"]},");
    if (rc == 0)
        rc = buf_add(to->out, p + 1, n - 1);
    return rc < 0 ? rc : end_data(to);
}

static int add_data(struct writing *to, const char *p, size_t n)
{
    bool stretched = to->s->multiline || to->s->extra || (to->s->huge > 0 && to->w->events == 1);
    if (to->s->garble == to->w->events)
        n /= 2;
    if (stretched && n > 1 && *p == '{')
        return add_stretched(to, p, n);
    if (buf_adds(to->out, to->s->no_space || n == 0 ? "data:" : "data: ") < 0 ||
        buf_add(to->out, p, n) < 0)
        return E_NOMEM;
    return end_data(to);
}

static int copy_line(struct writing *to, struct line l)
{
    size_t head = 5;
    if (begins(l, "event:")) {
        if (to->s->no_event_lines)
            return 0;
        head = 6;
    } else if (!begins(l, "data:")) {
        return add_line(to, "", l.p, l.n);
    }
    const char *p = l.p + head;
    size_t n = l.n - head;
    if (n > 0 && *p == ' ') {
        p++;
        n--;
    }
    return head == 6 ? add_line(to, "event:", p, n) : add_data(to, p, n);
}

/* An event of that type that says nothing else. */
static int add_event(struct writing *to, const char *type)
{
    char json[48];
    int n = snprintf(json, sizeof json, "{\"type\":\"%s\"}", type);
    int rc = to->s->no_event_lines ? 0 : add_line(to, "event:", type, strlen(type));
    if (rc == 0)
        rc = add_line(to, "data:", json, (size_t)n);
    return rc < 0 ? rc : buf_adds(to->out, to->eol);
}

static int add_before(struct writing *to)
{
    int rc = to->s->comments ? add_line(to, ": keep-alive", "", 0) : 0;
    if (rc == 0 && to->s->unknown)
        rc = add_event(to, "x_mock");
    if (rc == 0 && to->s->pings)
        rc = add_event(to, "ping");
    if (rc == 0 && to->s->empty_data)
        rc = add_line(to, "data:", "", 0);
    if (rc == 0 && to->s->empty_data)
        rc = buf_adds(to->out, to->eol);
    if (rc == 0 && to->s->fields)
        rc = buf_addf(to->out, "id: %u%sretry: 3000%s", to->w->events, to->eol, to->eol);
    return rc;
}

static int begin(struct writing *to)
{
    int rc = to->s->bom && !to->w->begun ? buf_adds(to->out, "\xEF\xBB\xBF") : 0;
    for (uint32_t i = 0; rc == 0 && !to->w->begun && i < to->s->blank; i++)
        rc = buf_adds(to->out, to->eol);
    to->w->begun = true;
    return rc;
}

/* The empty line of the event before comes only now if the last one is to have none. */
static int write_event(struct writing *to, const char *text, size_t n)
{
    struct line l;
    const char *at = text;
    int rc = begin(to);
    if (rc == 0 && to->w->blank_due)
        rc = buf_adds(to->out, to->eol);
    if (rc == 0)
        rc = add_before(to);
    while (rc == 0 && next_line(&at, text + n, &l))
        if (l.n > 0)
            rc = copy_line(to, l);
    to->w->blank_due = to->s->no_last_blank;
    return rc < 0 || to->s->no_last_blank ? rc : buf_adds(to->out, to->eol);
}

static int take_event(struct shape_run *w, const struct shape *s, struct buf *out)
{
    struct writing to = {w, s, out, eol_of(s, &w->line_up)};
    w->events++;
    unsigned times = s->drop == w->events ? 0 : s->duplicate == w->events ? 2 : 1;
    while (times-- > 0 && !w->stopped) {
        size_t from = out->n;
        if (write_event(&to, w->line_up.p, w->line_up.n) < 0)
            return E_NOMEM;
        put(w, s, out, from);
        count_event(w, s);
    }
    w->line_up.n = 0;
    return 0;
}

/* --- streams --- */

/* True if the byte just added completes an empty line. */
static bool is_whole(const struct buf *b)
{
    if (b->n < 2 || b->p[b->n - 1] != '\n')
        return false;
    return b->p[b->n - 2] == '\n' || (b->n >= 4 && memcmp(b->p + b->n - 4, "\r\n\r\n", 4) == 0);
}

int shape_feed(struct shape_run *w, const struct shape *s, const char *p, size_t n, struct buf *out)
{
    const char *end = p + n;
    int rc = 0;
    if (s->stop && s->stop_at == 0)
        w->stopped = true;
    while (rc == 0 && p < end && !w->stopped) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        const char *stop = lf ? lf + 1 : end;
        rc = buf_add(&w->line_up, p, (size_t)(stop - p));
        if (rc == 0 && is_whole(&w->line_up))
            rc = take_event(w, s, out);
        p = stop;
    }
    return rc;
}

int shape_end(struct shape_run *w, const struct shape *s, struct buf *out)
{
    size_t from = out->n;
    int rc = buf_add(out, w->line_up.p, w->line_up.n);
    w->line_up.n = 0;
    if (rc == 0)
        put(w, s, out, from);
    return rc;
}

int shape_plain(struct shape_run *w, const struct shape *s, const char *p, size_t n,
                struct buf *out)
{
    struct writing to = {w, s, out, s->eol == SHAPE_EOL_OWN ? "\n" : eol_of(s, &w->line_up)};
    size_t from = out->n;
    int rc = begin(&to);
    if (rc == 0)
        rc = buf_add(out, p, n);
    if (rc == 0)
        put(w, s, out, from);
    return rc;
}

/* --- chaos --- */

static unsigned draw(uint64_t *random, unsigned of)
{
    unsigned got = (unsigned)(*random % of);
    *random /= of;
    return got;
}

void shape_chaos(struct shape *s, uint64_t random, bool hostile)
{
    s->any = true;
    if (s->eol == SHAPE_EOL_OWN)
        s->eol = (enum shape_eol)draw(&random, 4);
    s->bom = s->bom || draw(&random, 4) == 0;
    s->no_space = s->no_space || draw(&random, 2) == 0;
    s->comments = s->comments || draw(&random, 2) == 0;
    s->fields = s->fields || draw(&random, 3) == 0;
    s->multiline = s->multiline || draw(&random, 3) == 0;
    if (s->blank == 0)
        s->blank = draw(&random, 3);
    if (s->write == 0)
        s->write = 1 + draw(&random, 48);
    if (!hostile || s->stop)
        return;
    s->stop = (enum shape_stop)(SHAPE_CUT + draw(&random, 2));
    s->stop_by_events = false;
    s->stop_at = draw(&random, 2000);
}
