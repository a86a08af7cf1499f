#include "uvio/child.h"

#include "base/err.h"
#include "uvio/end.h"
#include "uvio/pty.h"
#include "uvio/stream.h"

#include <signal.h>
#include <stdlib.h>

#define GRACE_MS  2000
#define LINGER_MS 500

enum { STDIN, STDOUT, STDERR, PIPES };

/* What the timer waits for. */
enum phase {
    PHASE_RUNNING,  /* nothing */
    PHASE_GRACE,    /* TERM was sent; then KILL */
    PHASE_KILLED,   /* KILL was sent; the exit is near */
    PHASE_LINGER,   /* it has exited, somebody keeps its output open; then KILL */
    PHASE_LAST_WAIT /* ... KILL was sent; after that nobody is waited for */
};

struct child {
    const struct child_ops *ops;
    void *ctx;
    uv_process_t process;
    uv_timer_t timer;
    uint64_t grace_ms, linger_ms;
    void (*on_left)(void *ctx);
    struct stream *pipes[PIPES]; /* our ends; NULL: inherited, or closed */
    bool quiet[PIPES];           /* its EOF was told, or there is none to come */
    struct buf in;               /* what child_in() lends; outlives the stdin stream */
    enum phase phase;
    bool stopping; /* asked to end: nothing of its group is left behind */
    bool spawned;  /* process is a handle */
    bool exited, paused, finished;
    int64_t code;
    int signum;
    int open; /* handles and streams to wait for before the memory goes */
};

/* ---- the end ----------------------------------------------------------------------------- */

static void release(struct child *c)
{
    if (--c->open > 0)
        return;
    if (c->ops)
        c->ops->on_exit(c->ctx, c->signum ? 0 : c->code, c->signum);
    buf_deinit(&c->in);
    free(c);
}

static void on_handle_closed(uv_handle_t *h)
{
    release(h->data);
}

static void tell_eof(struct child *c, int which)
{
    if (c->quiet[which])
        return;
    c->quiet[which] = true;
    if (c->ops && which == STDOUT)
        c->ops->on_stdout(c->ctx, "", 0);
    else if (c->ops && which == STDERR)
        c->ops->on_stderr(c->ctx, "", 0);
}

static void close_all(struct child *c)
{
    for (int i = 0; i < PIPES; i++)
        if (c->pipes[i])
            stream_close(c->pipes[i], 0);
    uv_close((uv_handle_t *)&c->timer, on_handle_closed);
    if (c->spawned)
        uv_close((uv_handle_t *)&c->process, on_handle_closed);
}

static void finish(struct child *c)
{
    if (c->finished)
        return;
    c->finished = true;
    if (c->stopping)
        uv_kill(-c->process.pid, SIGKILL);
    close_all(c);
    tell_eof(c, STDOUT);
    tell_eof(c, STDERR);
}

static void on_timer(uv_timer_t *t);

/* Goes on waiting for EOF. While our own side does not read, nobody is blamed for the silence,
 * unless the child was told to stop. */
static void linger(struct child *c, enum phase phase)
{
    c->phase = phase;
    if (!c->paused || c->stopping)
        uv_timer_start(&c->timer, on_timer, c->linger_ms, 0);
}

static void maybe_finish(struct child *c)
{
    if (c->exited && c->quiet[STDOUT] && c->quiet[STDERR])
        finish(c);
}

static void on_process_exit(uv_process_t *process, int64_t code, int signum)
{
    struct child *c = process->data;
    c->exited = true;
    c->code = code;
    c->signum = signum;
    if (c->phase != PHASE_GRACE) /* the rest of its group keeps the rest of the grace */
        linger(c, c->phase == PHASE_KILLED ? PHASE_LAST_WAIT : PHASE_LINGER);
    maybe_finish(c);
}

static void kill_group(struct child *c)
{
    uv_kill(-c->process.pid, SIGKILL);
    uv_timer_stop(&c->timer);
    if (c->exited)
        linger(c, PHASE_LAST_WAIT);
    else
        c->phase = PHASE_KILLED;
}

static void on_timer(uv_timer_t *t)
{
    struct child *c = t->data;
    if (c->phase == PHASE_LAST_WAIT) {
        finish(c); /* who keeps the pipes now has left the group */
        return;
    }
    if (c->phase == PHASE_LINGER && c->on_left)
        c->on_left(c->ctx);
    kill_group(c);
}

