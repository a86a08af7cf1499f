/* Bytes of an answer on their way: through the shape, and as slowly as it says. */
#include "internal.h"

#include "base/err.h"
#include "base/log.h"

/* --- the head --- */

/* A content-length of the script's own: the head is ours, the body is not framed. */
static void begin_with_length(struct reply *r, const struct httpd_reply *head)
{
    struct buf text = {0};
    int rc = buf_addf(&text, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", head->status,
                      httpd_reason(head->status), head->content_type);
    for (size_t i = 0; rc == 0 && i < head->header_n; i++)
        rc = buf_addf(&text, "%s: %s\r\n", head->headers[i].name, head->headers[i].value);
    if (rc == 0)
        rc = buf_addf(&text, "Content-Length: %u\r\n\r\n", r->shape.length);
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
    if (r->shape.has_length)
        begin_with_length(r, &head);
    else
        httpd_begin(r->req, &head);
}

/* --- the body --- */

static void write_some(struct reply *r, const char *p, size_t n)
{
    if (r->shape.has_length)
        httpd_write_raw(r->req, p, n);
    else
        httpd_write(r->req, p, n);
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
    if (how == SEND_END && r->shape.has_length)
        how = SEND_CUT; /* nothing else ends a body of a length that is not its own */
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

static void give_up(struct reply *r)
{
    log_error("mock-provider: reply %u breaks off: %s", r->n, err_text(E_NOMEM));
    httpd_cut(r->req, true);
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
