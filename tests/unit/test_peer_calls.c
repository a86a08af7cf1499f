/* Cancelling, and calls of our own. */
#include "peer_server.h"

/* ---- cancelling -------------------------------------------------------------------------- */

static void a_cancel_reaches_its_request(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"cancellable\"}\n" CANCEL("1") CANCEL("1"),
          ERROR("1", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":\"\\u0061\",\"method\":\"cancellable\"}\n" CANCEL("\"a\""),
          ERROR("\"\\u0061\"", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":null,\"method\":\"cancellable\"}\n" CANCEL("null"),
          ERROR("null", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":9007199254740993,\"method\":\"cancellable\"}\n" CANCEL("9007199254740992")
              CANCEL("9007199254740993"),
          ERROR("9007199254740993", "-32800", "Request cancelled"), "cancel;");
}

#define CANCELLABLE HEAD "\"id\":1,\"method\":\"cancellable\"}\n"
#define ODD(params) HEAD "\"method\":\"$/cancel_request\",\"params\":" params "}\n"

/* The id is found whatever stands around it. */
static void odd_params_are_read(void **state)
{
    (void)state;
    static const char *const params[] = {
        "{ \"a\\\"\" : \"x\\\\\" , \"requestId\" : 1 }",
        "{\"o\":{\"s\":\"}\\\"\",\"requestId\":2},\"l\":[[],{\"]\":\"[\"}],\"requestId\":1}",
        "{\"requestId\":7,\"b\":true,\"n\":null,\"f\":-1.5e3,\"request\\u0049d\":1\t}",
        "\t{\"_meta\":{},\"requestId\":1}\t"};
    for (size_t i = 0; i < ARRAY_LEN(params); i++) {
        struct buf in = {0};
        buf_addf(&in, CANCELLABLE ODD("%s"), params[i]);
        check(in.p, in.n, ERROR("1", "-32800", "Request cancelled"), "cancel;");
        buf_deinit(&in);
    }
}

static void other_cancels_are_silent(void **state)
{
    (void)state;
    CHECK(CANCEL("1"), "", "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n" CANCEL("1"), RESULT("1", "null"), "");
    CHECK(HEAD "\"method\":\"$/cancel_request\"}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":7}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":[1]}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":{}}\n", "", "");
    CHECK(CANCEL("{}") CANCEL("[1]") CANCEL("true") CANCEL("\"x\""), "", "");
}

static void a_cancel_is_for_one_request(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"cancellable\"}\n");
    feed(&s, HEAD "\"id\":\"1\",\"method\":\"cancellable\"}\n");
    feed(&s, HEAD "\"id\":2,\"method\":\"keep\"}\n");
    feed(&s, CANCEL("\"1\""));
    assert_out(&s, ERROR("\"1\"", "-32800", "Request cancelled"));
    feed(&s, CANCEL("2")); /* has no callback: runs on */
    assert_true(rpc_request_cancelled(s.kept[0]));
    reply_text(s.kept[--s.n_kept], "done");
    assert_out(&s, RESULT("2", "\"done\""));
    feed(&s, CANCEL("1"));
    assert_out(&s, ERROR("1", "-32800", "Request cancelled"));
    stop(&s);
}

/* A prompt that waits in a queue when its cancel arrives hears of it all the same. */
static void an_early_cancel_is_not_lost(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n" CANCEL("1"));
    assert_seen(&s, "");
    rpc_request_on_cancel(s.kept[--s.n_kept], on_cancel, &s);
    assert_seen(&s, "cancel;");
    assert_out(&s, ERROR("1", "-32800", "Request cancelled"));
    stop(&s);
}

/* ---- calls ------------------------------------------------------------------------------- */

static void calls_complete_in_any_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    call(&s, "c");
    assert_out(&s, HEAD "\"id\":1,\"method\":\"a\",\"params\":[]}\n" HEAD
                        "\"id\":2,\"method\":\"b\",\"params\":[]}\n" HEAD
                        "\"id\":3,\"method\":\"c\",\"params\":[]}\n");
    feed(&s, HEAD "\"id\":2,\"result\":{\"x\":1}}\n" HEAD "\"id\":2,\"result\":{\"x\":2}}\n");
    assert_seen(&s, "result{\"x\":1};");
    feed(&s, HEAD "\"id\":1.0,\"error\":{\"code\":1},\"result\":null}\n");
    assert_seen(&s, "error{\"code\":1};");
    feed(&s, HEAD "\"id\":\"3\",\"result\":1}\n");
    assert_seen(&s, "");
    feed(&s, "{\"result\":null,\"error\":null,\"id\":3}\n");
    assert_seen(&s, "resultnull;");
    assert_out(&s, "");
    stop(&s);
}

