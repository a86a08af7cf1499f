#include "record.h"

#include "base/err.h"
#include "base/log.h"
#include "http/fetch.h"
#include "internal.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEADERS_MAX 64
#define NOTE_MAX    200 /* bytes of the request's last message that are kept as a note */

struct recorder {
    uv_loop_t *loop;
    struct httpd *httpd;
    struct fetch *fetch;
    struct recorder_options options;
    void (*on_closed)(void *ctx);
    void *ctx;
    cJSON *turns; /* owned */
    unsigned n;   /* model calls so far */
    unsigned open;
    bool closing;
};

/* One request on its way through. */
struct passage {
    struct recorder *r;
    struct httpd_req *req; /* NULL: the caller is gone */
    struct fetch_req *fetch;
    char *secrets[HEADERS_MAX]; /* owned; what must not be written */
    size_t secret_n;
    bool is_call; /* of a model: only those become turns */
    cJSON *turn;  /* owned */
    struct buf body;
    bool begun;
};

/* --- secrets --- */

static bool is_secret(const char *name)
{
    static const char *const names[] = {
        "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

/* Short ones would be found everywhere. */
static int keep_secret(struct passage *x, const char *value)
{
    if (strlen(value) < 4 || x->secret_n == HEADERS_MAX)
        return 0;
    x->secrets[x->secret_n] = strdup(value);
    return x->secrets[x->secret_n++] ? 0 : E_NOMEM;
}

/* A key with its scheme, "Bearer k", and without. */
static int note_secrets(struct passage *x, const struct httpd_req *req)
{
    const struct httpd_header *list;
    size_t n = httpd_headers(req, &list);
    const char *in_path = strstr(httpd_path(req), "key=");
    int rc = in_path ? keep_secret(x, in_path + 4) : 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const char *space = strrchr(list[i].value, ' ');
        if (is_secret(list[i].name))
            rc = keep_secret(x, space ? space + 1 : list[i].value);
    }
    return rc;
}

/* The secret that begins here, or NULL. */
static const char *secret_at(const struct passage *x, const char *at, const char *end)
{
    for (size_t i = 0; i < x->secret_n; i++) {
        size_t n = strlen(x->secrets[i]);
        if ((size_t)(end - at) >= n && memcmp(at, x->secrets[i], n) == 0)
            return x->secrets[i];
    }
    return NULL;
}

static int redact(const struct passage *x, const char *p, size_t n, struct buf *out)
{
    const char *end = p + n;
    int rc = 0;
    while (rc == 0 && p < end) {
        const char *secret = secret_at(x, p, end);
        rc = secret ? buf_adds(out, "<redacted>") : buf_addc(out, *p);
        p += secret ? strlen(secret) : 1;
    }
    return rc;
}

/* --- the file --- */

static int write_file(struct recorder *r)
{
    struct buf text = {0};
    struct jsonw w;
    jw_begin(&w, &text);
    jw_open(&w, '{');
    jw_ktree(&w, "turns", r->turns);
    jw_close(&w);
    int rc = jw_end(&w);
    FILE *f = rc == 0 ? fopen(r->options.file, "w") : NULL;
    bool written = f && fwrite(text.p, 1, text.n, f) == text.n && fputc('\n', f) != EOF;
    if (f)
        written = fclose(f) == 0 && written;
    if (!written)
        log_error("mock-provider: %s cannot be written: %s", r->options.file,
                  rc < 0 ? err_text(rc) : strerror(errno));
    buf_deinit(&text);
    return written ? 0 : E_IO;
}

/* A member with what keys were in it struck out. */
static int add_redacted(struct passage *x, const char *name, const char *p, size_t n)
{
    struct buf text = {0};
    int rc = redact(x, p, n, &text);
    if (rc == 0 && (!buf_cstr(&text) || !cJSON_AddStringToObject(x->turn, name, text.p)))
        rc = E_NOMEM;
    buf_deinit(&text);
    return rc;
}

static int add_cut(struct passage *x)
{
    cJSON *wire = cJSON_AddObjectToObject(x->turn, "wire");
    cJSON *cut = wire ? cJSON_AddObjectToObject(wire, "cut") : NULL;
    return cut && cJSON_AddNumberToObject(cut, "bytes", (double)x->body.n) ? 0 : E_NOMEM;
}

/* The answer is over: another turn of the script. */
static void save(struct passage *x, bool whole)
{
    int rc = add_redacted(x, "body", x->body.p, x->body.n);
    if (rc == 0 && !whole)
        rc = add_cut(x);
    if (rc == 0 && cJSON_AddItemToArray(x->r->turns, x->turn)) {
        x->turn = NULL;
        rc = write_file(x->r);
    } else {
        rc = E_NOMEM;
    }
    if (rc == E_NOMEM)
        log_error("mock-provider: an answer is not recorded: %s", err_text(rc));
}

/* --- there --- */

static bool is_passed(const char *name)
{
    static const char *const ours[] = {
        "host",   "connection", "content-length",  "transfer-encoding", "te",
        "expect", "keep-alive", "accept-encoding", "upgrade",           "trailer"};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (strcasecmp(ours[i], name) == 0)
            return false;
    return true;
}

/* NULL-ended "Name: value" lines in `lines`, whose texts the caller frees. */
static int make_headers(const struct httpd_req *req, char *lines[HEADERS_MAX + 1])
{
    const struct httpd_header *list;
    size_t n = httpd_headers(req, &list), used = 0;
    for (size_t i = 0; i < n && used < HEADERS_MAX; i++) {
        struct buf line = {0};
        if (!is_passed(list[i].name))
            continue;
        int rc = buf_addf(&line, "%s: %s", list[i].name, list[i].value);
        lines[used] = rc == 0 ? buf_take(&line) : NULL;
        buf_deinit(&line);
        if (!lines[used++])
            return E_NOMEM;
    }
    return 0;
}

static void on_passage_status(void *ctx, long status);
static void on_passage_data(void *ctx, const char *bytes, size_t n);
static void on_passage_done(void *ctx, const struct fetch_result *result);

static const struct fetch_ops passage_ops = {on_passage_status, on_passage_data, on_passage_done};

static int start_fetch(struct passage *x)
{
    char *lines[HEADERS_MAX + 1] = {0};
    struct buf url = {0};
    struct fetch_options o = {.method = httpd_method(x->req),
                              .headers = (const char *const *)lines};
    int rc = make_headers(x->req, lines);
    if (rc == 0)
        rc = buf_addf(&url, "%s%s", x->r->options.url, httpd_path(x->req));
    if (rc == 0 && !buf_cstr(&url))
        rc = E_NOMEM;
    o.url = url.p;
    o.body = httpd_body(x->req, &o.body_n);
    if (o.body_n == 0)
        o.body = NULL;
    if (rc == 0)
        rc = fetch_start(x->r->fetch, &o, &passage_ops, x, &x->fetch);
    for (size_t i = 0; lines[i]; i++)
        free(lines[i]);
    buf_deinit(&url);
    return rc;
}

/* --- and back --- */

static void passage_destroy(struct passage *x)
{
    for (size_t i = 0; i < x->secret_n; i++)
        free(x->secrets[i]);
    cJSON_Delete(x->turn);
    buf_deinit(&x->body);
    free(x);
}

static void answer_failure(struct httpd_req *req, const char *text)
{
    struct buf body = {0};
    struct jsonw w;
    jw_begin(&w, &body);
    jw_open(&w, '{');
    jw_kopen(&w, "error", '{');
    jw_kstr(&w, "message", text);
    jw_close(&w);
    jw_close(&w);
    if (jw_end(&w) < 0)
        httpd_cut(req, true);
    else
        httpd_answer(req, &(struct httpd_reply){.status = 502,
                                                .content_type = "application/json",
                                                .body = body.p,
                                                .body_n = body.n});
    buf_deinit(&body);
}

/* The headers that callers act upon; both into the answer and into the script. */
static size_t take_headers(struct passage *x, struct httpd_header list[4])
{
    static const char *const names[] = {"content-type", "retry-after", "retry-after-ms",
                                        "x-should-retry"};
    size_t n = 0;
    cJSON *headers = x->turn ? cJSON_AddObjectToObject(x->turn, "headers") : NULL;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *value = fetch_header(x->fetch, names[i]);
        if (!value)
            continue;
        list[n++] = (struct httpd_header){names[i], value};
        if (headers)
            cJSON_AddStringToObject(headers, names[i], value);
    }
    return n;
}

