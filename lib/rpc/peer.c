#include "rpc/peer.h"

#include "base/err.h"
#include "rpc/peer_impl.h"

#include <assert.h>
#include <stdlib.h>

#define DEFAULT_MAX_LINE (64u << 20)

/* ---- life -------------------------------------------------------------------------------- */

/* What only a living peer needs; an inert shell may have to wait long for its last request. */
static void drop_buffers(struct peer *p)
{
    ndjson_deinit(&p->lines);
    buf_deinit(&p->method);
    buf_deinit(&p->key);
}

static void destroy(struct peer *p)
{
    drop_buffers(p);
    table_deinit(&p->requests);
    table_deinit(&p->calls);
    free(p);
}

int peer_create(const struct peer_ops *ops, void *ctx, struct buf *out,
                const struct peer_options *options, struct peer **ret)
{
    size_t max_line = options ? options->max_line : 0;
    struct peer *p = calloc(1, sizeof *p);
    if (!p)
        return E_NOMEM;
    p->ops = ops;
    p->ctx = ctx;
    p->out = out;
    ndjson_init(&p->lines, max_line ? max_line : DEFAULT_MAX_LINE);
    list_init(&p->call_order);
    list_init(&p->owed);
    if (table_init(&p->requests) < 0 || table_init(&p->calls) < 0) {
        destroy(p);
        return E_NOMEM;
    }
    *ret = p;
    return 0;
}

void peer_close(struct peer *p)
{
    if (!p || p->closed)
        return;
    peer_enter(p);
    p->closed = true;
    requests_forget_owed(p);
    calls_complete_all(p, E_CLOSED);
    peer_leave(p);
}

void peer_enter(struct peer *p)
{
    p->depth++;
}

/* Told from depth 1 only: what on_output itself causes is told by this loop, not by re-entry. */
static void tell_output(struct peer *p)
{
    requests_pay(p);
    while (p->dirty && !p->closed) {
        p->dirty = false;
        p->ops->on_output(p->ctx);
    }
}

void peer_leave(struct peer *p)
{
    if (p->depth == 1)
        tell_output(p);
    if (--p->depth > 0 || !p->closed)
        return;
    drop_buffers(p);
    if (p->refs == 0)
        destroy(p);
}

/* ---- output ------------------------------------------------------------------------------ */

struct jsonw *peer_line_begin(struct peer *p)
{
    struct jsonw *w = &p->w;
    assert(!p->writing); /* one line at a time */
    p->writing = true;
    jw_begin(w, p->closed ? &p->nowhere : p->out);
    if (p->closed)
        w->err = E_CLOSED; /* sticky: nothing is written */
    jw_open(w, '{');
    jw_kstr(w, "jsonrpc", "2.0");
    return w;
}

int peer_line_end(struct peer *p)
{
    struct jsonw *w = &p->w;
    p->writing = false;
    jw_close(w);
    int rc = jw_end(w);
    if (rc < 0)
        return rc;
    rc = buf_addc(w->out, '\n');
    if (rc < 0)
        w->out->n = w->start;
    else
        p->dirty = true;
    return rc;
}

/* ---- input ------------------------------------------------------------------------------- */

/* As ndjson_next; at the end of input the unfinished last line counts as well. */
static int next_line(struct peer *p, char **ret_line, size_t *ret_n)
{
    int rc = ndjson_next(&p->lines, ret_line, ret_n);
    if (rc == 0 && p->eof)
        rc = ndjson_rest(&p->lines, ret_line, ret_n);
    return rc;
}

static void handle_lines(struct peer *p)
{
    char *line;
    size_t n;
    int rc;
    while (!p->closed && !p->paused && (rc = next_line(p, &line, &n)) != 0) {
        if (rc < 0)
            peer_refuse_long_line(p);
        else
            peer_route(p, line, n);
    }
}

static int drain(struct peer *p)
{
    if (p->draining || p->paused)
        return 0; /* the running loop, or the resumption, comes to it */
    peer_enter(p);
    p->draining = true;
    handle_lines(p);
    p->draining = false;
    if (p->eof && !p->eof_told && !p->paused && !p->closed) {
        p->eof_told = true;
        calls_complete_all(p, E_CLOSED);
    }
    int rc = p->closed ? E_CLOSED : p->lost;
    p->lost = 0;
    peer_leave(p);
    return rc;
}

int peer_feed(struct peer *p, const char *bytes, size_t n)
{
    if (p->closed)
        return E_CLOSED;
    int rc = ndjson_feed(&p->lines, bytes, n);
    return rc < 0 ? rc : drain(p);
}

int peer_eof(struct peer *p)
{
    if (p->closed)
        return E_CLOSED;
    p->eof = true;
    return drain(p);
}

void peer_pause(struct peer *p, bool paused)
{
    if (p->closed || p->paused == paused)
        return;
    p->paused = paused;
    if (!paused)
        drain(p);
}
