/* Any bytes in any cut: the peer writes the same whole, valid lines, answers each request it kept
 * once, completes each call once, and survives being closed, paused and called into from
 * everywhere. The first byte chooses the cut. What the methods do is in their first letter. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/peer.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct slot {
    struct rpc_call *call; /* NULL: over */
    int completions;
};

struct server {
    struct peer *peer; /* NULL: closed */
    struct buf out;
    struct rpc_request *kept[MOST];
    struct slot slots[MOST];
    size_t n_kept, n_slots;
    bool paused;
};

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct slot *slot = ctx;
    must(outcome->rc == E_CLOSED || outcome->result || outcome->error);
    must(slot->call && slot->completions++ == 0);
    slot->call = NULL;
}

static void start_call(struct server *s, const char *method)
{
    if (s->n_slots == MOST)
        return;
    struct slot *slot = &s->slots[s->n_slots];
    jw_cstr(peer_call_begin(s->peer, method), "x");
    if (peer_call_end(s->peer, on_answer, slot, &slot->call) == 0)
        s->n_slots++;
}

static void cancel_calls(struct server *s)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].call)
            rpc_call_cancel(s->slots[i].call);
}

static void abandon_newest(struct server *s)
{
    struct slot *slot = s->n_slots > 0 ? &s->slots[s->n_slots - 1] : NULL;
    if (!slot || !slot->call)
        return;
    rpc_call_abandon(slot->call);
    slot->call = NULL;
    slot->completions = 1;
}

static void forget_kept(struct server *s, const struct rpc_request *req)
{
    for (size_t i = 0; i < s->n_kept; i++)
        if (s->kept[i] == req)
            s->kept[i] = s->kept[--s->n_kept];
}

static void on_cancel(void *ctx, struct rpc_request *req)
{
    struct server *s = ctx;
    must(rpc_request_cancelled(req));
    forget_kept(s, req);
    rpc_fail_kv(req, -32800, "cancelled", "key", "value");
}

static void keep(struct server *s, struct rpc_request *req, bool cancellable)
{
    if (s->n_kept == MOST) {
        rpc_reply_empty(req);
        return;
    }
    s->kept[s->n_kept++] = req;
    if (cancellable)
        rpc_request_on_cancel(req, on_cancel, s);
}

/* What requests and notifications have in common. */
static void act(struct server *s, const char *method)
{
    switch (method[0]) {
    case 'o':
        start_call(s, method);
        break;
    case 'r':
        cancel_calls(s);
        break;
    case 'b':
        abandon_newest(s);
        break;
    case 'p':
        peer_pause(s->peer, true);
        s->paused = true;
        break;
    case 'x':
        peer_close(s->peer);
        s->peer = NULL;
        break;
    case 'n':
        jw_cstr(peer_notify_begin(s->peer, method), method);
        peer_notify_end(s->peer);
        break;
    default:
        break;
    }
}

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct server *s = ctx;
    act(s, method);
    switch (method[0]) {
    case 'k':
    case 'c':
        keep(s, req, method[0] == 'c');
        return 0;
    case 'f':
        rpc_fail(req, -32602, method, params);
        return 0;
    case 'e':
    case 'x':
        jw_tree(rpc_reply_begin(req), params);
        rpc_reply_end(req);
        return 0;
    default:
        return E_NOTFOUND;
    }
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    (void)params;
    act(ctx, method);
}

static void on_output(void *ctx)
{
    (void)ctx;
}

static const struct peer_ops ops = {on_request, on_notify, on_output};

static void check_lines(const struct buf *out)
{
    const char *p = out->n > 0 ? out->p : "", *end = p + out->n;
    while (p < end) {
        struct json_scan m;
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        must(nl && json_scan(p, (size_t)(nl - p), &m) == 0);
        must(json_slice_equals(m.jsonrpc, "2.0"));
        bool result = m.result.kind != JSON_KIND_NONE, error = m.error.kind != JSON_KIND_NONE;
        must(m.method.kind == JSON_KIND_STRING ? !result && !error : result != error);
        must(m.method.kind == JSON_KIND_STRING || m.id.kind != JSON_KIND_NONE);
        p = nl + 1;
    }
}

static void feed(struct server *s, const char *p, size_t n, size_t step)
{
    for (size_t at = 0; s->peer && at < n; at += step) {
        peer_feed(s->peer, p + at, n - at < step ? n - at : step);
        while (s->peer && s->paused) {
            s->paused = false;
            peer_pause(s->peer, false);
        }
    }
    if (s->peer)
        peer_eof(s->peer);
}

static struct buf run(const char *p, size_t n, size_t step)
{
    struct server s = {0};
    const struct peer_options options = {.max_line = 300};
    must(peer_create(&ops, &s, &s.out, &options, &s.peer) == 0);
    feed(&s, p, n, step);
    while (s.n_kept > 0)
        rpc_reply_empty(s.kept[--s.n_kept]);
    peer_close(s.peer);
    for (size_t i = 0; i < s.n_slots; i++)
        must(s.slots[i].completions == 1);
    check_lines(&s.out);
    return s.out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const char *p = (const char *)data + 1;
    struct buf whole = run(p, size - 1, size), cut = run(p, size - 1, data[0] % 64 + 1u);
    must(whole.n == cut.n && (whole.n == 0 || memcmp(whole.p, cut.p, whole.n) == 0));
    buf_deinit(&whole);
    buf_deinit(&cut);
    return 0;
}
