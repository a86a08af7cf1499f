#include "base/err.h"
#include "rpc/peer_impl.h"

#include <stdlib.h>

#define CANCEL_METHOD "$/cancel_request"

static uint64_t hash_id(int64_t id)
{
    return (uint64_t)id;
}

struct rpc_call *call_find(struct peer *p, int64_t id)
{
    struct table_node *node = table_find(&p->calls, hash_id(id), NULL);
    return node ? CONTAINER_OF(node, struct rpc_call, node) : NULL;
}

static void unlink_call(struct rpc_call *call)
{
    table_remove(&call->p->calls, &call->node);
    list_remove(&call->order);
}

void call_complete(struct rpc_call *call, const struct rpc_outcome *outcome)
{
    unlink_call(call);
    call->done = true; /* cancelling or abandoning it from its own callback does no harm */
    call->cb(call->ctx, outcome);
    free(call);
}

void calls_complete_all(struct peer *p, int rc)
{
    const struct rpc_outcome outcome = {.rc = rc};
    while (!list_empty(&p->call_order))
        call_complete(CONTAINER_OF(take_first(&p->call_order), struct rpc_call, order), &outcome);
}

/* ---- sending ----------------------------------------------------------------------------- */

struct jsonw *peer_notify_begin(struct peer *p, const char *method)
{
    struct jsonw *w = peer_line_begin(p);
    jw_kstr(w, "method", method);
    jw_key(w, "params");
    return w;
}

int peer_notify_end(struct peer *p)
{
    int rc = peer_line_end(p);
    peer_enter(p);
    peer_leave(p);
    return rc;
}

struct jsonw *peer_call_begin(struct peer *p, const char *method)
{
    struct jsonw *w = peer_line_begin(p);
    if (p->eof && w->err == 0)
        w->err = E_CLOSED; /* no answer would come */
    jw_kint(w, "id", ++p->last_id);
    jw_kstr(w, "method", method);
    jw_key(w, "params");
    return w;
}

int64_t peer_call_id(const struct peer *p)
{
    return p->last_id;
}

int peer_call_end(struct peer *p, rpc_call_cb cb, void *ctx, struct rpc_call **ret)
{
    struct rpc_call *call = calloc(1, sizeof *call);
    if (!call && p->w.err == 0)
        p->w.err = E_NOMEM; /* cuts the line off again */
    int rc = peer_line_end(p);
    if (rc < 0 || !call) {
        free(call);
        return rc;
    }
    call->p = p;
    call->cb = cb;
    call->ctx = ctx;
    call->id = p->last_id;
    table_add(&p->calls, &call->node, hash_id(call->id));
    list_append(&p->call_order, &call->order);
    if (ret)
        *ret = call;
    peer_enter(p);
    peer_leave(p);
    return 0;
}

void rpc_call_cancel(struct rpc_call *call)
{
    struct peer *p = call->p;
    if (call->done || call->cancelled)
        return;
    struct jsonw *w = peer_notify_begin(p, CANCEL_METHOD);
    jw_open(w, '{');
    jw_kint(w, "requestId", call->id);
    jw_close(w);
    call->cancelled = peer_line_end(p) == 0;
    peer_enter(p);
    peer_leave(p); /* the call may be gone with it */
}

void rpc_call_abandon(struct rpc_call *call)
{
    if (call->done)
        return;
    unlink_call(call);
    free(call);
}
