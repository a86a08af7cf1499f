#ifndef UNIT_PEER_SERVER_H
#define UNIT_PEER_SERVER_H

/* A small server on a peer, for its tests: lines in, lines out. Time, descriptors and threads do
 * not exist here. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD     "{\"jsonrpc\":\"2.0\","
#define MAX_LINE 4000

/* A small server. What its methods do is in their names; what it notices goes to `seen`. */
struct server {
    struct peer *peer;
    struct buf out, seen;
    struct rpc_request *kept[16];
    size_t n_kept;
    int outputs;
    bool in_output, close_in_output;
};

static inline void note(struct server *s, const char *what, const cJSON *json)
{
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    assert_int_equal(buf_addf(&s->seen, "%s%s;", what, text ? text : ""), 0);
    free(text);
}

static inline void keep(struct server *s, struct rpc_request *req)
{
    assert_true(s->n_kept < 16);
    s->kept[s->n_kept++] = req;
}

static inline void reply_text(struct rpc_request *req, const char *text)
{
    jw_cstr(rpc_reply_begin(req), text);
    rpc_reply_end(req);
}

static inline void on_cancel(void *ctx, struct rpc_request *req)
{
    struct server *s = ctx;
    note(s, "cancel", NULL);
    assert_true(rpc_request_cancelled(req));
    rpc_fail(req, -32800, "Request cancelled", NULL);
}

static inline void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct server *s = ctx;
    if (outcome->rc < 0)
        note(s, outcome->rc == E_CLOSED ? "closed" : "lost", NULL);
    else
        note(s, outcome->result ? "result" : "error",
             outcome->result ? outcome->result : outcome->error);
}

static inline struct rpc_call *call(struct server *s, const char *method)
{
    struct rpc_call *c = NULL;
    struct jsonw *w = peer_call_begin(s->peer, method);
    jw_open(w, '[');
    jw_close(w);
    assert_int_equal(peer_call_end(s->peer, on_answer, s, &c), 0);
    return c;
}

static inline int on_request(void *ctx, struct rpc_request *req, const char *method,
                             const cJSON *params)
{
    struct server *s = ctx;
    if (strcmp(method, "echo") == 0) {
        jw_tree(rpc_reply_begin(req), params);
        rpc_reply_end(req);
    } else if (strcmp(method, "fail") == 0) {
        rpc_fail(req, RPC_INVALID_PARAMS, "bad", params);
    } else if (strcmp(method, "keep") == 0) {
        keep(s, req);
    } else if (strcmp(method, "cancellable") == 0) {
        rpc_request_on_cancel(req, on_cancel, s);
    } else if (strcmp(method, "close") == 0) {
        peer_close(s->peer);
        assert_int_equal(peer_feed(s->peer, "x", 1), E_CLOSED);
        assert_int_equal(peer_eof(s->peer), E_CLOSED);
        peer_pause(s->peer, true);
        rpc_reply_empty(req);
    } else if (strcmp(method, "close-keep") == 0) {
        keep(s, req);
        peer_close(s->peer);
    } else if (strcmp(method, "close-unknown") == 0) {
        peer_close(s->peer);
        return E_NOTFOUND;
    } else if (strcmp(method, "call") == 0) {
        call(s, "back");
        rpc_reply_empty(req);
    } else if (strcmp(method, "pause") == 0) {
        peer_pause(s->peer, true);
        rpc_reply_empty(req);
    } else if (strcmp(method, "feed") == 0) {
        const char nested[] = HEAD "\"method\":\"nested\"}\n";
        assert_int_equal(peer_feed(s->peer, nested, sizeof nested - 1), 0);
        note(s, method, params); /* both still there */
        rpc_reply_empty(req);
    } else {
        return E_NOTFOUND;
    }
    return 0;
}

static inline void on_notify(void *ctx, const char *method, const cJSON *params)
{
    struct server *s = ctx;
    note(s, method, params);
    if (strcmp(method, "close") == 0)
        peer_close(s->peer);
}

static inline void on_output(void *ctx)
{
    struct server *s = ctx;
    assert_false(s->in_output);
    s->outputs++;
    if (!s->close_in_output)
        return;
    s->in_output = true;
    peer_close(s->peer);
    s->in_output = false;
}

static const struct peer_ops server_ops = {on_request, on_notify, on_output};

static inline void start(struct server *s)
{
    const struct peer_options options = {.max_line = MAX_LINE};
    *s = (struct server){0};
    assert_int_equal(peer_create(&server_ops, s, &s->out, &options, &s->peer), 0);
}

static inline void stop(struct server *s)
{
    peer_close(s->peer);
    for (size_t i = 0; i < s->n_kept; i++)
        rpc_reply_empty(s->kept[i]);
    buf_deinit(&s->out);
    buf_deinit(&s->seen);
}

static inline int feed_in(struct server *s, const char *in, size_t n, size_t step)
{
    int rc = 0;
    for (size_t at = 0; at < n && rc == 0; at += step)
        rc = peer_feed(s->peer, in + at, n - at < step ? n - at : step);
    return rc;
}

static inline int feed(struct server *s, const char *text)
{
    return peer_feed(s->peer, text, strlen(text));
}

static inline void assert_out(struct server *s, const char *want)
{
    assert_string_equal(buf_cstr(&s->out), want);
    s->out.n = 0;
}

static inline void assert_seen(struct server *s, const char *want)
{
    assert_string_equal(buf_cstr(&s->seen), want);
    s->seen.n = 0;
}

/* The same lines in every cut give the same lines. */
static inline void check(const char *in, size_t n, const char *want_out, const char *want_seen)
{
    for (size_t step = 1; step <= n; step++) {
        struct server s;
        start(&s);
        assert_int_equal(feed_in(&s, in, n, step), 0);
        assert_out(&s, want_out);
        assert_seen(&s, want_seen);
        stop(&s);
    }
}

#define CHECK(in, want_out, want_seen) check(in, sizeof(in) - 1, want_out, want_seen)

#define ERROR(id, code, text)                                                                      \
    HEAD "\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}\n"
#define RESULT(id, text) HEAD "\"id\":" id ",\"result\":" text "}\n"
#define CANCEL(id)       HEAD "\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" id "}}\n"

#endif
