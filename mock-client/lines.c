#include "mock-client/lines.h"

#include "base/err.h"

#include <string.h>

void lines_init(struct lines *d, size_t max)
{
    *d = (struct lines){.max = max};
}

void lines_deinit(struct lines *d)
{
    buf_deinit(&d->in);
    d->head = d->scanned = 0;
    d->skipping = false;
}

int lines_feed(struct lines *d, const char *bytes, size_t n)
{
    buf_consume(&d->in, d->head);
    d->head = 0;
    int rc = buf_reserve(&d->in, n + 1); /* the one byte behind a line that a caller may write */
    return rc < 0 ? rc : buf_add(&d->in, bytes, n);
}

static void lines_drop(struct lines *d, size_t n)
{
    d->head += n;
    d->scanned = 0;
}

static int lines_start_skipping(struct lines *d, char **ret_line, size_t *ret_n)
{
    *ret_line = d->in.p + d->head;
    *ret_n = d->max;
    lines_drop(d, d->in.n - d->head);
    d->skipping = true;
    return E_TOOBIG;
}

static int lines_take(struct lines *d, const char *nl, char **ret_line, size_t *ret_n)
{
    char *line = d->in.p + d->head;
    size_t n = (size_t)(nl - line);
    bool skipped = d->skipping;
    lines_drop(d, n + 1);
    d->skipping = false;
    if (skipped)
        return lines_next(d, ret_line, ret_n); /* once: skipping is over */
    *ret_line = line;
    *ret_n = n > d->max ? d->max : n;
    return n > d->max ? E_TOOBIG : 1;
}

int lines_next(struct lines *d, char **ret_line, size_t *ret_n)
{
    size_t from = d->head + d->scanned;
    char *nl = from < d->in.n ? memchr(d->in.p + from, '\n', d->in.n - from) : NULL;
    if (nl)
        return lines_take(d, nl, ret_line, ret_n);
    d->scanned = d->in.n - d->head;
    if (d->skipping)
        lines_drop(d, d->scanned);
    else if (d->scanned > d->max)
        return lines_start_skipping(d, ret_line, ret_n);
    return 0;
}

int lines_rest(struct lines *d, char **ret_line, size_t *ret_n)
{
    size_t n = d->in.n - d->head;
    if (n == 0 || d->skipping)
        return 0;
    *ret_line = d->in.p + d->head;
    *ret_n = n;
    lines_drop(d, n);
    return 1;
}

bool lines_is_blank(const char *p, size_t n)
{
    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return n == 0;
}
