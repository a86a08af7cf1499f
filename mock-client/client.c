#include "mock-client/client.h"

#include "mock-client/client_out.h"
#include "mock-client/lines.h"
#include "mock-client/proctree.h"

#include "base/buf.h"
#include "base/err.h"
#include "uvio/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT_MAX_LINE  ((size_t)64 << 20)
#define CLIENT_MAX_BYTES ((size_t)1 << 30)
#define CLIENT_EOF_MS    2000
#define CLIENT_TAIL      8192

struct client {
    const struct client_ops *ops;
    void *ctx;
    struct trace *trace;
    const char *agent;
    const char *mark;
    int killed;      /* processes that outlived it and had to be ended */
    bool group_gone; /* its group was empty once: the number may be another's now */
    const struct client_wire *wire;
    size_t max_bytes;
    uint64_t eof_ms;
    struct child *child; /* NULL once it is over */
    int pid;
    struct client_out out;
    uv_timer_t ladder;
    struct lines wire_in; /* before the filter */
    struct lines seen;    /* behind it */
    bool draining;
    struct buf tail; /* of stderr */
    uint64_t bytes_read;
    int64_t code;
    int signum;
    int error;
    bool stdout_open, signalled, stopping, flooded, closing;
    int open_handles;
};

/* Several clients may share a trace. */
static const struct trace_event *put(struct client *c, enum trace_side side, const char *kind,
                                     const char *bytes, size_t n)
{
    const char *before = c->trace->agent;
    c->trace->agent = c->agent;
    const struct trace_event *e = trace_add(c->trace, side, kind, bytes, n, NULL, uv_hrtime());
    c->trace->agent = before;
    return e;
}

static void note(struct client *c, enum trace_side side, const char *kind, const char *text)
{
    put(c, side, kind, text, strlen(text));
}

/* ---- from the agent ------------------------------------------------------------------------ */

/* Without a whole trace there is nothing to judge. */
static void out_of_memory(struct client *c)
{
    c->error = E_NOMEM;
    client_kill(c);
}

static void see_line(struct client *c, int kind, const char *p, size_t n)
{
    const char *name = kind < 0 ? "too-long" : lines_is_blank(p, n) ? "blank" : "line";
    if (!put(c, TRACE_AGENT, name, p, n))
        out_of_memory(c);
}

static void see_rest(struct client *c, const char *p, size_t n)
{
    if (!put(c, TRACE_AGENT, "rest", p, n))
        out_of_memory(c);
}

static void drain_seen(struct client *c)
{
    char *p;
    size_t n;
    int kind;
    if (c->draining)
        return; /* the outermost call goes on with what was added */
    c->draining = true;
    while ((kind = lines_next(&c->seen, &p, &n)) != 0)
        see_line(c, kind, p, n);
    c->draining = false;
}

void client_deliver(struct client *c, enum trace_side from, const char *bytes, size_t n)
{
    if (from == TRACE_CLIENT) {
        client_out_write(&c->out, bytes, n);
        return;
    }
    if (!c->stdout_open)
        return;
    if (lines_feed(&c->seen, bytes, n) < 0)
        out_of_memory(c);
    else
        drain_seen(c);
}

/* The byte behind the line belongs to what follows; it is a NUL only while the filter looks. */
static void pass_agent_bytes(struct client *c, char *p, size_t n)
{
    char behind = p[n];
    p[n] = '\0';
    c->wire->pass(c->wire->ctx, c, TRACE_AGENT, p, n);
    p[n] = behind;
}

static void filter_stdout(struct client *c, const char *bytes, size_t n)
{
    char *p;
    size_t len;
    if (lines_feed(&c->wire_in, bytes, n) < 0) {
        out_of_memory(c);
        return;
    }
    while (lines_next(&c->wire_in, &p, &len) == 1)
        pass_agent_bytes(c, p, len + 1);
}

static void end_stdout(struct client *c)
{
    char *p;
    size_t n;
    if (!c->stdout_open)
        return;
    if (c->wire && c->wire->pass && lines_rest(&c->wire_in, &p, &n) == 1)
        pass_agent_bytes(c, p, n);
    if (c->wire && c->wire->on_end)
        c->wire->on_end(c->wire->ctx, c);
    c->stdout_open = false;
    if (lines_rest(&c->seen, &p, &n) == 1)
        see_rest(c, p, n);
    note(c, TRACE_PROCESS, "stdout-eof", "");
}

static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct client *c = ctx;
    c->bytes_read += n;
    if (n == 0) {
        end_stdout(c);
        return;
    }
    if (c->flooded)
        return;
    if (c->bytes_read > c->max_bytes) {
        c->flooded = true;
        note(c, TRACE_PROCESS, "flood", "stdout went over the limit, the agent was killed");
        client_kill(c);
        return;
    }
    if (c->wire && c->wire->pass)
        filter_stdout(c, bytes, n);
    else
        client_deliver(c, TRACE_AGENT, bytes, n);
}

