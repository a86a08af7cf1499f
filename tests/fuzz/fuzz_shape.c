/* Shapes of streams: whatever comes in, in whatever pieces, the same comes out, and never past the
 * end. */
#include "mock-provider/shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const struct shape *s, const char *p, size_t n, size_t step, struct buf *out)
{
    struct shape_run r = {0};
    for (size_t at = 0; at < n; at += step)
        if (shape_feed(&r, s, p + at, n - at < step ? n - at : step, out) < 0)
            abort();
    if (shape_end(&r, s, out) < 0)
        abort();
    if (s->stop && !s->stop_by_events && out->n > s->stop_at)
        abort();
    shape_deinit(&r);
}

/* The first bytes choose the shape. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t random;
    struct shape s = {.any = true};
    struct buf whole = {0}, cut = {0};
    if (size < sizeof random + 2)
        return 0;
    memcpy(&random, data, sizeof random);
    s.drop = data[8] & 3;
    s.duplicate = data[8] >> 2 & 3;
    s.garble = data[8] >> 4 & 3;
    s.no_last_blank = data[8] >> 6 & 1;
    s.empty_data = data[8] >> 7;
    s.huge = data[9] & 7;
    s.no_event_lines = data[9] >> 3 & 1;
    shape_chaos(&s, random, data[9] >> 4 & 1);
    const char *p = (const char *)data + 10;
    run(&s, p, size - 10, size, &whole);
    run(&s, p, size - 10, 1, &cut);
    if (whole.n != cut.n || (whole.n > 0 && memcmp(whole.p, cut.p, whole.n) != 0))
        abort();
    buf_deinit(&whole);
    buf_deinit(&cut);
    return 0;
}
