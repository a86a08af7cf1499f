/* The server on real loopback sockets. */
#include "base/err.h"
#include "http/httpd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "raw_client.h"

#define FLOOD_PART (100u << 10)
#define FLOOD_ALL  (20u << 20)

struct fixture {
    uv_loop_t loop;
    struct httpd *httpd;
    struct httpd_req *held;
    size_t flooded, most_waiting;
    unsigned requests, completed, lost, drains;
    bool closed;
};

static void flood(struct fixture *f, struct httpd_req *req)
{
    static char part[FLOOD_PART];
    memset(part, 'x', sizeof part);
    while (f->flooded < FLOOD_ALL && httpd_waiting(req) <= HTTPD_HIGH) {
        httpd_write(req, part, sizeof part);
        f->flooded += sizeof part;
        if (httpd_waiting(req) > f->most_waiting)
            f->most_waiting = httpd_waiting(req);
    }
    if (f->flooded >= FLOOD_ALL)
        httpd_end(req);
}

static void echo(struct httpd_req *req)
{
    char text[256];
    size_t n;
    const char *body = httpd_body(req, &n);
    const struct httpd_header extra = {"X-Extra", "1"};
    snprintf(text, sizeof text, "%s %s %zu %s", httpd_method(req), httpd_path(req), n, body);
    const struct httpd_reply reply = {200, "text/plain", &extra, 1, text, strlen(text)};
    httpd_answer(req, &reply);
}

static void begin(struct httpd_req *req, const char *type)
{
    httpd_begin(req, &(struct httpd_reply){.status = 200, .content_type = type});
}

static void in_parts(struct httpd_req *req)
{
    begin(req, "text/plain");
    httpd_write(req, "ab", 2);
    httpd_write(req, "", 0);
    httpd_write(req, "0123456789abcdef", 16);
    httpd_end(req);
    httpd_write(req, "ignored", 7);
    httpd_end(req);
}

static void on_request(void *ctx, struct httpd_req *req)
{
    struct fixture *f = ctx;
    const char *path = httpd_path(req);
    f->requests++;
    httpd_set_user(req, f);
    if (strcmp(path, "/parts") == 0) {
        in_parts(req);
    } else if (strcmp(path, "/raw") == 0) {
        httpd_write_raw(req, "not http", 8);
        httpd_end(req);
    } else if (strcmp(path, "/cut") == 0 || strcmp(path, "/reset") == 0) {
        begin(req, "text/plain");
        httpd_write(req, "half", 4);
        httpd_cut(req, path[1] == 'r');
    } else if (strcmp(path, "/hold") == 0) {
        f->held = req;
    } else if (strcmp(path, "/flood") == 0) {
        begin(req, "text/plain");
        flood(f, req);
    } else {
        echo(req);
    }
}

static void on_over(void *ctx, struct httpd_req *req, bool complete)
{
    struct fixture *f = ctx;
    assert_ptr_equal(httpd_user(req), f);
    if (complete)
        f->completed++;
    else
        f->lost++;
    if (f->held == req)
        f->held = NULL;
}

static void on_drain(void *ctx, struct httpd_req *req)
{
    struct fixture *f = ctx;
    f->drains++;
    flood(f, req);
}

static void on_closed(void *ctx)
{
    ((struct fixture *)ctx)->closed = true;
}

static const struct httpd_ops ops = {on_request, on_over, on_drain, on_closed};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    alarm(120); /* a guard against hanging, nothing is timed */
    assert_int_equal(uv_loop_init(&f->loop), 0);
    assert_int_equal(httpd_open(&f->loop, 0, &ops, f, &f->httpd), 0);
    assert_true(httpd_port(f->httpd) > 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    httpd_close(f->httpd);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_true(f->closed);
    assert_int_equal(f->completed + f->lost, f->requests);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    free(f);
    return 0;
}

/* Sends, waits for the end, compares everything that came. */
static void check_step(struct fixture *f, const char *out, size_t step, const char *want, int end)
{
    struct raw_client c = {.step = step};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out, strlen(out));
    raw_wait(&c, &f->loop);
    assert_string_equal(c.in.n ? buf_cstr(&c.in) : "", want);
    assert_int_equal(c.end, end);
    buf_deinit(&c.in);
}

#define HOST  "Host: h\r\n"
#define CLOSE HOST "Connection: close\r\n\r\n"

