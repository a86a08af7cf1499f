#ifndef HTTP_HTTPD_H
#define HTTP_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * A small HTTP/1.1 server for loopback, with control over every byte it sends: mocks need broken
 * answers as much as good ones. Keep-alive, pipelining (one answer at a time, in order),
 * content-length and chunked request bodies, Expect: 100-continue, bounded sizes.
 */
#define HTTPD_HEAD_MAX (64u << 10)  /* request line and headers; longer: 414, 431 */
#define HTTPD_BODY_MAX (128u << 20) /* longer: 413 */
#define HTTPD_HIGH     (256u << 10) /* httpd_waiting above this calls for on_drain */

struct httpd;
struct httpd_req; /* one request with its answer; lent from on_request until on_over */

struct httpd_header {
    const char *name, *value; /* lent by the request */
};

struct httpd_ops {
    /* A whole request with its body has arrived. It may be answered from in here or later. */
    void (*on_request)(void *ctx, struct httpd_req *req);
    /* The request is over: answered in full and taken by the kernel (complete true), or cut, or the
     * caller is gone (a half-close counts, too, while the answer is not finished). The last call
     * about req; never from inside a httpd_* call. */
    void (*on_over)(void *ctx, struct httpd_req *req, bool complete);
    /* May be NULL. Everything written so far has left, more may be written (after httpd_waiting was
     * high). */
    void (*on_drain)(void *ctx, struct httpd_req *req);
    void (*on_closed)(void *ctx); /* the server; after httpd_close */
};

/* Listens on 127.0.0.1; port 0 picks a free one. ops are copied. 0 or a negative code (then nothing
 * is ever called, but the loop has to run one turn more to free what was begun). */
int httpd_open(uv_loop_t *loop, int port, const struct httpd_ops *ops, void *ctx,
               struct httpd **ret);
int httpd_port(const struct httpd *h);
/* Ends every request (on_over, not complete) and connection on the next turn of the loop. */
void httpd_close(struct httpd *h);

const char *httpd_method(const struct httpd_req *req);
const char *httpd_path(const struct httpd_req *req);                     /* with the query */
const char *httpd_body(const struct httpd_req *req, size_t *ret_n);      /* NUL-terminated */
const char *httpd_header(const struct httpd_req *req, const char *name); /* ignores case; or NULL */
size_t httpd_headers(const struct httpd_req *req, const struct httpd_header **ret);

void httpd_set_user(struct httpd_req *req, void *user);
void *httpd_user(const struct httpd_req *req);

/* Answering. What is written in one turn of the loop leaves in one write. After httpd_answer,
 * httpd_end and httpd_cut, and once the caller is gone, these do nothing. */

struct httpd_reply { /* lent for the call */
    int status;
    const char *content_type; /* or NULL */
    const struct httpd_header *headers;
    size_t header_n;
    const char *body; /* httpd_answer only */
    size_t body_n;
};

/* The whole answer at once, with content-length. */
void httpd_answer(struct httpd_req *req, const struct httpd_reply *reply);
/* Or in parts, chunked (HTTP/1.0 clients: until close). */
void httpd_begin(struct httpd_req *req, const struct httpd_reply *reply);
void httpd_write(struct httpd_req *req, const char *bytes, size_t n);
void httpd_end(struct httpd_req *req);

/* Raw control. Bytes as they are, without framing (before httpd_begin: instead of a head). */
void httpd_write_raw(struct httpd_req *req, const char *bytes, size_t n);
/* Ends the connection after what was written: an orderly FIN, or RST (SO_LINGER 0). */
void httpd_cut(struct httpd_req *req, bool reset);
/* Bytes written that the kernel has not taken yet. */
size_t httpd_waiting(const struct httpd_req *req);

const char *httpd_reason(int status); /* "Not Found" */

#endif
