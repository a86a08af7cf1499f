/* The event parser: whole, and in cuts that the input itself chooses, gives the same events. */
#include "base/buf.h"
#include "base/err.h"
#include "http/sse.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void collect(void *ctx, const struct sse_event *event)
{
    struct buf *got = ctx;
    if (event->data[event->data_n] != '\0' || event->data_n > MAX)
        abort();
    if (buf_addf(got, "%s|%zu|", event->name, event->data_n) < 0 ||
        buf_add(got, event->data, event->data_n) < 0)
        abort();
}

static void run(const char *p, size_t n, size_t step, struct buf *got)
{
    struct sse s;
    sse_init(&s, MAX, collect, got);
    for (size_t at = 0; at < n; at += step) {
        int rc = sse_feed(&s, p + at, n - at < step ? n - at : step);
        if (rc < 0 && rc != E_TOOBIG)
            abort();
    }
    sse_finish(&s);
    sse_deinit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct buf whole = {0}, cut = {0};
    run((const char *)data + 1, size - 1, size, &whole);
    run((const char *)data + 1, size - 1, data[0] % 16 + 1u, &cut);
    if (whole.n != cut.n || (whole.n > 0 && memcmp(whole.p, cut.p, whole.n) != 0)) {
        fprintf(stderr, "whole and in steps of %d: different events\n", data[0] % 16 + 1);
        abort();
    }
    buf_deinit(&whole);
    buf_deinit(&cut);
    return 0;
}
