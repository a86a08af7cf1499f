/* Every allocation of a conversation fails once: the peer either says so, or every request still
 * has exactly one answer and every call exactly one completion. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oom.h"

#define HEAD "{\"jsonrpc\":\"2.0\","

struct talk {
    struct peer *peer;
    struct buf out;
    struct rpc_request *kept;
    int completions, notes, rc;
};

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct talk *t = ctx;
    if (strcmp(method, "keep") == 0) {
        t->kept = req;
        return 0;
    }
    if (strcmp(method, "unknown") == 0)
        return E_NOTFOUND;
    if (strcmp(method, "fail") == 0) {
        rpc_fail(req, RPC_INVALID_PARAMS, "bad", params);
        return 0;
    }
    jw_tree(rpc_reply_begin(req), params);
    rpc_reply_end(req);
    return 0;
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    struct talk *t = ctx;
    (void)method;
    (void)params;
    t->notes++;
}

static void on_output(void *ctx)
{
    (void)ctx;
}

static void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct talk *t = ctx;
    assert_true(outcome->rc == 0 || outcome->rc == E_NOMEM || outcome->rc == E_CLOSED);
    t->completions++;
}

static const struct peer_ops ops = {on_request, on_notify, on_output};

/* As a program would: the first failure is remembered, and the conversation goes on. */
static void feed(struct talk *t, const char *text)
{
    int rc = peer_feed(t->peer, text, strlen(text));
    if (t->rc == 0)
        t->rc = rc;
}

static int answers(const struct buf *out, const char *id)
{
    int n = 0;
    char start[80];
    snprintf(start, sizeof start, HEAD "\"id\":%s,", id);
    size_t size = strlen(start);
    for (size_t at = 0; at + size <= out->n; at++)
        n += memcmp(out->p + at, start, size) == 0;
    return n;
}

static void check_answers(const struct talk *t, bool called)
{
    static const char *const ids[] = {"\"echo\"", "\"\\u0066\"", "404", "\"kept\"", "\"many\""};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        int n = answers(&t->out, ids[i]);
        assert_true(n == 1 || (n == 0 && t->rc == E_NOMEM));
    }
    assert_true(t->out.n == 0 || t->out.p[t->out.n - 1] == '\n');
    assert_int_equal(t->completions, called ? 1 : 0);
    assert_true(t->notes == 1 || t->rc == E_NOMEM);
    if (t->rc == 0)
        assert_int_equal(answers(&t->out, "null"), 1);
}

/* So many open requests that the table grows. */
static void open_many(struct talk *t)
{
    struct rpc_request *open[40] = {NULL};
    for (size_t i = 0; i < ARRAY_LEN(open); i++) {
        struct rpc_request *kept = t->kept;
        t->kept = NULL;
        feed(t, HEAD "\"id\":\"open\",\"method\":\"keep\"}\n");
        open[i] = t->kept;
        t->kept = kept;
    }
    for (size_t i = 0; i < ARRAY_LEN(open); i++)
        if (open[i])
            rpc_reply_empty(open[i]);
    feed(t, HEAD "\"id\":\"many\",\"method\":\"echo\"}\n");
}

static void converse(struct talk *t)
{
    jw_cstr(peer_call_begin(t->peer, "call"), "x");
    bool called = peer_call_end(t->peer, on_answer, t, NULL) == 0;
    feed(t, HEAD "\"id\":\"echo\",\"method\":\"ec\\u0068o\",\"params\":{\"a\":[1,2,\"x\"]}}\n");
    feed(t, HEAD "\"id\":\"\\u0066\",\"method\":\"fail\",\"params\":{\"a\":[1,2,\"\\u0000\"]}}\n");
    feed(t, HEAD "\"id\":404,\"method\":\"unknown\"}\n");
    feed(t, HEAD "\"id\":\"kept\",\"method\":\"keep\"}\n");
    feed(t, HEAD "\"method\":\"note\",\"params\":{\"a\":1}}\nbroken\n");
    feed(t, HEAD "\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"\\u006b\"}}\n");
    feed(t, HEAD "\"id\":1,\"result\":{\"a\":\"b\"}}\n");
    open_many(t);
    if (t->kept)
        rpc_fail_kv(t->kept, -32800, "Request cancelled", "key", "value");
    peer_eof(t->peer);
    check_answers(t, called);
}

static int run(void)
{
    struct talk t = {0};
    int rc = peer_create(&ops, &t, &t.out, NULL, &t.peer);
    if (rc == 0)
        converse(&t);
    peer_close(t.peer);
    buf_deinit(&t.out);
    return rc < 0 ? rc : t.rc;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    oom_reset(-1);
    assert_int_equal(run(), 0);
    long n = oom_seen();
    assert_true(n > 50);
    for (long i = 0; i < n; i++) {
        oom_reset(i);
        int rc = run();
        assert_true(rc == 0 || rc == E_NOMEM);
    }
    oom_reset(-1);
}

/* A result that finds no memory becomes an error; one that finds none for that either is answered
 * as soon as there is some. */
static void an_answer_may_come_late_but_comes(void **state)
{
    (void)state;
    struct talk t = {0};
    oom_reset(-1);
    assert_int_equal(peer_create(&ops, &t, &t.out, NULL, &t.peer), 0);
    feed(&t, HEAD "\"id\":\"kept\",\"method\":\"keep\"}\n");
    for (int tries = 1; tries <= 4;
         tries++) { /* the result, the error, it without its data, it again */
        buf_deinit(&t.out);
        if (!t.kept)
            feed(&t, HEAD "\"id\":\"kept\",\"method\":\"keep\"}\n");
        oom_reset_run(0, tries);
        jw_cstr(rpc_reply_begin(t.kept), "a result");
        rpc_reply_end(t.kept);
        t.kept = NULL;
        oom_reset(-1);
        feed(&t, "\n");
        assert_int_equal(answers(&t.out, "\"kept\""), 1);
        assert_non_null(strstr(buf_cstr(&t.out), "-32603"));
    }
    peer_close(t.peer);
    buf_deinit(&t.out);
}

static void an_owed_answer_goes_with_its_peer(void **state)
{
    (void)state;
    struct talk t = {0};
    oom_reset(-1);
    assert_int_equal(peer_create(&ops, &t, &t.out, NULL, &t.peer), 0);
    feed(&t, HEAD "\"id\":\"kept\",\"method\":\"keep\"}\n");
    oom_reset_run(0, 100);
    jw_cstr(rpc_reply_begin(t.kept), "a result");
    rpc_reply_end(t.kept);
    peer_close(t.peer);
    oom_reset(-1);
    assert_int_equal(t.out.n, 0);
    buf_deinit(&t.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(an_answer_may_come_late_but_comes),
        cmocka_unit_test(an_owed_answer_goes_with_its_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
