#include "agent/mcp_http_impl.h"

#include "base/err.h"
#include "base/log.h"
#include "http/sse.h"
#include "json/jsonw.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BODY_MAX    (64u << 20)
#define RETRY_MS    1000
#define OPENING_MS  1000u /* that the server's own stream is waited for */
#define LISTENS_MAX 5u    /* in vain */
#define RESUMES_MAX 3u    /* of one answer */
#define HEADERS_MAX 64u

enum purpose { POST, LISTEN, DELETE };

struct exchange {
    struct list node;
    struct http_link *l;
    enum purpose purpose;
    struct fetch_req *req; /* NULL: it waits for its timer, or is over */
    struct buf sent;       /* the message; empty: none */
    struct buf id;         /* of that request, as it stands there; empty: it is none */
    struct buf body;       /* of an answer that is no stream */
    struct sse sse;
    bool streams, answered, any, ended;
    bool of_session; /* it went out as part of one */
    unsigned resumes;
    uv_timer_t timer; /* its close callback frees this */
};

static void on_timer_closed(uv_handle_t *h)
{
    struct exchange *x = CONTAINER_OF(h, struct exchange, timer);
    struct http_link *l = x->l;
    list_remove(&x->node);
    buf_deinit(&x->sent);
    buf_deinit(&x->id);
    buf_deinit(&x->body);
    sse_deinit(&x->sse);
    free(x);
    http_link_check_end(l);
}

static void end(struct exchange *x)
{
    x->ended = true;
    if (!uv_is_closing((uv_handle_t *)&x->timer))
        uv_close((uv_handle_t *)&x->timer, on_timer_closed);
}

static void start(struct exchange *x);

/* ---- what comes ----------------------------------------------------------------------------- */

static void deliver(struct exchange *x, const char *text, size_t n)
{
    struct json_scan scan;
    if (x->id.n > 0 && json_scan(text, n, &scan) == 0 && scan.method.kind == JSON_KIND_NONE &&
        scan.id.n == x->id.n && memcmp(scan.id.p, x->id.p, x->id.n) == 0)
        x->answered = true;
    x->any = true;
    if (x->l->link.ops)
        x->l->link.ops->on_message(x->l->link.ctx, text, n);
}

static void on_event(void *ctx, const struct sse_event *e)
{
    struct exchange *x = ctx;
    if (x->ended)
        return;
    if (x->l->two_ways && strcmp(e->name, "endpoint") == 0)
        http_link_meet(x->l, e->data);
    else if ((!*e->name || strcmp(e->name, "message") == 0) && e->data_n > 0)
        deliver(x, e->data, e->data_n);
}

/* The server's place is taken: whoever waits for the answer gets one. */
static void fail(struct exchange *x, const char *why)
{
    struct buf text = {0};
    struct jsonw w;
    if (x->answered || x->purpose != POST)
        return;
    if (x->id.n == 0) {
        log_warn("MCP server %s: %s", x->l->config->name, why);
        return;
    }
    jw_begin(&w, &text);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    jw_key(&w, "id");
    jw_raw(&w, x->id.p, x->id.n);
    jw_kopen(&w, "error", '{');
    jw_kint(&w, "code", -32000);
    jw_kstr(&w, "message", why);
    jw_close(&w);
    jw_close(&w);
    if (jw_end(&w) == 0 && buf_cstr(&text))
        deliver(x, text.p, text.n);
    buf_deinit(&text);
}

/* ---- how it ends ---------------------------------------------------------------------------- */

static void on_retry(uv_timer_t *timer)
{
    start(CONTAINER_OF(timer, struct exchange, timer));
}

static uint64_t pause_ms(const struct exchange *x)
{
    return x->sse.retry_ms >= 0 ? (uint64_t)x->sse.retry_ms : RETRY_MS;
}

