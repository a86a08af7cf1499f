#ifndef UNIT_STREAM_BENCH_H
#define UNIT_STREAM_BENCH_H

/* A loop, and streams on it that note what they see: for the tests of uvio/stream. Nothing timed is
 * asserted; a guard timer only keeps a broken test from hanging. */
#include "base/buf.h"
#include "base/err.h"
#include "uvio/loop.h"
#include "uvio/stream.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
    uv_loop_t loop;
    uv_timer_t guard;
    int open; /* sides that are not closed yet */
};

/* One stream and what it saw. */
struct side {
    struct bench *bench;
    struct stream *stream;
    struct buf got;
    size_t n_got; /* bytes, kept or not */
    bool count_only;
    int eofs, closes, highs, lows;
    int eof_rc, why;
    void (*on_read)(struct side *s);
    void (*on_eof)(struct side *s);
    void (*on_pressure)(struct side *s, bool high);
    struct side *other;
};

static inline void on_guard(uv_timer_t *t)
{
    (void)t;
    abort();
}

static inline void begin(struct bench *b)
{
    *b = (struct bench){0};
    assert_int_equal(uv_loop_init(&b->loop), 0);
    uv_timer_init(&b->loop, &b->guard);
    uv_unref((uv_handle_t *)&b->guard);
    uv_timer_start(&b->guard, on_guard, 60000, 0);
}

/* Runs until nothing is left; every side that opened has closed. */
static inline void finish(struct bench *b)
{
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_int_equal(b->open, 0);
    uv_close((uv_handle_t *)&b->guard, NULL);
    assert_int_equal(loop_finish(&b->loop), 0);
}

static inline void on_read(void *ctx, const char *bytes, size_t n)
{
    struct side *s = ctx;
    assert_true(n > 0);
    assert_int_equal(s->eofs, 0);
    s->n_got += n;
    if (!s->count_only)
        assert_int_equal(buf_add(&s->got, bytes, n), 0);
    if (s->on_read)
        s->on_read(s);
}

static inline void on_eof(void *ctx, int rc)
{
    struct side *s = ctx;
    s->eofs++;
    s->eof_rc = rc;
    if (s->on_eof)
        s->on_eof(s);
}

static inline void on_pressure(void *ctx, bool high)
{
    struct side *s = ctx;
    assert_int_equal(s->highs, s->lows + !high); /* they take turns */
    if (high)
        s->highs++;
    else
        s->lows++;
    if (s->on_pressure)
        s->on_pressure(s, high);
}

static inline void on_closed(void *ctx, int why)
{
    struct side *s = ctx;
    s->closes++;
    s->why = why;
    s->bench->open--;
    buf_deinit(&s->got);
}

static const struct stream_ops side_ops = {on_read, on_eof, on_pressure, on_closed};

static inline void open_side(struct bench *b, struct side *s, int in, int out)
{
    s->bench = b;
    assert_int_equal(stream_open(&b->loop, in, out, &side_ops, s, &s->stream), 0);
    b->open++;
}

static inline void close_side(struct side *s)
{
    stream_close(s->stream, 7);
    stream_close(s->stream, 8);
}

static inline void close_both(struct side *s)
{
    close_side(s);
    if (s->other)
        close_side(s->other);
}

static inline void send_text(struct side *s, const char *text)
{
    assert_int_equal(buf_adds(stream_out(s->stream), text), 0);
    stream_flush(s->stream);
}

static inline void make_pipe(int fds[2])
{
    assert_int_equal(pipe(fds), 0);
}

static inline void fill_up(struct side *s)
{
    char block[4096];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(buf_add(stream_out(s->stream), block, sizeof block), 0);
    stream_flush(s->stream);
}

#endif
