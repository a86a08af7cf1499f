#include "agent/mcp_client_impl.h"

#include "agent/roots.h"
#include "base/err.h"
#include "base/log.h"
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE (64u << 20)

/* ---- the end -------------------------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *h)
{
    struct mcp_client *c = CONTAINER_OF(h, struct mcp_client, timer);
    mcp_client_drop_lists(c);
    free(c->cwd);
    buf_deinit(&c->out);
    free(c);
}

/* Open calls complete on the way. */
static void bury(struct mcp_client *c)
{
    struct peer *peer = c->peer;
    c->peer = NULL;
    peer_close(peer);
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}

void mcp_client_give_up(struct mcp_client *c, const char *why)
{
    const struct mcp_client_ops *ops = c->ops;
    struct mcp_link *link = c->link;
    if (!c->peer)
        return;
    c->ops = NULL;
    c->link = NULL;
    bury(c);
    if (link)
        mcp_link_close(link);
    if (ops)
        ops->on_gone(c->ctx, why);
}

void mcp_client_close(struct mcp_client *c)
{
    if (!c || !c->peer)
        return;
    c->ops = NULL;
    mcp_client_forget_calls(c);
    mcp_client_give_up(c, "");
}

/* ---- what the server says ------------------------------------------------------------------- */

static void write_root(struct jsonw *w, const char *path)
{
    struct buf uri = {0};
    static const char plain[] =
        "/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    int rc = buf_adds(&uri, "file://");
    for (const char *p = path; rc == 0 && *p; p++)
        rc = strchr(plain, *p) ? buf_addc(&uri, *p) : buf_addf(&uri, "%%%02X", (unsigned char)*p);
    jw_open(w, '{');
    jw_kstr(w, "uri", rc == 0 ? buf_cstr(&uri) : NULL);
    jw_close(w);
    buf_deinit(&uri);
}

static void tell_roots(const struct mcp_client *c, struct rpc_request *req)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kopen(w, "roots", '[');
    write_root(w, c->cwd);
    for (size_t i = 0; c->options.roots && c->options.roots[i]; i++)
        write_root(w, c->options.roots[i]);
    jw_close(w);
    jw_close(w);
    rpc_reply_end(req);
}

/* Only what was announced: forms. */
static void ask(struct mcp_client *c, struct rpc_request *req, const cJSON *params)
{
    const char *mode = json_get_str(params, "mode");
    bool form = (!mode || strcmp(mode, "form") == 0) &&
                cJSON_IsObject(json_get(params, "requestedSchema")) &&
                json_get_str(params, "message");
    if (!c->options.forms || !c->ops || !form) {
        rpc_fail(req, RPC_INVALID_PARAMS, "Only forms are shown here.", NULL);
        return;
    }
    c->asking++;
    mcp_client_watch_calls(c);
    c->ops->on_ask(c->ctx, req, params);
}

void mcp_client_answer(struct mcp_client *c, struct rpc_request *req, const cJSON *result)
{
    struct jsonw *w = rpc_reply_begin(req);
    if (result) {
        jw_tree(w, result);
    } else {
        jw_open(w, '{');
        jw_kstr(w, "action", "cancel");
        jw_close(w);
    }
    rpc_reply_end(req);
    if (!c || !c->peer)
        return;
    c->asking--;
    mcp_client_watch_calls(c);
}

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct mcp_client *c = ctx;
    if (strcmp(method, "elicitation/create") == 0)
        ask(c, req, params);
    else if (strcmp(method, "ping") == 0)
        rpc_reply_empty(req);
    else if (strcmp(method, "roots/list") == 0)
        tell_roots(c, req);
    else
        return E_NOTFOUND;
    return 0;
}

static void log_message(const struct mcp_client *c, const cJSON *params)
{
    const char *level = json_get_str(params, "level");
    char *data = cJSON_PrintUnformatted(json_get(params, "data"));
    log_info("MCP server %s says (%s): %.1000s", c->options.config->name, level ? level : "info",
             data ? data : "");
    cJSON_free(data);
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    struct mcp_client *c = ctx;
    if (strcmp(method, "notifications/tools/list_changed") == 0)
        mcp_client_list(c, MCP_TOOLS);
    else if (strcmp(method, "notifications/prompts/list_changed") == 0)
        mcp_client_list(c, MCP_PROMPTS);
    else if (strcmp(method, "notifications/progress") == 0)
        mcp_client_progress(c, params);
    else if (strcmp(method, "notifications/message") == 0)
        log_message(c, params);
}

