#include "base/err.h"
#include "rpc/peer_impl.h"
#include "json/json.h"
#include "json/member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANCEL_METHOD "$/cancel_request"

static const struct json_slice null_id = {"null", 4, JSON_KIND_NULL};

enum message {
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE,
    MESSAGE_INVALID,     /* nobody to answer to by id */
    MESSAGE_BAD_PARAMS,  /* a request whose params are no structure */
    MESSAGE_BROKEN_NOTE, /* a notification likewise: it is never answered */
};

/* What has a result or an error and no method is a response, however broken, and a response is
 * never answered: two peers that both did would not stop. */
static enum message classify(const struct json_scan *m)
{
    enum json_kind id = m->id.kind, params = m->params.kind;
    if (m->kind != JSON_KIND_OBJECT)
        return MESSAGE_INVALID;
    if (m->method.kind == JSON_KIND_NONE && (m->result.kind || m->error.kind))
        return MESSAGE_RESPONSE;
    if (m->method.kind != JSON_KIND_STRING || !json_slice_equals(m->jsonrpc, "2.0"))
        return MESSAGE_INVALID;
    if (id == JSON_KIND_BOOL || id == JSON_KIND_ARRAY || id == JSON_KIND_OBJECT)
        return MESSAGE_INVALID;
    bool good = params == JSON_KIND_NONE || params == JSON_KIND_NULL || params == JSON_KIND_ARRAY ||
                params == JSON_KIND_OBJECT;
    if (id == JSON_KIND_NONE)
        return good ? MESSAGE_NOTIFICATION : MESSAGE_BROKEN_NOTE;
    return good ? MESSAGE_REQUEST : MESSAGE_BAD_PARAMS;
}

/* ---- refusing ---------------------------------------------------------------------------- */

static void refuse(struct peer *p, struct json_slice id, int code, const char *message)
{
    int rc = peer_write_fault(p, id, &(struct rpc_fault){.code = code, .message = message});
    if (rc < 0)
        p->lost = rc;
}

void peer_refuse_long_line(struct peer *p)
{
    char text[96];
    snprintf(text, sizeof text, "Parse error: the line is longer than %zu bytes", p->lines.max);
    refuse(p, null_id, RPC_PARSE_ERROR, text);
}

static void refuse_syntax(struct peer *p, const struct json_scan *m)
{
    char text[160];
    snprintf(text, sizeof text, "Parse error: %s at byte %zu", m->error_text, m->error_at);
    refuse(p, null_id, RPC_PARSE_ERROR, text);
}

static const char *why_invalid(const struct json_scan *m)
{
    if (m->kind == JSON_KIND_ARRAY)
        return "Invalid request: batches are not supported, send one message a line";
    if (m->kind != JSON_KIND_OBJECT)
        return "Invalid request: a message is a JSON object";
    if (!json_slice_equals(m->jsonrpc, "2.0"))
        return "Invalid request: \"jsonrpc\" must be \"2.0\"";
    if (m->method.kind != JSON_KIND_STRING)
        return "Invalid request: \"method\" must be a string";
    return "Invalid request: \"id\" must be a string, a number or null";
}

/* ---- parts of a message ------------------------------------------------------------------ */

/* The byte after a slice is a delimiter of the line that nobody needs any more. */
static char *cut(char *line, struct json_slice s)
{
    char *p = line + (s.p - line);
    p[s.n] = '\0';
    return p;
}

/* 0 and a tree, or NULL for what is absent or (params) null. E_NOMEM. */
static int parse_params(char *line, const struct json_scan *m, cJSON **ret)
{
    *ret = NULL;
    if (m->params.kind == JSON_KIND_NONE || m->params.kind == JSON_KIND_NULL)
        return 0;
    return json_parse_scanned(cut(line, m->params), m->params.n, m, ret);
}

