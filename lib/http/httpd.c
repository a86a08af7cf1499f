#include "http/httpd.h"

#include "base/err.h"
#include "base/log.h"
#include "http/httpd_internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG   511
#define READ_SIZE (64u << 10)

struct httpd {
    uv_tcp_t tcp;
    uv_idle_t idle; /* runs while a connection is dirty; keeps the poll from blocking */
    struct list conns, dirty;
    struct httpd_ops ops;
    void *ctx;
    unsigned open_handles;
    int port;
    bool closing;
    char read_buf[READ_SIZE]; /* lent to one read at a time */
};

/* --- the end of things --- */

static void on_server_handle_closed(uv_handle_t *handle)
{
    struct httpd *h = handle->data;
    if (--h->open_handles > 0)
        return;
    void (*on_closed)(void *) = h->ops.on_closed;
    void *ctx = h->ctx;
    free(h);
    if (on_closed)
        on_closed(ctx);
}

/* The idle handle is closed last: it is what closes the connections. */
static void close_when_empty(struct httpd *h)
{
    if (list_empty(&h->conns) && !uv_is_closing((uv_handle_t *)&h->idle))
        uv_close((uv_handle_t *)&h->idle, on_server_handle_closed);
}

static void on_conn_handle_closed(uv_handle_t *handle)
{
    struct httpd_conn *c = handle->data;
    if (--c->open_handles > 0)
        return;
    struct httpd *h = c->h;
    httpd_parser_deinit(&c->parser);
    buf_deinit(&c->in);
    buf_deinit(&c->pending);
    buf_deinit(&c->inflight);
    list_remove(&c->node);
    free(c);
    if (h->closing)
        close_when_empty(h);
}

static bool conn_is_closing(const struct httpd_conn *c)
{
    return uv_is_closing((const uv_handle_t *)&c->tcp);
}

static void conn_close(struct httpd_conn *c, bool reset)
{
    if (conn_is_closing(c))
        return;
    list_remove(&c->dirty);
    uv_close((uv_handle_t *)&c->linger, on_conn_handle_closed);
    if (!reset || uv_tcp_close_reset(&c->tcp, on_conn_handle_closed) < 0)
        uv_close((uv_handle_t *)&c->tcp, on_conn_handle_closed);
}

/* The request, if there is one, is over: the last call about it. */
static void req_over(struct httpd_conn *c, bool complete)
{
    enum httpd_req_state was = c->req.state;
    c->req.state = HTTPD_REQ_NONE;
    if (was != HTTPD_REQ_NONE && was != HTTPD_REQ_REFUSED)
        c->h->ops.on_over(c->h->ctx, &c->req, complete);
}

static void conn_lost(struct httpd_conn *c)
{
    if (conn_is_closing(c))
        return;
    conn_close(c, false);
    req_over(c, false);
}

static void on_linger_over(uv_timer_t *t)
{
    conn_close(t->data, false);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    struct httpd_conn *c = req->data;
    if (status < 0)
        conn_close(c, false);
}

/* An orderly end: FIN, then wait for the caller's, so that unread bytes of his do not turn our FIN
 * into a RST that takes the answer with it. */
static void conn_hang_up(struct httpd_conn *c)
{
    if (c->eof || uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) < 0) {
        conn_close(c, false);
        return;
    }
    c->lingering = true;
    uv_timer_start(&c->linger, on_linger_over, HTTPD_LINGER_MS, 0);
}

/* --- requests --- */

static void refuse(struct httpd_conn *c)
{
    const struct httpd_parser *p = &c->parser;
    int rc = buf_addf(&c->pending,
                      "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                      "Content-Length: %zu\r\n\r\n%s\n",
                      p->status, httpd_reason(p->status), strlen(p->fault) + 1, p->fault);
    c->req = (struct httpd_req){.state = HTTPD_REQ_REFUSED, .close_after = true};
    c->failed = rc < 0;
    httpd_touch(c);
}

static void send_continue(struct httpd_conn *c)
{
    if (!c->parser.wants_continue || c->parser.body.n > 0)
        return;
    c->parser.wants_continue = false;
    if (buf_adds(&c->pending, "HTTP/1.1 100 Continue\r\n\r\n") < 0)
        c->failed = true;
    httpd_touch(c);
}