static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    struct client *c = ctx;
    if (n == 0)
        return;
    if (c->trace->stderr_bytes < TRACE_STDERR_MAX) {
        c->trace->stderr_bytes += n;
        put(c, TRACE_STDERR, "bytes", bytes, n);
    }
    if (n > CLIENT_TAIL) {
        bytes += n - CLIENT_TAIL;
        n = CLIENT_TAIL;
    }
    if (buf_add(&c->tail, bytes, n) == 0 && c->tail.n > CLIENT_TAIL)
        buf_consume(&c->tail, c->tail.n - CLIENT_TAIL);
    if (!buf_cstr(&c->tail))
        buf_deinit(&c->tail);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct client *c = handle->data;
    if (--c->open_handles > 0)
        return;
    const struct client_ops *ops = c->ops;
    void *ctx = c->ctx;
    lines_deinit(&c->wire_in);
    lines_deinit(&c->seen);
    client_out_deinit(&c->out);
    buf_deinit(&c->tail);
    free(c);
    ops->on_closed(ctx);
}

static struct proctree tree_of(const struct client *c)
{
    return (struct proctree){.root = c->pid, .mark = c->mark};
}

static void on_left(void *ctx)
{
    struct client *c = ctx;
    struct proctree tree = tree_of(c);
    int n = proctree_signal(&tree, PROCTREE_GROUP, 0);
    c->killed += n > 0 ? n : 0;
}

static void finish(struct client *c)
{
    struct proctree tree = tree_of(c);
    if (proctree_bury(&tree, !c->group_gone))
        note(c, TRACE_PROCESS, "group", "processes that the agent has left were killed");
    c->out.pump.data = c;
    c->open_handles = 2;
    uv_close((uv_handle_t *)&c->out.pump, on_handle_closed);
    uv_close((uv_handle_t *)&c->ladder, on_handle_closed);
}

static void note_exit(struct client *c)
{
    char text[64];
    if (c->signum)
        snprintf(text, sizeof text, "signal %d", c->signum);
    else
        snprintf(text, sizeof text, "code %lld", (long long)c->code);
    note(c, TRACE_PROCESS, "exit", text);
}

static void on_child_exit(void *ctx, int64_t code, int signum)
{
    struct client *c = ctx;
    bool closing = c->closing; /* on_exit below may close, which then finishes by itself */
    end_stdout(c);
    c->group_gone = kill(-c->pid, 0) < 0;
    c->child = NULL;
    client_out_end(&c->out);
    uv_timer_stop(&c->ladder);
    if (c->wire && c->wire->on_exit)
        c->wire->on_exit(c->wire->ctx, &code, &signum);
    c->code = signum ? -1 : code;
    c->signum = signum;
    note_exit(c);
    if (c->ops->on_exit)
        c->ops->on_exit(c->ctx);
    if (closing)
        finish(c);
}

static void on_ladder(uv_timer_t *timer)
{
    struct client *c = CONTAINER_OF(timer, struct client, ladder);
    if (!c->child)
        return;
    c->signalled = true;
    note(c, TRACE_PROCESS, "signal", "TERM, KILL follows: the agent did not end after EOF");
    child_stop(c->child);
}

void client_stop(struct client *c)
{
    if (c->stopping || !c->child)
        return;
    c->stopping = true;
    client_close_stdin(c);
    uv_timer_start(&c->ladder, on_ladder, c->eof_ms, 0);
}

void client_kill(struct client *c)
{
    if (!c->child)
        return;
    c->signalled = true;
    note(c, TRACE_PROCESS, "signal", "KILL");
    child_kill(c->child);
}

int client_signal(struct client *c, int signum)
{
    char text[32];
    if (!c->child)
        return UV_ESRCH;
    c->signalled = true;
    snprintf(text, sizeof text, "signal %d", signum);
    note(c, TRACE_PROCESS, "signal", text);
    return uv_kill(c->pid, signum);
}

void client_close(struct client *c)
{
    if (!c || c->closing)
        return;
    c->closing = true;
    if (c->child)
        client_stop(c);
    else
        finish(c);
}

/* ---- to the agent -------------------------------------------------------------------------- */

/* bytes[n] is readable and NUL. */
static void emit(struct client *c, const char *bytes, size_t n)
{
    if (c->wire && c->wire->pass)
        c->wire->pass(c->wire->ctx, c, TRACE_CLIENT, bytes, n);
    else
        client_deliver(c, TRACE_CLIENT, bytes, n);
}

