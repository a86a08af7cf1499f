/* Closing in the middle of anything, end of input, pausing, output. */
#include "peer_server.h"

/* ---- closing ----------------------------------------------------------------------------- */

static void closing_completes_calls_in_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    s.out.n = 0;
    peer_close(s.peer);
    s.peer = NULL;
    assert_seen(&s, "closed;closed;");
    reply_text(s.kept[--s.n_kept], "too late");
    assert_out(&s, "");
    stop(&s);
}

static void inert_requests_swallow_everything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 4; i++)
        feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    peer_close(s.peer);
    s.peer = NULL;
    rpc_request_on_cancel(s.kept[0], on_cancel, &s);
    reply_text(s.kept[0], "x");
    rpc_reply_empty(s.kept[1]);
    rpc_fail(s.kept[2], -1, "x", NULL);
    rpc_fail_kv(s.kept[3], -1, "x", "k", "v");
    s.n_kept = 0;
    assert_out(&s, "");
    assert_seen(&s, "");
    stop(&s);
}

/* Whatever a callback is in the middle of, closing there is safe, and nothing comes after it. */
static void closing_inside_every_callback(void **state)
{
    (void)state;
    static const char *const closers[] = {
        HEAD "\"id\":1,\"method\":\"close\"}\n", HEAD "\"id\":1,\"method\":\"close-keep\"}\n",
        HEAD "\"id\":1,\"method\":\"close-unknown\"}\n", HEAD "\"method\":\"close\"}\n"};
    for (size_t i = 0; i < ARRAY_LEN(closers); i++) {
        struct server s;
        start(&s);
        assert_int_equal(buf_adds(&s.seen, ""), 0);
        struct buf in = {0};
        buf_adds(&in, closers[i]);
        buf_adds(&in, HEAD "\"id\":2,\"method\":\"echo\"}\nnope\n");
        assert_int_equal(peer_feed(s.peer, in.p, in.n), E_CLOSED);
        s.peer = NULL;
        assert_out(&s, "");
        buf_deinit(&in);
        stop(&s);
    }
}

static void closing_inside_on_output(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    s.close_in_output = true;
    call(&s, "a"); /* closes */
    assert_seen(&s, "closed;");
    s.peer = NULL;
    stop(&s);
    start(&s);
    s.close_in_output = true;
    feed(&s, HEAD "\"id\":1,\"method\":\"echo\"}\n"); /* closes once all is handled */
    assert_out(&s, RESULT("1", "null"));
    s.peer = NULL;
    stop(&s);
}

static void close_on_cancel(void *ctx, struct rpc_request *req)
{
    struct server *s = ctx;
    peer_close(s->peer);
    s->peer = NULL;
    rpc_reply_empty(req);
}

static void closing_inside_on_cancel(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    rpc_request_on_cancel(s.kept[--s.n_kept], close_on_cancel, &s);
    assert_int_equal(feed(&s, CANCEL("1") HEAD "\"method\":\"never\"}\n"), E_CLOSED);
    assert_seen(&s, "");
    stop(&s);
}

static void null_may_be_closed(void **state)
{
    (void)state;
    peer_close(NULL);
}

/* ---- end of input, pausing, output ------------------------------------------------------- */

static void eof_ends_the_last_line(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    s.out.n = 0;
    feed(&s, HEAD "\"id\":9,\"method\":\"keep\"}\n" HEAD "\"id\":1,\"result\":1}");
    assert_seen(&s, "");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_seen(&s, "result1;closed;");
    jw_null(peer_call_begin(s.peer, "late"));
    assert_int_equal(peer_call_end(s.peer, on_answer, &s, NULL), E_CLOSED);
    reply_text(s.kept[--s.n_kept], "still answered");
    assert_out(&s, RESULT("9", "\"still answered\""));
    stop(&s);
}

static void eof_in_the_middle_of_a_message(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, "{\"jsonrpc\":");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_non_null(strstr(buf_cstr(&s.out), "-32700"));
    stop(&s);
}

