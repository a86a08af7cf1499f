#ifndef UVIO_CHILD_H
#define UVIO_CHILD_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/*
 * A child process in its own process group, with pipes for stdin, stdout and stderr.
 * Stop: SIGTERM to the group, `grace_ms` later SIGKILL to the group. It is over, and on_exit
 * called, when it has exited *and* its stdout and stderr have gone quiet (EOF, or `linger_ms` after
 * the exit when a grandchild keeps them open; its group is then killed).
 */
struct child;

struct child_ops {
    /* Bytes lent; n 0: EOF, told once, before on_exit. Not called for what is inherited. */
    void (*on_stdout)(void *ctx, const char *bytes, size_t n);
    void (*on_stderr)(void *ctx, const char *bytes, size_t n);
    /* May be NULL. More than STREAM_HIGH bytes wait for its stdin (true) / drained (false). */
    void (*on_pressure)(void *ctx, bool high);
    /* The last call ever made. Exit code, or the signal that ended it (then code is 0). */
    void (*on_exit)(void *ctx, int64_t code, int signal);
};

struct child_options {
    const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH; lent for the call */
    const char *const *env;  /* NULL-ended "K=V" list, or NULL to inherit; lent for the call */
    const char *cwd;         /* or NULL */
    uint64_t grace_ms;       /* 0: 2000 */
    uint64_t linger_ms;      /* 0: 500 */
    /* May be NULL; with the ctx of the ops. It has exited by itself, somebody of its group keeps
     * its output open, and the group is killed next. */
    void (*on_left)(void *ctx);
    bool inherit_stdin; /* the three standard descriptors are passed on as they are */
    bool inherit_stdout;
    bool inherit_stderr;
    /* It runs in a terminal of its own: what it prints anywhere comes to on_stdout, stdin is what
     * is typed (child_close_stdin types nothing). The inherit members have to be false. */
    bool terminal;
};

/* 0, or the spawn error (UV_ENOENT: no such program, or no such cwd), then no callback ever comes.
 */
int child_spawn(uv_loop_t *loop, const struct child_options *options, const struct child_ops *ops,
                void *ctx, struct child **ret);

int child_pid(const struct child *c);

/* stdin: append to child_in() and flush, like uvio/stream.h; the buffer is there until on_exit
 * returns. child_close_stdin sends EOF once all has left. A child that closed its stdin or is gone
 * is no error: what is written goes nowhere. */
struct buf *child_in(struct child *c);
void child_flush(struct child *c);
size_t child_waiting(const struct child *c);
void child_close_stdin(struct child *c);
/* Stops and restarts reading its stdout (back-pressure). Paused, an exited child is not over: its
 * output is still to come, unless it was told to stop. */
void child_pause_stdout(struct child *c, bool paused);

/* To the whole group. 0 or a negative code. */
int child_signal(struct child *c, int signum);
/* TERM -> grace -> KILL. Idempotent. What is left of the group when the child is over is killed. */
void child_stop(struct child *c);
/* KILL now. Idempotent. */
void child_kill(struct child *c);

#endif
