/* Real children: /bin/sh -c. Nothing timed is asserted; a guard timer only keeps a broken test from
 * hanging. */
#include "base/err.h"
#include "uvio/child.h"
#include "uvio/loop.h"
#include "uvio/stream.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct run {
    uv_loop_t loop;
    uv_timer_t guard;
    struct child *child;
    struct buf out, err;
    int out_eofs, err_eofs, exits;
    int64_t code;
    int signum;
    bool high, low;
    const struct buf *in;          /* child_in() from the start */
    void (*on_out)(struct run *r); /* after each part of stdout */
};

static void on_guard(uv_timer_t *t)
{
    (void)t;
    abort();
}

static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct run *r = ctx;
    if (n == 0)
        r->out_eofs++;
    assert_int_equal(buf_add(&r->out, bytes, n), 0);
    if (n > 0 && r->on_out)
        r->on_out(r);
}

static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    struct run *r = ctx;
    if (n == 0)
        r->err_eofs++;
    assert_int_equal(buf_add(&r->err, bytes, n), 0);
}

static void on_pressure(void *ctx, bool high)
{
    struct run *r = ctx;
    r->high |= high;
    r->low |= !high;
}

static void on_exit_(void *ctx, int64_t code, int signum)
{
    struct run *r = ctx;
    r->exits++;
    r->code = code;
    r->signum = signum;
    uv_close((uv_handle_t *)&r->guard, NULL);
}

static const struct child_ops ops = {on_stdout, on_stderr, on_pressure, on_exit_};

static int start(struct run *r, const struct child_options *o)
{
    assert_int_equal(uv_loop_init(&r->loop), 0);
    uv_timer_init(&r->loop, &r->guard);
    uv_timer_start(&r->guard, on_guard, 30000, 0);
    int rc = child_spawn(&r->loop, o, &ops, r, &r->child);
    if (rc == 0)
        r->in = child_in(r->child);
    return rc;
}

static int shell(struct run *r, const char *line, uint64_t grace_ms, uint64_t linger_ms)
{
    const char *argv[] = {"/bin/sh", "-c", line, NULL};
    struct child_options o = {.argv = argv, .grace_ms = grace_ms, .linger_ms = linger_ms};
    return start(r, &o);
}

static void end(struct run *r)
{
    assert_int_equal(loop_finish(&r->loop), 0);
    buf_deinit(&r->out);
    buf_deinit(&r->err);
}

/* The loop runs until the child is over. */
static void run(struct run *r)
{
    uv_run(&r->loop, UV_RUN_DEFAULT);
    assert_int_equal(r->exits, 1);
    assert_int_equal(r->out_eofs, 1);
    assert_int_equal(r->err_eofs, 1);
}

static void assert_buf(struct buf *b, const char *want)
{
    assert_string_equal(buf_cstr(b), want);
}

static void output_and_code_come(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "echo out; echo err >&2; exit 7", 0, 0), 0);
    assert_true(child_pid(r.child) > 0);
    run(&r);
    assert_buf(&r.out, "out\n");
    assert_buf(&r.err, "err\n");
    assert_int_equal(r.code, 7);
    assert_int_equal(r.signum, 0);
    end(&r);
}

static void a_signal_is_told(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "kill -9 $$", 0, 0), 0);
    run(&r);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.signum, SIGKILL);
    end(&r);
}

static void a_missing_program_calls_nobody(void **state)
{
    (void)state;
    struct run r = {0};
    const char *argv[] = {"no-such-program-here", NULL};
    assert_int_equal(start(&r, &(struct child_options){.argv = argv}), UV_ENOENT);
    uv_close((uv_handle_t *)&r.guard, NULL);
    end(&r);
    assert_int_equal(r.exits + r.out_eofs + r.err_eofs, 0);
}

static void stdin_arrives_and_ends(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "cat", 0, 0), 0);
    buf_adds(child_in(r.child), "hello\n");
    child_flush(r.child);
    buf_adds(child_in(r.child), "world\n");
    child_flush(r.child);
    child_close_stdin(r.child);
    run(&r);
    assert_buf(&r.out, "hello\nworld\n");
    assert_int_equal(r.code, 0);
    end(&r);
}

static void much_stdin_builds_pressure(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "wc -c", 0, 0), 0);
    for (int i = 0; i < 3000; i++) {
        char block[1024];
        memset(block, 'x', sizeof block);
        assert_int_equal(buf_add(child_in(r.child), block, sizeof block), 0);
        child_flush(r.child);
    }
    assert_true(r.high);
    assert_true(child_waiting(r.child) > STREAM_HIGH);
    child_close_stdin(r.child);
    run(&r);
    assert_true(r.low);
    assert_int_equal(atol(buf_cstr(&r.out)), 3000 * 1024);
    end(&r);
}

