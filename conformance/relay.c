#include "conformance/relay.h"

#include "base/err.h"
#include "uvio/child.h"
#include "uvio/stream.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SIGNALS = 3,
    FLUSH_MS = 5000 /* for a client that does not read on when the agent is over */
};

struct relay {
    const struct relay_ops *ops;
    void *ctx;
    struct child *child;   /* NULL once it is over */
    struct stream *client; /* NULL once it is closed */
    uv_signal_t signals[SIGNALS];
    unsigned handles; /* open ones of the signals */
    int64_t code;
    int signum;
};

/* ---- the end: the child, the client's stream, the signals ---------------------------------------
 */

static void on_signal_closed(uv_handle_t *handle)
{
    struct relay *r = handle->data;
    if (--r->handles > 0)
        return;
    r->ops->on_over(r->ctx, r->code, r->signum);
    free(r);
}

static void close_signals(struct relay *r)
{
    for (size_t i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&r->signals[i], on_signal_closed);
}

static void on_exit_of_child(void *ctx, int64_t code, int signum)
{
    struct relay *r = ctx;
    r->child = NULL;
    r->code = code;
    r->signum = signum;
    if (r->client)
        stream_close_flushed(r->client, 0, FLUSH_MS);
    else
        close_signals(r);
}

/* Nobody reads what the agent says any more: it is told the way a pipe would tell it, and then,
 * as nothing of it can be of use, ended. */
static void on_client_closed(void *ctx, int why)
{
    struct relay *r = ctx;
    (void)why;
    r->client = NULL;
    if (!r->child) {
        close_signals(r);
        return;
    }
    child_close_stdin(r->child);
    child_stop(r->child);
}

/* ---- bytes --------------------------------------------------------------------------------------
 */

static void on_client_read(void *ctx, const char *bytes, size_t n)
{
    struct relay *r = ctx;
    if (r->child) {
        if (buf_add(child_in(r->child), bytes, n) < 0)
            child_kill(r->child);
        child_flush(r->child);
    }
    r->ops->on_bytes(r->ctx, TRACE_CLIENT, bytes, n);
}

static void on_client_eof(void *ctx, int rc)
{
    struct relay *r = ctx;
    (void)rc;
    if (r->child)
        child_close_stdin(r->child);
    r->ops->on_bytes(r->ctx, TRACE_CLIENT, "", 0);
}

static void on_client_pressure(void *ctx, bool high)
{
    struct relay *r = ctx;
    if (r->child)
        child_pause_stdout(r->child, high);
}

static void on_agent_stdout(void *ctx, const char *bytes, size_t n)
{
    struct relay *r = ctx;
    if (r->client && n == 0)
        stream_shutdown(r->client);
    if (r->client && n > 0) {
        if (buf_add(stream_out(r->client), bytes, n) < 0)
            child_kill(r->child);
        stream_flush(r->client);
    }
    r->ops->on_bytes(r->ctx, TRACE_AGENT, bytes, n);
}

/* stderr is for people: written as it comes, and waited for, as a terminal or a log file take it at
 * once. */
static void on_agent_stderr(void *ctx, const char *bytes, size_t n)
{
    struct relay *r = ctx;
    for (size_t at = 0; at < n;) {
        ssize_t wrote = write(STDERR_FILENO, bytes + at, n - at);
        if (wrote <= 0)
            break;
        at += (size_t)wrote;
    }
    r->ops->on_bytes(r->ctx, TRACE_STDERR, bytes, n);
}

static void on_agent_pressure(void *ctx, bool high)
{
    struct relay *r = ctx;
    if (r->client)
        stream_pause(r->client, high);
}

static void on_signal(uv_signal_t *handle, int signum)
{
    struct relay *r = handle->data;
    if (r->child)
        child_signal(r->child, signum);
}

/* ---- the start ----------------------------------------------------------------------------------
 */

static const struct child_ops child_ops = {
    .on_stdout = on_agent_stdout,
    .on_stderr = on_agent_stderr,
    .on_pressure = on_agent_pressure,
    .on_exit = on_exit_of_child,
};
static const struct stream_ops client_ops = {
    .on_read = on_client_read,
    .on_eof = on_client_eof,
    .on_pressure = on_client_pressure,
    .on_closed = on_client_closed,
};

static void watch_signals(struct relay *r, uv_loop_t *loop)
{
    static const int signums[SIGNALS] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < SIGNALS; i++) {
        uv_signal_init(loop, &r->signals[i]);
        r->signals[i].data = r;
        uv_signal_start(&r->signals[i], on_signal, signums[i]);
        uv_unref((uv_handle_t *)&r->signals[i]);
        r->handles++;
    }
}

int relay_open(uv_loop_t *loop, const char *const *argv, const struct relay_ops *ops, void *ctx,
               struct relay **ret)
{
    const struct child_options options = {.argv = argv};
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return E_NOMEM;
    *r = (struct relay){.ops = ops, .ctx = ctx};
    int rc = child_spawn(loop, &options, &child_ops, r, &r->child);
    if (rc < 0) {
        free(r);
        return rc;
    }
    watch_signals(r, loop);
    if (stream_open(loop, STDIN_FILENO, STDOUT_FILENO, &client_ops, r, &r->client) < 0)
        child_kill(r->child);
    *ret = r;
    return 0;
}