static void on_passage_status(void *ctx, long status)
{
    struct passage *x = ctx;
    struct httpd_header headers[4];
    size_t n = take_headers(x, headers);
    x->begun = true;
    if (x->turn)
        cJSON_AddNumberToObject(x->turn, "status", (double)status);
    if (x->req)
        httpd_begin(x->req, &(struct httpd_reply){
                                .status = (int)status, .headers = headers, .header_n = n});
}

static void on_passage_data(void *ctx, const char *bytes, size_t n)
{
    struct passage *x = ctx;
    if (buf_add(&x->body, bytes, n) < 0)
        log_error("mock-provider: an answer is recorded in part: %s", err_text(E_NOMEM));
    if (!x->req)
        return;
    httpd_write(x->req, bytes, n);
    if (httpd_waiting(x->req) > HTTPD_HIGH)
        fetch_pause(x->fetch, true);
}

static void on_passage_done(void *ctx, const struct fetch_result *result)
{
    struct passage *x = ctx;
    struct httpd_req *req = x->req;
    if (x->turn && x->begun && result->rc != E_CANCELLED)
        save(x, result->rc == 0);
    if (req)
        httpd_set_user(req, NULL); /* on_over has nothing to tell any more */
    if (req && result->rc == 0)
        httpd_end(req);
    else if (req && x->begun)
        httpd_cut(req, false);
    else if (req)
        answer_failure(req, result->text);
    passage_destroy(x);
}

