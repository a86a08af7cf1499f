#ifndef UNIT_RAW_CLIENT_H
#define UNIT_RAW_CLIENT_H

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

/*
 * A TCP client for tests: sends bytes, a few at a time if wanted, and collects what comes until the
 * other side ends.
 */
struct raw_client {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    const char *out; /* lent */
    size_t out_n, sent, step;
    size_t enough; /* hangs up after that many bytes; 0: never */
    struct buf in; /* deinit is the test's */
    int end;       /* UV_EOF, UV_ECONNRESET; UV_ECANCELED: hung up */
    bool closed;
    char read_buf[65536];
};

static void raw_on_closed(uv_handle_t *h)
{
    ((struct raw_client *)h->data)->closed = true;
}

static void raw_hang_up(struct raw_client *c, int why)
{
    if (uv_is_closing((uv_handle_t *)&c->tcp))
        return;
    c->end = why;
    uv_close((uv_handle_t *)&c->tcp, raw_on_closed);
}

static void raw_on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *ret)
{
    struct raw_client *c = h->data;
    (void)hint;
    *ret = uv_buf_init(c->read_buf, sizeof c->read_buf);
}

/* libuv 1.44 reports an RST that comes with the last bytes as EOF; the socket knows better. */
static int raw_true_end(struct raw_client *c, int end)
{
    uv_os_fd_t fd;
    int error = 0;
    socklen_t n = sizeof error;
    assert_int_equal(uv_fileno((uv_handle_t *)&c->tcp, &fd), 0);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n), 0);
    return error ? uv_translate_sys_error(error) : end;
}

static void raw_on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    struct raw_client *c = s->data;
    if (n < 0) {
        raw_hang_up(c, raw_true_end(c, (int)n));
        return;
    }
    assert_int_equal(buf_add(&c->in, buf->base, (size_t)n), 0);
    if (c->enough && c->in.n >= c->enough)
        raw_hang_up(c, UV_ECANCELED);
}

static void raw_send_more(uv_write_t *w, int status)
{
    struct raw_client *c = w->data;
    size_t left = c->out_n - c->sent;
    if (status < 0 || left == 0 || uv_is_closing((uv_handle_t *)&c->tcp))
        return;
    uv_buf_t b = uv_buf_init(NULL, 0);
    b.len = c->step && left > c->step ? c->step : left;
    memcpy(&b.base, &(const char *){c->out + c->sent}, sizeof b.base); /* uv_buf_t has no const */
    c->sent += b.len;
    assert_int_equal(uv_write(w, (uv_stream_t *)&c->tcp, &b, 1, raw_send_more), 0);
}

static void raw_on_connect(uv_connect_t *req, int status)
{
    struct raw_client *c = req->data;
    assert_int_equal(status, 0);
    uv_tcp_nodelay(&c->tcp, 1);
    assert_int_equal(uv_read_start((uv_stream_t *)&c->tcp, raw_on_alloc, raw_on_read), 0);
    raw_send_more(&c->write, 0);
}

/* *c is zeroed but for `step` and `enough`; the bytes are lent. */
static void raw_start(struct raw_client *c, uv_loop_t *loop, int port, const char *out, size_t n)
{
    struct sockaddr_in addr;
    c->out = out;
    c->out_n = n;
    c->tcp.data = c->connect.data = c->write.data = c;
    assert_int_equal(uv_ip4_addr("127.0.0.1", port, &addr), 0);
    assert_int_equal(uv_tcp_init(loop, &c->tcp), 0);
    assert_int_equal(
        uv_tcp_connect(&c->connect, &c->tcp, (const struct sockaddr *)&addr, raw_on_connect), 0);
}

static void raw_wait(struct raw_client *c, uv_loop_t *loop)
{
    while (!c->closed)
        uv_run(loop, UV_RUN_ONCE);
}

#endif
