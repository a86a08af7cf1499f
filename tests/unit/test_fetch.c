/* Requests over libcurl: answers, streams, back-pressure, connections. */
#include "fetch_kit.h"

static void test_answer(void **state)
{
    struct call c = {.f = *state};
    start(&c, "/plain", NULL);
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    assert_int_equal(c.result.status, 200);
    assert_string_equal(c.text, "");
    assert_string_equal(buf_cstr(&c.body), "/plain");
    buf_deinit(&c.body);
}

static void test_stream_arrives_piece_by_piece(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f};
    start(&c, "/hold", NULL);
    wait_held(f);
    begin(f->held, "text/event-stream");
    httpd_write(f->held, "one", 3);
    wait_body(&c, "one");
    httpd_write(f->held, "two", 3);
    wait_body(&c, "onetwo");
    httpd_end(f->held);
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    buf_deinit(&c.body);
}

static void test_large_post(void **state)
{
    struct fixture *f = *state;
    enum { N = 3000000 };
    char *body = malloc(N);
    assert_non_null(body);
    memset(body, 'b', N);
    struct call c = {.f = f};
    start(&c, "/big",
          &(struct fetch_options){.method = "POST", .body = body, .body_n = N, .idle_ms = 60000});
    free(body); /* it was copied */
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    assert_int_equal(f->body_n, N);
    buf_deinit(&c.body);
}

static void test_empty_post(void **state)
{
    struct call c = {.f = *state};
    start(&c, "/empty", &(struct fetch_options){.method = "POST"});
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    buf_deinit(&c.body);
}

static void test_pause_holds_the_body_back(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f, .pause_at = 3}, other = {.f = f};
    start(&c, "/hold", NULL);
    wait_held(f);
    begin(f->held, "text/event-stream");
    httpd_write(f->held, "one", 3);
    wait_body(&c, "one");
    httpd_write(f->held, "two", 3);
    httpd_end(f->held);
    start(&other, "/other", NULL); /* by its end the paused bytes have had time to come */
    wait_done(&other);
    assert_int_equal(c.body.n, 3);
    assert_int_equal(c.done, 0);
    c.pause_at = 0;
    fetch_pause(c.req, false);
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    assert_string_equal(buf_cstr(&c.body), "onetwo");
    buf_deinit(&c.body);
    buf_deinit(&other.body);
}

static void test_redirects_are_answers(void **state)
{
    struct call c = {.f = *state};
    start(&c, "/redirect", NULL);
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    assert_int_equal(c.status, 307);
    assert_string_equal(c.location, "http://127.0.0.2:1/elsewhere");
}

static void test_next_request_from_done(void **state)
{
    struct call second = {.f = *state}, first = {.f = *state, .then = &second};
    start(&first, "/first", NULL);
    wait_done(&second);
    assert_int_equal(second.result.rc, 0);
    assert_string_equal(buf_cstr(&second.body), "/then");
    buf_deinit(&first.body);
    buf_deinit(&second.body);
}

static void count_tcp(uv_handle_t *h, void *ctx)
{
    *(unsigned *)ctx += h->type == UV_TCP && !uv_is_closing(h);
}

static void test_connections_are_kept(void **state)
{
    struct fixture *f = *state;
    unsigned sockets = 0;
    for (int i = 0; i < 5; i++) {
        struct call c = {.f = f};
        start(&c, "/one", i % 2 ? &(struct fetch_options){.method = "POST", .body = "x"} : NULL);
        wait_done(&c);
        assert_int_equal(c.result.rc, 0);
        buf_deinit(&c.body);
    }
    uv_walk(&f->loop, count_tcp, &sockets);
    assert_int_equal(sockets, 2); /* the server's: one that listens, one connection */
}

static void test_many_at_once(void **state)
{
    enum { N = 40 };
    struct call calls[N];
    memset(calls, 0, sizeof calls);
    for (size_t i = 0; i < N; i++) {
        calls[i].f = *state;
        start(&calls[i], "/one", NULL);
    }
    for (size_t i = 0; i < N; i++) {
        wait_done(&calls[i]);
        assert_int_equal(calls[i].result.rc, 0);
        assert_int_equal(calls[i].done, 1);
        buf_deinit(&calls[i].body);
    }
}

static void test_warm(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(fetch_warm(f->fetch), 0);
    assert_int_equal(fetch_warm(f->fetch), 0);
}

static void test_unused(void **state)
{
    (void)state; /* closing what never loaded libcurl: the tear-down looks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_answer),
        TEST(test_stream_arrives_piece_by_piece),
        TEST(test_large_post),
        TEST(test_empty_post),
        TEST(test_pause_holds_the_body_back),
        TEST(test_redirects_are_answers),
        TEST(test_next_request_from_done),
        TEST(test_connections_are_kept),
        TEST(test_many_at_once),
        TEST(test_warm),
        TEST(test_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
