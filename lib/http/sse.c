#include "http/sse.h"

#include "base/err.h"

#include <string.h>

void sse_init(struct sse *s, size_t max, void (*on_event)(void *, const struct sse_event *),
              void *ctx)
{
    *s = (struct sse){.max = max, .retry_ms = -1, .on_event = on_event, .ctx = ctx};
}

void sse_deinit(struct sse *s)
{
    buf_deinit(&s->line);
    buf_deinit(&s->data);
    buf_deinit(&s->name);
    buf_deinit(&s->id);
}

static int give_up_event(struct sse *s)
{
    s->too_big = true;
    s->has_data = false;
    s->data.n = s->name.n = 0;
    return E_TOOBIG;
}

static int dispatch(struct sse *s)
{
    struct sse_event event = {.name = "", .data_n = s->data.n};
    if (s->has_data) {
        event.data = buf_cstr(&s->data);
        if (s->name.n > 0)
            event.name = buf_cstr(&s->name);
        if (!event.data || !event.name)
            return E_NOMEM;
        s->on_event(s->ctx, &event);
    }
    s->has_data = s->too_big = false;
    s->data.n = s->name.n = 0;
    return 0;
}

static int add_data(struct sse *s, const char *p, size_t n)
{
    size_t joint = s->has_data ? 1 : 0;
    if (n + joint > s->max - s->data.n)
        return give_up_event(s);
    if (joint && buf_addc(&s->data, '\n') < 0)
        return E_NOMEM;
    s->has_data = true;
    return buf_add(&s->data, p, n);
}

/* One with a NUL does not count. */
static int take_id(struct sse *s, const char *value, size_t n)
{
    if (memchr(value, '\0', n))
        return 0;
    s->id.n = 0;
    return buf_add(&s->id, value, n);
}

/* Digits only, and not for longer than a day. */
static void take_retry(struct sse *s, const char *value, size_t n)
{
    int64_t ms = 0;
    for (size_t i = 0; i < n; i++) {
        if (value[i] < '0' || value[i] > '9' || ms > 86400000)
            return;
        ms = ms * 10 + (value[i] - '0');
    }
    if (n > 0)
        s->retry_ms = ms;
}

static int take_field(struct sse *s, const char *p, size_t n)
{
    const char *colon = memchr(p, ':', n);
    size_t name_n = colon ? (size_t)(colon - p) : n;
    const char *value = colon ? colon + 1 : p + n;
    size_t value_n = (size_t)(p + n - value);
    if (value_n > 0 && *value == ' ') {
        value++;
        value_n--;
    }
    if (name_n == 4 && memcmp(p, "data", 4) == 0)
        return add_data(s, value, value_n);
    if (name_n == 5 && memcmp(p, "event", 5) == 0) {
        s->name.n = 0;
        return buf_add(&s->name, value, value_n);
    }
    if (name_n == 2 && memcmp(p, "id", 2) == 0)
        return take_id(s, value, value_n);
    if (name_n == 5 && memcmp(p, "retry", 5) == 0)
        take_retry(s, value, value_n);
    return 0; /* comments, and what nobody knows */
}

/* One line without its end. */
static int take_line(struct sse *s, const char *p, size_t n)
{
    if (!s->bom_seen && n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) {
        p += 3;
        n -= 3;
    }
    s->bom_seen = true;
    if (n == 0)
        return dispatch(s);
    if (s->too_big)
        return 0;
    if (n > s->max)
        return give_up_event(s);
    return take_field(s, p, n);
}

/* Keeps the beginning of a line for the next call. Of a line that is dropped anyway only its being
 * there matters, so one byte is kept. */
static int keep_part(struct sse *s, const char *p, size_t n)
{
    if (n == 0)
        return 0;
    /* The BOM, which is no part of the line, may not make the first line too big. */
    size_t bom = s->bom_seen ? 0 : 3;
    int rc = 0;
    if (!s->too_big && s->line.n + n > s->max + bom) {
        s->bom_seen = true;
        rc = give_up_event(s);
    }
    if (!s->too_big)
        return buf_add(&s->line, p, n);
    s->line.n = 0;
    return buf_addc(&s->line, '.') < 0 ? E_NOMEM : rc;
}

static int end_line(struct sse *s, const char *p, size_t n)
{
    if (s->line.n == 0)
        return take_line(s, p, n);
    int kept = keep_part(s, p, n);
    if (kept == E_NOMEM)
        return kept;
    int rc = take_line(s, s->line.p, s->line.n);
    s->line.n = 0;
    return rc < 0 ? rc : kept;
}

/* The next CR and LF are each looked for once: a search per line would be quadratic in streams
 * that use only one of them. */
struct ends {
    const char *cr, *lf; /* NULL: not looked for yet */
};

static const char *find(const char *known, const char *p, const char *end, char c)
{
    if (known && known >= p)
        return known;
    const char *at = memchr(p, c, (size_t)(end - p));
    return at ? at : end;
}

static const char *next_end(struct ends *e, const char *p, const char *end)
{
    e->cr = find(e->cr, p, end, '\r');
    e->lf = find(e->lf, p, end, '\n');
    return e->cr < e->lf ? e->cr : e->lf;
}

int sse_feed(struct sse *s, const char *bytes, size_t n)
{
    if (n == 0)
        return 0;
    int result = 0;
    const char *p = bytes, *end = bytes + n;
    if (s->after_cr && *p == '\n')
        p++;
    s->after_cr = false;
    struct ends ends = {NULL, NULL};
    while (p < end) {
        const char *stop = next_end(&ends, p, end);
        int rc =
            stop == end ? keep_part(s, p, (size_t)(end - p)) : end_line(s, p, (size_t)(stop - p));
        if (rc == E_NOMEM)
            return rc;
        result = rc < 0 ? rc : result;
        if (stop == end)
            break;
        p = stop + 1;
        if (*stop == '\r' && p < end && *p == '\n')
            p++;
        else if (*stop == '\r' && p == end)
            s->after_cr = true;
    }
    return result;
}

int sse_finish(struct sse *s)
{
    int rc = s->line.n > 0 ? end_line(s, "", 0) : 0;
    return rc < 0 ? rc : dispatch(s);
}
