/* Streams on real pipes and sockets. */
#include "stream_bench.h"

#include <netinet/in.h>

/* Two pipes between a and b. */
static void connect_pipes(struct bench *bench, struct side *a, struct side *b)
{
    int ab[2], ba[2];
    make_pipe(ab);
    make_pipe(ba);
    open_side(bench, a, ba[0], ab[1]);
    open_side(bench, b, ab[0], ba[1]);
    a->other = b;
    b->other = a;
}

static void connect_socket(struct bench *bench, struct side *a, struct side *b)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    open_side(bench, a, fds[0], fds[0]);
    open_side(bench, b, fds[1], fds[1]);
    a->other = b;
    b->other = a;
}

static void connect_tcp(struct bench *bench, struct side *a, struct side *b)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *addr = (struct sockaddr *)&at;
    socklen_t n = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, addr, n) | listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, addr, &n) | connect(client, addr, n), 0);
    int server = accept(listener, NULL, NULL);
    close(listener);
    open_side(bench, a, client, client);
    open_side(bench, b, server, server);
    a->other = b;
    b->other = a;
}

/* ---- talking ----------------------------------------------------------------------------- */

static void echo(struct side *s)
{
    buf_add(stream_out(s->stream), s->got.p, s->got.n);
    s->got.n = 0;
    stream_flush(s->stream);
}

static void close_when_answered(struct side *s)
{
    if (s->got.n < 10)
        return;
    assert_memory_equal(s->got.p, "helloworld", 10);
    close_both(s);
}

static void talk(void (*connect)(struct bench *, struct side *, struct side *))
{
    struct bench bench;
    struct side a = {.on_read = close_when_answered}, b = {.on_read = echo};
    begin(&bench);
    connect(&bench, &a, &b);
    send_text(&a, "hello");
    send_text(&a, "world");
    finish(&bench);
    assert_int_equal(a.closes, 1);
    assert_int_equal(a.why, 7);
    assert_int_equal(b.closes, 1);
}

static void pipes_and_sockets_talk(void **state)
{
    (void)state;
    talk(connect_pipes);
    talk(connect_socket);
    talk(connect_tcp);
}

/* EOF goes one way, the answer comes back the other way. */
static void answer_at_eof(struct side *s)
{
    assert_int_equal(s->eof_rc, 0);
    echo(s);
    stream_shutdown(s->stream);
}

static void half_close(void (*connect)(struct bench *, struct side *, struct side *))
{
    struct bench bench;
    struct side a = {.on_eof = close_both}, b = {.on_eof = answer_at_eof};
    begin(&bench);
    connect(&bench, &a, &b);
    buf_adds(stream_out(a.stream), "all of it");
    stream_shutdown(a.stream); /* sends what was not flushed, too */
    stream_shutdown(a.stream);
    finish(&bench);
    assert_int_equal(a.n_got, 9);
    assert_int_equal(a.eofs, 1);
}

static void shutdown_is_one_way(void **state)
{
    (void)state;
    half_close(connect_pipes);
    half_close(connect_socket);
    half_close(connect_tcp);
}

static void a_dead_reader_closes_the_stream(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0};
    int fds[2];
    begin(&bench);
    make_pipe(fds);
    close(fds[0]);
    open_side(&bench, &a, -1, fds[1]);
    send_text(&a, "nobody hears this");
    finish(&bench);
    assert_int_equal(a.closes, 1);
    assert_int_equal(a.why, UV_EPIPE);
    assert_int_equal(a.eofs, 0);
}

static void what_follows_the_end_goes_nowhere(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0};
    int fds[2];
    begin(&bench);
    make_pipe(fds);
    open_side(&bench, &a, -1, fds[1]);
    close_side(&a);
    fill_up(&a);
    assert_int_equal(stream_waiting(a.stream), 0);
    stream_shutdown(a.stream);
    stream_pause(a.stream, true);
    stream_close_flushed(a.stream, 9, 10);
    close(fds[0]);
    finish(&bench);
    assert_int_equal(a.why, 7);
}

/* ---- pressure ---------------------------------------------------------------------------- */

#define FLOOD ((size_t)2 * 1000 * 4096)

static void count(struct side *s)
{
    if (s->n_got == FLOOD)
        close_both(s);
}

static void resume_other(struct side *s, bool high)
{
    if (high)
        stream_pause(s->other->stream, false);
    else if (s->lows == 1)
        fill_up(s); /* from inside the callback: again up */
}

/* A flood: pressure rises, nothing is lost, pressure falls, and again. */
static void a_flood_builds_pressure_and_loses_nothing(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_pressure = resume_other}, b = {.on_read = count, .count_only = true};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    stream_pause(b.stream, true);
    fill_up(&a);
    assert_int_equal(a.highs, 1);
    assert_true(stream_waiting(a.stream) > STREAM_HIGH);
    finish(&bench);
    assert_int_equal(b.n_got, FLOOD);
    assert_int_equal(a.highs, 2);
    assert_true(a.lows >= 1);
}

/* Thousands of small lines both ways, closed in mid-flight. */
static void keep_talking(struct side *s)
{
    for (int i = 0; i < 10; i++)
        send_text(s, "a line of some length that is sent back and forth\n");
    if (s->n_got > 500000)
        close_both(s);
}

static void closing_in_mid_flight(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_read = keep_talking, .count_only = true};
    struct side b = {.on_read = keep_talking, .count_only = true};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    send_text(&a, "go\n");
    finish(&bench);
    assert_int_equal(a.closes + b.closes, 2);
}

#define HUGE_LINE (64u << 20)