/* ---- its pipes --------------------------------------------------------------------------- */

static void on_stdout_read(void *ctx, const char *bytes, size_t n)
{
    struct child *c = ctx;
    c->ops->on_stdout(c->ctx, bytes, n);
}

static void on_stderr_read(void *ctx, const char *bytes, size_t n)
{
    struct child *c = ctx;
    c->ops->on_stderr(c->ctx, bytes, n);
}

static void on_stdout_eof(void *ctx, int rc)
{
    struct child *c = ctx;
    (void)rc; /* a read error ends it as well */
    tell_eof(c, STDOUT);
    maybe_finish(c);
}

static void on_stderr_eof(void *ctx, int rc)
{
    struct child *c = ctx;
    (void)rc;
    tell_eof(c, STDERR);
    maybe_finish(c);
}

static void on_stdin_pressure(void *ctx, bool high)
{
    struct child *c = ctx;
    if (c->ops && c->ops->on_pressure)
        c->ops->on_pressure(c->ctx, high);
}

static void on_pipe_closed(struct child *c, int which)
{
    c->pipes[which] = NULL;
    release(c);
}

/* Also when the child closed its stdin or died: EPIPE is no event of its own, the exit is. */
static void on_stdin_closed(void *ctx, int why)
{
    (void)why;
    on_pipe_closed(ctx, STDIN);
}

static void on_stdout_closed(void *ctx, int why)
{
    (void)why;
    on_pipe_closed(ctx, STDOUT);
}

static void on_stderr_closed(void *ctx, int why)
{
    (void)why;
    on_pipe_closed(ctx, STDERR);
}

static void ignore_read(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
}

static void ignore_eof(void *ctx, int rc)
{
    (void)ctx;
    (void)rc;
}

static const struct stream_ops pipe_ops[PIPES] = {
    [STDIN] = {ignore_read, ignore_eof, on_stdin_pressure, on_stdin_closed},
    [STDOUT] = {on_stdout_read, on_stdout_eof, NULL, on_stdout_closed},
    [STDERR] = {on_stderr_read, on_stderr_eof, NULL, on_stderr_closed},
};

/* ---- spawning ---------------------------------------------------------------------------- */

/* Plain pipes, not libuv's socket pairs: a child may open /dev/stdin. theirs: to be closed after
 * the spawn. */
static int open_pipe(struct child *c, int which, uv_file *ret_theirs)
{
    uv_file fds[2];
    int rc = uv_pipe(fds, 0, 0);
    if (rc < 0)
        return rc;
    bool input = which == STDIN;
    *ret_theirs = input ? fds[0] : fds[1];
    rc = input ? stream_open(c->timer.loop, -1, fds[1], &pipe_ops[which], c, &c->pipes[which])
               : stream_open(c->timer.loop, fds[0], -1, &pipe_ops[which], c, &c->pipes[which]);
    if (rc == 0)
        c->open++;
    return rc;
}