/* An answer that broke off goes on where it was. */
static bool resume(struct exchange *x)
{
    if (x->purpose != POST || x->answered || x->id.n == 0 || x->sse.id.n == 0 ||
        x->resumes++ == RESUMES_MAX)
        return false;
    uv_timer_start(&x->timer, on_retry, pause_ms(x), 0);
    return true;
}

static void listen_again(struct exchange *x, long status)
{
    struct http_link *l = x->l;
    l->listens = x->any ? 0 : l->listens + 1;
    if (status == 200 && x->streams && l->listens < LISTENS_MAX)
        http_link_listen_later(l, pause_ms(x));
}

static void end_refused(struct exchange *x, long status)
{
    char why[200];
    struct http_link *l = x->l;
    if (status == 404 && x->purpose == POST && x->of_session) {
        http_link_expire(l, x->sent.p, x->sent.n);
        return;
    }
    if (status == 401 || status == 403)
        snprintf(why, sizeof why,
                 "the server wants a login (HTTP %ld): give it in the headers of its entry",
                 status);
    else
        snprintf(why, sizeof why, "the server answered with HTTP %ld", status);
    if (x->body.n > 0 && buf_cstr(&x->body) && *x->body.p == '{')
        deliver(x, x->body.p, x->body.n);
    fail(x, why);
}

static void end_well(struct exchange *x)
{
    if (x->streams && sse_finish(&x->sse) == E_NOMEM)
        log_warn("out of memory: an event of an MCP server is lost");
    if (!x->streams && x->body.n > 0 && !x->l->two_ways && buf_cstr(&x->body))
        deliver(x, x->body.p, x->body.n);
}

/* With the older transport the stream is the connection. */
static void end_listening(struct exchange *x, const struct fetch_result *r)
{
    char why[300];
    if (!x->l->two_ways) {
        listen_again(x, r->rc == E_IO && x->streams ? 200 : r->status);
        return;
    }
    if (r->rc < 0)
        snprintf(why, sizeof why, "cannot be reached: %.250s", r->text);
    else if (r->status == 200)
        snprintf(why, sizeof why, "closed its stream");
    else
        snprintf(why, sizeof why, "answered with HTTP %ld", r->status);
    http_link_lose(x->l, why);
}

static void on_done(void *ctx, const struct fetch_result *r)
{
    struct exchange *x = ctx;
    x->req = NULL;
    if (!x->ended && r->rc == 0 && r->status < 300)
        end_well(x);
    if (x->ended || x->l->closed) {
        end(x);
        return;
    }
    if (resume(x))
        return;
    if (x->purpose == LISTEN) {
        http_link_opened(x->l);
        end_listening(x, r);
    } else if (r->rc == 0 && r->status >= 300)
        end_refused(x, r->status);
    else if (r->rc < 0)
        fail(x, r->text);
    else if (x->id.n > 0 && !x->l->two_ways)
        fail(x, "the server's answer is none to this request");
    end(x);
}

static void on_status(void *ctx, long status)
{
    struct exchange *x = ctx;
    const char *type = fetch_header(x->req, "Content-Type");
    const char *session = fetch_header(x->req, "Mcp-Session-Id");
    x->streams = status == 200 && type && strncasecmp(type, "text/event-stream", 17) == 0;
    if (session && !x->l->session && !x->l->closed)
        x->l->session = strdup(session);
    if (x->purpose == LISTEN)
        http_link_opened(x->l);
}

static void on_data(void *ctx, const char *bytes, size_t n)
{
    struct exchange *x = ctx;
    if (x->streams && sse_feed(&x->sse, bytes, n) == E_NOMEM)
        fetch_cancel(x->req);
    if (!x->streams && (x->body.n + n > BODY_MAX || buf_add(&x->body, bytes, n) < 0))
        fetch_cancel(x->req);
}

static const struct fetch_ops ops = {on_status, on_data, on_done};

/* ---- how it begins -------------------------------------------------------------------------- */

struct headers {
    const char *list[HEADERS_MAX + 1];
    size_t n;
    struct buf session, version, last;
};

