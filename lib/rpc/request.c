#include "base/err.h"
#include "base/utf8.h"
#include "rpc/peer_impl.h"
#include "json/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Longer values are cut in data: an error is no place to send a message back. */
#define LONGEST_VALUE 256

/* ---- finding ----------------------------------------------------------------------------- */

/* Sets p->key to the bytes that equal ids share: those of the id, except that a string with escapes
 * is written anew, as "\u0061" is "a". 0 or E_NOMEM. */
static int set_key(struct peer *p, struct json_slice id)
{
    cJSON *text = NULL;
    struct jsonw w;
    p->key.n = 0;
    if (id.kind != JSON_KIND_STRING || !memchr(id.p, '\\', id.n))
        return buf_add(&p->key, id.p, id.n);
    int rc = json_parse(id.p, id.n, &text, NULL);
    if (rc < 0)
        return rc;
    jw_begin(&w, &p->key);
    jw_cstr(&w, cJSON_GetStringValue(text));
    cJSON_Delete(text);
    return jw_end(&w);
}

struct rpc_request *request_create(struct peer *p, struct json_slice id)
{
    if (set_key(p, id) < 0)
        return NULL;
    struct rpc_request *req = calloc(1, sizeof *req + id.n + p->key.n);
    if (!req)
        return NULL;
    req->p = p;
    req->id_n = id.n;
    req->key_n = p->key.n;
    memcpy(req->bytes, id.p, id.n);
    memcpy(req->bytes + id.n, p->key.p, p->key.n);
    list_init(&req->owed);
    list_init(&req->node.link);
    table_add(&p->requests, &req->node, table_hash(p->key.p, p->key.n));
    p->refs++;
    return req;
}

struct rpc_request *request_find(struct peer *p, struct json_slice id)
{
    if (set_key(p, id) < 0)
        return NULL;
    uint64_t hash = table_hash(p->key.p, p->key.n);
    struct table_node *node = NULL;
    while ((node = table_find(&p->requests, hash, node))) {
        struct rpc_request *req = CONTAINER_OF(node, struct rpc_request, node);
        if (!req->cancelled && req->key_n == p->key.n &&
            memcmp(req->bytes + req->id_n, p->key.p, p->key.n) == 0)
            return req;
    }
    return NULL;
}

/* The end of a request: nothing of it may be touched afterwards, nor its peer. */
static void forget(struct rpc_request *req)
{
    struct peer *p = req->p;
    table_remove(&p->requests, &req->node);
    list_remove(&req->owed);
    free(req);
    p->refs--;
}

/* ---- cancelling -------------------------------------------------------------------------- */

static void tell_cancel(struct rpc_request *req)
{
    if (!req->cancelled || req->told || !req->on_cancel)
        return;
    req->told = true;
    req->on_cancel(req->ctx, req);
}

void request_cancel(struct rpc_request *req)
{
    req->cancelled = true;
    tell_cancel(req);
}

void rpc_request_on_cancel(struct rpc_request *req, void (*cb)(void *ctx, struct rpc_request *req),
                           void *ctx)
{
    struct peer *p = req->p;
    req->on_cancel = cb;
    req->ctx = ctx;
    peer_enter(p);
    if (!p->closed)
        tell_cancel(req);
    peer_leave(p);
}

bool rpc_request_cancelled(const struct rpc_request *req)
{
    return req->cancelled;
}

/* ---- answering --------------------------------------------------------------------------- */

static void write_data(struct jsonw *w, const struct rpc_fault *fault)
{
    if (!fault->key) {
        jw_tree(w, fault->data);
        return;
    }
    size_t n = strlen(fault->value);
    if (n > LONGEST_VALUE)
        n = LONGEST_VALUE - utf8_incomplete_tail(fault->value, LONGEST_VALUE);
    jw_open(w, '{');
    jw_key(w, fault->key);
    jw_str(w, fault->value, n);
    jw_close(w);
}

int peer_write_fault(struct peer *p, struct json_slice id, const struct rpc_fault *fault)
{
    struct jsonw *w = peer_line_begin(p);
    jw_key(w, "id");
    jw_raw(w, id.p, id.n);
    jw_kopen(w, "error", '{');
    jw_kint(w, "code", fault->code);
    jw_kstr(w, "message", fault->message);
    if (fault->data || fault->key) {
        jw_key(w, "data");
        write_data(w, fault);
    }
    jw_close(w);
    return peer_line_end(p);
}

static int write_fault(struct rpc_request *req, const struct rpc_fault *fault)
{
    struct json_slice id = {req->bytes, req->id_n, JSON_KIND_NONE};
    return peer_write_fault(req->p, id, fault);
}

static void owe(struct rpc_request *req)
{
    table_remove(&req->p->requests, &req->node);
    list_append(&req->p->owed, &req->owed);
}

/* Answers with an error, whatever it takes: without its data, or later, when there is memory. */
static void fail(struct rpc_request *req, const struct rpc_fault *fault)
{
    struct rpc_fault bare = {.code = fault->code, .message = fault->message};
    int rc = write_fault(req, fault);
    if (rc < 0 && !req->p->closed)
        rc = write_fault(req, &bare);
    if (rc < 0 && !req->p->closed)
        owe(req);
    else
        forget(req);
}

void requests_pay(struct peer *p)
{
    const struct rpc_fault late = {.code = RPC_INTERNAL_ERROR, .message = "Out of memory"};
    while (!p->closed && !list_empty(&p->owed)) {
        struct rpc_request *req = CONTAINER_OF(take_first(&p->owed), struct rpc_request, owed);
        if (write_fault(req, &late) < 0) {
            owe(req);
            return;
        }
        forget(req);
    }
}

void requests_forget_owed(struct peer *p)
{
    while (!list_empty(&p->owed))
        forget(CONTAINER_OF(take_first(&p->owed), struct rpc_request, owed));
}

struct jsonw *rpc_reply_begin(struct rpc_request *req)
{
    struct jsonw *w = peer_line_begin(req->p);
    jw_key(w, "id");
    jw_raw(w, req->bytes, req->id_n);
    jw_key(w, "result");
    return w;
}

void rpc_reply_end(struct rpc_request *req)
{
    struct peer *p = req->p;
    int rc = peer_line_end(p);
    peer_enter(p);
    if (rc < 0 && !p->closed)
        fail(req, &(struct rpc_fault){.code = RPC_INTERNAL_ERROR,
                                      .message = "The result could not be written",
                                      .key = "reason",
                                      .value = err_text(rc)});
    else
        forget(req);
    peer_leave(p);
}

void rpc_reply_empty(struct rpc_request *req)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_close(w);
    rpc_reply_end(req);
}

static void answer_fault(struct rpc_request *req, const struct rpc_fault *fault)
{
    struct peer *p = req->p;
    peer_enter(p);
    fail(req, fault);
    peer_leave(p);
}

void rpc_fail(struct rpc_request *req, int code, const char *message, const cJSON *data)
{
    answer_fault(req, &(struct rpc_fault){.code = code, .message = message, .data = data});
}

void rpc_fail_kv(struct rpc_request *req, int code, const char *message, const char *key,
                 const char *value)
{
    answer_fault(req,
                 &(struct rpc_fault){.code = code, .message = message, .key = key, .value = value});
}