static void test_every_chunk_size(void **state)
{
    const char out[] = "GET /1 HTTP/1.1\r\n" HOST "\r\n"
                       "POST /2 HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                       "2\r\nhi\r\n0\r\n\r\n"
                       "GET /parts HTTP/1.1\r\n" CLOSE;
    const char want[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Extra: 1\r\n"
                        "Content-Length: 9\r\n\r\nGET /1 0 "
                        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Extra: 1\r\n"
                        "Content-Length: 12\r\n\r\nPOST /2 2 hi"
                        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n"
                        "2\r\nab\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";
    for (size_t step = 1; step <= sizeof out; step++)
        check_step(*state, out, step, want, UV_EOF);
}

static void test_http10_gets_no_chunks(void **state)
{
    check_step(*state, "GET /parts HTTP/1.0\r\n\r\n", 0,
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
               "ab0123456789abcdef",
               UV_EOF);
}

static void test_head_has_no_body(void **state)
{
    check_step(*state, "HEAD /1 HTTP/1.1\r\n" CLOSE, 0,
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Extra: 1\r\nConnection: close\r\n"
               "Content-Length: 10\r\n\r\n",
               UV_EOF);
}

static void test_raw_and_cut(void **state)
{
    struct fixture *f = *state;
    const char half[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
    check_step(f, "GET /raw HTTP/1.1\r\n" HOST "\r\n", 0, "not http", UV_EOF);
    check_step(f, "GET /cut HTTP/1.1\r\n" HOST "\r\n", 0, half, UV_EOF);
    check_step(f, "GET /reset HTTP/1.1\r\n" HOST "\r\n", 0, half, UV_ECONNRESET);
    assert_int_equal(f->completed, 1);
    assert_int_equal(f->lost, 2);
}

static void test_refused(void **state)
{
    struct fixture *f = *state;
    check_step(f, "GET / HTTP/1.1\r\n\r\nand more that is not read", 0,
               "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
               "Content-Length: 37\r\n\r\nthere is not exactly one Host header\n",
               UV_EOF);
    assert_int_equal(f->requests, 0);
}

static void test_continue(void **state)
{
    struct fixture *f = *state;
    const char out[] = "POST / HTTP/1.1\r\n" HOST "Connection: close\r\n"
                       "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx";
    struct raw_client c = {0};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out, strlen(out) - 1);
    while (c.in.n == 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_string_equal(buf_cstr(&c.in), "HTTP/1.1 100 Continue\r\n\r\n");
    c.out_n++;
    raw_send_more(&c.write, 0);
    raw_wait(&c, &f->loop);
    assert_non_null(strstr(buf_cstr(&c.in), "\r\n\r\nPOST / 1 x"));
    buf_deinit(&c.in);
}

static void test_caller_hangs_up(void **state)
{
    struct fixture *f = *state;
    const char out[] = "GET /hold HTTP/1.1\r\n" HOST "\r\n";
    struct raw_client c = {0};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out, strlen(out));
    while (!f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
    raw_hang_up(&c, UV_ECANCELED);
    while (f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_int_equal(f->lost, 1);
    raw_wait(&c, &f->loop);
    buf_deinit(&c.in);
}

static void test_close_ends_what_runs(void **state)
{
    struct fixture *f = *state;
    const char out[] = "GET /hold HTTP/1.1\r\n" HOST "\r\nGET /pipelined HTTP/1.1\r\n" HOST "\r\n";
    struct raw_client c = {0};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out, strlen(out));
    while (!f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
    httpd_close(f->httpd);
    assert_non_null(f->held); /* not from inside the call */
    raw_wait(&c, &f->loop);
    assert_int_equal(f->lost, 1);
    assert_int_equal(f->requests, 1);
    buf_deinit(&c.in);
}

static void test_flood_is_bounded(void **state)
{
    struct fixture *f = *state;
    const char out[] = "GET /flood HTTP/1.1\r\n" CLOSE;
    struct raw_client c = {0};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out, strlen(out));
    raw_wait(&c, &f->loop);
    assert_true(c.in.n > FLOOD_ALL);
    assert_true(f->drains > 0);
    assert_true(f->most_waiting <= HTTPD_HIGH + FLOOD_PART + 100);
    assert_int_equal(f->completed, 1);
    buf_deinit(&c.in);
}

static void test_large_body(void **state)
{
    struct fixture *f = *state;
    enum { N = 5000000 };
    struct buf out = {0};
    assert_int_equal(buf_addf(&out, "POST /hold HTTP/1.1\r\n" HOST "Content-Length: %d\r\n\r\n", N),
                     0);
    size_t head_n = out.n;
    assert_int_equal(buf_reserve(&out, N), 0);
    memset(out.p + head_n, 'b', N);
    struct raw_client c = {.enough = 1};
    raw_start(&c, &f->loop, httpd_port(f->httpd), out.p, head_n + N);
    while (!f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
    size_t n;
    assert_int_equal(httpd_body(f->held, &n)[N - 1], 'b');
    assert_int_equal(n, N);
    httpd_answer(f->held, &(struct httpd_reply){.status = 200});
    raw_wait(&c, &f->loop);
    buf_deinit(&c.in);
    buf_deinit(&out);
}

static void test_port_in_use(void **state)
{
    struct fixture *f = *state;
    struct httpd *second;
    assert_int_equal(httpd_open(&f->loop, httpd_port(f->httpd), &ops, f, &second), UV_EADDRINUSE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_every_chunk_size), TEST(test_http10_gets_no_chunks),
        TEST(test_head_has_no_body), TEST(test_raw_and_cut),
        TEST(test_refused),          TEST(test_continue),
        TEST(test_caller_hangs_up),  TEST(test_close_ends_what_runs),
        TEST(test_flood_is_bounded), TEST(test_large_body),
        TEST(test_port_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