static void write_more(struct run *r)
{
    assert_ptr_equal(child_in(r->child), r->in); /* a peer may hold on to it */
    for (int i = 0; i < 100; i++) {
        assert_int_equal(buf_adds(child_in(r->child), "nobody reads this\n"), 0);
        child_flush(r->child);
    }
    assert_true(child_waiting(r->child) < 10000);
}

/* EPIPE is neither a signal nor the end of the child. */
static void a_closed_stdin_is_harmless(void **state)
{
    (void)state;
    struct run r = {.on_out = write_more};
    assert_int_equal(shell(&r, "exec <&-; echo a; sleep 0.05; echo b; sleep 0.05; echo c", 0, 0),
                     0);
    run(&r);
    assert_buf(&r.out, "a\nb\nc\n");
    assert_int_equal(r.code, 0);
    end(&r);
}

static void stop_child(struct run *r)
{
    child_stop(r->child);
    child_stop(r->child);
}

static void stop_asks_first(void **state)
{
    (void)state;
    struct run r = {.on_out = stop_child};
    assert_int_equal(
        shell(&r, "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done", 10000, 0),
        0);
    run(&r);
    assert_buf(&r.out, "up\nbye\n");
    assert_int_equal(r.code, 3);
    end(&r);
}

static void stop_tells_after_the_grace(void **state)
{
    (void)state;
    struct run r = {.on_out = stop_child};
    assert_int_equal(shell(&r, "trap '' TERM; echo up; while :; do sleep 0.01; done", 20, 0), 0);
    run(&r);
    assert_int_equal(r.signum, SIGKILL);
    end(&r);
}

static void kill_child(struct run *r)
{
    child_kill(r->child);
    child_kill(r->child);
    child_stop(r->child);
}

static void kill_is_at_once(void **state)
{
    (void)state;
    struct run r = {.on_out = kill_child};
    assert_int_equal(shell(&r, "trap '' TERM; echo up; while :; do sleep 0.01; done", 100000, 0),
                     0);
    run(&r);
    assert_int_equal(r.signum, SIGKILL);
    end(&r);
}

/* The pid that the child printed is not running (a zombie of init's is over, too). */
static bool is_gone(const char *pid)
{
    for (int i = 0; i < 1000; i++) {
        char line[128];
        int n = snprintf(line, sizeof line, "grep -q '^State:.[^ZX]' /proc/%ld/status 2>/dev/null",
                         atol(pid));
        assert_true(n > 0 && (size_t)n < sizeof line);
        if (system(line) != 0)
            return true;
        uv_sleep(5);
    }
    return false;
}

static void grandchildren_go_with_a_stop(void **state)
{
    (void)state;
    struct run r = {.on_out = stop_child};
    assert_int_equal(shell(&r,
                           "trap 'exit 0' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep "
                           "0.01; done' & wait",
                           20, 20),
                     0);
    run(&r);
    assert_int_equal(r.code, 0);
    assert_true(is_gone(buf_cstr(&r.out)));
    end(&r);
}

static void a_lingering_grandchild_is_ended(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "sleep 1000 & echo $!; exit 4", 0, 20), 0);
    run(&r);
    assert_int_equal(r.code, 4);
    assert_true(is_gone(buf_cstr(&r.out)));
    end(&r);
}

/* Who left the group cannot be killed through it, and does not hold us up either. */
static void an_escaped_grandchild_is_not_waited_for(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "setsid sleep 1000 & echo $!; sleep 0.05; exit 5", 0, 20), 0);
    run(&r);
    assert_int_equal(r.code, 5);
    kill((pid_t)atol(buf_cstr(&r.out)), SIGKILL);
    end(&r);
}

static void late_output_is_not_lost(void **state)
{
    (void)state;
    struct run r = {0};
    assert_int_equal(shell(&r, "(sleep 0.1; echo late) & echo early; exit 0", 0, 20000), 0);
    run(&r);
    assert_buf(&r.out, "early\nlate\n");
    end(&r);
}

static void resume_soon(uv_timer_t *t)
{
    struct run *r = t->data;
    child_pause_stdout(r->child, false);
    uv_close((uv_handle_t *)t, NULL);
}

/* While we do not read, the end of the child is not the end of its output. */
static void pausing_loses_nothing(void **state)
{
    (void)state;
    struct run r = {0};
    uv_timer_t later;
    assert_int_equal(
        shell(&r, "i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done", 0, 1), 0);
    child_pause_stdout(r.child, true);
    uv_timer_init(&r.loop, &later);
    later.data = &r;
    uv_timer_start(&later, resume_soon, 200, 0);
    run(&r);
    assert_int_equal(r.out.n, 5000 * 11);
    end(&r);
}

static void pause_when_it_is_gone(uv_timer_t *t)
{
    struct run *r = t->data;
    if (child_signal(r->child, 0) == 0)
        return; /* still there */
    child_pause_stdout(r->child, true);
    uv_close((uv_handle_t *)t, NULL);
    child_stop(r->child);
}

