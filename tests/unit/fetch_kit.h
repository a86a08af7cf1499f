#ifndef UNIT_FETCH_KIT_H
#define UNIT_FETCH_KIT_H

/* For tests of fetch: a server and a caller on one loop. */
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

static inline void begin(struct httpd_req *req, const char *type)
{
    httpd_begin(req, &(struct httpd_reply){.status = 200, .content_type = type});
}

static inline void answer_oddly(struct httpd_req *req, const char *path)
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

static inline void on_request(void *ctx, struct httpd_req *req)
{
    struct fixture *f = ctx;
    const char *path = httpd_path(req);
    httpd_body(req, &f->body_n);
    if (strcmp(path, "/hold") == 0)
        f->held = req;
    else
        answer_oddly(req, path);
}

static inline void on_over(void *ctx, struct httpd_req *req, bool complete)
{
    struct fixture *f = ctx;
    f->over++;
    f->lost += !complete;
    if (f->held == req)
        f->held = NULL;
}

static const struct httpd_ops server_ops = {on_request, on_over, NULL, NULL};

/* --- the caller --- */

static inline void start(struct call *c, const char *path, const struct fetch_options *more);

static inline void on_status(void *ctx, long status)
{
    struct call *c = ctx;
    const char *location = fetch_header(c->req, "LOCATION");
    c->status = status;
    assert_null(fetch_header(c->req, "no-such-header"));
    if (location)
        snprintf(c->location, sizeof c->location, "%s", location);
}

static inline void on_data(void *ctx, const char *bytes, size_t n)
{
    struct call *c = ctx;
    assert_true(c->status > 0);
    assert_int_equal(buf_add(&c->body, bytes, n), 0);
    if (c->cancel_at && c->body.n >= c->cancel_at)
        fetch_cancel(c->req);
    if (c->pause_at && c->body.n >= c->pause_at)
        fetch_pause(c->req, true);
}

static inline void on_done(void *ctx, const struct fetch_result *result)
{
    struct call *c = ctx;
    c->result = *result;
    snprintf(c->text, sizeof c->text, "%s", result->text);
    c->done++;
    if (c->then)
        start(c->then, "/then", NULL);
}

static const struct fetch_ops ops = {on_status, on_data, on_done};

static inline void start_url(struct call *c, const char *url, const struct fetch_options *more)
{
    const char *const headers[] = {"Authorization: Bearer sesame", NULL};
    struct fetch_options o = more ? *more : (struct fetch_options){.method = "GET"};
    o.url = url;
    o.headers = headers;
    assert_int_equal(fetch_start(c->f->fetch, &o, &ops, c, &c->req), 0);
    assert_int_equal(c->done, 0);
}

static inline void start(struct call *c, const char *path, const struct fetch_options *more)
{
    char url[128];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", httpd_port(c->f->httpd), path);
    start_url(c, url, more);
}

static inline void wait_done(struct call *c)
{
    while (!c->done)
        uv_run(&c->f->loop, UV_RUN_ONCE);
}

static inline void wait_held(struct fixture *f)
{
    while (!f->held)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static inline void wait_body(struct call *c, const char *want)
{
    while (!c->body.n || strcmp(buf_cstr(&c->body), want) != 0)
        uv_run(&c->f->loop, UV_RUN_ONCE);
}

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    alarm(120); /* a guard against hanging, nothing is timed */
    setenv("no_proxy", "127.0.0.1", 1);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    assert_int_equal(httpd_open(&f->loop, 0, &server_ops, f, &f->httpd), 0);
    assert_int_equal(fetch_create(&f->loop, &f->fetch), 0);
    *state = f;
    return 0;
}

static inline void on_fetch_closed(void *ctx)
{
    ((struct fixture *)ctx)->fetch_closed = true;
}

static inline int tear_down(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
