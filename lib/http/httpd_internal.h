#ifndef HTTP_HTTPD_INTERNAL_H
#define HTTP_HTTPD_INTERNAL_H

#include "base/list.h"
#include "http/httpd.h"
#include "http/httpd_parse.h"

#define HTTPD_PIPELINED_MAX (1u << 20) /* bytes behind the running request; then reading stops */
#define HTTPD_LINGER_MS     2000       /* how long the caller may take to close after our FIN */

/* Private to lib/http/httpd*.c. */
enum httpd_req_state {
    HTTPD_REQ_NONE,    /* between requests: bytes go to the parser */
    HTTPD_REQ_WAITING, /* on_request was called, nothing sent yet */
    HTTPD_REQ_SENDING, /* httpd_begin or httpd_write_raw */
    HTTPD_REQ_ENDED,   /* over as soon as everything has left */
    HTTPD_REQ_CUT,     /* the same, but not in full */
    HTTPD_REQ_REFUSED  /* the parser refused it: the user never sees it */
};

struct httpd_req {
    enum httpd_req_state state;
    bool chunked;
    bool close_after; /* the connection ends with this request */
    bool reset;       /* cut with RST */
    bool was_high;    /* on_drain is owed */
    void *user;
};

struct httpd_conn {
    struct list node;  /* of httpd.conns */
    struct list dirty; /* of httpd.dirty: has something to write or to end */
    struct httpd *h;
    uv_tcp_t tcp;
    uv_timer_t linger;
    uv_write_t write;
    uv_shutdown_t shutdown;
    unsigned open_handles;
    struct httpd_parser parser;
    struct httpd_req req;
    struct buf in;                /* pipelined bytes */
    struct buf pending, inflight; /* swapped; one write at a time */
    bool writing, eof, lingering, failed;
};

/* Puts the connection among those that on_idle flushes on the next turn of the loop. */
void httpd_touch(struct httpd_conn *c);

#endif