/* A reader that does not read, of a child that was told to stop, holds nobody up. */
static void a_stopped_child_is_over_though_paused(void **state)
{
    (void)state;
    struct run r = {0};
    uv_timer_t poll;
    assert_int_equal(shell(&r, "echo never read; sleep 1000 & exit 0", 20, 20000), 0);
    child_pause_stdout(r.child, true);
    uv_timer_init(&r.loop, &poll);
    poll.data = &r;
    uv_timer_start(&poll, pause_when_it_is_gone, 1, 1);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    assert_int_equal(r.exits, 1);
    end(&r);
}

static void send_usr1(struct run *r)
{
    assert_int_equal(child_signal(r->child, SIGUSR1), 0);
}

/* The shell's trap runs when its own child has ended: both were sent the signal. (A bare SIGINT to
 * a shell that is just starting may be lost in dash.) */
static void signals_reach_the_group(void **state)
{
    (void)state;
    struct run r = {.on_out = send_usr1};
    assert_int_equal(shell(&r, "trap 'exit 5' USR1; (echo up; exec sleep 1000); exit 6", 0, 0), 0);
    run(&r);
    assert_int_equal(r.code, 5);
    end(&r);
}

static void environment_and_directory_are_passed(void **state)
{
    (void)state;
    struct run r = {0};
    const char *argv[] = {"/bin/sh", "-c", "echo $COLOUR; pwd; echo $HOME", NULL};
    const char *env[] = {"COLOUR=blue", NULL};
    assert_int_equal(start(&r, &(struct child_options){.argv = argv, .env = env, .cwd = "/"}), 0);
    run(&r);
    assert_buf(&r.out, "blue\n/\n\n");
    end(&r);
}

static void inherited_pipes_have_no_callbacks(void **state)
{
    (void)state;
    struct run r = {0};
    const char *argv[] = {"/bin/sh", "-c", "exit 9", NULL};
    struct child_options o = {
        .argv = argv, .inherit_stdin = true, .inherit_stdout = true, .inherit_stderr = true};
    assert_int_equal(start(&r, &o), 0);
    buf_adds(child_in(r.child), "goes nowhere");
    child_flush(r.child);
    assert_int_equal(child_waiting(r.child), 0);
    child_close_stdin(r.child);
    child_pause_stdout(r.child, true);
    uv_run(&r.loop, UV_RUN_DEFAULT);
    assert_int_equal(r.exits, 1);
    assert_int_equal(r.out_eofs + r.err_eofs, 0);
    assert_int_equal(r.code, 9);
    end(&r);
}

/* Types once the question is there, as a person would. */
static void type_answer(struct run *r)
{
    if (!buf_cstr(&r->out) || !strstr(r->out.p, "who? "))
        return;
    r->on_out = NULL;
    assert_int_equal(buf_adds(child_in(r->child), "somebody\n"), 0);
    child_flush(r->child);
}

static void test_terminal(void **state)
{
    struct run r = {.on_out = type_answer};
    const char *argv[] = {"/bin/sh", "-c",
                          "test -t 0 && test -t 1 && test -t 2 || exit 9; printf 'who? '; "
                          "read name; echo \"hello $name\" >&2; exit 3",
                          NULL};
    struct child_options o = {.argv = argv, .terminal = true};
    (void)state;
    assert_int_equal(start(&r, &o), 0);
    assert_int_equal(uv_run(&r.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(r.code, 3);
    assert_int_equal(r.exits, 1);
    assert_non_null(strstr(buf_cstr(&r.out), "hello somebody"));
    assert_int_equal(r.err.n, 0);
    end(&r);
}

static void test_terminal_killed(void **state)
{
    struct run r = {0};
    const char *argv[] = {"/bin/cat", NULL};
    struct child_options o = {.argv = argv, .terminal = true};
    (void)state;
    assert_int_equal(start(&r, &o), 0);
    child_kill(r.child);
    assert_int_equal(uv_run(&r.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(r.signum, SIGKILL);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_terminal_killed),
        cmocka_unit_test(output_and_code_come),
        cmocka_unit_test(a_signal_is_told),
        cmocka_unit_test(a_missing_program_calls_nobody),
        cmocka_unit_test(stdin_arrives_and_ends),
        cmocka_unit_test(much_stdin_builds_pressure),
        cmocka_unit_test(a_closed_stdin_is_harmless),
        cmocka_unit_test(stop_asks_first),
        cmocka_unit_test(stop_tells_after_the_grace),
        cmocka_unit_test(kill_is_at_once),
        cmocka_unit_test(grandchildren_go_with_a_stop),
        cmocka_unit_test(a_lingering_grandchild_is_ended),
        cmocka_unit_test(an_escaped_grandchild_is_not_waited_for),
        cmocka_unit_test(late_output_is_not_lost),
        cmocka_unit_test(pausing_loses_nothing),
        cmocka_unit_test(a_stopped_child_is_over_though_paused),
        cmocka_unit_test(signals_reach_the_group),
        cmocka_unit_test(environment_and_directory_are_passed),
        cmocka_unit_test(inherited_pipes_have_no_callbacks),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