static int open_pipes(struct child *c, const bool inherit[PIPES], uv_file theirs[PIPES])
{
    for (int i = 0; i < PIPES; i++) {
        if (inherit[i]) {
            c->quiet[i] = true;
            continue;
        }
        int rc = open_pipe(c, i, &theirs[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* One stream reads and one writes, each with a descriptor of its own. */
static int open_terminal(struct child *c, uv_file theirs[PIPES])
{
    int in, out;
    c->quiet[STDERR] = true;
    int rc = pty_open(&in, &out, &theirs[STDIN]);
    if (rc < 0)
        return rc;
    rc = stream_open(c->timer.loop, -1, in, &pipe_ops[STDIN], c, &c->pipes[STDIN]);
    if (rc < 0) {
        end_close_fd(out);
        return rc;
    }
    c->open++;
    rc = stream_open(c->timer.loop, out, -1, &pipe_ops[STDOUT], c, &c->pipes[STDOUT]);
    c->open += rc == 0;
    return rc;
}

/* libuv's options are not const-correct; it only reads them. */
static char **unconst(const char *const *list)
{
    union {
        const char *const *from;
        char **to;
    } u = {.from = list};
    return u.to;
}

static int spawn(struct child *c, const struct child_options *o, const uv_file theirs[PIPES])
{
    uv_stdio_container_t stdio[PIPES];
    for (int i = 0; i < PIPES; i++) {
        int inherited = o->terminal ? theirs[STDIN] : i;
        stdio[i].flags = UV_INHERIT_FD;
        stdio[i].data.fd = theirs[i] < 0 ? inherited : theirs[i];
    }
    uv_process_options_t uv = {
        .exit_cb = on_process_exit,
        .file = o->argv[0],
        .args = unconst(o->argv),
        .env = unconst(o->env),
        .cwd = o->cwd,
        .flags = UV_PROCESS_DETACHED, /* setsid: a session and a group of its own */
        .stdio_count = PIPES,
        .stdio = stdio,
    };
    return uv_spawn(c->timer.loop, &c->process, &uv);
}

static struct child *create(uv_loop_t *loop, const struct child_options *o)
{
    struct child *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->grace_ms = o->grace_ms ? o->grace_ms : GRACE_MS;
    c->linger_ms = o->linger_ms ? o->linger_ms : LINGER_MS;
    uv_timer_init(loop, &c->timer);
    c->timer.data = c->process.data = c;
    c->open = 1;
    return c;
}

int child_spawn(uv_loop_t *loop, const struct child_options *options, const struct child_ops *ops,
                void *ctx, struct child **ret)
{
    const bool inherit[PIPES] = {options->inherit_stdin, options->inherit_stdout,
                                 options->inherit_stderr};
    uv_file theirs[PIPES] = {-1, -1, -1};
    struct child *c = create(loop, options);
    if (!c)
        return E_NOMEM;
    int rc = options->terminal ? open_terminal(c, theirs) : open_pipes(c, inherit, theirs);
    if (rc == 0) {
        rc = spawn(c, options, theirs);
        c->spawned = true; /* a failed uv_spawn leaves a handle to close, too */
        c->open++;
    }
    for (int i = 0; i < PIPES; i++)
        end_close_fd(theirs[i]);
    if (rc < 0) {
        close_all(c);
        return rc;
    }
    c->ops = ops;
    c->ctx = ctx;
    c->on_left = options->on_left;
    *ret = c;
    return 0;
}

/* ---- while it runs ----------------------------------------------------------------------- */

int child_pid(const struct child *c)
{
    return c->process.pid;
}

struct buf *child_in(struct child *c)
{
    return &c->in;
}

/* Into the stream's buffer: by swapping while nothing waits there, so a burst is not copied. */
static void hand_over(struct child *c, struct stream *s)
{
    struct buf *to = stream_out(s);
    if (to->n == 0) {
        struct buf empty = *to;
        *to = c->in;
        c->in = empty;
    } else if (buf_add(to, c->in.p, c->in.n) < 0) {
        stream_close(s, E_NOMEM); /* better no stdin than one with a hole */
    }
    c->in.n = 0;
}

void child_flush(struct child *c)
{
    struct stream *s = c->pipes[STDIN];
    if (s && c->in.n > 0)
        hand_over(c, s);
    c->in.n = 0; /* a stdin that is gone takes no more */
    if (s)
        stream_flush(s);
}

size_t child_waiting(const struct child *c)
{
    return c->in.n + (c->pipes[STDIN] ? stream_waiting(c->pipes[STDIN]) : 0);
}

void child_close_stdin(struct child *c)
{
    child_flush(c);
    if (c->pipes[STDIN])
        stream_shutdown(c->pipes[STDIN]);
}

void child_pause_stdout(struct child *c, bool paused)
{
    if (!c->pipes[STDOUT] || c->finished)
        return;
    c->paused = paused;
    stream_pause(c->pipes[STDOUT], paused);
    if (!c->exited || c->stopping)
        return;
    if (paused)
        uv_timer_stop(&c->timer);
    else
        linger(c, c->phase);
}

int child_signal(struct child *c, int signum)
{
    return c->exited ? UV_ESRCH : uv_kill(-c->process.pid, signum);
}

void child_stop(struct child *c)
{
    if (c->stopping || c->finished)
        return;
    c->stopping = true;
    uv_kill(-c->process.pid, SIGTERM);
    c->phase = PHASE_GRACE;
    uv_timer_start(&c->timer, on_timer, c->grace_ms, 0);
}

void child_kill(struct child *c)
{
    if (c->finished || c->phase == PHASE_KILLED || c->phase == PHASE_LAST_WAIT)
        return;
    c->stopping = true;
    kill_group(c);
}
