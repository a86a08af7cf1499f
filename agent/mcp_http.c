#include "agent/mcp_http_impl.h"

#include "agent/mcp_url.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Streamable HTTP: every message is a POST of its own; an answer is JSON, or a stream of events
 * with other messages before it. A stream that breaks is taken up again where it was, if the server
 * gave its events ids. What the server wants to say by itself comes on a GET.
 *
 * HTTP+SSE of 2024-11-05 is the same with all answers on that one GET, whose first event names
 * where messages go.
 */

static struct http_link *of(struct mcp_link *link)
{
    return CONTAINER_OF(link, struct http_link, link);
}

static void on_link_timer_closed(uv_handle_t *h)
{
    struct http_link *l = CONTAINER_OF(h, struct http_link, timer);
    free(l->session);
    free(l->endpoint);
    buf_deinit(&l->held);
    free(l);
}

void http_link_check_end(struct http_link *l)
{
    if (l->closed && list_empty(&l->exchanges) && !uv_is_closing((uv_handle_t *)&l->timer))
        uv_close((uv_handle_t *)&l->timer, on_link_timer_closed);
}

/* ---- sending again -------------------------------------------------------------------------- */

static void hold(struct http_link *l, const char *text, size_t n)
{
    if (buf_reserve(&l->held, n + 1) < 0)
        return; /* its call runs into its limit */
    buf_add(&l->held, text, n);
    buf_addc(&l->held, '\n');
}

void http_link_expire(struct http_link *l, const char *text, size_t n)
{
    hold(l, text, n);
    if (!l->session)
        return; /* that was told already */
    free(l->session);
    l->session = NULL;
    *l->version = '\0';
    if (l->link.ops)
        l->link.ops->on_expired(l->link.ctx);
}

static void send_held(struct http_link *l)
{
    struct buf held = l->held;
    l->held = (struct buf){0};
    for (char *p = held.p, *end = p + held.n; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop)
            break;
        *stop = '\0';
        exchange_post(l, p, (size_t)(stop - p));
        p = stop + 1;
    }
    buf_deinit(&held);
}

void http_link_lose(struct http_link *l, const char *why)
{
    const struct mcp_link_ops *ops = l->link.ops;
    mcp_link_close(&l->link);
    if (ops)
        ops->on_gone(l->link.ctx, why);
}

void http_link_meet(struct http_link *l, const char *endpoint)
{
    if (l->endpoint)
        return;
    if (mcp_url_resolve(l->config->url, endpoint, &l->endpoint) < 0)
        http_link_lose(l, "names an endpoint that is not its own");
    else
        send_held(l);
}

/* ---- the link ------------------------------------------------------------------------------- */

static struct http_link *create(const struct mcp_link_options *o, const struct mcp_link_ops *ops,
                                void *ctx)
{
    struct http_link *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->link = (struct mcp_link){&mcp_link_http, ops, ctx};
    l->loop = o->loop;
    l->fetch = o->fetch;
    l->config = o->config;
    list_init(&l->exchanges);
    uv_timer_init(o->loop, &l->timer);
    return l;
}

static int http_open(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                     struct mcp_link **ret)
{
    struct http_link *l = create(o, ops, ctx);
    if (!l)
        return E_NOMEM;
    *ret = &l->link;
    return 0;
}

void http_link_opened(struct http_link *l)
{
    if (l->opening && !l->closed) {
        l->opening = false;
        send_held(l);
    }
}

static void http_send(struct mcp_link *link, const char *text, size_t n)
{
    struct http_link *l = of(link);
    if (l->opening)
        hold(l, text, n);
    else
        exchange_post(l, text, n);
}

static void on_listen(uv_timer_t *timer)
{
    exchange_listen(CONTAINER_OF(timer, struct http_link, timer));
}

void http_link_listen_later(struct http_link *l, uint64_t ms)
{
    if (!l->closed)
        uv_timer_start(&l->timer, on_listen, ms, 0);
}

static void http_agreed(struct mcp_link *link, const char *version)
{
    struct http_link *l = of(link);
    snprintf(l->version, sizeof l->version, "%s", version);
    l->opening = true; /* what a server asks in a call comes on its own stream: that has to stand */
    l->listens = 0;
    http_link_listen_later(l, 0);
}

static void http_close(struct mcp_link *link)
{
    struct http_link *l = of(link);
    link->ops = NULL;
    l->closed = true;
    uv_timer_stop(&l->timer);
    exchange_end_all(l);
    if (l->session)
        exchange_delete(l);
    http_link_check_end(l);
}

const struct mcp_link_kind mcp_link_http = {http_open, http_send, http_agreed, http_close};

/* ---- the older transport -------------------------------------------------------------------- */

static int sse_open(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                    struct mcp_link **ret)
{
    struct http_link *l = create(o, ops, ctx);
    if (!l)
        return E_NOMEM;
    l->link.kind = &mcp_link_sse;
    l->two_ways = true;
    http_link_listen_later(l, 0);
    *ret = &l->link;
    return 0;
}

static void sse_send(struct mcp_link *link, const char *text, size_t n)
{
    struct http_link *l = of(link);
    if (l->endpoint)
        exchange_post(l, text, n);
    else
        hold(l, text, n);
}

static void sse_agreed(struct mcp_link *link, const char *version)
{
    (void)link; /* that transport knows no versions */
    (void)version;
}

const struct mcp_link_kind mcp_link_sse = {sse_open, sse_send, sse_agreed, http_close};
