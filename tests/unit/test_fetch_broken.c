/* Requests over libcurl that are cancelled or go wrong. */
#include "fetch_kit.h"

static void test_cancel_in_mid_stream(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f, .cancel_at = 3};
    start(&c, "/hold", NULL);
    wait_held(f);
    begin(f->held, "text/event-stream");
    httpd_write(f->held, "one", 3);
    wait_done(&c);
    assert_int_equal(c.result.rc, E_CANCELLED);
    assert_non_null(strstr(c.text, "cancelled"));
    while (f->held) /* the server sees it */
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_int_equal(f->lost, 1);
    buf_deinit(&c.body);
}

static void test_cancel_before_anything(void **state)
{
    struct call c = {.f = *state};
    start(&c, "/plain", NULL);
    fetch_cancel(c.req);
    fetch_cancel(c.req);
    assert_int_equal(c.done, 0);
    wait_done(&c);
    assert_int_equal(c.result.rc, E_CANCELLED);
    assert_int_equal(c.status, 0);
}

static void test_cancel_while_paused(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f, .pause_at = 3};
    start(&c, "/hold", NULL);
    wait_held(f);
    begin(f->held, "text/event-stream");
    httpd_write(f->held, "one", 3);
    wait_body(&c, "one");
    fetch_cancel(c.req);
    wait_done(&c);
    assert_int_equal(c.result.rc, E_CANCELLED);
    buf_deinit(&c.body);
}

static void check_broken(struct fixture *f, const char *path, int rc, const char *text,
                         const char *body)
{
    struct call c = {.f = f};
    start(&c, path, NULL);
    wait_done(&c);
    assert_int_equal(c.result.rc, rc);
    assert_non_null(strstr(c.text, text));
    assert_non_null(strstr(c.text, "127.0.0.1:"));
    assert_null(strstr(c.text, "sesame"));
    assert_string_equal(c.body.n ? buf_cstr(&c.body) : "", body);
    buf_deinit(&c.body);
}

static void test_broken_answers(void **state)
{
    check_broken(*state, "/cut", E_IO, "in the middle of the answer", "half");
    check_broken(*state, "/reset", E_IO, "in the middle of the answer", "half");
    check_broken(*state, "/nothing", E_IO, "before it answered", "");
    check_broken(*state, "/garbage", E_PROTOCOL, "not HTTP", "");
}

static void test_silence_ends_it(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f};
    start(&c, "/hold", &(struct fetch_options){.method = "GET", .idle_ms = 50});
    wait_done(&c);
    assert_int_equal(c.result.rc, E_TIMEOUT);
    assert_non_null(strstr(c.text, "sent nothing for 50 ms"));
    buf_deinit(&c.body);
}

static void test_silence_in_mid_stream_ends_it(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f};
    start(&c, "/hold", &(struct fetch_options){.method = "GET", .idle_ms = 300});
    wait_held(f);
    begin(f->held, "text/event-stream");
    httpd_write(f->held, "one", 3);
    wait_done(&c);
    assert_int_equal(c.result.rc, E_TIMEOUT);
    assert_int_equal(c.result.status, 200);
    assert_string_equal(buf_cstr(&c.body), "one");
    buf_deinit(&c.body);
}

static void test_no_connection(void **state)
{
    struct fixture *f = *state;
    struct call c = {.f = f}, bad = {.f = f};
    char url[128];
    struct httpd *gone; /* a port nobody listens on: it was just given back */
    assert_int_equal(httpd_open(&f->loop, 0, &server_ops, f, &gone), 0);
    int port = httpd_port(gone);
    httpd_close(gone);
    uv_run(&f->loop, UV_RUN_NOWAIT);
    snprintf(url, sizeof url, "http://me:sesame@127.0.0.1:%d/path?key=sesame", port);
    start_url(&c, url, NULL);
    wait_done(&c);
    assert_int_equal(c.result.rc, E_IO);
    assert_non_null(strstr(c.text, "connection refused by 127.0.0.1:"));
    assert_null(strstr(c.text, "sesame"));
    start_url(&bad, "http://[", NULL);
    wait_done(&bad);
    assert_int_equal(bad.result.rc, E_INVALID);
}

static void test_other_schemes_are_refused(void **state)
{
    struct fixture *f = *state;
    struct fetch_req *req;
    const char *urls[] = {"file:///etc/passwd", "ftp://127.0.0.1/", "", "localhost:1"};
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        const struct fetch_options o = {.method = "GET", .url = urls[i]};
        assert_int_equal(fetch_start(f->fetch, &o, &ops, NULL, &req), E_INVALID);
    }
}

static void test_close_cancels(void **state)
{
    struct fixture *f = *state;
    struct call running = {.f = f}, fresh = {.f = f};
    start(&running, "/hold", NULL);
    wait_held(f);
    start(&fresh, "/plain", NULL);
    fetch_close(f->fetch, on_fetch_closed, f);
    assert_int_equal(running.done + fresh.done, 0);
    const struct fetch_options o = {.method = "GET", .url = "http://127.0.0.1:1/"};
    struct fetch_req *late;
    assert_int_equal(fetch_start(f->fetch, &o, &ops, NULL, &late), E_CLOSED);
    while (!f->fetch_closed)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_int_equal(running.result.rc, E_CANCELLED);
    assert_int_equal(fresh.result.rc, E_CANCELLED);
    assert_int_equal(running.done + fresh.done, 2);
    f->fetch = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cancel_in_mid_stream), TEST(test_cancel_before_anything),
        TEST(test_cancel_while_paused),  TEST(test_broken_answers),
        TEST(test_silence_ends_it),      TEST(test_silence_in_mid_stream_ends_it),
        TEST(test_no_connection),        TEST(test_other_schemes_are_refused),
        TEST(test_close_cancels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
