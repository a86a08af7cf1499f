#include "base/err.h"
#include "http/fetch_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void note_byte(struct fetch_req *r)
{
    r->last_byte = uv_now(r->f->loop);
    r->last_call = false;
}

static bool is_over(const struct fetch_req *r)
{
    return r->cancelled || r->f->closing;
}

static size_t on_body(char *p, size_t size, size_t count, void *ctx)
{
    struct fetch_req *r = ctx;
    size_t n = size * count;
    note_byte(r);
    if (is_over(r))
        return n;
    if (r->paused) {
        r->held = true;
        return CURL_WRITEFUNC_PAUSE; /* the same bytes come again */
    }
    r->ops->on_data(r->ctx, p, n);
    return n;
}

static int start_head(struct fetch_req *r, const char *line, size_t n)
{
    const char *space = memchr(line, ' ', n);
    r->head.n = 0; /* an informational answer came before */
    r->status = space ? strtol(space, NULL, 10) : 0;
    return 0;
}

static int add_header(struct fetch_req *r, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n);
    if (!colon)
        return 0;
    const char *value = colon + 1, *end = line + n;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    size_t at = r->head.n;
    if (at + n > FETCH_HEAD_MAX)
        return E_TOOBIG;
    if (buf_add(&r->head, line, (size_t)(colon - line)) < 0 || buf_addc(&r->head, '\0') < 0 ||
        buf_add(&r->head, value, (size_t)(end - value)) < 0 || buf_addc(&r->head, '\0') < 0)
        return E_NOMEM;
    return 0;
}

static int take_head_line(struct fetch_req *r, const char *line, size_t n)
{
    if (r->head_done)
        return 0; /* a trailer; what was lent from head stays where it is */
    if (n >= 5 && memcmp(line, "HTTP/", 5) == 0)
        return start_head(r, line, n);
    if (n > 0)
        return add_header(r, line, n);
    if (r->status < 200)
        return 0;
    r->head_done = true;
    if (!is_over(r) && r->ops->on_status)
        r->ops->on_status(r->ctx, r->status);
    return 0;
}

static size_t on_head_line(char *line, size_t size, size_t count, void *ctx)
{
    struct fetch_req *r = ctx;
    size_t n = size * count, bare = n;
    note_byte(r);
    while (bare > 0 && (line[bare - 1] == '\n' || line[bare - 1] == '\r'))
        bare--;
    r->fault = take_head_line(r, line, bare);
    return r->fault < 0 ? 0 : n;
}

/* Bytes of the body that leave are signs of life, too. */
static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                       curl_off_t up)
{
    struct fetch_req *r = ctx;
    (void)down_all;
    (void)down;
    (void)up_all;
    if (up != r->sent)
        note_byte(r);
    r->sent = up;
    return 0;
}

static void on_idle(uv_timer_t *t)
{
    struct fetch_req *r = CONTAINER_OF(t, struct fetch_req, idle);
    uint64_t quiet = uv_now(r->f->loop) - r->last_byte;
    if (r->paused || r->held)
        quiet = 0; /* it is us who do not read */
    if (quiet < r->idle_ms) {
        uv_timer_start(t, on_idle, r->idle_ms - quiet, 0);
    } else if (!r->last_call) {
        r->last_call = true;
        uv_timer_start(t, on_idle, 1, 0);
    } else {
        r->idle_ended = true;
        fetch_kick(r->f);
    }
}

/* The connection is there, the request is about to leave: from here on silence counts. */
static int on_connected(void *ctx, char *ip, char *local_ip, int port, int local_port)
{
    struct fetch_req *r = ctx;
    (void)ip;
    (void)local_ip;
    (void)port;
    (void)local_port;
    note_byte(r);
    if (r->idle_ms > 0)
        uv_timer_start(&r->idle, on_idle, r->idle_ms, 0);
    return CURL_PREREQFUNC_OK;
}

static int copy_headers(struct fetch_req *r, const char *const *headers)
{
    const struct fetch_curl *c = &r->f->curl;
    /* Without it libcurl waits up to a second for a "100 Continue" before a large body. */
    struct curl_slist *list = c->slist_append(NULL, "Expect:");
    for (; list && headers && *headers; headers++) {
        struct curl_slist *longer = c->slist_append(list, *headers);
        if (!longer)
            c->slist_free_all(list);
        list = longer;
    }
    r->headers = list;
    return list ? 0 : E_NOMEM;
}

/* Each of these answers true if libcurl refused an option. */
static bool set_request(struct fetch_req *r, const struct fetch_options *o)
{
    __typeof__(curl_easy_setopt) *set = r->f->curl.easy_setopt;
    bool has_body = o->body != NULL || strcmp(o->method, "POST") == 0;
    bool bad = set(r->easy, CURLOPT_URL, o->url) || set(r->easy, CURLOPT_HTTPHEADER, r->headers);
    if (strcmp(o->method, "HEAD") == 0)
        bad = bad || set(r->easy, CURLOPT_NOBODY, 1L);
    if (o->decode)
        bad = bad || set(r->easy, CURLOPT_ACCEPT_ENCODING, "");
    if (has_body)
        bad = bad || set(r->easy, CURLOPT_POST, 1L) ||
              set(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n) ||
              set(r->easy, CURLOPT_POSTFIELDS, r->body.n > 0 ? r->body.p : "");
    return bad || set(r->easy, CURLOPT_CUSTOMREQUEST, o->method);
}

static bool set_transport(struct fetch_req *r)
{
    __typeof__(curl_easy_setopt) *set = r->f->curl.easy_setopt;
    return set(r->easy, CURLOPT_NOSIGNAL, 1L) || set(r->easy, CURLOPT_TCP_KEEPALIVE, 1L) ||
           set(r->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) ||
           set(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)r->connect_ms);
}

static bool set_callbacks(struct fetch_req *r)
{
    __typeof__(curl_easy_setopt) *set = r->f->curl.easy_setopt;
    return set(r->easy, CURLOPT_PRIVATE, r) || set(r->easy, CURLOPT_WRITEFUNCTION, on_body) ||
           set(r->easy, CURLOPT_WRITEDATA, r) ||
           set(r->easy, CURLOPT_HEADERFUNCTION, on_head_line) ||
           set(r->easy, CURLOPT_HEADERDATA, r) ||
           set(r->easy, CURLOPT_XFERINFOFUNCTION, on_progress) ||
           set(r->easy, CURLOPT_XFERINFODATA, r) || set(r->easy, CURLOPT_NOPROGRESS, 0L) ||
           set(r->easy, CURLOPT_PREREQFUNCTION, on_connected) ||
           set(r->easy, CURLOPT_PREREQDATA, r);
}

static bool is_http(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

int fetch_easy_setup(struct fetch_req *r, const struct fetch_options *o)
{
    if (!is_http(o->url))
        return E_INVALID;
    r->connect_ms = o->connect_ms ? o->connect_ms : FETCH_CONNECT_MS;
    r->idle_ms = o->idle_ms;
    if (o->body && buf_add(&r->body, o->body, o->body_n) < 0)
        return E_NOMEM;
    if (fetch_where(o->url, &r->where) < 0 || copy_headers(r, o->headers) < 0)
        return E_NOMEM;
    r->easy = r->f->curl.easy_init();
    if (!r->easy || set_request(r, o) || set_transport(r) || set_callbacks(r))
        return E_NOMEM;
    return 0;
}
