#ifndef RPC_PEER_IMPL_H
#define RPC_PEER_IMPL_H

#include "base/buf.h"
#include "base/list.h"
#include "rpc/ndjson.h"
#include "rpc/peer.h"
#include "rpc/table.h"
#include "json/scan.h"

/*
 * What the files of rpc/peer share: peer.c (life, input, output), route.c (what a line is and who
 * gets it), request.c (incoming requests), call.c (outgoing ones).
 *
 * Every way into a peer that may run a callback stands between peer_enter and peer_leave. Leaving
 * the outermost one tells about output, and buries a closed peer. Open requests outlive peer_close:
 * each holds a reference to this struct, which then is an inert shell.
 */
struct peer {
    const struct peer_ops *ops; /* lent, like ctx and out: not touched once closed */
    void *ctx;
    struct buf *out;
    struct ndjson lines;
    struct table requests, calls;
    struct list call_order; /* rpc_call.order, oldest first */
    struct list owed;       /* rpc_request.owed: answers that memory did not suffice for */
    struct jsonw w;
    struct buf nowhere; /* what is written to after the end; stays empty */
    struct buf method;  /* of the message being handled, NUL-terminated */
    struct buf key;     /* scratch of request_key */
    int64_t last_id;    /* of our calls */
    unsigned depth;
    size_t refs; /* open requests */
    int lost;    /* an error to return from peer_feed: a message was lost */
    bool writing, dirty;
    bool draining, paused, eof, eof_told, closed;
};

struct rpc_request {
    struct table_node node; /* in peer.requests until answered */
    struct list owed;
    struct peer *p;
    void (*on_cancel)(void *ctx, struct rpc_request *req);
    void *ctx;
    bool cancelled, told;
    size_t id_n, key_n;
    char bytes[]; /* the id as it came, then its key */
};

struct rpc_call {
    struct table_node node;
    struct list order;
    struct peer *p;
    rpc_call_cb cb;
    void *ctx;
    int64_t id;
    bool cancelled, done;
};

/* An error to answer with. */
struct rpc_fault {
    int code;
    const char *message;
    const cJSON *data;       /* or NULL */
    const char *key, *value; /* data = {key: value}, if key is set */
};

/* The list is not empty. Written so that an analyser can see that the head has moved on. */
static inline struct list *take_first(struct list *head)
{
    struct list *first = head->next;
    head->next = first->next;
    head->next->prev = head;
    list_init(first);
    return first;
}

/* ---- peer.c */
void peer_enter(struct peer *p);
void peer_leave(struct peer *p); /* p may be gone afterwards */
/* One line: members go between begin (which writes {"jsonrpc":"2.0") and end. */
struct jsonw *peer_line_begin(struct peer *p);
int peer_line_end(struct peer *p);

/* ---- route.c */
void peer_route(struct peer *p, char *line, size_t n);
void peer_refuse_long_line(struct peer *p);

/* ---- request.c */
/* The caller has cut id.p[id.n]. NULL: out of memory. */
struct rpc_request *request_create(struct peer *p, struct json_slice id);
/* The oldest open request of that id that was not cancelled yet, or NULL. */
struct rpc_request *request_find(struct peer *p, struct json_slice id);
void request_cancel(struct rpc_request *req);
/* Writes an error for an id that has no request. 0 or E_NOMEM. */
int peer_write_fault(struct peer *p, struct json_slice id, const struct rpc_fault *fault);
/* Tries again to write what is owed. */
void requests_pay(struct peer *p);
void requests_forget_owed(struct peer *p);

/* ---- call.c */
struct rpc_call *call_find(struct peer *p, int64_t id);
void call_complete(struct rpc_call *call, const struct rpc_outcome *outcome);
void calls_complete_all(struct peer *p, int rc);

#endif
