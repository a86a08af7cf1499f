#include "http/fetch.h"

#include "base/err.h"
#include "http/fetch_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One socket that libcurl wants watched. */
struct watch {
    uv_poll_t poll;
    struct fetch *f;
    curl_socket_t socket;
    int events; /* asked of the loop */
};

static void destroy(struct fetch *f)
{
    void (*on_closed)(void *) = f->on_closed;
    void *ctx = f->ctx;
    fetch_curl_unload(&f->curl);
    free(f);
    if (on_closed)
        on_closed(ctx);
}

static void handle_closed(struct fetch *f)
{
    if (--f->open_handles == 0)
        destroy(f);
}

/* --- the end of a request --- */

static void req_free(struct fetch_req *r)
{
    if (r->easy)
        r->f->curl.easy_cleanup(r->easy);
    if (r->headers)
        r->f->curl.slist_free_all(r->headers);
    buf_deinit(&r->body);
    buf_deinit(&r->head);
    buf_deinit(&r->where);
    free(r);
}

static void on_req_closed(uv_handle_t *h)
{
    struct fetch_req *r = h->data;
    struct fetch *f = r->f;
    req_free(r);
    handle_closed(f);
}

/* The memory lives on until the close callback, which is why on_done may look at headers. */
static void finish(struct fetch_req *r, CURLcode code)
{
    struct fetch_result result = fetch_explain(r, code);
    if (r->added)
        r->f->curl.multi_remove_handle(r->f->multi, r->easy);
    r->added = false;
    list_remove(&r->node);
    uv_close((uv_handle_t *)&r->idle, on_req_closed);
    r->ops->on_done(r->ctx, &result);
}

/* Requests that libcurl has finished. Never called from inside libcurl. */
static void settle(struct fetch *f)
{
    int left;
    CURLMsg *m;
    while (f->multi && (m = f->curl.multi_info_read(f->multi, &left)) != NULL) {
        if (m->msg != CURLMSG_DONE)
            continue;
        CURLcode code = m->data.result; /* m is gone once the handle is removed */
        char *private = NULL;
        f->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
        struct fetch_req *r = (struct fetch_req *)(void *)private;
        if (!r->cancelled) /* on_kick ends those, on a later turn as promised */
            finish(r, code);
    }
}

/* --- what libcurl asks of the loop --- */

static void on_socket(uv_poll_t *poll, int status, int events)
{
    struct watch *w = poll->data;
    struct fetch *f = w->f; /* libcurl may drop the watch during the call */
    int flags = 0, running;
    if (status < 0) {
        /* A reset: libuv stopped watching. Bytes that came before it may still wait in the kernel,
         * so libcurl is made to read them and to meet the error itself. */
        uv_poll_start(poll, w->events, on_socket);
        events = UV_READABLE | UV_WRITABLE;
    }
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    f->curl.multi_socket_action(f->multi, w->socket, flags, &running);
    settle(f);
}

static void on_watch_closed(uv_handle_t *h)
{
    struct watch *w = h->data;
    struct fetch *f = w->f;
    free(w);
    handle_closed(f);
}

static struct watch *watch_create(struct fetch *f, curl_socket_t socket)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->f = f;
    w->socket = socket;
    w->poll.data = w;
    if (uv_poll_init_socket(f->loop, &w->poll, socket) < 0) {
        free(w);
        return NULL;
    }
    f->open_handles++;
    f->curl.multi_assign(f->multi, socket, w);
    return w;
}

static int want_socket(CURL *easy, curl_socket_t socket, int what, void *ctx, void *socket_ctx)
{
    struct fetch *f = ctx;
    struct watch *w = socket_ctx;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (w) /* stops at once: libcurl closes the descriptor next */
            uv_close((uv_handle_t *)&w->poll, on_watch_closed);
        return 0;
    }
    if (!w && (w = watch_create(f, socket)) == NULL)
        return -1;
    w->events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&w->poll, w->events, on_socket) < 0 ? -1 : 0;
}