static bool add_named(struct headers *h, struct buf *text, const char *name, const char *value)
{
    if (buf_addf(text, "%s: %s", name, value) < 0 || !buf_cstr(text))
        return false;
    h->list[h->n++] = text->p;
    return true;
}

static bool make_headers(struct exchange *x, bool get, struct headers *h)
{
    struct http_link *l = x->l;
    char *const *own = l->config->headers;
    bool good = true;
    h->list[h->n++] =
        get ? "Accept: text/event-stream" : "Accept: application/json, text/event-stream";
    if (x->purpose == POST && !get)
        h->list[h->n++] = "Content-Type: application/json";
    if (l->session)
        good = add_named(h, &h->session, "Mcp-Session-Id", l->session);
    if (good && *l->version)
        good = add_named(h, &h->version, "MCP-Protocol-Version", l->version);
    if (good && get && x->sse.id.n > 0 && buf_cstr(&x->sse.id))
        good = add_named(h, &h->last, "Last-Event-ID", x->sse.id.p);
    for (size_t i = 0; own && own[i] && h->n < HEADERS_MAX; i++)
        h->list[h->n++] = own[i];
    return good;
}

static void start(struct exchange *x)
{
    struct headers h = {.n = 0};
    bool get = x->purpose == LISTEN || x->resumes > 0;
    struct fetch_options o = {.method = x->purpose == DELETE ? "DELETE"
                                        : get                ? "GET"
                                                             : "POST",
                              .url = get || !x->l->endpoint ? x->l->config->url : x->l->endpoint,
                              .headers = h.list,
                              .decode = true};
    if (x->purpose == POST && !get) {
        o.body = x->sent.p;
        o.body_n = x->sent.n;
    }
    x->body.n = 0;
    x->of_session = x->l->session != NULL;
    int rc = make_headers(x, get, &h) ? fetch_start(x->l->fetch, &o, &ops, x, &x->req) : E_NOMEM;
    buf_deinit(&h.session);
    buf_deinit(&h.version);
    buf_deinit(&h.last);
    if (rc < 0) {
        fail(x, err_text(rc));
        end(x);
        http_link_opened(x->l);
    }
}

static struct exchange *create(struct http_link *l, enum purpose purpose)
{
    struct exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->l = l;
    x->purpose = purpose;
    sse_init(&x->sse, BODY_MAX, on_event, x);
    uv_timer_init(l->loop, &x->timer);
    list_append(&l->exchanges, &x->node);
    return x;
}

void exchange_post(struct http_link *l, const char *text, size_t n)
{
    struct json_scan scan;
    struct exchange *x = create(l, POST);
    if (!x)
        return; /* its call runs into its limit */
    int rc = buf_add(&x->sent, text, n);
    if (rc == 0 && json_scan(text, n, &scan) == 0 && scan.method.n > 0 && scan.id.n > 0)
        rc = buf_add(&x->id, scan.id.p, scan.id.n);
    if (rc < 0)
        end(x);
    else
        start(x);
}

static void on_opening_late(uv_timer_t *timer)
{
    http_link_opened(CONTAINER_OF(timer, struct exchange, timer)->l);
}

void exchange_listen(struct http_link *l)
{
    struct exchange *x = create(l, LISTEN);
    if (!x) {
        http_link_opened(l);
        return;
    }
    uv_timer_start(&x->timer, on_opening_late, OPENING_MS, 0);
    start(x);
}

void exchange_delete(struct http_link *l)
{
    struct exchange *x = create(l, DELETE);
    if (x)
        start(x);
}

void exchange_end_all(struct http_link *l)
{
    for (struct list *at = l->exchanges.next; at != &l->exchanges; at = at->next) {
        struct exchange *x = CONTAINER_OF(at, struct exchange, node);
        x->ended = true;
        if (x->req)
            fetch_cancel(x->req);
        else
            end(x);
    }
}