static void odd_answers_complete_too(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 4; i++)
        call(&s, "a");
    feed(&s, HEAD "\"id\":1,\"error\":null}\n");
    feed(&s, HEAD "\"id\":2,\"error\":\"boom\"}\n");
    feed(&s, HEAD "\"id\":3,\"result\":{},\"error\":{\"code\":-1,\"message\":\"m\"}}\n");
    feed(&s, HEAD "\"id\":4,\"result\":\"\\ud800\"}\n");
    assert_seen(&s, "errornull;error\"boom\";error{\"code\":-1,\"message\":\"m\"};"
                    "result\"\xef\xbf\xbd\";");
    stop(&s);
}

static void calls_can_be_cancelled_and_abandoned(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    struct rpc_call *a = call(&s, "a"), *b = call(&s, "b");
    s.out.n = 0;
    rpc_call_cancel(a);
    rpc_call_cancel(a);
    assert_out(&s, CANCEL("1"));
    feed(&s, HEAD "\"id\":1,\"error\":{\"code\":-32800}}\n");
    assert_seen(&s, "error{\"code\":-32800};");
    rpc_call_abandon(b);
    feed(&s, HEAD "\"id\":2,\"result\":{}}\n");
    assert_seen(&s, "");
    assert_out(&s, "");
    stop(&s);
    assert_null(s.seen.p);
}

struct self {
    struct rpc_call *call;
    struct peer *peer;
    int calls, rc;
};

static void touch_own_call(void *ctx, const struct rpc_outcome *outcome)
{
    struct self *self = ctx;
    self->calls++;
    self->rc = outcome->rc;
    rpc_call_cancel(self->call);
    rpc_call_abandon(self->call);
    peer_close(self->peer);
    jw_null(peer_call_begin(self->peer, "again"));
    assert_int_equal(peer_call_end(self->peer, touch_own_call, self, NULL), E_CLOSED);
    jw_null(peer_notify_begin(self->peer, "again"));
    assert_int_equal(peer_notify_end(self->peer), E_CLOSED);
}

static void a_callback_may_do_anything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    struct self self = {.peer = s.peer};
    jw_null(peer_call_begin(s.peer, "x"));
    assert_int_equal(peer_call_end(s.peer, touch_own_call, &self, &self.call), 0);
    call(&s, "y");
    assert_int_equal(feed(&s, HEAD "\"id\":1,\"result\":{}}\n" HEAD "\"method\":\"never\"}\n"),
                     E_CLOSED);
    assert_int_equal(self.calls, 1);
    assert_seen(&s, "closed;");
    s.peer = NULL;
    stop(&s);
}

static void many_open_calls_and_requests(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    char line[200];
    for (int i = 1; i <= 5000; i++) {
        call(&s, "a");
        snprintf(line, sizeof line, HEAD "\"id\":%d,\"method\":\"cancellable\"}\n", i);
        assert_int_equal(feed(&s, line), 0);
    }
    for (int i = 5000; i > 0; i--) {
        s.out.n = s.seen.n = 0;
        snprintf(line, sizeof line, CANCEL("%d") HEAD "\"id\":%d,\"result\":%d}\n", i, i, i);
        assert_int_equal(feed(&s, line), 0);
        snprintf(line, sizeof line, "cancel;result%d;", i);
        assert_seen(&s, line);
    }
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancel_reaches_its_request),
        cmocka_unit_test(odd_params_are_read),
        cmocka_unit_test(other_cancels_are_silent),
        cmocka_unit_test(a_cancel_is_for_one_request),
        cmocka_unit_test(an_early_cancel_is_not_lost),
        cmocka_unit_test(calls_complete_in_any_order),
        cmocka_unit_test(odd_answers_complete_too),
        cmocka_unit_test(calls_can_be_cancelled_and_abandoned),
        cmocka_unit_test(a_callback_may_do_anything),
        cmocka_unit_test(many_open_calls_and_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