static void on_timer(uv_timer_t *t)
{
    struct fetch *f = t->data;
    int running;
    f->curl.multi_socket_action(f->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    settle(f);
}

static int want_timer(CURLM *multi, long ms, void *ctx)
{
    struct fetch *f = ctx;
    (void)multi;
    if (ms < 0)
        uv_timer_stop(&f->timer); /* -1: no timer, not "now" */
    else if (!uv_is_closing((uv_handle_t *)&f->timer))
        uv_timer_start(&f->timer, on_timer, (uint64_t)ms, 0); /* 0: not from in here */
    return 0;
}

static int load(struct fetch *f)
{
    int rc = f->curl.library ? 0 : fetch_curl_load(&f->curl);
    if (rc < 0 || f->multi)
        return rc;
    f->multi = f->curl.multi_init();
    if (!f->multi)
        return E_NOMEM;
    f->curl.multi_setopt(f->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
    f->curl.multi_setopt(f->multi, CURLMOPT_SOCKETDATA, f);
    f->curl.multi_setopt(f->multi, CURLMOPT_TIMERFUNCTION, want_timer);
    f->curl.multi_setopt(f->multi, CURLMOPT_TIMERDATA, f);
    return 0;
}

/* --- what was only marked --- */

static void on_timers_closed(uv_handle_t *h)
{
    handle_closed(h->data);
}

static void tear_down(struct fetch *f)
{
    if (f->multi)
        f->curl.multi_cleanup(f->multi);
    f->multi = NULL;
    uv_close((uv_handle_t *)&f->timer, on_timers_closed);
    uv_close((uv_handle_t *)&f->kick, on_timers_closed);
}

static void do_wanted(struct fetch_req *r)
{
    struct fetch *f = r->f;
    if (f->closing)
        r->cancelled = true;
    if (r->cancelled || r->idle_ended) {
        finish(r, CURLE_OK);
    } else if (!r->added) {
        r->added = f->curl.multi_add_handle(f->multi, r->easy) == CURLM_OK;
        if (!r->added)
            finish(r, CURLE_OUT_OF_MEMORY);
    } else if (r->held && !r->paused) {
        r->held = false;
        f->curl.easy_pause(r->easy, CURLPAUSE_CONT); /* may deliver bytes from in here */
    }
}

static void on_kick(uv_timer_t *t)
{
    struct fetch *f = t->data;
    struct list *next;
    for (struct list *at = f->reqs.next; at != &f->reqs; at = next) {
        next = at->next; /* only finish() removes, and it removes only its own */
        do_wanted(CONTAINER_OF(at, struct fetch_req, node));
    }
    settle(f);
    if (f->closing && list_empty(&f->reqs))
        tear_down(f);
}

void fetch_kick(struct fetch *f)
{
    uv_timer_start(&f->kick, on_kick, 0, 0);
}

/* --- public --- */

int fetch_create(uv_loop_t *loop, struct fetch **ret)
{
    struct fetch *f = calloc(1, sizeof *f);
    if (!f)
        return E_NOMEM;
    f->loop = loop;
    list_init(&f->reqs);
    uv_timer_init(loop, &f->timer); /* cannot fail */
    uv_timer_init(loop, &f->kick);
    f->timer.data = f->kick.data = f;
    f->open_handles = 2;
    *ret = f;
    return 0;
}

int fetch_warm(struct fetch *f)
{
    return load(f);
}

void fetch_close(struct fetch *f, void (*on_closed)(void *ctx), void *ctx)
{
    assert(!f->closing);
    f->closing = true;
    f->on_closed = on_closed;
    f->ctx = ctx;
    fetch_kick(f);
}

int fetch_start(struct fetch *f, const struct fetch_options *options, const struct fetch_ops *ops,
                void *ctx, struct fetch_req **ret)
{
    if (f->closing)
        return E_CLOSED;
    int rc = load(f);
    if (rc < 0)
        return rc;
    struct fetch_req *r = calloc(1, sizeof *r);
    if (!r)
        return E_NOMEM;
    r->f = f;
    r->ops = ops;
    r->ctx = ctx;
    rc = fetch_easy_setup(r, options);
    if (rc < 0) {
        req_free(r);
        return rc;
    }
    uv_timer_init(f->loop, &r->idle);
    r->idle.data = r;
    f->open_handles++;
    list_append(&f->reqs, &r->node);
    fetch_kick(f);
    *ret = r;
    return 0;
}

void fetch_cancel(struct fetch_req *r)
{
    if (r->cancelled)
        return;
    r->cancelled = true;
    fetch_kick(r->f);
}

void fetch_pause(struct fetch_req *r, bool paused)
{
    r->paused = paused;
    if (!paused && r->held)
        fetch_kick(r->f);
}

const char *fetch_header(const struct fetch_req *r, const char *name)
{
    const char *p = r->head.p, *end = p + r->head.n;
    while (p && p < end) {
        const char *value = p + strlen(p) + 1;
        if (strcasecmp(p, name) == 0)
            return value;
        p = value + strlen(value) + 1;
    }
    return NULL;
}
