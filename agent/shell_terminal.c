#include "agent/shell.h"

#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 60000u /* for all but the command itself */
#define KEPT_MAX  (32u << 10)

/* Create, wait, on time-out kill, output, release. */
struct terminal {
    struct client_to to;
    struct client_call *call; /* the open request */
    char *session_id;         /* owned: what is left to do outlives the session */
    char *id;                 /* owned; NULL: the client has not made it yet */
    uint64_t limit_ms;
    void (*on_terminal)(void *ctx, const char *id);
    struct shell_end end;
    struct buf output;
    char signal[64], error[512];
    shell_cb cb; /* NULL: stopped */
    void *ctx;
};

static void destroy(struct terminal *t)
{
    buf_deinit(&t->output);
    free(t->session_id);
    free(t->id);
    free(t);
}

static void on_nothing(void *ctx, const struct rpc_outcome *o)
{
    (void)ctx;
    (void)o;
}

static int request(struct terminal *t, enum acp_method method, uint64_t ms, rpc_call_cb cb)
{
    struct client_call *call;
    struct client_wait wait = {.ms = ms, .cb = cb, .ctx = t};
    struct jsonw *w = client_call_begin(&t->to, method);
    jw_kstr(w, "terminalId", t->id);
    return client_call_end(&t->to, w, &wait, cb == on_nothing ? &call : &t->call);
}

static void release(struct terminal *t)
{
    request(t, ACP_TERMINAL_RELEASE, ANSWER_MS, on_nothing);
}

/* The last step. */
static void finish(struct terminal *t)
{
    if (t->id)
        release(t);
    t->end.output = &t->output;
    t->cb(t->ctx, &t->end);
    destroy(t);
}

static void fail(struct terminal *t, int rc, const char *why)
{
    if (t->end.rc == 0 || t->end.rc == E_TIMEOUT) {
        snprintf(t->error, sizeof t->error, "%s", why);
        t->end.rc = rc;
        t->end.error = t->error;
    }
    finish(t);
}

static void on_output(void *ctx, const struct rpc_outcome *o)
{
    struct terminal *t = ctx;
    char why[512];
    const char *text = json_get_str(o->result, "output");
    if (client_call_failed(o, "The output of the command", why, sizeof why)) {
        fail(t, E_IO, why);
        return;
    }
    if (buf_adds(&t->output, text ? text : "") < 0)
        t->end.rc = E_NOMEM;
    t->end.cut = json_get_bool(o->result, "truncated");
    finish(t);
}

static void fetch_output(struct terminal *t)
{
    int rc = request(t, ACP_TERMINAL_OUTPUT, ANSWER_MS, on_output);
    if (rc < 0)
        fail(t, rc, err_text(rc));
}

static void take_exit(struct terminal *t, const cJSON *result)
{
    const char *signal = json_get_str(result, "signal");
    const cJSON *code = json_get(result, "exitCode");
    t->end.has_code = json_is_int(code);
    t->end.code = t->end.has_code ? json_get_int(result, "exitCode", 0) : 0;
    if (!signal)
        return;
    snprintf(t->signal, sizeof t->signal, "%s", signal);
    t->end.signal = t->signal;
}

static void on_killed(void *ctx, const struct rpc_outcome *o)
{
    (void)o; /* releasing ends it all the same */
    fetch_output(ctx);
}

static void on_waited(void *ctx, const struct rpc_outcome *o)
{
    struct terminal *t = ctx;
    t->call = NULL;
    if (o->rc == E_TIMEOUT) {
        t->end.rc = E_TIMEOUT;
        int rc = request(t, ACP_TERMINAL_KILL, ANSWER_MS, on_killed);
        if (rc < 0)
            fail(t, rc, err_text(rc));
        return;
    }
    if (client_call_failed(o, "The end of the command", t->error, sizeof t->error)) {
        t->end.rc = E_IO;
        t->end.error = t->error;
    }
    take_exit(t, o->result);
    fetch_output(t);
}

static void begin_to_wait(struct terminal *t)
{
    if (t->on_terminal)
        t->on_terminal(t->ctx, t->id);
    int rc = request(t, ACP_TERMINAL_WAIT_FOR_EXIT, t->limit_ms, on_waited);
    if (rc < 0)
        fail(t, rc, err_text(rc));
}

static void on_created(void *ctx, const struct rpc_outcome *o)
{
    struct terminal *t = ctx;
    char why[512];
    const char *id = json_get_str(o->result, "terminalId");
    t->call = NULL;
    t->id = id ? strdup(id) : NULL;
    if (!t->cb) { /* stopped meanwhile: its name is only good for its end */
        if (t->id)
            release(t);
        destroy(t);
    } else if (client_call_failed(o, "The client made no terminal", why, sizeof why)) {
        fail(t, E_IO, why);
    } else if (!t->id) {
        fail(t, E_PROTOCOL, "The client made no terminal: its answer names none.");
    } else {
        begin_to_wait(t);
    }
}

static int create(struct terminal *t, const struct shell_line *line)
{
    struct client_wait wait = {.ms = ANSWER_MS, .cb = on_created, .ctx = t};
    struct jsonw *w = client_call_begin(&t->to, ACP_TERMINAL_CREATE);
    jw_kstr(w, "command", "/bin/sh");
    jw_kopen(w, "args", '[');
    jw_cstr(w, "-c");
    jw_cstr(w, line->text);
    jw_close(w);
    jw_kstr(w, "cwd", line->cwd);
    jw_kint(w, "outputByteLimit", KEPT_MAX);
    return client_call_end(&t->to, w, &wait, &t->call);
}

static int start(const struct client_to *to, const struct shell_line *line, shell_cb cb, void *ctx,
                 void **ret)
{
    struct terminal *t = calloc(1, sizeof *t);
    if (!t)
        return E_NOMEM;
    t->to = *to;
    t->session_id = strdup(to->session_id);
    t->to.session_id = t->session_id;
    t->limit_ms = line->limit_ms;
    t->on_terminal = line->on_terminal;
    t->cb = cb;
    t->ctx = ctx;
    int rc = t->session_id ? create(t, line) : E_NOMEM;
    if (rc < 0)
        destroy(t);
    else
        *ret = t;
    return rc;
}

static void stop(void *shell)
{
    struct terminal *t = shell;
    t->cb = NULL;
    if (!t->id)
        return; /* on_created ends it */
    client_call_drop(t->call);
    request(t, ACP_TERMINAL_KILL, ANSWER_MS, on_nothing);
    release(t);
    destroy(t);
}

const struct shell_ops shell_terminal = {.start = start, .stop = stop};
