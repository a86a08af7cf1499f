#ifndef RPC_PEER_H
#define RPC_PEER_H

#include "json/jsonw.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * A symmetric JSON-RPC 2.0 endpoint: bytes in, lines out, no I/O, no clock, no ACP.
 *
 * It answers by itself what is no handler's business:
 *  - no JSON, invalid UTF-8, a line over the limit: -32700, id null (RPC-09)
 *  - JSON, but no message (no object, "jsonrpc" other than "2.0", "method" no string, "id" a
 *    boolean, array or object): -32600, id null (RPC-10)
 *  - a batch, empty or not: one -32600, id null; nothing in it is executed (TRANS-11)
 *  - a request whose params are a scalar: -32600 with its own id
 *  - a request that on_request did not know: -32601, data.method (RPC-24)
 *
 * It is silent about notifications, however broken their params (RPC-04), and about what has a
 * result or an error but no method: a response to nobody (RPC-21). An object with a method is a
 * request or a notification whatever else it has. "id": null is an id. Ids are echoed byte for
 * byte, fractions and numbers of any size included (RPC-02). Of duplicate members the last one
 * counts.
 *
 * Every incoming request is answered exactly once (RPC-05): the handle stays valid until
 * rpc_reply_end or rpc_fail*, also after peer_close (it is then inert: answering writes nothing).
 * Every outgoing call completes exactly once, at the latest with E_CLOSED from peer_close.
 *
 * All functions may be called from any callback of the same peer.
 */

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603
};

struct peer;
struct rpc_request; /* one incoming request, open until answered */
struct rpc_call;    /* one outgoing request, open until completed */

/* What an outgoing call came to. rc 0: result or error is set (lent during the callback); null
 * results are set, to a JSON null. rc < 0: no answer came (E_CLOSED) or could be read (E_NOMEM). */
struct rpc_outcome {
    int rc;
    const cJSON *result;
    const cJSON *error; /* the whole error object; a careless peer may send another type */
};
typedef void (*rpc_call_cb)(void *ctx, const struct rpc_outcome *outcome);

struct peer_ops {
    /* Return 0 if the method is known (the handler answers now or later), E_NOTFOUND if not (the
     * peer answers -32601). method and params are lent for the call; params is an object or an
     * array, NULL if absent or null. */
    int (*on_request)(void *ctx, struct rpc_request *req, const char *method, const cJSON *params);
    /* $/cancel_request does not come here, see rpc_request_on_cancel. */
    void (*on_notify)(void *ctx, const char *method, const cJSON *params);
    /* Whole lines were appended to the output buffer; called after each burst, never re-entered. */
    void (*on_output)(void *ctx);
};

struct peer_options {
    size_t max_line; /* bytes; 0: 64 MiB */
};

/* ops, ctx and out are lent and outlive the peer. Lines are appended to *out as they arise.
 * 0 or E_NOMEM. */
int peer_create(const struct peer_ops *ops, void *ctx, struct buf *out,
                const struct peer_options *options, struct peer **ret);

/* Safe inside any callback of this peer: the memory then goes when the outermost call returns.
 * Open calls complete with E_CLOSED, open requests turn inert. Accepts NULL. */
void peer_close(struct peer *p);

/* Feeds input. Handlers run inside, in order of arrival; bytes fed from inside a handler are
 * handled after those that came before them. 0, or E_CLOSED if a handler closed the peer (it may be
 * gone: touch nothing), or E_NOMEM: a message could not be read or answered, it is lost. */
int peer_feed(struct peer *p, const char *bytes, size_t n);

/* End of input: an unfinished last line is handled as if it had ended, open calls complete with
 * E_CLOSED; requests stay open and may still be answered. */
int peer_eof(struct peer *p);

/* While paused, fed bytes are kept and not handled (back-pressure), responses and the end of input
 * too: stop feeding soon. Resuming handles what is kept, inside this call. */
void peer_pause(struct peer *p, bool paused);

/* ---- answering --------------------------------------------------------------------------- */

/* What to do when the other side sends $/cancel_request for it (CANCEL-15): at most once, and never
 * after the answer. A cancel that came first is not lost: cb is then called at once, and req may be
 * consumed when this returns. A request without a callback runs on. */
void rpc_request_on_cancel(struct rpc_request *req, void (*cb)(void *ctx, struct rpc_request *req),
                           void *ctx);
bool rpc_request_cancelled(const struct rpc_request *req);

/* Write the result between the two, exactly one value, and call nothing else of this peer there.
 * rpc_reply_end consumes req. A result that cannot be written becomes -32603; if there is no memory
 * even for that, the error is written as soon as there is. */
struct jsonw *rpc_reply_begin(struct rpc_request *req);
void rpc_reply_end(struct rpc_request *req);
void rpc_reply_empty(struct rpc_request *req); /* {} */

/* Each consumes req. data may be NULL and is lent. message: one plain sentence (ERR-03). */
void rpc_fail(struct rpc_request *req, int code, const char *message, const cJSON *data);
/* data = {"<key>": "<value>"}; a long value is cut. */
void rpc_fail_kv(struct rpc_request *req, int code, const char *message, const char *key,
                 const char *value);

/* ---- sending ------------------------------------------------------------------------------ */

/* Write params (exactly one value) between begin and end; end sends the line. NULL jsonw never
 * happens: after peer_close or out of memory the text goes nowhere. */
struct jsonw *peer_notify_begin(struct peer *p, const char *method);
int peer_notify_end(struct peer *p);

/* cb is called exactly once, never from inside peer_call_end (unless on_output itself feeds or
 * closes the peer). Ids count from 1. The call handle is lent until cb was called; ret may be NULL.
 * 0 or E_NOMEM/E_CLOSED (then cb is never called; E_CLOSED also after peer_eof). */
struct jsonw *peer_call_begin(struct peer *p, const char *method);
int peer_call_end(struct peer *p, rpc_call_cb cb, void *ctx, struct rpc_call **ret);
/* The id of the call that was begun last: for protocols that name it elsewhere, too. */
int64_t peer_call_id(const struct peer *p);

/* Sends $/cancel_request for it, once; cb still comes with the answer (CANCEL-17). */
void rpc_call_cancel(struct rpc_call *call);
/* Forgets it: cb never comes, a late answer is ignored. */
void rpc_call_abandon(struct rpc_call *call);

#endif
