#ifndef MOCK_CLIENT_TERMINALS_H
#define MOCK_CLIENT_TERMINALS_H

#include "mock-client/trace.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct buf;

/*
 * The client's terminals (docs/cases.md, Services): commands that really run, each in a process
 * group of its own, or ones that only play what a script says.
 */
struct terminals;

struct terminals_ops {
    /* The response to this request, without LF. May come from inside terminals_request. */
    void (*answer)(void *ctx, const struct trace_event *request, const struct buf *line);
    /* A scripted command has come to its hold. True: that was released before. */
    bool (*on_hold)(void *ctx, const char *name);
    /* A command has ended, or memory ran out (terminals_error). */
    void (*on_change)(void *ctx);
    /* The last call ever made. */
    void (*on_closed)(void *ctx);
};

struct terminals_options {
    const cJSON *script;    /* a list: played; else commands run. Lent */
    const char *cwd;        /* where commands run that name no folder; lent */
    const char *const *env; /* of the commands; lent */
};

/* 0 or E_NOMEM. */
int terminals_open(uv_loop_t *loop, const struct terminals_options *options,
                   const struct terminals_ops *ops, void *ctx, struct terminals **ret);

/* Kills every command. on_closed comes from the loop when all are gone; no answer comes any more.
 */
void terminals_close(struct terminals *t);

/* Serves a request of one of the terminal methods; lent until it is answered. 0, E_NOMEM, or
 * E_NOTFOUND if there is no such method. */
int terminals_request(struct terminals *t, const struct trace_event *request);

/* Lets scripted commands end that wait there. */
void terminals_release_hold(struct terminals *t, const char *hold);

/* That process of the agent is gone: its terminals are, too. */
void terminals_forget(struct terminals *t, const char *agent);

/* Not released; commands that run. */
void terminals_count(const struct terminals *t, size_t *ret_open, size_t *ret_running);

int terminals_error(const struct terminals *t); /* 0, or E_NOMEM: an answer was lost */

/* Shape of `client.terminal`. 0 or E_INVALID with a sentence in err. */
int terminals_check(const cJSON *config, char *err, size_t err_n);

#endif
