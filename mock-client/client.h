#ifndef MOCK_CLIENT_CLIENT_H
#define MOCK_CLIENT_CLIENT_H

#include "mock-client/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * An agent's process and its wire: spawns it, sends lines and raw bytes, receives lines, and puts
 * all of it into a trace. It knows lines and processes, nothing of JSON-RPC or ACP.
 *
 * The end: closing stdin, waiting `eof_ms`, SIGTERM to the group, waiting `term_ms`, SIGKILL.
 * Whatever the agent has left behind is killed when the client closes (event "group"), and what
 * keeps its output open half a second after its end.
 */
struct client;

/*
 * A filter between the agent's pipes and the harness, where faults are put in. Without one, and
 * wherever a member is NULL, everything passes untouched. What is handed to pass() goes on only by
 * client_deliver(): no call drops it, two duplicate it, a later one delays it. pass() may be
 * entered again for the other direction while it delivers.
 */
struct client_wire {
    void *ctx;
    /* From the agent (TRACE_AGENT): one line with its LF, or the bytes behind the last LF at the
     * end of stdout. To the agent (TRACE_CLIENT): the bytes of one send, LF included if it has one.
     * Lent; a NUL stands behind them. */
    void (*pass)(void *ctx, struct client *c, enum trace_side from, const char *bytes, size_t n);
    /* The process runs, none of its bytes was read yet. */
    void (*on_start)(void *ctx, struct client *c);
    /* Its stdout has ended, the harness has not been told yet. */
    void (*on_end)(void *ctx, struct client *c);
    /* How it ended; may be changed before the harness sees it. */
    void (*on_exit)(void *ctx, int64_t *code, int *signum);
    /* The harness closes stdin: false keeps it open. */
    bool (*may_close_stdin)(void *ctx);
};

struct client_options {
    const char *const *argv; /* NULL-ended; lent for the call */
    const char *const *env;  /* NULL-ended "K=V" list, or NULL to inherit; lent for the call */
    const char *cwd;         /* or NULL */
    struct trace *trace;     /* lent until on_closed */
    const char *agent;       /* for the trace's events, lent by the trace; NULL: the only one */
    const char *mark; /* "NAME=value" of env by which its processes are known, lent until on_closed;
                         or NULL */
    const struct client_wire *wire; /* lent until on_closed, or NULL */
    size_t max_line;                /* longest line from the agent; 0: 64 MiB */
    size_t max_bytes;               /* of stdout in all, then it is killed; 0: 1 GiB */
    uint64_t eof_ms, term_ms;       /* of the end; 0: 2000 */
};

struct client_ops {
    /* The process is over and all its output is in the trace. Once. May be NULL. */
    void (*on_exit)(void *ctx);
    /* The last call ever made; the client is gone. */
    void (*on_closed)(void *ctx);
};

/* 0, or the spawn error (UV_ENOENT: no such program); then no callback ever comes. */
int client_open(uv_loop_t *loop, const struct client_options *options, const struct client_ops *ops,
                void *ctx, struct client **ret);

/* Ends the process if it still runs (as client_stop), then the client. Idempotent; accepts NULL. */
void client_close(struct client *c);

/* ---- sending: nothing is refused; what comes too late goes nowhere --------------------------- */

/* One message, logged as "line"; a LF is added. Returns its event, NULL when out of memory. */
const struct trace_event *client_send(struct client *c, const char *line, size_t n);

/* Bytes as they are, logged as "raw". */
const struct trace_event *client_send_raw(struct client *c, const char *bytes, size_t n);

/* The same, split into writes of these sizes (the last one repeats; none is 0). What is sent
 * afterwards waits until they have left. */
const struct trace_event *client_send_cut(struct client *c, const char *bytes, size_t n,
                                          const size_t *sizes, size_t n_sizes);

/* Bytes that wait for their turn because of a cut send. */
size_t client_unsent(const struct client *c);

/* Between the two calls everything sent is held, then leaves in one write. */
void client_cork(struct client *c);
void client_uncork(struct client *c);

/* EOF for the agent, once everything sent has left. */
void client_close_stdin(struct client *c);

/* Hands bytes on, past the filter: from TRACE_AGENT towards the harness, from TRACE_CLIENT into the
 * agent's stdin. For client_wire only. */
void client_deliver(struct client *c, enum trace_side from, const char *bytes, size_t n);

/* ---- the process ------------------------------------------------------------------------------
 */

/* To the agent alone, not to its group. 0 or a negative code. */
int client_signal(struct client *c, int signum);

/* The ladder: EOF, TERM, KILL. Idempotent. */
void client_stop(struct client *c);
void client_kill(struct client *c); /* now, the whole group */

bool client_running(const struct client *c);     /* false once on_exit was called */
bool client_stdout_open(const struct client *c); /* more lines may come */
int client_pid(const struct client *c);
/* Processes of its tree besides itself, and those that had to be killed after its end; -1 if it
 * cannot be told. */
int client_left(const struct client *c);
const char *client_agent(const struct client *c); /* as in the options */
int64_t client_exit_code(const struct client *c); /* -1 while running or after a signal */
int client_exit_signal(const struct client *c);   /* 0 if none */
/* True if a signal of this client (ladder, client_signal, client_kill) came first. */
bool client_was_signalled(const struct client *c);

/* 0, or E_NOMEM: something was lost, so nothing can be judged; the agent was killed. */
int client_error(const struct client *c);

/* Bytes read from its stdout so far (before the filter): two equal readings one loop turn apart
 * mean that nothing was readable. */
uint64_t client_bytes_read(const struct client *c);

/* The last bytes of stderr, NUL-terminated; lent until more comes. */
const char *client_stderr_tail(const struct client *c);

#endif
