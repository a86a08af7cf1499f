/* Bytes of an answer on their way: through the shape, and as slowly as it says. */
#include "internal.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>

/* --- the head --- */

/* Where the shape asks for what the server does not do, head and framing are ours. */
static bool is_raw(const struct reply *r)
{
    return r->shape.has_length || r->shape.gzip || r->shape.extension;
}

static void begin_raw(struct reply *r, const struct httpd_reply *head)
{
    struct buf text = {0};
    int rc = buf_addf(&text, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", head->status,
                      httpd_reason(head->status), head->content_type);
    for (size_t i = 0; rc == 0 && i < head->header_n; i++)
        rc = buf_addf(&text, "%s: %s\r\n", head->headers[i].name, head->headers[i].value);
    if (rc == 0 && r->shape.gzip)
        rc = buf_adds(&text, "Content-Encoding: gzip\r\n");
    if (rc == 0 && r->shape.has_length)
        rc = buf_addf(&text, "Content-Length: %u\r\n\r\n", r->shape.length);
    else if (rc == 0)
        rc = buf_adds(&text, "Transfer-Encoding: chunked\r\n\r\n");
    if (rc == 0)
        httpd_write_raw(r->req, text.p, text.n);
    else
        httpd_cut(r->req, true);
    buf_deinit(&text);
}

void send_begin(struct reply *r, int status, const char *type)
{
    const struct httpd_reply head = {
        .status = status,
        .content_type = r->shape.type ? r->shape.type : type,
        .headers = r->turn->headers,
        .header_n = r->turn->header_n,
    };
    if (r->begun)
        return;
    r->begun = true;
    if (is_raw(r))
        begin_raw(r, &head);
    else
        httpd_begin(r->req, &head);
}

/* --- the body --- */

static void give_up(struct reply *r)
{
    log_error("mock-provider: reply %u breaks off: %s", r->n, err_text(E_NOMEM));
    httpd_cut(r->req, true);
}

static void write_chunk(struct reply *r, const char *p, size_t n)
{
    char head[64];
    int head_n =
        snprintf(head, sizeof head, "%zx%s\r\n", n, r->shape.extension ? ";mock=\"a;b\";last" : "");
    httpd_write_raw(r->req, head, (size_t)head_n);
    httpd_write_raw(r->req, p, n);
    httpd_write_raw(r->req, "\r\n", 2);
}

/* What is no piece of the text any more, but what it is packed into. */
static void write_packed(struct reply *r, const char *p, size_t n)
{
    if (r->shape.has_length)
        httpd_write_raw(r->req, p, n);
    else if (is_raw(r))
        write_chunk(r, p, n);
    else
        httpd_write(r->req, p, n);
}

static void write_some(struct reply *r, const char *p, size_t n)
{
    r->framed.n = 0;
    if (!r->shape.gzip)
        write_packed(r, p, n);
    else if (gzip_add(&r->gzip, p, n, &r->framed) == 0)
        write_packed(r, r->framed.p, r->framed.n);
    else
        give_up(r);
}

/* After it the connection has to end: the server does not know that the answer did. */
static void end_raw(struct reply *r)
{
    static const char end[] = "0\r\n\r\n", trailers[] = "0;end\r\nMock-Trailer: 1\r\n\r\n";
    r->framed.n = 0;
    if (r->shape.gzip && gzip_end(&r->gzip, &r->framed) == 0)
        write_packed(r, r->framed.p, r->framed.n);
    if (!r->shape.has_length)
        httpd_write_raw(r->req, r->shape.extension ? trailers : end,
                        r->shape.extension ? sizeof trailers - 1 : sizeof end - 1);
}

bool send_is_cut(const struct reply *r)
{
    return r->wire.stopped && r->shape.stop != SHAPE_STALL;
}

bool send_is_stalled(const struct reply *r)
{
    return r->wire.stopped && r->shape.stop == SHAPE_STALL;
}

/* Everything has left. The last call: it may resume the script, which may end the reply. */
static void on_sent(struct reply *r)
{
    enum send_end how = r->send_end;
    r->shaped.n = r->sent = 0;
    if (send_is_stalled(r))
        return;
    if (send_is_cut(r))
        how = r->shape.stop == SHAPE_RESET ? SEND_RESET : SEND_CUT;
    if (how == SEND_END && is_raw(r)) {
        end_raw(r);
        how = SEND_CUT;
    }
    if (how == SEND_END)
        httpd_end(r->req);
    else if (how != SEND_OPEN)
        httpd_cut(r->req, how == SEND_RESET);
    else if (r->state == REPLY_FULL && !send_is_full(r))
        reply_resume(r);
}

static void pump(struct reply *r);

static void on_pace(uv_timer_t *t)
{
    pump(t->data);
}

/* What is written in one turn of the loop leaves in one write: a piece a turn. */
static void pump(struct reply *r)
{
    size_t left = r->shaped.n - r->sent, n = left;
    if (uv_is_active((uv_handle_t *)&r->pace))
        return;
    if (left == 0) {
        on_sent(r);
        return;
    }
    if (r->shape.write > 0 && n > r->shape.write)
        n = r->shape.write;
    write_some(r, r->shaped.p + r->sent, n);
    r->sent += n;
    if (r->shape.write > 0)
        uv_timer_start(&r->pace, on_pace, r->shape.pause, 0);
    else
        on_sent(r);
}

void send_bytes(struct reply *r, const char *p, size_t n, bool stream)
{
    if (!r->shape.any) {
        httpd_write(r->req, p, n);
        return;
    }
    int rc = stream ? shape_feed(&r->wire, &r->shape, p, n, &r->shaped)
                    : shape_plain(&r->wire, &r->shape, p, n, &r->shaped);
    if (rc < 0)
        give_up(r);
    else
        pump(r);
}

void send_finish(struct reply *r, enum send_end how)
{
    r->send_end = how;
    if (r->shape.any && shape_end(&r->wire, &r->shape, &r->shaped) < 0)
        give_up(r);
    else
        pump(r);
}

bool send_is_full(const struct reply *r)
{
    return httpd_waiting(r->req) + (r->shaped.n - r->sent) > HTTPD_HIGH;
}