static int decode_method(struct peer *p, char *line, const struct json_scan *m)
{
    cJSON *text = NULL;
    int rc;
    p->method.n = 0;
    if (!memchr(m->method.p, '\\', m->method.n)) {
        rc = buf_add(&p->method, m->method.p + 1, m->method.n - 2);
    } else {
        rc = json_parse_scanned(cut(line, m->method), m->method.n, m, &text);
        if (rc == 0)
            rc = buf_adds(&p->method, cJSON_GetStringValue(text));
        cJSON_Delete(text);
    }
    return rc == 0 && buf_cstr(&p->method) ? 0 : E_NOMEM;
}

/* ---- delivering -------------------------------------------------------------------------- */

static void deliver_request(struct peer *p, char *line, const struct json_scan *m)
{
    cJSON *params = NULL;
    cut(line, m->id);
    struct rpc_request *req = request_create(p, m->id);
    if (!req) {
        refuse(p, m->id, RPC_INTERNAL_ERROR, "Out of memory");
        return;
    }
    if (decode_method(p, line, m) < 0 || parse_params(line, m, &params) < 0)
        rpc_fail(req, RPC_INTERNAL_ERROR, "Out of memory", NULL);
    else if (p->ops->on_request(p->ctx, req, p->method.p, params) == E_NOTFOUND)
        rpc_fail_kv(req, RPC_METHOD_NOT_FOUND, "Method not found", "method", p->method.p);
    cJSON_Delete(params);
}

static void deliver_cancel(struct peer *p, char *line, const struct json_scan *m)
{
    struct json_slice id = json_slice_member(m->params, "requestId");
    if (id.kind == JSON_KIND_NONE)
        return;
    cut(line, id);
    struct rpc_request *req = request_find(p, id);
    if (req)
        request_cancel(req);
}

static void deliver_notification(struct peer *p, char *line, const struct json_scan *m)
{
    cJSON *params = NULL;
    if (json_slice_equals(m->method, CANCEL_METHOD)) {
        deliver_cancel(p, line, m);
        return;
    }
    if (decode_method(p, line, m) < 0 || parse_params(line, m, &params) < 0)
        p->lost = E_NOMEM;
    else
        p->ops->on_notify(p->ctx, p->method.p, params);
    cJSON_Delete(params);
}

/* Our ids are small whole numbers; 1.0 and 1e0 are 1 as well. 0: no such id. */
static int64_t own_id(char *line, struct json_slice id)
{
    if (id.kind != JSON_KIND_NUMBER)
        return 0;
    double v = strtod(cut(line, id), NULL);
    return v >= 1 && v < 1e15 && v == (double)(int64_t)v ? (int64_t)v : 0;
}

static void deliver_response(struct peer *p, char *line, const struct json_scan *m)
{
    struct rpc_call *call = call_find(p, own_id(line, m->id));
    if (!call)
        return;
    /* Some write "error": null beside a result. */
    bool failed = m->error.kind > JSON_KIND_NULL || m->result.kind == JSON_KIND_NONE;
    struct json_slice body = failed ? m->error : m->result;
    cJSON *tree = NULL;
    struct rpc_outcome outcome = {0};
    outcome.rc = json_parse_scanned(cut(line, body), body.n, m, &tree);
    if (failed)
        outcome.error = tree;
    else
        outcome.result = tree;
    call_complete(call, &outcome);
    cJSON_Delete(tree);
}

void peer_route(struct peer *p, char *line, size_t n)
{
    struct json_scan m;
    if (json_scan(line, n, &m) < 0) {
        refuse_syntax(p, &m);
        return;
    }
    switch (classify(&m)) {
    case MESSAGE_REQUEST:
        deliver_request(p, line, &m);
        break;
    case MESSAGE_NOTIFICATION:
        deliver_notification(p, line, &m);
        break;
    case MESSAGE_RESPONSE:
        deliver_response(p, line, &m);
        break;
    case MESSAGE_INVALID:
        refuse(p, null_id, RPC_INVALID_REQUEST, why_invalid(&m));
        break;
    case MESSAGE_BAD_PARAMS:
        refuse(p, m.id, RPC_INVALID_REQUEST,
               "Invalid request: \"params\" must be an object or an array");
        break;
    case MESSAGE_BROKEN_NOTE:
        break;
    }
}