/* The peer writes lines, a link takes messages. */
static void on_output(void *ctx)
{
    struct mcp_client *c = ctx;
    while (c->link && c->out.n > 0) {
        struct buf lines = c->out;
        c->out = (struct buf){0};
        for (char *p = lines.p, *end = p + lines.n; p < end && c->link;) {
            char *stop = memchr(p, '\n', (size_t)(end - p));
            if (!stop)
                break;
            *stop = '\0';
            mcp_link_send(c->link, p, (size_t)(stop - p));
            p = stop + 1;
        }
        buf_deinit(&lines);
    }
}

static const struct peer_ops ops_of_peer = {on_request, on_notify, on_output};

static void feed(struct mcp_client *c, const char *text, size_t n)
{
    int rc = peer_feed(c->peer, text, n);
    if (rc == 0)
        rc = peer_feed(c->peer, "\n", 1);
    if (rc == E_NOMEM)
        mcp_client_give_up(c, "could not be understood for want of memory");
}

/* MCP of 2025-03-26 has arrays of messages. */
static void feed_each(struct mcp_client *c, const char *text, size_t n)
{
    cJSON *list = NULL;
    const cJSON *item;
    if (json_parse(text, n, &list, NULL) < 0)
        return;
    cJSON_ArrayForEach(item, list)
    {
        char *one = cJSON_PrintUnformatted(item);
        if (one && c->peer)
            feed(c, one, strlen(one));
        cJSON_free(one);
    }
    cJSON_Delete(list);
}

/* Servers print other things, too: they are not answered. */
static void on_message(void *ctx, const char *text, size_t n)
{
    struct mcp_client *c = ctx;
    struct json_scan scan;
    if (!c->peer)
        return;
    if (json_scan(text, n, &scan) < 0)
        log_warn("MCP server %s: no message, skipped: %.200s", c->options.config->name, text);
    else if (scan.kind == JSON_KIND_ARRAY)
        feed_each(c, text, n);
    else
        feed(c, text, n);
}

static void on_expired(void *ctx)
{
    struct mcp_client *c = ctx;
    if (mcp_client_greet(c) < 0)
        mcp_client_give_up(c, "could not be greeted for want of memory");
}

static void on_link_gone(void *ctx, const char *why)
{
    struct mcp_client *c = ctx;
    c->link = NULL;
    mcp_client_give_up(c, why);
}

static const struct mcp_link_ops ops_of_link = {on_message, on_expired, on_link_gone};

/* ---- the beginning -------------------------------------------------------------------------- */

static void on_late(uv_timer_t *timer)
{
    mcp_client_give_up(CONTAINER_OF(timer, struct mcp_client, timer), "did not answer in time");
}

static int start(struct mcp_client *c, const struct mcp_client_options *o)
{
    const struct mcp_link_options link = {o->loop, o->fetch, o->config, o->cwd};
    const struct peer_options peer = {.max_line = LONGEST_LINE};
    c->cwd = strdup(o->cwd);
    int rc = c->cwd ? peer_create(&ops_of_peer, c, &c->out, &peer, &c->peer) : E_NOMEM;
    if (rc == 0)
        rc = mcp_link_open(&link, &ops_of_link, c, &c->link);
    return rc;
}

int mcp_client_open(const struct mcp_client_options *o, const struct mcp_client_ops *ops, void *ctx,
                    struct mcp_client **ret)
{
    struct mcp_client *c = calloc(1, sizeof *c);
    if (!c)
        return E_NOMEM;
    c->ops = ops;
    c->ctx = ctx;
    c->options = *o;
    c->options.ready_ms = o->ready_ms ? o->ready_ms : 10000;
    c->options.idle_ms = o->idle_ms ? o->idle_ms : 120000;
    c->lists[MCP_TOOLS] = (struct mcp_list){.method = "tools/list", .member = "tools"};
    c->lists[MCP_PROMPTS] = (struct mcp_list){.method = "prompts/list", .member = "prompts"};
    list_init(&c->calls);
    int rc = start(c, o);
    if (rc < 0) {
        peer_close(c->peer);
        free(c->cwd);
        free(c);
        return rc;
    }
    uv_timer_init(o->loop, &c->timer);
    uv_timer_start(&c->timer, on_late, c->options.ready_ms, 0);
    rc = mcp_client_greet(c);
    if (rc < 0) {
        mcp_client_close(c);
        return rc;
    }
    *ret = c;
    return 0;
}
