#ifndef HTTP_FETCH_INTERNAL_H
#define HTTP_FETCH_INTERNAL_H

#include "base/buf.h"
#include "base/list.h"
#include "http/fetch.h"
#include "http/fetch_curl.h"

#define FETCH_CONNECT_MS 15000
#define FETCH_HEAD_MAX   (256u << 10)

/*
 * Private to lib/http/fetch*.c. Public calls only mark what they want and kick; the work is done by
 * on_kick on the next turn. So nothing re-enters libcurl, and requests leave the list in one place.
 */
struct fetch {
    uv_loop_t *loop; /* lent */
    struct fetch_curl curl;
    CURLM *multi;          /* NULL until the first request */
    uv_timer_t timer;      /* libcurl's */
    uv_timer_t kick;       /* ours */
    struct list reqs;      /* running */
    unsigned open_handles; /* of libuv: two timers, one per request, one per watched socket */
    bool closing;
    void (*on_closed)(void *ctx);
    void *ctx;
};

struct fetch_req {
    struct list node;
    struct fetch *f;
    const struct fetch_ops *ops;
    void *ctx;
    CURL *easy;
    struct curl_slist *headers;
    struct buf body;  /* what is sent; libcurl reads it in place */
    struct buf head;  /* "Name\0value\0" of the answer */
    struct buf where; /* "host:port", for texts */
    char text[320];
    long status;
    uint64_t connect_ms, idle_ms;
    uint64_t last_byte; /* loop time */
    curl_off_t sent;
    uv_timer_t idle;
    int fault;       /* why a callback stopped libcurl */
    bool added;      /* libcurl has it */
    bool cancelled;  /* wanted; on_kick ends it */
    bool paused;     /* wanted */
    bool held;       /* libcurl was told to pause */
    bool head_done;  /* on_status was called */
    bool last_call;  /* the idle time is over; one more turn for bytes that wait in the kernel */
    bool idle_ended; /* and that turn brought none */
};

/* Has on_kick run on the next turn of the loop. */
void fetch_kick(struct fetch *f);

/* Fills r->easy from the options. 0, E_INVALID or E_NOMEM. */
int fetch_easy_setup(struct fetch_req *r, const struct fetch_options *options);

/* Result code and sentence for the end of r; `code` is ignored if r was cancelled or timed out. */
struct fetch_result fetch_explain(struct fetch_req *r, CURLcode code);

/* "host:port" of an URL without user, path and query, which may hold secrets. 0 or E_NOMEM. */
int fetch_where(const char *url, struct buf *out);

#endif
