/* Any bytes in any cut: the lines are those of a plain split at LF, and none is longer than the
 * limit. The first byte chooses the cut, the second the limit. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/ndjson.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
    if (!ok)
        abort();
}

/* Lines are written down as "=line\n", over-long ones as "!\n". */
static void note(struct buf *b, const char *line, size_t n)
{
    must(buf_addc(b, '=') == 0 && buf_add(b, line, n) == 0 && buf_addc(b, '\n') == 0);
}

static int is_blank(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
            return 0;
    return 1;
}

static void split_plainly(const char *p, size_t n, size_t max, struct buf *out)
{
    while (n > 0) {
        const char *nl = memchr(p, '\n', n);
        size_t len = nl ? (size_t)(nl - p) : n, step = nl ? len + 1 : n;
        if (len > max)
            must(buf_adds(out, "!\n") == 0);
        else if (!is_blank(p, len))
            note(out, p, p[len - 1] == '\r' ? len - 1 : len);
        p += step;
        n -= step;
    }
}

static void drain(struct ndjson *d, struct buf *out)
{
    char *line;
    size_t n;
    int rc;
    while ((rc = ndjson_next(d, &line, &n)) != 0) {
        must(rc == 1 || rc == E_TOOBIG);
        if (rc == 1) {
            must(n <= d->max && line[n] == '\0');
            note(out, line, n);
        } else {
            must(buf_adds(out, "!\n") == 0);
        }
    }
}

static void split_in_parts(const char *p, size_t n, size_t max, size_t step, struct buf *out)
{
    struct ndjson d;
    char *line;
    size_t len;
    ndjson_init(&d, max);
    for (size_t at = 0; at < n; at += step) {
        must(ndjson_feed(&d, p + at, n - at < step ? n - at : step) == 0);
        if (step % 2) /* or let some lines gather */
            drain(&d, out);
    }
    drain(&d, out);
    if (ndjson_rest(&d, &line, &len) == 1)
        note(out, line, len);
    ndjson_deinit(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf want = {0}, got = {0};
    if (size < 2)
        return 0;
    const char *p = (const char *)data + 2;
    split_plainly(p, size - 2, data[1], &want);
    split_in_parts(p, size - 2, data[1], data[0] + 1u, &got);
    must(want.n == got.n && (want.n == 0 || memcmp(want.p, got.p, want.n) == 0));
    buf_deinit(&want);
    buf_deinit(&got);
    return 0;
}
