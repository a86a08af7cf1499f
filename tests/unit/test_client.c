/* The wire of an agent: odd processes, cut and corked sends, the filter, the end. */
#include "base/buf.h"
#include "base/err.h"
#include "mock-client/client.h"
#include "uvio/loop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct run {
    uv_loop_t loop;
    struct trace trace;
    struct client *client;
    struct client_wire wire;
    struct client_options options;
    void (*on_line)(struct run *r, const struct trace_event *e);
    int exits, closes, passed;
    bool dead; /* for filters: nothing passes any more */
    struct buf held;
    int64_t code;
    int signum;
    bool signalled;
    char tail[64];
};

static void on_exit_(void *ctx)
{
    struct run *r = ctx;
    r->exits++;
    r->code = client_exit_code(r->client);
    r->signum = client_exit_signal(r->client);
    r->signalled = client_was_signalled(r->client);
    snprintf(r->tail, sizeof r->tail, "%s", client_stderr_tail(r->client));
    assert_false(client_running(r->client));
    assert_false(client_stdout_open(r->client));
    client_close(r->client);
}

static void on_closed(void *ctx)
{
    struct run *r = ctx;
    r->closes++;
}

static const struct client_ops ops = {.on_exit = on_exit_, .on_closed = on_closed};

static void on_add(void *ctx, const struct trace_event *e)
{
    struct run *r = ctx;
    if (r->on_line && e->side == TRACE_AGENT)
        r->on_line(r, e);
}

static void run_open(struct run *r, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    alarm(60); /* a broken test ends */
    trace_init(&r->trace, uv_hrtime());
    r->trace.on_add = on_add;
    r->trace.ctx = r;
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->options.argv = argv;
    r->options.trace = &r->trace;
    r->options.wire = &r->wire;
    r->wire.ctx = r;
    assert_int_equal(client_open(&r->loop, &r->options, &ops, r, &r->client), 0);
    assert_true(client_pid(r->client) > 0);
}

static void run_finish(struct run *r)
{
    assert_int_equal(loop_finish(&r->loop), 0);
    assert_int_equal(r->exits, 1);
    assert_int_equal(r->closes, 1);
}

/* The agent's events as "kind:bytes|". */
static void assert_seen(struct run *r, const char *want)
{
    struct buf got = {0};
    for (size_t i = 0; i < r->trace.n; i++) {
        const struct trace_event *e = r->trace.events[i];
        if (e->side == TRACE_AGENT)
            assert_int_equal(buf_addf(&got, "%s:%s|", e->kind, e->bytes), 0);
    }
    assert_string_equal(got.n ? buf_cstr(&got) : "", want);
    buf_deinit(&got);
    trace_deinit(&r->trace);
    buf_deinit(&r->held);
}

/* The first such event; one of nothing if there is none. */
static const struct trace_event *find(const struct run *r, enum trace_side side, const char *kind)
{
    static const struct trace_event none = {.kind = "", .parse_rc = E_NOTFOUND};
    for (size_t i = 0; i < r->trace.n; i++)
        if (r->trace.events[i]->side == side && !strcmp(r->trace.events[i]->kind, kind))
            return r->trace.events[i];
    return &none;
}

static bool has(const struct run *r, enum trace_side side, const char *kind)
{
    return find(r, side, kind)->kind[0];
}

/* ---- odd agents --------------------------------------------------------------------------------
 */

static void test_lines(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "printf '{\"a\":1}\\r\\n\\n \\r\\nnot json\\n\\377\\nrest'");
    run_finish(&r);
    assert_int_equal(r.code, 0);
    const struct trace_event *line = find(&r, TRACE_AGENT, "line");
    assert_int_equal(line->parse_rc, 0);
    assert_non_null(line->json);
    assert_seen(&r, "line:{\"a\":1}\r|blank:|blank: \r|line:not json|line:\377|rest:rest|");
}

static void test_last_message_without_lf(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "printf '{\"id\":1}'");
    run_finish(&r);
    assert_non_null(find(&r, TRACE_AGENT, "rest")->json);
    assert_seen(&r, "rest:{\"id\":1}|");
}

static void test_too_long(void **state)
{
    (void)state;
    struct run r = {.options = {.max_line = 8}};
    run_open(&r, "printf '12345678\\n123456789\\nok\\n'; printf '%0100d' 7; sleep 0; printf "
                 "'0\\nlast\\n'");
    run_finish(&r);
    assert_seen(&r, "line:12345678|too-long:12345678|line:ok|too-long:00000000|line:last|");
}

static void test_flood(void **state)
{
    (void)state;
    struct run r = {.options = {.max_bytes = 100000}};
    run_open(&r, "yes '{}'");
    run_finish(&r);
    assert_true(has(&r, TRACE_PROCESS, "flood"));
    assert_int_equal(r.signum, SIGKILL);
    assert_true(r.trace.n < 100000);
    trace_deinit(&r.trace);
}

static void test_closes_stdout(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "exec >&-; cat >/dev/null; exit 4");
    client_close_stdin(r.client);
    run_finish(&r);
    assert_int_equal(r.code, 4);
    assert_seen(&r, "");
}

