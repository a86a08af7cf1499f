#include "agent/mcp_client_impl.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HARD_LIMIT 30u /* times idle_ms: news of a call does not keep it for ever */

struct mcp_call {
    struct list node;
    struct mcp_client *client;
    struct rpc_call *rpc;
    int64_t id;
    uint64_t last_ms; /* when it is over in any case */
    uv_timer_t timer; /* its close callback frees this */
    void (*cb)(void *ctx, const cJSON *result, const char *why);
    void (*on_progress)(void *ctx, const cJSON *progress);
    void *ctx;
};

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct mcp_call, timer));
}

static void bury(struct mcp_call *call)
{
    list_remove(&call->node);
    uv_close((uv_handle_t *)&call->timer, on_timer_closed);
}

static void end(struct mcp_call *call, const cJSON *result, const char *why)
{
    bury(call);
    call->cb(call->ctx, result, why);
}

/* The server is told that nobody waits any more. */
static void abandon(struct mcp_call *call, const char *reason)
{
    struct peer *peer = call->client->peer;
    rpc_call_abandon(call->rpc);
    if (!peer)
        return;
    struct jsonw *w = peer_notify_begin(peer, "notifications/cancelled");
    jw_open(w, '{');
    jw_kint(w, "requestId", call->id);
    jw_kstr(w, "reason", reason);
    jw_close(w);
    (void)peer_notify_end(peer); /* without memory for it, the server works in vain */
}

static void on_late(uv_timer_t *timer)
{
    struct mcp_call *call = CONTAINER_OF(timer, struct mcp_call, timer);
    abandon(call, "timeout");
    end(call, NULL, "The MCP server did not answer in time.");
}

static void watch(struct mcp_call *call)
{
    uint64_t now = uv_now(call->timer.loop), idle = call->client->options.idle_ms;
    uint64_t left = call->last_ms > now ? call->last_ms - now : 0;
    if (call->client->asking > 0) { /* people have all the time they want */
        uv_timer_stop(&call->timer);
        return;
    }
    uv_timer_start(&call->timer, on_late, left < idle ? left : idle, 0);
}

void mcp_client_watch_calls(struct mcp_client *c)
{
    for (struct list *at = c->calls.next; at != &c->calls; at = at->next)
        watch(CONTAINER_OF(at, struct mcp_call, node));
}

void mcp_client_progress(struct mcp_client *c, const cJSON *params)
{
    int64_t token = json_get_int(params, "progressToken", -1);
    for (struct list *at = c->calls.next; at != &c->calls; at = at->next) {
        struct mcp_call *call = CONTAINER_OF(at, struct mcp_call, node);
        if (call->id != token)
            continue;
        watch(call);
        if (call->on_progress)
            call->on_progress(call->ctx, params);
        return;
    }
}

static void on_called(void *ctx, const struct rpc_outcome *o)
{
    struct mcp_call *call = ctx;
    char why[600];
    const char *message = json_get_str(o->error, "message");
    if (o->result) {
        end(call, o->result, NULL);
    } else if (o->error) {
        snprintf(why, sizeof why, "The MCP server refused the call: %.500s",
                 message ? message : "no reason given");
        end(call, NULL, why);
    } else {
        end(call, NULL, "The MCP server ended before it answered.");
    }
}

static int send_call(struct mcp_client *c, const struct mcp_call_options *o, struct mcp_call *call)
{
    struct jsonw *w = peer_call_begin(c->peer, o->prompt ? "prompts/get" : "tools/call");
    call->id = peer_call_id(c->peer);
    jw_open(w, '{');
    jw_kstr(w, "name", o->name);
    jw_ktree(w, "arguments", o->args);
    jw_kopen(w, "_meta", '{');
    jw_kint(w, "progressToken", call->id);
    jw_close(w);
    jw_close(w);
    return peer_call_end(c->peer, on_called, call, &call->rpc);
}

int mcp_client_call(struct mcp_client *c, const struct mcp_call_options *o, struct mcp_call **ret)
{
    if (!c->peer)
        return E_CLOSED;
    struct mcp_call *call = calloc(1, sizeof *call);
    if (!call)
        return E_NOMEM;
    call->client = c;
    call->cb = o->cb;
    call->on_progress = o->on_progress;
    call->ctx = o->ctx;
    uv_timer_init(c->options.loop, &call->timer);
    call->last_ms = uv_now(c->options.loop) + HARD_LIMIT * c->options.idle_ms;
    list_append(&c->calls, &call->node);
    int rc = send_call(c, o, call);
    if (rc < 0) {
        bury(call);
        return rc;
    }
    watch(call);
    *ret = call;
    return 0;
}

void mcp_client_forget_calls(struct mcp_client *c)
{
    while (!list_empty(&c->calls))
        mcp_call_cancel(CONTAINER_OF(c->calls.next, struct mcp_call, node));
}

void mcp_call_cancel(struct mcp_call *call)
{
    abandon(call, "cancelled by the user");
    bury(call);
}