static void close_after_huge(struct side *s)
{
    if (s->n_got == HUGE_LINE)
        close_both(s);
}

static void a_line_of_64_mib_passes(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0}, b = {.on_read = close_after_huge, .count_only = true};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    assert_int_equal(buf_reserve(stream_out(a.stream), HUGE_LINE), 0);
    memset(stream_out(a.stream)->p, 'x', HUGE_LINE);
    stream_out(a.stream)->n = HUGE_LINE;
    stream_flush(a.stream);
    assert_int_equal(a.highs, 1);
    finish(&bench);
    assert_int_equal(b.n_got, HUGE_LINE);
    assert_int_equal(a.lows, 1);
}

/* ---- closing ----------------------------------------------------------------------------- */

static void close_flushed(struct side *s, bool high)
{
    if (high)
        stream_close_flushed(s->stream, 9, 60000);
}

static void close_flushed_writes_everything(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_pressure = close_flushed};
    struct side b = {.on_eof = close_side, .count_only = true};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    fill_up(&a); /* closes while it is full */
    send_text(&b, "not read any more");
    finish(&bench);
    assert_int_equal(b.n_got, 1000 * 4096);
    assert_int_equal(a.why, 9);
    assert_int_equal(a.n_got, 0);
}

static void close_flushed_does_not_wait_for_ever(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0};
    int fds[2];
    begin(&bench);
    make_pipe(fds);
    open_side(&bench, &a, -1, fds[1]);
    fill_up(&a); /* and nobody reads */
    stream_close_flushed(a.stream, 9, 1);
    stream_close_flushed(a.stream, 10, 60000);
    finish(&bench);
    close(fds[0]);
    assert_int_equal(a.why, 9);
}

static void close_flushed_with_nothing_to_write(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {0}, b = {0};
    begin(&bench);
    connect_socket(&bench, &a, &b);
    stream_close_flushed(a.stream, 9, 60000);
    close_side(&b);
    finish(&bench);
    assert_int_equal(a.why, 9);
}

static void close_on_pressure(struct side *s, bool high)
{
    (void)high;
    close_both(s);
}

static void closing_inside_every_callback(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_read = close_both}, b = {0};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    send_text(&b, "x");
    finish(&bench);
    a = (struct side){.on_eof = close_both};
    b = (struct side){0};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    stream_shutdown(b.stream);
    finish(&bench);
    a = (struct side){.on_pressure = close_on_pressure};
    b = (struct side){0};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    fill_up(&a);
    finish(&bench);
    assert_int_equal(a.highs, 1);
}

/* The flush inside close_flushed may already close. */
static void closing_inside_close_flushed(void **state)
{
    (void)state;
    struct bench bench;
    struct side a = {.on_pressure = close_on_pressure}, b = {0};
    begin(&bench);
    connect_pipes(&bench, &a, &b);
    assert_int_equal(buf_reserve(stream_out(a.stream), 2 * STREAM_HIGH), 0);
    memset(stream_out(a.stream)->p, 'x', 2 * STREAM_HIGH);
    stream_out(a.stream)->n = 2 * STREAM_HIGH;
    stream_close_flushed(a.stream, 9, 60000);
    finish(&bench);
    assert_int_equal(a.why, 7);
}

static void what_cannot_be_opened_leaves_nothing(void **state)
{
    (void)state;
    struct bench bench;
    struct stream *s;
    struct side a = {0};
    int fds[2], folder = open("/", O_RDONLY);
    begin(&bench);
    make_pipe(fds);
    assert_int_equal(stream_open(&bench.loop, 9999, fds[1], &side_ops, &a, &s), UV_EINVAL);
    assert_int_equal(stream_open(&bench.loop, fds[0], folder, &side_ops, &a, &s), UV_EINVAL);
    finish(&bench);
    assert_int_equal(a.closes, 0);
    assert_int_equal(fcntl(fds[0], F_GETFD), -1);
    assert_int_equal(fcntl(fds[1], F_GETFD), -1);
    assert_int_equal(fcntl(folder, F_GETFD), -1);
}

/* ---- loop -------------------------------------------------------------------------------- */

static void a_forgotten_handle_is_told(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_timer_t forgotten;
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &forgotten);
    assert_int_equal(loop_finish(&loop), UV_EBUSY);
    uv_close((uv_handle_t *)&forgotten, NULL);
    assert_int_equal(loop_finish(&loop), 0);
}

/* Whoever starts us may have closed them: no pipe of ours may be taken for stdin. */
static void closed_standard_descriptors_are_filled(void **state)
{
    (void)state;
    int kept = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    loop_setup_process();
    char c;
    assert_int_equal(read(STDIN_FILENO, &c, 1), 0);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes_and_sockets_talk),
        cmocka_unit_test(shutdown_is_one_way),
        cmocka_unit_test(a_dead_reader_closes_the_stream),
        cmocka_unit_test(what_follows_the_end_goes_nowhere),
        cmocka_unit_test(a_flood_builds_pressure_and_loses_nothing),
        cmocka_unit_test(closing_in_mid_flight),
        cmocka_unit_test(a_line_of_64_mib_passes),
        cmocka_unit_test(close_flushed_writes_everything),
        cmocka_unit_test(close_flushed_does_not_wait_for_ever),
        cmocka_unit_test(close_flushed_with_nothing_to_write),
        cmocka_unit_test(closing_inside_every_callback),
        cmocka_unit_test(closing_inside_close_flushed),
        cmocka_unit_test(what_cannot_be_opened_leaves_nothing),
        cmocka_unit_test(a_forgotten_handle_is_told),
        cmocka_unit_test(closed_standard_descriptors_are_filled),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