static void test_dies(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "echo oh >&2; kill -SEGV $$");
    run_finish(&r);
    assert_int_equal(r.code, -1);
    assert_int_equal(r.signum, SIGSEGV);
    assert_false(r.signalled);
    assert_string_equal(r.tail, "oh\n");
    assert_seen(&r, "");
}

/* What is written to an agent that does not read must not end us. */
static void test_does_not_read(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "exec <&-; echo ready; exit 0");
    for (int i = 0; i < 100; i++)
        assert_non_null(client_send(r.client, "{}", 2));
    run_finish(&r);
    assert_seen(&r, "line:ready|");
}

static void test_noisy_stderr(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "head -c 1000000 /dev/zero | tr '\\0' x >&2; printf end >&2");
    run_finish(&r);
    assert_int_equal(strlen(r.tail), sizeof r.tail - 1);
    assert_true(r.trace.stderr_bytes < 2 * TRACE_STDERR_MAX);
    assert_seen(&r, "");
}

static void test_no_program(void **state)
{
    (void)state;
    static const char *const argv[] = {"/nonexistent", NULL};
    struct run r = {0};
    trace_init(&r.trace, 0);
    r.options.argv = argv;
    r.options.trace = &r.trace;
    assert_int_equal(uv_loop_init(&r.loop), 0);
    assert_int_equal(client_open(&r.loop, &r.options, &ops, &r, &r.client), UV_ENOENT);
    assert_int_equal(loop_finish(&r.loop), 0);
    client_close(NULL);
}

/* ---- sending -----------------------------------------------------------------------------------
 */

static void test_echo(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "cat");
    assert_non_null(client_send(r.client, "one", 3));
    assert_non_null(client_send_raw(r.client, "t", 1));
    assert_non_null(client_send_raw(r.client, "wo\nthree", 8));
    client_close_stdin(r.client);
    client_close_stdin(r.client);
    assert_non_null(client_send(r.client, "late", 4));
    run_finish(&r);
    assert_seen(&r, "line:one|line:two|rest:three|");
}

static void test_cut(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 1};
    struct run r = {0};
    run_open(&r, "cat");
    assert_int_equal(client_unsent(r.client), 0);
    assert_non_null(client_send_cut(r.client, "abcdef\n", 7, sizes, 2));
    assert_non_null(client_send(r.client, "behind", 6));
    assert_int_equal(client_unsent(r.client), 14);
    while (client_unsent(r.client) > 0)
        uv_run(&r.loop, UV_RUN_ONCE);
    client_close_stdin(r.client);
    run_finish(&r);
    assert_seen(&r, "line:abcdef|line:behind|");
}

/* strace would tell, but dd does too: it counts its reads. */
static void test_writes_are_single(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "dd bs=100 count=1 2>/dev/null");
    client_cork(r.client);
    assert_non_null(client_send(r.client, "one", 3));
    assert_non_null(client_send(r.client, "two", 3));
    client_uncork(r.client);
    run_finish(&r);
    assert_seen(&r, "line:one|line:two|");
}

static void test_large(void **state)
{
    (void)state;
    static const size_t sizes[] = {65536};
    size_t n = (size_t)3 << 20;
    char *bytes = malloc(n);
    struct run r = {0};
    assert_non_null(bytes);
    memset(bytes, 'x', n);
    run_open(&r, "cat");
    assert_non_null(client_send(r.client, bytes, n));
    assert_non_null(client_send_cut(r.client, bytes, n, sizes, 1));
    client_close_stdin(r.client);
    run_finish(&r);
    assert_int_equal(find(&r, TRACE_AGENT, "line")->n, n);
    assert_int_equal(find(&r, TRACE_AGENT, "rest")->n, n);
    trace_deinit(&r.trace);
    free(bytes);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static void test_ladder_eof(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "cat; exit 7");
    client_stop(r.client);
    client_stop(r.client);
    run_finish(&r);
    assert_int_equal(r.code, 7);
    assert_false(r.signalled);
    trace_deinit(&r.trace);
}

static void test_ladder_term(void **state)
{
    (void)state;
    struct run r = {.options = {.eof_ms = 1}};
    run_open(&r, "while :; do sleep 5; done");
    client_close(r.client);
    client_close(r.client);
    run_finish(&r);
    assert_int_equal(r.signum, SIGTERM);
    assert_true(r.signalled);
    trace_deinit(&r.trace);
}

static void stop_when_ready(struct run *r, const struct trace_event *e)
{
    (void)e;
    client_stop(r->client);
}

static void test_ladder_kill(void **state)
{
    (void)state;
    struct run r = {.options = {.eof_ms = 1, .term_ms = 1}, .on_line = stop_when_ready};
    run_open(&r, "trap '' TERM; echo ready; while :; do sleep 5; done");
    run_finish(&r);
    assert_int_equal(r.signum, SIGKILL);
    trace_deinit(&r.trace);
}

