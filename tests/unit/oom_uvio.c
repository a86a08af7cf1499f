/* Every allocation that opening and using streams and children makes fails once: they say so, close
 * what they were given and leave nothing on the loop. (libuv's own allocations are its own.) */
#include "base/err.h"
#include "uvio/child.h"
#include "uvio/loop.h"
#include "uvio/stream.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "oom.h"

struct side {
    struct stream *stream;
    int closes;
};

static void on_read(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
}

static void on_eof(void *ctx, int rc)
{
    struct side *s = ctx;
    stream_close(s->stream, rc);
}

static void on_closed(void *ctx, int why)
{
    struct side *s = ctx;
    (void)why;
    s->closes++;
}

static const struct stream_ops side_ops = {on_read, on_eof, NULL, on_closed};

static int open_stream(void *ctx)
{
    uv_loop_t loop;
    struct side side = {0};
    int in[2], out[2];
    (void)ctx;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(pipe(in) | pipe(out), 0);
    int rc = stream_open(&loop, in[0], out[1], &side_ops, &side, &side.stream);
    int opened = rc;
    if (rc == 0)
        rc = buf_adds(stream_out(side.stream), "text");
    if (opened == 0)
        stream_flush(side.stream);
    close(in[1]);
    assert_int_equal(loop_finish(&loop), 0);
    assert_int_equal(side.closes, opened == 0);
    assert_int_equal(fcntl(in[0], F_GETFD), -1);
    assert_int_equal(fcntl(out[1], F_GETFD), -1);
    close(out[0]);
    return rc;
}

static void on_output(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
}

static void on_exit_(void *ctx, int64_t code, int signum)
{
    int *exits = ctx;
    assert_int_equal(code, 0);
    assert_int_equal(signum, 0);
    ++*exits;
}

static const struct child_ops child_ops = {on_output, on_output, NULL, on_exit_};

static int spawn_child(void *ctx)
{
    const char *const argv[] = {"/bin/cat", NULL};
    uv_loop_t loop;
    struct child *child;
    int exits = 0;
    (void)ctx;
    assert_int_equal(uv_loop_init(&loop), 0);
    int rc = child_spawn(&loop, &(struct child_options){.argv = argv}, &child_ops, &exits, &child);
    int spawned = rc;
    if (spawned == 0) {
        rc = buf_adds(child_in(child), "text");
        child_close_stdin(child);
    }
    assert_int_equal(loop_finish(&loop), 0);
    assert_int_equal(exits, spawned == 0);
    return rc;
}

/* While the first part is on its way, the rest has to be copied: without memory stdin ends there,
 * with nothing missing before its end. */
static void a_stdin_without_memory_ends(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/cat", NULL};
    static const char more[20000] = {'x'};
    uv_loop_t loop;
    struct child *child;
    int exits = 0;
    oom_reset(-1);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(
        child_spawn(&loop, &(struct child_options){.argv = argv}, &child_ops, &exits, &child), 0);
    for (int i = 0; i < 2; i++) { /* the first is in flight, the second waits */
        assert_int_equal(buf_adds(child_in(child), "text"), 0);
        child_flush(child);
    }
    assert_int_equal(buf_reserve(child_in(child), sizeof more), 0);
    assert_int_equal(buf_add(child_in(child), more, sizeof more), 0);
    oom_reset_run(0, 1);
    child_flush(child);
    assert_int_equal(oom_seen(), 1);
    oom_reset(-1);
    assert_int_equal(buf_adds(child_in(child), "goes nowhere"), 0);
    child_flush(child);
    child_close_stdin(child);
    assert_int_equal(loop_finish(&loop), 0);
    assert_int_equal(exits, 1);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    oom_fail_each(open_stream, NULL);
    oom_fail_each(spawn_child, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once),
                                       cmocka_unit_test(a_stdin_without_memory_ends)};
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
