/* Requests over libcurl against a server on the same loop. */
#include "base/err.h"
#include "http/fetch.h"
#include "http/httpd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

struct fixture;

/* One request as its owner sees it. */
struct call {
    struct fixture *f;
    struct fetch_req *req;
    struct buf body;
    struct fetch_result result;
    char text[320], location[64];
    long status;
    size_t cancel_at, pause_at; /* body bytes; 0: never */
    struct call *then;          /* started from on_done */
    unsigned done;
};

struct fixture {
    uv_loop_t loop;
    struct httpd *httpd;
    struct fetch *fetch;
    struct httpd_req *held;
    size_t body_n;
    unsigned over, lost;
    bool fetch_closed;
};

/* --- the server --- */

static void begin(struct httpd_req *req, const char *type)
{
    httpd_begin(req, &(struct httpd_reply){.status = 200, .content_type = type});
}

static void answer_oddly(struct httpd_req *req, const char *path)
{
    const struct httpd_header away = {"Location", "http://127.0.0.2:1/elsewhere"};
    if (strcmp(path, "/cut") == 0 || strcmp(path, "/reset") == 0) {
        begin(req, "text/plain");
        httpd_write(req, "half", 4);
        httpd_cut(req, path[1] == 'r');
    } else if (strcmp(path, "/nothing") == 0) {
        httpd_cut(req, false);
    } else if (strcmp(path, "/garbage") == 0) {
        httpd_write_raw(req, "hello, this is not HTTP\n", 24);
        httpd_end(req);
    } else if (strcmp(path, "/redirect") == 0) {
        httpd_answer(req, &(struct httpd_reply){.status = 307, .headers = &away, .header_n = 1});
    } else {
        httpd_answer(req, &(struct httpd_reply){200, "text/plain", NULL, 0, path, strlen(path)});
    }
}

static void on_request(void *ctx, struct httpd_req *req)
{
    struct fixture *f = ctx;
    const char *path = httpd_path(req);
    httpd_body(req, &f->body_n);
    if (strcmp(path, "/hold") == 0)
        f->held = req;
    else
        answer_oddly(req, path);
}

static void on_over(void *ctx, struct httpd_req *req, bool complete)
{
    struct fixture *f = ctx;
    f->over++;
    f->lost += !complete;
    if (f->held == req)
        f->held = NULL;
}

static const struct httpd_ops server_ops = {on_request, on_over, NULL, NULL};

/* --- the caller --- */

static void start(struct call *c, const char *path, const struct fetch_options *more);

static void on_status(void *ctx, long status)
{
    struct call *c = ctx;
    const char *location = fetch_header(c->req, "LOCATION");
    c->status = status;
    assert_null(fetch_header(c->req, "no-such-header"));
    if (location)
        snprintf(c->location, sizeof c->location, "%s", location);
}

static void on_data(void *ctx, const char *bytes, size_t n)
{
    struct call *c = ctx;
    assert_true(c->status > 0);
    assert_int_equal(buf_add(&c->body, bytes, n), 0);
    if (c->cancel_at && c->body.n >= c->cancel_at)
        fetch_cancel(c->req);
    if (c->pause_at && c->body.n >= c->pause_at)
        fetch_pause(c->req, true);
}

static void on_done(void *ctx, const struct fetch_result *result)
{
    struct call *c = ctx;
    c->result = *result;
    snprintf(c->text, sizeof c->text, "%s", result->text);
    c->done++;
    if (c->then)
        start(c->then, "/then", NULL);
}

static const struct fetch_ops ops = {on_status, on_data, on_done};

static void start_url(struct call *c, const char *url, const struct fetch_options *more)
{
    const char *const headers[] = {"Authorization: Bearer sesame", NULL};
    struct fetch_options o = more ? *more : (struct fetch_options){.method = "GET"};
    o.url = url;
    o.headers = headers;
    assert_int_equal(fetch_start(c->f->fetch, &o, &ops, c, &c->req), 0);
    assert_int_equal(c->done, 0);
}

static void start(struct call *c, const char *path, const struct fetch_options *more)
{
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", httpd_port(c->f->httpd), path);
    start_url(c, url, more);
}

static void wait_done(struct call *c)
{
    while (!c->done)
        uv_run(&c->f->loop, UV_RUN_ONCE);
}

static void wait_held(struct fixture *f)
{
    while (!f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static void wait_body(struct call *c, const char *want)
{
    while (!c->body.n || strcmp(buf_cstr(&c->body), want) != 0)
        uv_run(&c->f->loop, UV_RUN_ONCE);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    alarm(120); /* a guard against hanging, nothing is timed */
    assert_int_equal(uv_loop_init(&f->loop), 0);
    assert_int_equal(httpd_open(&f->loop, 0, &server_ops, f, &f->httpd), 0);
    assert_int_equal(fetch_create(&f->loop, &f->fetch), 0);
    *state = f;
    return 0;
}

static void on_fetch_closed(void *ctx)
{
    ((struct fixture *)ctx)->fetch_closed = true;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    if (f->fetch)
        fetch_close(f->fetch, on_fetch_closed, f);
    httpd_close(f->httpd);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_true(f->fetch_closed);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    free(f);
    return 0;
}

/* --- tests --- */

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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_unused),
        TEST(test_warm),
        TEST(test_answer),
        TEST(test_stream_arrives_piece_by_piece),
        TEST(test_large_post),
        TEST(test_empty_post),
        TEST(test_cancel_in_mid_stream),
        TEST(test_cancel_before_anything),
        TEST(test_pause_holds_the_body_back),
        TEST(test_cancel_while_paused),
        TEST(test_broken_answers),
        TEST(test_silence_ends_it),
        TEST(test_silence_in_mid_stream_ends_it),
        TEST(test_no_connection),
        TEST(test_other_schemes_are_refused),
        TEST(test_redirects_are_answers),
        TEST(test_next_request_from_done),
        TEST(test_many_at_once),
        TEST(test_close_cancels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
