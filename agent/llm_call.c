#include "agent/llm_call.h"

#include "agent/llm_error.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ERROR_BODY_MAX (64u << 10)
#define SECRET_MIN     8
#define HEADERS_MAX    64

struct llm_call {
    const struct llm_dialect *dialect;
    struct llm_reader *reader;
    struct fetch_req *fetch;
    struct buf error_body; /* of an answer other than 200 */
    char *key;             /* owned; never to appear in an error text */
    long status;
    bool over; /* delivered or abandoned: no callback any more */
    const struct llm_call_ops *ops;
    void *ctx;
};

static void destroy(struct llm_call *call)
{
    if (call->reader)
        call->dialect->reader_destroy(call->reader);
    buf_deinit(&call->error_body);
    free(call->key);
    free(call);
}

/* Some providers quote the key they refuse. What is shorter is no secret, but may be a word. */
static void hide_key(const struct llm_call *call, char *text)
{
    size_t n = strlen(call->key);
    while (n >= SECRET_MIN && (text = strstr(text, call->key)) != NULL) {
        memset(text, '*', n);
        text += n;
    }
}

/* May free everything but the call itself: the last thing to do. */
static void deliver(struct llm_call *call, struct llm_reply *reply)
{
    call->over = true;
    hide_key(call, reply->error.text);
    call->ops->on_done(call->ctx, reply);
    llm_reply_deinit(reply);
}

static void read_error(struct llm_call *call, struct llm_reply *ret)
{
    const char *retry = fetch_header(call->fetch, "x-should-retry");
    ret->finish = LLM_FINISH_FAILED;
    call->dialect->read_error(call->status, call->error_body.p, call->error_body.n, &ret->error);
    llm_error_read_wait(&ret->error, fetch_header(call->fetch, "retry-after-ms"),
                        fetch_header(call->fetch, "retry-after"), time(NULL));
    if (retry && strcmp(retry, "true") == 0)
        ret->error.retry = true;
    if (retry && strcmp(retry, "false") == 0)
        ret->error.retry = false;
}

/* The connection ended before the answer did. What is whole all the same counts. */
static void explain_cut(const struct fetch_result *result, struct llm_reply *reply)
{
    if (reply->finish != LLM_FINISH_NONE)
        return;
    reply->error.retry = result->rc == E_IO || result->rc == E_TIMEOUT;
    llm_error_set(&reply->error, result->text);
}

static void finish(struct llm_call *call, const struct fetch_result *result)
{
    struct llm_reply reply = {0};
    if (call->status != 0 && call->status != 200)
        read_error(call, &reply);
    else
        call->dialect->reader_finish(call->reader, &reply);
    if (result->rc < 0)
        explain_cut(result, &reply);
    deliver(call, &reply);
}

static void on_status(void *ctx, long status)
{
    struct llm_call *call = ctx;
    call->status = status;
}

static void feed(struct llm_call *call, const char *bytes, size_t n)
{
    struct llm_reply reply = {0};
    if (call->dialect->reader_feed(call->reader, bytes, n) == 0) {
        call->ops->on_burst(call->ctx);
        return;
    }
    /* Whole: what the connection still has to say is of no interest, and it stays usable. */
    call->dialect->reader_finish(call->reader, &reply);
    deliver(call, &reply);
}

static void on_data(void *ctx, const char *bytes, size_t n)
{
    struct llm_call *call = ctx;
    if (call->over)
        return;
    if (call->status == 200)
        feed(call, bytes, n);
    else if (call->error_body.n < ERROR_BODY_MAX)
        buf_add(&call->error_body, bytes, n); /* a part serves as well */
}

static void on_done(void *ctx, const struct fetch_result *result)
{
    struct llm_call *call = ctx;
    if (!call->over)
        finish(call, result);
    destroy(call);
}

static const struct fetch_ops ops_of_fetch = {
    .on_status = on_status, .on_data = on_data, .on_done = on_done};

struct texts {
    struct buf url, auth, body;
};

static int write_texts(const struct llm_request *req, struct texts *t)
{
    const struct llm_dialect *d = req->to->dialect;
    int rc = d->write_url(req->to, &t->url);
    if (rc == 0)
        rc = d->write_auth(req->to, &t->auth);
    if (rc == 0)
        rc = d->write_body(req, &t->body);
    return rc == 0 && buf_cstr(&t->url) && buf_cstr(&t->auth) ? 0 : E_NOMEM;
}

/* NULL-terminated. */
static void list_headers(const struct llm_request *req, const struct texts *t,
                         const char *ret[HEADERS_MAX])
{
    size_t n = 0;
    ret[n++] = "Content-Type: application/json";
    ret[n++] = "Accept: text/event-stream";
    ret[n++] = "Accept-Encoding: identity"; /* what is compressed on its way comes late */
    ret[n++] = "User-Agent: acp-agent/" ACP_VERSION;
    if (req->to->dialect->header)
        ret[n++] = req->to->dialect->header;
    if (t->auth.n > 0)
        ret[n++] = t->auth.p;
    for (const char *const *h = req->to->headers; h && *h && n < HEADERS_MAX - 1; h++)
        ret[n++] = *h;
    ret[n] = NULL;
}

static int send_request(struct llm_call *call, struct fetch *fetch, const struct llm_request *req)
{
    struct texts t = {0};
    const char *headers[HEADERS_MAX];
    int rc = write_texts(req, &t);
    if (rc == 0)
        list_headers(req, &t, headers);
    struct fetch_options options = {.method = "POST",
                                    .url = t.url.p,
                                    .headers = headers,
                                    .body = t.body.p,
                                    .body_n = t.body.n,
                                    .idle_ms = req->idle_ms,
                                    .decode = true};
    if (rc == 0)
        rc = fetch_start(fetch, &options, &ops_of_fetch, call, &call->fetch);
    buf_deinit(&t.url);
    buf_deinit(&t.auth);
    buf_deinit(&t.body);
    return rc;
}

int llm_call_start(struct fetch *fetch, const struct llm_request *req,
                   const struct llm_call_ops *ops, void *ctx, struct llm_call **ret)
{
    struct llm_call *call = calloc(1, sizeof *call);
    if (!call)
        return E_NOMEM;
    call->dialect = req->to->dialect;
    call->ops = ops;
    call->ctx = ctx;
    call->key = strdup(req->to->key);
    call->reader = call->dialect->reader_create(ops->on_text, ctx);
    int rc = call->key && call->reader ? send_request(call, fetch, req) : E_NOMEM;
    if (rc < 0)
        destroy(call);
    else
        *ret = call;
    return rc;
}

void llm_call_pause(struct llm_call *call, bool paused)
{
    fetch_pause(call->fetch, paused);
}

void llm_call_abandon(struct llm_call *call)
{
    if (!call || call->over)
        return;
    call->over = true;
    fetch_cancel(call->fetch);
}
