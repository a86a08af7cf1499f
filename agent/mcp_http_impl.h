#ifndef AGENT_MCP_HTTP_IMPL_H
#define AGENT_MCP_HTTP_IMPL_H

#include "agent/mcp_link.h"
#include "base/buf.h"
#include "base/list.h"

/* Private to mcp_http*.c: mcp_http.c is the link, mcp_http_exchange.c one request of it. */

struct http_link {
    struct mcp_link link;
    uv_loop_t *loop;
    struct fetch *fetch;
    const struct mcp_config *config; /* lent until it is closed */
    char *session;                   /* owned; as the server named it, or NULL */
    char version[24];                /* of the handshake; "" before */
    struct list exchanges;           /* struct exchange */
    struct buf held;                 /* messages to be sent again, a line each */
    uv_timer_t timer;                /* until it listens again; its close callback frees this */
    unsigned listens;                /* in vain, one after the other */
    bool opening;                    /* nothing is sent until the server listens to the first one */
    bool two_ways;                   /* HTTP+SSE of 2024-11-05: what it says comes on one stream */
    char *endpoint;                  /* owned; where messages go then; NULL: not known yet */
    bool closed;
};

/* Frees it if it is closed and nothing runs any more. */
void http_link_check_end(struct http_link *l);
/* The server has forgotten the session: text is for later. */
void http_link_expire(struct http_link *l, const char *text, size_t n);
/* The older transport's server has named its endpoint. */
void http_link_meet(struct http_link *l, const char *endpoint);
/* Its own stream stands, or it has none: what waited for that is sent. */
void http_link_opened(struct http_link *l);
/* The connection is over. */
void http_link_lose(struct http_link *l, const char *why);
void http_link_listen_later(struct http_link *l, uint64_t ms);

/* A message to the server. What fails is answered in its place. */
void exchange_post(struct http_link *l, const char *text, size_t n);
/* The stream of what it says by itself. */
void exchange_listen(struct http_link *l);
/* The session is over; the answer does not matter. */
void exchange_delete(struct http_link *l);
void exchange_end_all(struct http_link *l);

#endif
