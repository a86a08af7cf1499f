/* The whole way: a peer over the pipes of a child. The child is cat, so that the peer talks to
 * itself: its calls come back as requests, its answers as responses. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/peer.h"
#include "uvio/child.h"
#include "uvio/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct mirror {
    uv_loop_t loop;
    uv_timer_t guard;
    struct child *child;
    struct peer *peer;
    int requests, answers, wanted, exits;
    size_t answer_size;
    bool paused;
};

static void on_guard(uv_timer_t *t)
{
    (void)t;
    abort();
}

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct mirror *m = ctx;
    assert_string_equal(method, "mirror");
    m->requests++;
    jw_tree(rpc_reply_begin(req), params);
    rpc_reply_end(req);
    return 0;
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    (void)ctx;
    (void)method;
    (void)params;
}

static void on_peer_output(void *ctx)
{
    struct mirror *m = ctx;
    child_flush(m->child);
}

static const struct peer_ops peer_ops = {on_request, on_notify, on_peer_output};

static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct mirror *m = ctx;
    assert_int_equal(n > 0 ? peer_feed(m->peer, bytes, n) : peer_eof(m->peer), 0);
}

static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    assert_int_equal(n, 0);
}

/* Reading on would only make more output: wait until it has left. */
static void on_pressure(void *ctx, bool high)
{
    struct mirror *m = ctx;
    m->paused |= high;
    peer_pause(m->peer, high);
}

static void on_exit_(void *ctx, int64_t code, int signum)
{
    struct mirror *m = ctx;
    assert_int_equal(code, 0);
    assert_int_equal(signum, 0);
    m->exits++;
    peer_close(m->peer);
    uv_close((uv_handle_t *)&m->guard, NULL);
}

static const struct child_ops child_ops = {on_stdout, on_stderr, on_pressure, on_exit_};

static void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct mirror *m = ctx;
    assert_int_equal(outcome->rc, 0);
    const cJSON *text = cJSON_GetArrayItem(outcome->result, 0);
    m->answer_size = strlen(cJSON_GetStringValue(text));
    if (++m->answers == m->wanted)
        child_close_stdin(m->child);
}

static void start(struct mirror *m)
{
    const char *const argv[] = {"cat", NULL};
    const struct child_options options = {.argv = argv};
    assert_int_equal(uv_loop_init(&m->loop), 0);
    uv_timer_init(&m->loop, &m->guard);
    uv_timer_start(&m->guard, on_guard, 120000, 0);
    assert_int_equal(child_spawn(&m->loop, &options, &child_ops, m, &m->child), 0);
    const struct peer_options po = {.max_line = 80u << 20};
    assert_int_equal(peer_create(&peer_ops, m, child_in(m->child), &po, &m->peer), 0);
}

static void call(struct mirror *m, const char *text, size_t n)
{
    struct jsonw *w = peer_call_begin(m->peer, "mirror");
    jw_open(w, '[');
    jw_str(w, text, n);
    jw_close(w);
    assert_int_equal(peer_call_end(m->peer, on_answer, m, NULL), 0);
}

static void finish(struct mirror *m)
{
    assert_int_equal(loop_finish(&m->loop), 0);
    assert_int_equal(m->exits, 1);
    assert_int_equal(m->answers, m->wanted);
    assert_int_equal(m->requests, m->wanted);
}

static void many_calls_go_both_ways(void **state)
{
    (void)state;
    struct mirror m = {.wanted = 3000};
    char text[2000];
    memset(text, 't', sizeof text);
    start(&m);
    for (int i = 0; i < m.wanted; i++)
        call(&m, text, sizeof text);
    finish(&m);
    assert_true(m.paused);
}

static void a_huge_message_goes_both_ways(void **state)
{
    (void)state;
    const size_t size = 64u << 20;
    struct mirror m = {.wanted = 1};
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 't', size);
    start(&m);
    call(&m, text, size);
    free(text);
    finish(&m);
    assert_int_equal(m.answer_size, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_calls_go_both_ways),
        cmocka_unit_test(a_huge_message_goes_both_ways),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
