#include "http/httpd_internal.h"

#include "base/err.h"

#include <string.h>
#include <strings.h>

const char *httpd_reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reasons[] = {
        {100, "Continue"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {529, "Overloaded"},
    };
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return "Status";
}

static struct httpd_conn *conn_of(struct httpd_req *req)
{
    return CONTAINER_OF(req, struct httpd_conn, req);
}

static const struct httpd_conn *const_conn_of(const struct httpd_req *req)
{
    return (const struct httpd_conn *)(const void *)((const char *)req -
                                                     offsetof(struct httpd_conn, req));
}

/* --- reading the request --- */

const char *httpd_method(const struct httpd_req *req)
{
    return const_conn_of(req)->parser.method;
}

const char *httpd_path(const struct httpd_req *req)
{
    return const_conn_of(req)->parser.path;
}

const char *httpd_body(const struct httpd_req *req, size_t *ret_n)
{
    const struct buf *body = &const_conn_of(req)->parser.body;
    *ret_n = body->n;
    return body->p;
}

size_t httpd_headers(const struct httpd_req *req, const struct httpd_header **ret)
{
    const struct httpd_parser *p = &const_conn_of(req)->parser;
    *ret = p->headers;
    return p->header_n;
}

const char *httpd_header(const struct httpd_req *req, const char *name)
{
    const struct httpd_header *headers;
    size_t n = httpd_headers(req, &headers);
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(headers[i].name, name) == 0)
            return headers[i].value;
    return NULL;
}

void httpd_set_user(struct httpd_req *req, void *user)
{
    req->user = user;
}

void *httpd_user(const struct httpd_req *req)
{
    return req->user;
}

size_t httpd_waiting(const struct httpd_req *req)
{
    const struct httpd_conn *c = const_conn_of(req);
    return c->pending.n + uv_stream_get_write_queue_size((const uv_stream_t *)&c->tcp);
}

/* --- answering --- */

static bool may_write(const struct httpd_req *req)
{
    return req->state == HTTPD_REQ_WAITING || req->state == HTTPD_REQ_SENDING;
}

/* Every append of this file ends here: a failed one ends the connection on the next turn. */
static void wrote(struct httpd_req *req, int rc)
{
    struct httpd_conn *c = conn_of(req);
    if (rc < 0)
        c->failed = true;
    if (httpd_waiting(req) > HTTPD_HIGH)
        req->was_high = true;
    httpd_touch(c);
}

static bool is_head_request(const struct httpd_req *req)
{
    return strcmp(httpd_method(req), "HEAD") == 0;
}

static bool has_header(const struct httpd_header *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(list[i].name, name) == 0)
            return true;
    return false;
}

static int add_head(struct httpd_req *req, const struct httpd_reply *r)
{
    struct buf *out = &conn_of(req)->pending;
    int rc = buf_addf(out, "HTTP/1.1 %d %s\r\n", r->status, httpd_reason(r->status));
    if (rc == 0 && r->content_type && !has_header(r->headers, r->header_n, "content-type"))
        rc = buf_addf(out, "Content-Type: %s\r\n", r->content_type);
    for (size_t i = 0; rc == 0 && i < r->header_n; i++)
        rc = buf_addf(out, "%s: %s\r\n", r->headers[i].name, r->headers[i].value);
    if (rc == 0 && req->close_after)
        rc = buf_adds(out, "Connection: close\r\n");
    else if (rc == 0 && const_conn_of(req)->parser.http10)
        rc = buf_adds(out, "Connection: keep-alive\r\n");
    return rc;
}

void httpd_answer(struct httpd_req *req, const struct httpd_reply *reply)
{
    if (req->state != HTTPD_REQ_WAITING)
        return;
    struct buf *out = &conn_of(req)->pending;
    int rc = add_head(req, reply);
    if (rc == 0)
        rc = buf_addf(out, "Content-Length: %zu\r\n\r\n", reply->body_n);
    if (rc == 0 && !is_head_request(req))
        rc = buf_add(out, reply->body, reply->body_n);
    req->state = HTTPD_REQ_ENDED;
    wrote(req, rc);
}

void httpd_begin(struct httpd_req *req, const struct httpd_reply *reply)
{
    if (req->state != HTTPD_REQ_WAITING)
        return;
    req->chunked = !const_conn_of(req)->parser.http10;
    if (!req->chunked)
        req->close_after = true;
    int rc = add_head(req, reply);
    if (rc == 0)
        rc = buf_adds(&conn_of(req)->pending,
                      req->chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    req->state = HTTPD_REQ_SENDING;
    wrote(req, rc);
}

void httpd_write(struct httpd_req *req, const char *bytes, size_t n)
{
    struct buf *out = &conn_of(req)->pending;
    if (req->state != HTTPD_REQ_SENDING || n == 0 || is_head_request(req))
        return;
    int rc = req->chunked ? buf_addf(out, "%zx\r\n", n) : 0;
    if (rc == 0)
        rc = buf_add(out, bytes, n);
    if (rc == 0 && req->chunked)
        rc = buf_add(out, "\r\n", 2);
    wrote(req, rc);
}

void httpd_end(struct httpd_req *req)
{
    if (!may_write(req))
        return;
    int rc = 0;
    if (req->chunked && !is_head_request(req))
        rc = buf_adds(&conn_of(req)->pending, "0\r\n\r\n");
    req->state = HTTPD_REQ_ENDED;
    wrote(req, rc);
}

void httpd_write_raw(struct httpd_req *req, const char *bytes, size_t n)
{
    if (!may_write(req))
        return;
    if (req->state == HTTPD_REQ_WAITING)
        req->close_after = true; /* nobody knows where such an answer ends */
    req->state = HTTPD_REQ_SENDING;
    wrote(req, buf_add(&conn_of(req)->pending, bytes, n));
}

void httpd_cut(struct httpd_req *req, bool reset)
{
    if (!may_write(req))
        return;
    req->state = HTTPD_REQ_CUT;
    req->close_after = true;
    req->reset = reset;
    wrote(req, 0);
}
