#ifndef HTTP_FETCH_H
#define HTTP_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * HTTP requests on libcurl's multi interface and libuv. libcurl is loaded when the first request
 * (or fetch_warm) needs it, not at process start: linking it costs about 4 ms of start time.
 * Redirects are not followed, so credentials never reach another host: a 3xx is an answer like any
 * other. TLS, proxies and their environment variables are libcurl's. Public calls may be made from
 * any callback.
 */
struct fetch;     /* one per loop: the connection pool */
struct fetch_req; /* one request */

struct fetch_result {
    int rc;      /* 0: an HTTP answer came whole. E_CANCELLED, E_TIMEOUT, E_IO (connect, reset,
                    cut), E_INVALID (URL), E_PROTOCOL (not HTTP), E_TOOBIG (headers), E_NOMEM */
    long status; /* HTTP status, 0 if none came */
    const char
        *text; /* for people, about rc: "connection refused by 127.0.0.1:9 (…)". Names host and
                  reason, never the path, a key or another part of the URL. "" if rc is 0 */
};

struct fetch_ops {
    /* Status line and headers are in. header() looks are valid from here on. May be NULL. */
    void (*on_status)(void *ctx, long status);
    /* Body bytes as they come, lent. */
    void (*on_data)(void *ctx, const char *bytes, size_t n);
    /* Exactly once, last; never from inside fetch_start. */
    void (*on_done)(void *ctx, const struct fetch_result *result);
};

struct fetch_options {
    const char *method; /* "POST" */
    const char *url;
    const char *const *headers; /* NULL-ended "Name: value" list; copied */
    const char *body;           /* copied; NULL: none */
    size_t body_n;
    uint64_t connect_ms; /* 0: 15 s */
    uint64_t idle_ms;    /* connected, and no byte either way for that long: E_TIMEOUT; 0: never.
                            Time spent paused does not count */
    bool decode;         /* a body that is compressed, though nobody asked for it, is unpacked */
};

int fetch_create(uv_loop_t *loop, struct fetch **ret);
/* Loads libcurl now, in an idle moment, so that the first request is quick. 0 or E_UNSUPPORTED. */
int fetch_warm(struct fetch *f);
/* Cancels what runs (on_done with E_CANCELLED), then closes; on_closed is the last call. */
void fetch_close(struct fetch *f, void (*on_closed)(void *ctx), void *ctx);

/* 0; else no callback ever comes: E_UNSUPPORTED (no libcurl; the log says why), E_INVALID (the URL
 * is not http:// or https://), E_CLOSED, E_NOMEM. ops and ctx are lent until on_done; everything in
 * options is copied. */
int fetch_start(struct fetch *f, const struct fetch_options *options, const struct fetch_ops *ops,
                void *ctx, struct fetch_req **ret);
/* on_done with E_CANCELLED comes on a later turn of the loop, and nothing else before it.
 * Idempotent. */
void fetch_cancel(struct fetch_req *r);
/* Stops and restarts the body (back-pressure). */
void fetch_pause(struct fetch_req *r, bool paused);
/* A response header's value, lent until on_done returned; NULL if absent. Names ignore case. */
const char *fetch_header(const struct fetch_req *r, const char *name);

#endif