/* --- requests --- */

/* What the recording is of, for whoever reads the script. */
static int begin_turn(struct passage *x)
{
    struct fault fault;
    cJSON *neutral = NULL;
    const struct dialect *d = dialect_for(x->req);
    int rc = request_read(d, x->req, ++x->r->n, &neutral, &fault);
    const char *text = json_get_str(json_get(neutral, "last"), "text");
    if (rc == E_INVALID)
        rc = 0; /* whether it is refused is the real server's affair */
    x->turn = cJSON_CreateObject();
    if (!x->turn)
        rc = E_NOMEM;
    if (rc == 0 && text)
        rc = add_redacted(x, "note", text, strnlen(text, NOTE_MAX));
    cJSON_Delete(neutral);
    return rc;
}

static void on_request(void *ctx, struct httpd_req *req)
{
    struct recorder *r = ctx;
    struct passage *x = calloc(1, sizeof *x);
    int rc = x ? 0 : E_NOMEM;
    if (x) {
        x->r = r;
        x->req = req;
        rc = note_secrets(x, req);
        x->is_call = dialect_for(req)->route(httpd_method(req), httpd_path(req)) == ROUTE_REPLY;
    }
    if (rc == 0 && x->is_call)
        rc = begin_turn(x);
    if (rc == 0)
        rc = start_fetch(x);
    if (rc == 0) {
        httpd_set_user(req, x);
        return;
    }
    answer_failure(req, err_text(rc));
    if (x)
        passage_destroy(x);
}

static void on_over(void *ctx, struct httpd_req *req, bool complete)
{
    struct passage *x = httpd_user(req);
    (void)ctx;
    (void)complete;
    if (!x)
        return;
    x->req = NULL;
    fetch_cancel(x->fetch);
}

static void on_drain(void *ctx, struct httpd_req *req)
{
    struct passage *x = httpd_user(req);
    (void)ctx;
    if (x)
        fetch_pause(x->fetch, false);
}

/* --- life --- */

static void closed_one(void *ctx)
{
    struct recorder *r = ctx;
    if (--r->open > 0)
        return;
    void (*on_closed)(void *) = r->on_closed;
    void *closed_ctx = r->ctx;
    cJSON_Delete(r->turns);
    free(r);
    on_closed(closed_ctx);
}

int recorder_open(uv_loop_t *loop, const struct recorder_options *options,
                  void (*on_closed)(void *ctx), void *ctx, struct recorder **ret)
{
    static const struct httpd_ops ops = {on_request, on_over, on_drain, closed_one};
    struct recorder *r = calloc(1, sizeof *r);
    int rc = r && (r->turns = cJSON_CreateArray()) ? 0 : E_NOMEM;
    if (rc == 0)
        rc = fetch_create(loop, &r->fetch);
    if (rc == 0)
        rc = httpd_open(loop, options->port, &ops, r, &r->httpd);
    if (rc < 0) {
        if (r && r->fetch)
            fetch_close(r->fetch, NULL, NULL);
        cJSON_Delete(r ? r->turns : NULL);
        free(r);
        return rc;
    }
    r->loop = loop;
    r->options = *options;
    r->on_closed = on_closed;
    r->ctx = ctx;
    r->open = 2;
    *ret = r;
    return 0;
}

int recorder_port(const struct recorder *r)
{
    return httpd_port(r->httpd);
}

void recorder_close(struct recorder *r)
{
    if (r->closing)
        return;
    r->closing = true;
    httpd_close(r->httpd);
    fetch_close(r->fetch, closed_one, r);
}
