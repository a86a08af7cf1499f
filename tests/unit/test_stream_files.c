/* Streams on files, devices and terminals. */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include "stream_bench.h"

static int temporary_file(void)
{
    char name[] = "/tmp/test_stream.XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    return fd;
}

static int file_with(size_t n)
{
    int fd = temporary_file();
    char block[1000];
    memset(block, 'x', sizeof block);
    for (size_t at = 0; at < n; at += sizeof block)
        assert_int_equal(write(fd, block, sizeof block), sizeof block);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void files_are_read_to_their_end(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_eof = close_side, .count_only = true};
    begin(&bench);
    open_side(&bench, &a, file_with(300000), -1);
    finish(&bench);
    assert_int_equal(a.n_got, 300000);
    assert_int_equal(a.eofs, 1);
    assert_int_equal(a.eof_rc, 0);
}

static void pause_reading(struct side *s)
{
    stream_pause(s->stream, true);
    stream_pause(s->stream, false);
    stream_pause(s->stream, true);
}

static void resume_reading(uv_timer_t *t)
{
    struct side *s = t->data;
    if (s->eofs > 0)
        uv_close((uv_handle_t *)t, NULL);
    else
        stream_pause(s->stream, false);
}

static void files_can_be_paused(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_read = pause_reading, .on_eof = close_side, .count_only = true};
    uv_timer_t again;
    begin(&bench);
    open_side(&bench, &a, file_with(300000), -1);
    stream_pause(a.stream, true);
    uv_timer_init(&bench.loop, &again);
    again.data = &a;
    uv_timer_start(&again, resume_reading, 1, 1);
    finish(&bench);
    assert_int_equal(a.n_got, 300000);
    assert_int_equal(a.eofs, 1);
}

static void pause_now(uv_timer_t *t)
{
    struct side *s = t->data;
    stream_pause(s->stream, true);
}

static void resume_held(uv_timer_t *t)
{
    struct side *s = t->data;
    assert_int_equal(s->n_got, 0);
    stream_pause(s->stream, false);
    stream_pause(s->stream, true);
    stream_pause(s->stream, false);
}

/* A read that a worker was already at when reading was paused is kept until it goes on. */
static void a_read_under_way_is_held(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_eof = close_side, .count_only = true};
    uv_timer_t at_once, later;
    begin(&bench);
    open_side(&bench, &a, file_with(100000), -1);
    uv_timer_init(&bench.loop, &at_once);
    uv_timer_init(&bench.loop, &later);
    at_once.data = later.data = &a;
    uv_timer_start(&at_once, pause_now, 0, 0); /* right after the stream asked for its first part */
    uv_timer_start(&later, resume_held, 50, 0);
    uv_run(&bench.loop, UV_RUN_DEFAULT);
    assert_int_equal(a.n_got, 100000);
    uv_close((uv_handle_t *)&at_once, NULL);
    uv_close((uv_handle_t *)&later, NULL);
    finish(&bench);
}

static void files_are_written(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0};
    char got[7] = "";
    int fd = temporary_file(), copy = dup(fd);
    begin(&bench);
    open_side(&bench, &a, -1, fd);
    send_text(&a, "one");
    send_text(&a, "two");
    stream_close_flushed(a.stream, 0, 60000);
    finish(&bench);
    assert_int_equal(a.closes, 1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(pread(copy, got, 6, 0), 6);
    assert_string_equal(got, "onetwo");
    close(copy);
}

static void files_shut_down_and_close_busy(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0}, b = {0};
    begin(&bench);
    open_side(&bench, &a, file_with(100000), temporary_file());
    fill_up(&a);
    stream_shutdown(a.stream);
    open_side(&bench, &b, file_with(100000), temporary_file());
    fill_up(&b);
    uv_run(&bench.loop, UV_RUN_NOWAIT);
    close_side(&a);
    close_side(&b);
    finish(&bench);
    assert_int_equal(a.closes + b.closes, 2);
}

static void dev_null_is_an_empty_file(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_eof = close_side};
    begin(&bench);
    open_side(&bench, &a, open("/dev/null", O_RDONLY), open("/dev/null", O_WRONLY));
    send_text(&a, "gone");
    finish(&bench);
    assert_int_equal(a.eofs, 1);
    assert_int_equal(a.eof_rc, 0);
    assert_int_equal(a.n_got, 0);
}

static void a_full_disk_closes_the_stream(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0};
    begin(&bench);
    open_side(&bench, &a, -1, open("/dev/full", O_WRONLY));
    send_text(&a, "x");
    finish(&bench);
    assert_int_equal(a.why, UV_ENOSPC);
}

static void close_when_both_have_heard(struct side *s)
{
    struct side *slave = s->count_only ? s->other : s, *master = slave->other;
    if (slave->n_got == strlen("typed\n") && master->n_got >= strlen("prompt> "))
        close_both(s);
}

static void use_terminal(bool one_descriptor)
{
    struct bench bench;
    struct side slave = {.on_read = close_when_both_have_heard};
    struct side master = {.on_read = close_when_both_have_heard, .count_only = true};
    int m = posix_openpt(O_RDWR | O_NOCTTY);
    if (m < 0 || grantpt(m) < 0 || unlockpt(m) < 0)
        skip();
    int in = open(ptsname(m), O_RDWR | O_NOCTTY), out = one_descriptor ? in : dup(in);
    begin(&bench);
    open_side(&bench, &slave, in, out);
    open_side(&bench, &master, m, m);
    slave.other = &master;
    master.other = &slave;
    send_text(&slave, "prompt> ");
    stream_shutdown(slave.stream); /* reading goes on */
    send_text(&master, "typed\n");
    finish(&bench);
    assert_int_equal(slave.closes + master.closes, 2);
    assert_int_equal(fcntl(in, F_GETFD), -1);
}

static void terminals_are_read_and_written(void **state)
{
    (void)state;
    use_terminal(false);
    use_terminal(true);
}

/* After shutting down stdout its reader has EOF, and no other file gets its number. */
static void standard_output_is_given_up(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0}, b = {.on_eof = close_side};
    int fds[2], kept = dup(STDOUT_FILENO);
    fflush(stdout);
    begin(&bench);
    make_pipe(fds);
    dup2(fds[1], STDOUT_FILENO);
    close(fds[1]);
    open_side(&bench, &a, -1, STDOUT_FILENO);
    open_side(&bench, &b, fds[0], -1);
    send_text(&a, "bye");
    stream_shutdown(a.stream);
    uv_run(&bench.loop, UV_RUN_ONCE);
    while (b.eofs == 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    bool still_open = fcntl(STDOUT_FILENO, F_GETFD) != -1;
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_true(still_open);
    assert_int_equal(b.n_got, 3);
    close_side(&a);
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_to_their_end),
        cmocka_unit_test(files_can_be_paused),
        cmocka_unit_test(a_read_under_way_is_held),
        cmocka_unit_test(files_are_written),
        cmocka_unit_test(files_shut_down_and_close_busy),
        cmocka_unit_test(dev_null_is_an_empty_file),
        cmocka_unit_test(a_full_disk_closes_the_stream),
        cmocka_unit_test(terminals_are_read_and_written),
        cmocka_unit_test(standard_output_is_given_up),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
