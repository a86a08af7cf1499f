#include "rpc/ndjson.h"

#include "base/err.h"

#include <string.h>

/* A buffer grown by one huge line is given back; below this it is kept for the next lines. */
#define KEEP_CAP (1u << 20)

void ndjson_init(struct ndjson *d, size_t max)
{
    *d = (struct ndjson){.max = max};
}

void ndjson_deinit(struct ndjson *d)
{
    buf_deinit(&d->in);
    *d = (struct ndjson){.max = d->max};
}

/* Moves what is unread to the front, but only when that is at most half of what is there: each byte
 * is then moved O(1) times, however the input was cut. */
static void compact(struct ndjson *d)
{
    if (d->head < d->in.n - d->head)
        return;
    buf_consume(&d->in, d->head);
    d->head = 0;
    if (d->in.n == 0 && d->in.cap > KEEP_CAP)
        buf_deinit(&d->in);
}

/* Bytes of an over-long line are not even copied. Returns how many of the n are dropped. */
static size_t skip(struct ndjson *d, const char *bytes, size_t n)
{
    const char *nl = n > 0 ? memchr(bytes, '\n', n) : NULL;
    size_t dropped = nl ? (size_t)(nl - bytes) + 1 : n;
    d->skipping = !nl;
    d->skipped += dropped;
    return dropped;
}

int ndjson_feed(struct ndjson *d, const char *bytes, size_t n)
{
    if (d->skipping) {
        size_t dropped = skip(d, bytes, n);
        bytes += dropped;
        n -= dropped;
    }
    if (n == 0)
        return 0;
    compact(d);
    /* One more than needed: ndjson_rest ends the last line with a NUL and must not fail. */
    int rc = buf_reserve(&d->in, n + 1);
    return rc < 0 ? rc : buf_add(&d->in, bytes, n);
}

static bool is_blank(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
            return false;
    return true;
}

/* Lends p[0..n) as a line, its CR cut off. 0 if nothing but blanks is in it. */
static int lend(char *p, size_t n, char **ret_line, size_t *ret_n)
{
    if (n > 0 && p[n - 1] == '\r')
        n--;
    if (is_blank(p, n))
        return 0;
    p[n] = '\0';
    *ret_line = p;
    *ret_n = n;
    return 1;
}

/* The line of n bytes at the head is over the limit; its LF is still to come if !whole. */
static int drop(struct ndjson *d, size_t n, bool whole)
{
    d->head += n + (whole ? 1 : 0);
    d->scanned = 0;
    d->skipping = !whole;
    d->skipped = n;
    return E_TOOBIG;
}

int ndjson_next(struct ndjson *d, char **ret_line, size_t *ret_n)
{
    for (;;) {
        size_t from = d->head + d->scanned; /* no byte is searched twice */
        char *nl = from < d->in.n ? memchr(d->in.p + from, '\n', d->in.n - from) : NULL;
        if (!nl) {
            d->scanned = d->in.n - d->head;
            return d->scanned > d->max ? drop(d, d->scanned, false) : 0;
        }
        char *line = d->in.p + d->head;
        size_t n = (size_t)(nl - line);
        if (n > d->max)
            return drop(d, n, true);
        d->head += n + 1;
        d->scanned = 0;
        if (lend(line, n, ret_line, ret_n) == 1)
            return 1;
    }
}

int ndjson_rest(struct ndjson *d, char **ret_line, size_t *ret_n)
{
    size_t n = d->in.n - d->head;
    if (n == 0)
        return 0;
    char *line = d->in.p + d->head;
    d->head = d->in.n;
    d->scanned = 0;
    return lend(line, n, ret_line, ret_n);
}