static void test_signal(void **state)
{
    (void)state;
    struct run r = {0};
    run_open(&r, "cat");
    assert_int_equal(client_signal(r.client, SIGUSR1), 0); /* a starting shell may swallow SIGINT */
    run_finish(&r);
    assert_int_equal(r.signum, SIGUSR1);
    assert_true(r.signalled);
    trace_deinit(&r.trace);
}

static void signal_child(struct run *r, const struct trace_event *e)
{
    (void)r;
    assert_int_equal(kill((pid_t)atoi(e->bytes), 0), 0);
}

/* The agent has gone, its child has not, with all pipes closed. */
static void test_nothing_is_left(void **state)
{
    (void)state;
    struct run r = {.on_line = signal_child};
    run_open(&r, "sleep 1000 <&- >&- 2>&- & echo $!");
    run_finish(&r);
    assert_true(has(&r, TRACE_PROCESS, "group"));
    trace_deinit(&r.trace);
}

/* ---- the filter --------------------------------------------------------------------------------
 */

/* Drops "drop", doubles "twice", holds "later" back until the next line has passed. */
static void filter(void *ctx, struct client *c, enum trace_side from, const char *bytes, size_t n)
{
    struct run *r = ctx;
    r->passed++;
    assert_int_equal(bytes[n], '\0');
    if (r->dead || from == TRACE_CLIENT) {
        if (!r->dead)
            client_deliver(c, from, bytes, n);
        return;
    }
    if (!strcmp(bytes, "drop\n"))
        return;
    if (!strcmp(bytes, "later\n")) {
        assert_int_equal(buf_add(&r->held, bytes, n), 0);
        return;
    }
    client_deliver(c, from, bytes, n);
    if (!strcmp(bytes, "twice\n"))
        client_deliver(c, from, bytes, n);
    client_deliver(c, from, r->held.p, r->held.n);
    r->held.n = 0;
}

static void before(void *ctx, struct client *c)
{
    (void)ctx;
    client_deliver(c, TRACE_AGENT, "banner\nhalf", 11);
}

static void after(void *ctx, struct client *c)
{
    (void)ctx;
    client_deliver(c, TRACE_AGENT, "bye", 3);
}

static void exit_differently(void *ctx, int64_t *code, int *signum)
{
    struct run *r = ctx;
    assert_int_equal(*code, 0);
    *code = 0;
    *signum = r->dead ? 9 : 0;
    if (!r->dead)
        *code = 3;
}

static void test_filter(void **state)
{
    (void)state;
    struct run r = {.wire = {.pass = filter}};
    run_open(&r, "printf 'a\\r\\ndrop\\n\\nlater\\ntwice\\nlater\\nrest'");
    run_finish(&r);
    assert_int_equal(r.passed, 7);
    assert_seen(&r, "line:a\r|blank:|line:twice|line:twice|line:later|line:restlater|");
}

static void test_filter_start_and_end(void **state)
{
    (void)state;
    struct run r = {.wire = {.on_start = before, .on_end = after, .on_exit = exit_differently}};
    run_open(&r, "echo one");
    run_finish(&r);
    assert_int_equal(r.code, 3);
    assert_seen(&r, "line:banner|line:halfone|rest:bye|");
}

static void test_filter_signal(void **state)
{
    (void)state;
    struct run r = {.dead = true, .wire = {.on_exit = exit_differently}};
    run_open(&r, "exit 0");
    run_finish(&r);
    assert_int_equal(r.signum, 9);
    assert_int_equal(r.code, -1);
    trace_deinit(&r.trace);
}

static bool keep_open(void *ctx)
{
    (void)ctx;
    return false;
}

static void test_filter_ignores_eof(void **state)
{
    (void)state;
    struct run r = {.options = {.eof_ms = 1}, .wire = {.may_close_stdin = keep_open}};
    run_open(&r, "cat");
    client_stop(r.client);
    run_finish(&r);
    assert_int_equal(r.signum, SIGTERM);
    trace_deinit(&r.trace);
}

static void test_filter_deaf(void **state)
{
    (void)state;
    struct run r = {.dead = true, .wire = {.pass = filter}};
    run_open(&r, "cat");
    assert_non_null(client_send(r.client, "one", 3));
    client_close_stdin(r.client);
    run_finish(&r);
    assert_true(has(&r, TRACE_CLIENT, "line")); /* as the harness meant it */
    assert_seen(&r, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_last_message_without_lf),
        cmocka_unit_test(test_too_long),      cmocka_unit_test(test_flood),
        cmocka_unit_test(test_closes_stdout), cmocka_unit_test(test_dies),
        cmocka_unit_test(test_does_not_read), cmocka_unit_test(test_noisy_stderr),
        cmocka_unit_test(test_no_program),    cmocka_unit_test(test_echo),
        cmocka_unit_test(test_cut),           cmocka_unit_test(test_writes_are_single),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_ladder_eof),
        cmocka_unit_test(test_ladder_term),   cmocka_unit_test(test_ladder_kill),
        cmocka_unit_test(test_signal),        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_filter),        cmocka_unit_test(test_filter_start_and_end),
        cmocka_unit_test(test_filter_signal), cmocka_unit_test(test_filter_ignores_eof),
        cmocka_unit_test(test_filter_deaf),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