const struct trace_event *client_send(struct client *c, const char *line, size_t n)
{
    const struct trace_event *e = put(c, TRACE_CLIENT, "line", line, n);
    struct buf whole = {0};
    bool ok = e && buf_add(&whole, line, n) == 0 && buf_addc(&whole, '\n') == 0;
    if (ok && buf_cstr(&whole))
        emit(c, whole.p, whole.n);
    else
        e = NULL;
    buf_deinit(&whole);
    return e;
}

const struct trace_event *client_send_raw(struct client *c, const char *bytes, size_t n)
{
    const struct trace_event *e = put(c, TRACE_CLIENT, "raw", bytes, n);
    if (e)
        emit(c, e->bytes, n);
    return e;
}

const struct trace_event *client_send_cut(struct client *c, const char *bytes, size_t n,
                                          const size_t *sizes, size_t n_sizes)
{
    c->out.sizes = sizes;
    c->out.n_sizes = n_sizes;
    const struct trace_event *e = client_send_raw(c, bytes, n);
    c->out.sizes = NULL;
    return e;
}

size_t client_unsent(const struct client *c)
{
    return client_out_queued(&c->out);
}

void client_cork(struct client *c)
{
    client_out_cork(&c->out);
}

void client_uncork(struct client *c)
{
    client_out_uncork(&c->out);
}

void client_close_stdin(struct client *c)
{
    if (!c->child || c->out.eof)
        return;
    note(c, TRACE_PROCESS, "eof-sent", "");
    if (c->wire && c->wire->may_close_stdin && !c->wire->may_close_stdin(c->wire->ctx))
        return;
    client_out_eof(&c->out);
}

/* ---- the beginning ------------------------------------------------------------------------- */

static const struct child_ops child_callbacks = {
    .on_stdout = on_stdout,
    .on_stderr = on_stderr,
    .on_exit = on_child_exit,
};

static struct client *client_create(const struct client_options *options,
                                    const struct client_ops *ops, void *ctx)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct client){
        .ops = ops,
        .ctx = ctx,
        .trace = options->trace,
        .agent = options->agent,
        .mark = options->mark,
        .wire = options->wire,
        .max_bytes = options->max_bytes ? options->max_bytes : CLIENT_MAX_BYTES,
        .eof_ms = options->eof_ms ? options->eof_ms : CLIENT_EOF_MS,
        .code = -1,
        .stdout_open = true,
    };
    lines_init(&c->wire_in, SIZE_MAX); /* bounded by max_bytes */
    lines_init(&c->seen, options->max_line ? options->max_line : CLIENT_MAX_LINE);
    return c;
}

int client_open(uv_loop_t *loop, const struct client_options *options, const struct client_ops *ops,
                void *ctx, struct client **ret)
{
    struct client *c = client_create(options, ops, ctx);
    if (!c)
        return E_NOMEM;
    struct child_options spawn = {
        .argv = options->argv,
        .env = options->env,
        .cwd = options->cwd,
        .grace_ms = options->term_ms,
        .on_left = on_left,
    };
    int rc = child_spawn(loop, &spawn, &child_callbacks, c, &c->child);
    if (rc < 0) {
        free(c);
        return rc;
    }
    c->pid = child_pid(c->child);
    client_out_init(&c->out, loop);
    c->out.child = c->child;
    uv_timer_init(loop, &c->ladder);
    c->ladder.data = c;
    note(c, TRACE_PROCESS, "start", options->argv[0]);
    *ret = c;
    if (c->wire && c->wire->on_start)
        c->wire->on_start(c->wire->ctx, c);
    return 0;
}

/* ---- looks --------------------------------------------------------------------------------- */

bool client_running(const struct client *c)
{
    return c->child != NULL;
}

bool client_stdout_open(const struct client *c)
{
    return c->stdout_open;
}

int client_left(const struct client *c)
{
    struct proctree tree = tree_of(c);
    int n = proctree_signal(&tree, PROCTREE_ALL, 0);
    return n < 0 ? n : n + c->killed;
}

const char *client_agent(const struct client *c)
{
    return c->agent;
}

int client_pid(const struct client *c)
{
    return c->pid;
}

int64_t client_exit_code(const struct client *c)
{
    return c->code;
}

int client_exit_signal(const struct client *c)
{
    return c->signum;
}

bool client_was_signalled(const struct client *c)
{
    return c->signalled;
}

int client_error(const struct client *c)
{
    return c->out.failed ? E_NOMEM : c->error;
}

uint64_t client_bytes_read(const struct client *c)
{
    return c->bytes_read;
}

const char *client_stderr_tail(const struct client *c)
{
    return c->tail.p ? c->tail.p : "";
}