/* Between requests. Returns how many bytes were used; may call on_request, then as the last thing
 * but touching nothing the user could have destroyed: connections end only on later turns. */
static size_t feed(struct httpd_conn *c, const char *bytes, size_t n)
{
    size_t used = n;
    int rc = httpd_parser_feed(&c->parser, bytes, n, &used);
    if (rc < 0) {
        refuse(c);
        return n;
    }
    if (rc == 0) {
        send_continue(c);
        return n;
    }
    c->req = (struct httpd_req){.state = HTTPD_REQ_WAITING, .close_after = !c->parser.keep_alive};
    c->h->ops.on_request(c->h->ctx, &c->req);
    return used;
}

static void on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *ret)
{
    struct httpd_conn *c = handle->data;
    (void)hint;
    *ret = uv_buf_init(c->h->read_buf, READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

static void pace_reading(struct httpd_conn *c)
{
    if (c->in.n > HTTPD_PIPELINED_MAX)
        uv_read_stop((uv_stream_t *)&c->tcp);
    else if (!c->eof)
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read); /* harmless if it runs */
}

static void take_bytes(struct httpd_conn *c, const char *bytes, size_t n)
{
    if (c->lingering || c->req.state == HTTPD_REQ_REFUSED)
        return; /* read only so that the caller can finish sending */
    size_t used = c->req.state == HTTPD_REQ_NONE && c->in.n == 0 ? feed(c, bytes, n) : 0;
    if (used < n && buf_add(&c->in, bytes + used, n - used) < 0)
        c->failed = true;
    if (c->failed)
        httpd_touch(c);
    pace_reading(c);
}

static void take_eof(struct httpd_conn *c)
{
    c->eof = true;
    if (c->req.state == HTTPD_REQ_ENDED || c->req.state == HTTPD_REQ_REFUSED)
        c->req.close_after = true; /* the answer is on its way: let it arrive */
    else
        conn_lost(c);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct httpd_conn *c = stream->data;
    if (n > 0)
        take_bytes(c, buf->base, (size_t)n);
    else if (n == UV_EOF)
        take_eof(c);
    else if (n < 0)
        conn_lost(c);
}

/* The next request, if its bytes came already. */
static void next_request(struct httpd_conn *c)
{
    httpd_parser_reset(&c->parser);
    if (c->in.n > 0)
        buf_consume(&c->in, feed(c, c->in.p, c->in.n));
    pace_reading(c);
}

/* --- writing --- */

static void flush(struct httpd_conn *c);

static void on_written(uv_write_t *write, int status)
{
    struct httpd_conn *c = write->data;
    c->writing = false;
    if (conn_is_closing(c))
        return;
    if (status < 0)
        conn_lost(c);
    else
        flush(c);
}

/* Everything has left. */
static void flushed(struct httpd_conn *c)
{
    struct httpd_req *req = &c->req;
    if (req->state == HTTPD_REQ_SENDING && req->was_high) {
        req->was_high = false;
        if (c->h->ops.on_drain)
            c->h->ops.on_drain(c->h->ctx, req);
        return;
    }
    if (req->state < HTTPD_REQ_ENDED)
        return;
    bool complete = req->state == HTTPD_REQ_ENDED;
    if (req->reset)
        conn_close(c, true);
    else if (req->close_after)
        conn_hang_up(c);
    req_over(c, complete);
    if (!c->lingering && !conn_is_closing(c))
        next_request(c);
}

/* What the kernel does not take at once is written by libuv from the other buffer. */
static int write_rest(struct httpd_conn *c, size_t from)
{
    struct buf done = c->inflight;
    c->inflight = c->pending;
    c->pending = done;
    c->pending.n = 0;
    uv_buf_t b = uv_buf_init(c->inflight.p + from, (unsigned)(c->inflight.n - from));
    c->writing = true;
    return uv_write(&c->write, (uv_stream_t *)&c->tcp, &b, 1, on_written);
}

static int write_pending(struct httpd_conn *c)
{
    uv_buf_t b = uv_buf_init(c->pending.p, (unsigned)c->pending.n);
    int n = uv_try_write((uv_stream_t *)&c->tcp, &b, 1);
    if (n == UV_EAGAIN)
        n = 0;
    if (n < 0)
        return n;
    if ((size_t)n < c->pending.n)
        return write_rest(c, (size_t)n);
    c->pending.n = 0;
    return 0;
}

static void flush(struct httpd_conn *c)
{
    if (c->writing || c->lingering)
        return;
    if (c->failed || (c->pending.n > 0 && write_pending(c) < 0))
        conn_lost(c);
    else if (!c->writing)
        flushed(c);
}

/* The connections themselves are freed on later turns. */
static void lose_all(struct httpd *h)
{
    for (struct list *at = h->conns.next; at != &h->conns; at = at->next)
        conn_lost(CONTAINER_OF(at, struct httpd_conn, node));
}

/* Flushing may lead to more writing, by the same connection or another one: that is for the next
 * turn, so that a flood on one connection leaves the others their share. */
static void on_idle(uv_idle_t *idle)
{
    struct httpd *h = idle->data;
    struct list batch;
    list_init(&batch);
    while (!list_empty(&h->dirty)) {
        struct list *node = h->dirty.next;
        list_remove(node);
        list_append(&batch, node);
    }
    while (!list_empty(&batch)) {
        struct list *node = batch.next;
        list_remove(node);
        flush(CONTAINER_OF(node, struct httpd_conn, dirty));
    }
    if (h->closing)
        lose_all(h);
    if (list_empty(&h->dirty))
        uv_idle_stop(idle);
    if (h->closing)
        close_when_empty(h);
}

void httpd_touch(struct httpd_conn *c)
{
    if (conn_is_closing(c) || !list_empty(&c->dirty))
        return;
    list_append(&c->h->dirty, &c->dirty);
    uv_idle_start(&c->h->idle, on_idle);
}

/* --- the server --- */

static struct httpd_conn *conn_create(struct httpd *h)
{
    struct httpd_conn *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->h = h;
    c->tcp.data = c->linger.data = c->write.data = c->shutdown.data = c;
    uv_tcp_init(h->idle.loop, &c->tcp); /* neither can fail: no socket yet */
    uv_timer_init(h->idle.loop, &c->linger);
    c->open_handles = 2;
    list_init(&c->dirty);
    list_append(&h->conns, &c->node);
    return c;
}

static void on_connection(uv_stream_t *server, int status)
{
    struct httpd *h = server->data;
    struct httpd_conn *c = status < 0 ? NULL : conn_create(h);
    if (!c) {
        log_error("httpd: cannot take a connection: %s", err_text(status < 0 ? status : E_NOMEM));
        return;
    }
    if (uv_accept(server, (uv_stream_t *)&c->tcp) < 0) {
        conn_close(c, false);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    pace_reading(c);
}

static int listen_on(struct httpd *h, int port)
{
    struct sockaddr_in addr;
    int n = (int)sizeof addr;
    int rc = uv_ip4_addr("127.0.0.1", port, &addr);
    if (rc == 0)
        rc = uv_tcp_bind(&h->tcp, (const struct sockaddr *)&addr, 0);
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)&h->tcp, BACKLOG, on_connection);
    if (rc == 0)
        rc = uv_tcp_getsockname(&h->tcp, (struct sockaddr *)&addr, &n);
    if (rc == 0)
        h->port = ntohs(addr.sin_port);
    return rc;
}

int httpd_open(uv_loop_t *loop, int port, const struct httpd_ops *ops, void *ctx,
               struct httpd **ret)
{
    struct httpd *h = calloc(1, sizeof *h);
    if (!h)
        return E_NOMEM;
    list_init(&h->conns);
    list_init(&h->dirty);
    h->tcp.data = h->idle.data = h;
    uv_tcp_init(loop, &h->tcp); /* neither can fail: no socket yet */
    uv_idle_init(loop, &h->idle);
    h->open_handles = 2;
    int rc = listen_on(h, port);
    if (rc < 0) {
        httpd_close(h); /* no ops yet: nobody is called */
        return rc;
    }
    h->ops = *ops;
    h->ctx = ctx;
    *ret = h;
    return 0;
}

int httpd_port(const struct httpd *h)
{
    return h->port;
}

void httpd_close(struct httpd *h)
{
    if (h->closing)
        return;
    h->closing = true;
    uv_close((uv_handle_t *)&h->tcp, on_server_handle_closed);
    uv_idle_start(&h->idle, on_idle);
}