static void pausing_keeps_everything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    s.out.n = 0;
    feed(&s, HEAD "\"id\":1,\"method\":\"pause\"}\n" HEAD "\"method\":\"x\"}\n" HEAD
                  "\"id\":1,\"result\":5}\n" HEAD "\"method\":\"y\"");
    feed(&s, "}\n" HEAD "\"method\":\"z\"}");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_out(&s, RESULT("1", "{}"));
    assert_seen(&s, "");
    peer_pause(s.peer, false);
    assert_seen(&s, "x;result5;y;z;");
    stop(&s);
}

static void resuming_inside_a_handler_keeps_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    peer_pause(s.peer, true);
    feed(&s, HEAD "\"id\":1,\"method\":\"pause\"}\n" HEAD "\"method\":\"x\"}\n");
    peer_pause(s.peer, false); /* its first message pauses again */
    assert_seen(&s, "");
    peer_pause(s.peer, false);
    assert_seen(&s, "x;");
    stop(&s);
}

static void feeding_inside_a_handler_keeps_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s,
         HEAD "\"id\":1,\"method\":\"feed\",\"params\":{\"a\":1}}\n" HEAD "\"method\":\"x\"}\n");
    assert_out(&s, RESULT("1", "{}"));
    assert_seen(&s, "feed{\"a\":1};x;nested;");
    stop(&s);
}

static void output_is_told_once_a_burst(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"echo\"}\n" HEAD "\"id\":2,\"method\":\"call\"}\nnope\n");
    assert_int_equal(s.outputs, 1);
    feed(&s, HEAD "\"method\":\"x\"}\n");
    assert_int_equal(s.outputs, 1);
    call(&s, "a");
    assert_int_equal(s.outputs, 2);
    stop(&s);
}

static void a_result_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    struct jsonw *w = rpc_reply_begin(s.kept[--s.n_kept]);
    for (int i = 0; i < JW_DEPTH; i++)
        jw_open(w, '[');
    for (int i = 0; i < JW_DEPTH; i++)
        jw_close(w);
    rpc_reply_end(s.kept[s.n_kept]);
    assert_out(&s, HEAD "\"id\":1,\"error\":{\"code\":-32603,\"message\":\"The result could not be "
                        "written\",\"data\":{\"reason\":\"too big\"}}}\n");
    stop(&s);
}

/* Two peers back to back: each has the other's id 1 and its own id 1 open at once. */
static void carry(struct server *from, struct server *to)
{
    struct buf line = from->out;
    from->out = (struct buf){0};
    assert_int_equal(peer_feed(to->peer, line.p, line.n), 0);
    buf_deinit(&line);
}

static void id_spaces_are_separate(void **state)
{
    (void)state;
    struct server a, b;
    start(&a);
    start(&b);
    call(&a, "keep");
    call(&b, "keep");
    struct buf later = b.out;
    b.out = (struct buf){0};
    carry(&a, &b);
    carry(&(struct server){.out = later}, &a);
    reply_text(a.kept[--a.n_kept], "from a");
    reply_text(b.kept[--b.n_kept], "from b");
    carry(&a, &b);
    carry(&b, &a);
    assert_seen(&a, "result\"from b\";");
    assert_seen(&b, "result\"from a\";");
    stop(&a);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_completes_calls_in_order),
        cmocka_unit_test(inert_requests_swallow_everything),
        cmocka_unit_test(closing_inside_every_callback),
        cmocka_unit_test(closing_inside_on_output),
        cmocka_unit_test(closing_inside_on_cancel),
        cmocka_unit_test(null_may_be_closed),
        cmocka_unit_test(eof_ends_the_last_line),
        cmocka_unit_test(eof_in_the_middle_of_a_message),
        cmocka_unit_test(pausing_keeps_everything),
        cmocka_unit_test(resuming_inside_a_handler_keeps_order),
        cmocka_unit_test(feeding_inside_a_handler_keeps_order),
        cmocka_unit_test(output_is_told_once_a_burst),
        cmocka_unit_test(a_result_that_cannot_be_written_is_an_error),
        cmocka_unit_test(id_spaces_are_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
