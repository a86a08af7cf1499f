#include "agent/sidecar.h"

#include "agent/plugin_env.h"
#include "agent/roots.h"
#include "base/err.h"
#include "base/log.h"
#include "uvio/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MS     60000u
#define GRACE_MS     300u
#define LINE_MAX_    (1u << 20)
#define WINDOW_MS    10000u     /* in which it may write no more than */
#define WINDOW_BYTES (4u << 20) /* this, */
#define WINDOW_TOLD  200u       /* and publish and ask no more often than this */

struct sidecar {
    const struct sidecar_ops *ops; /* NULL: nobody is told anything any more */
    void *ctx;
    const struct plugin *plugin;
    struct child *child;
    struct peer *peer;      /* NULL: it is over */
    struct rpc_call *hello; /* extension/initialize, until it is answered */
    struct rpc_call *call;  /* the action */
    struct sidecar_action action;
    uv_timer_t timer; /* for its answers, then for its end; its close callback frees this */
    uint64_t limit_ms;
    unsigned asking; /* forms that are open */
    uint64_t window; /* when it began */
    size_t bytes, told;
    bool eof;
};

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct sidecar, timer));
}

/* --- its end --- */

static void end_action(struct sidecar *s, bool failed, const char *text)
{
    struct sidecar_action action = s->action;
    s->call = NULL;
    s->action = (struct sidecar_action){.name = NULL};
    if (action.cb)
        action.cb(action.ctx, failed, text);
}

/* The owner may not look at it after this. */
static void give_up(struct sidecar *s, const char *why)
{
    const struct sidecar_ops *ops = s->ops;
    struct peer *peer = s->peer;
    char text[300];
    if (!peer)
        return;
    snprintf(text, sizeof text, "The plugin %s's sidecar %s.", s->plugin->name, why);
    s->peer = NULL;
    s->ops = NULL;
    uv_timer_stop(&s->timer);
    if (s->call)
        rpc_call_abandon(s->call);
    peer_close(peer);
    child_stop(s->child);
    end_action(s, true, text);
    if (ops)
        ops->on_gone(s->ctx, why);
}

static void on_sidecar_exit(void *ctx, int64_t code, int sig)
{
    struct sidecar *s = ctx;
    char why[80];
    if (s->eof && sig == SIGTERM)
        snprintf(why, sizeof why, "closed its output");
    else if (sig)
        snprintf(why, sizeof why, "was ended by signal %d", sig);
    else
        snprintf(why, sizeof why, "ended with exit code %d", (int)code);
    give_up(s, why);
    uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}

/* --- its time --- */

static void on_late(uv_timer_t *timer)
{
    give_up(CONTAINER_OF(timer, struct sidecar, timer), "did not answer in time");
}

/* It has the limit for each answer, unless it waits for the user. */
static void watch(struct sidecar *s)
{
    if ((s->hello || s->call) && s->asking == 0)
        uv_timer_start(&s->timer, on_late, s->limit_ms, 0);
    else
        uv_timer_stop(&s->timer);
}

/* False: it has written more than anybody could read, and is over. */
static bool afford(struct sidecar *s, size_t bytes, size_t told)
{
    uint64_t now = uv_now(s->timer.loop);
    if (now - s->window > WINDOW_MS) {
        s->window = now;
        s->bytes = s->told = 0;
    }
    s->bytes += bytes;
    s->told += told;
    if (s->bytes <= WINDOW_BYTES && s->told <= WINDOW_TOLD)
        return true;
    give_up(s, "writes too much and was stopped");
    return false;
}

/* --- what it says --- */

static int read_surface(struct sidecar *s, const cJSON *params, bool asks, struct surface *ret,
                        struct json_error *err)
{
    *ret = (struct surface){.plugin = s->plugin->name};
    return surface_read(params, asks, ret, err);
}

static void refuse(struct rpc_request *req, const struct json_error *err)
{
    rpc_fail_kv(req, RPC_INVALID_PARAMS, err->text, "path", err->path);
}

static void ask(struct sidecar *s, struct rpc_request *req, const cJSON *params)
{
    struct surface form;
    struct json_error err;
    if (read_surface(s, params, true, &form, &err) < 0) {
        refuse(req, &err);
        return;
    }
    s->asking++;
    watch(s);
    s->ops->on_ask(s->ctx, &form, req);
}

static void publish(struct sidecar *s, struct rpc_request *req, const cJSON *params)
{
    struct surface surface;
    struct json_error err;
    if (read_surface(s, params, false, &surface, &err) == 0) {
        s->ops->on_publish(s->ctx, &surface);
        if (req)
            rpc_reply_empty(req);
    } else if (req) {
        refuse(req, &err);
    } else {
        log_warn("plugin %s: host/ui/publish: %s", s->plugin->name, err.text);
    }
}

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct sidecar *s = ctx;
    bool asks = strcmp(method, "host/ui/request") == 0;
    if (!asks && strcmp(method, "host/ui/publish") != 0)
        return E_NOTFOUND;
    if (!afford(s, 0, 1))
        rpc_fail(req, RPC_INTERNAL_ERROR, "Too many requests.", NULL);
    else if (asks)
        ask(s, req, params);
    else
        publish(s, req, params);
    return 0;
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    struct sidecar *s = ctx;
    if (strcmp(method, "host/ui/publish") == 0 && afford(s, 0, 1))
        publish(s, NULL, params);
}

static void on_peer_output(void *ctx)
{
    struct sidecar *s = ctx;
    child_flush(s->child);
}

static const struct peer_ops ops_of_peer = {on_request, on_notify, on_peer_output};

/* --- its pipes --- */

static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct sidecar *s = ctx;
    if (n == 0) {
        s->eof = true;
        child_stop(s->child);
        return;
    }
    if (s->peer && afford(s, n, 0) && peer_feed(s->peer, bytes, n) == E_NOMEM)
        give_up(s, "could not be understood for want of memory");
}

static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    struct sidecar *s = ctx;
    log_debug("plugin %s: %.*s", s->plugin->name, (int)n, bytes);
}

static void on_pressure(void *ctx, bool high)
{
    if (high)
        give_up(ctx, "does not read what it is told");
}

static const struct child_ops ops_of_child = {.on_stdout = on_stdout,
                                              .on_stderr = on_stderr,
                                              .on_pressure = on_pressure,
                                              .on_exit = on_sidecar_exit};

/* --- the beginning --- */

static void on_hello(void *ctx, const struct rpc_outcome *o)
{
    struct sidecar *s = ctx;
    s->hello = NULL;
    if (o->rc < 0)
        return; /* its end is told elsewhere */
    if (o->error)
        give_up(s, "refused extension/initialize");
    else
        watch(s);
}

static int greet(struct sidecar *s, const struct sidecar_options *o)
{
    struct jsonw *w = peer_call_begin(s->peer, "extension/initialize");
    jw_open(w, '{');
    jw_kint(w, "protocolVersion", 1);
    jw_kstr(w, "plugin", o->plugin->name);
    jw_kstr(w, "sessionId", o->session_id);
    jw_kstr(w, "cwd", o->cwd);
    jw_kbool(w, "surfaces", o->surfaces);
    jw_kopen(w, "host", '{');
    jw_kstr(w, "name", "acp-agent");
    jw_kstr(w, "version", ACP_VERSION);
    jw_close(w);
    jw_close(w);
    return peer_call_end(s->peer, on_hello, s, &s->hello);
}

static int spawn(struct sidecar *s, const struct sidecar_options *o)
{
    char **env = plugin_env_make(o->env, o->plugin, o->cwd);
    const struct child_options options = {.argv = (const char *const *)o->plugin->sidecar,
                                          .env = (const char *const *)env,
                                          .cwd = o->plugin->folder,
                                          .grace_ms = GRACE_MS};
    int rc = env ? child_spawn(o->loop, &options, &ops_of_child, s, &s->child) : E_NOMEM;
    roots_free(env);
    return rc;
}

int sidecar_open(const struct sidecar_options *o, const struct sidecar_ops *ops, void *ctx,
                 struct sidecar **ret)
{
    const struct peer_options options = {.max_line = LINE_MAX_};
    struct sidecar *s = calloc(1, sizeof *s);
    if (!s)
        return E_NOMEM;
    s->plugin = o->plugin;
    s->limit_ms = o->limit_ms ? o->limit_ms : LIMIT_MS;
    int rc = spawn(s, o);
    if (rc < 0) {
        free(s);
        return rc;
    }
    /* From here on its exit frees it. */
    uv_timer_init(o->loop, &s->timer);
    s->window = uv_now(o->loop);
    rc = peer_create(&ops_of_peer, s, child_in(s->child), &options, &s->peer);
    if (rc == 0)
        rc = greet(s, o);
    if (rc < 0) {
        peer_close(s->peer);
        s->peer = NULL;
        child_kill(s->child);
        return rc;
    }
    s->ops = ops;
    s->ctx = ctx;
    watch(s);
    *ret = s;
    return 0;
}

/* --- actions --- */

static void on_acted(void *ctx, const struct rpc_outcome *o)
{
    struct sidecar *s = ctx;
    const char *message = json_get_str(o->error, "message");
    char text[1000];
    s->call = NULL;
    watch(s);
    if (o->rc < 0 || o->error) {
        snprintf(text, sizeof text, "The plugin %s: %.900s", s->plugin->name,
                 o->rc < 0 ? err_text(o->rc)
                 : message ? message
                           : "it failed and did not say why");
        end_action(s, true, text);
        return;
    }
    end_action(s, false, json_get_str(o->result, "text"));
}

int sidecar_act(struct sidecar *s, const struct sidecar_action *action)
{
    if (!s->peer)
        return E_CLOSED;
    if (s->call)
        return E_STATE;
    struct jsonw *w = peer_call_begin(s->peer, "extension/ui/action");
    jw_open(w, '{');
    jw_kstr(w, "action", action->name);
    jw_kstr(w, "arguments", action->args);
    jw_close(w);
    int rc = peer_call_end(s->peer, on_acted, s, &s->call);
    if (rc < 0)
        return rc;
    s->action = *action;
    watch(s);
    return 0;
}

void sidecar_drop_action(struct sidecar *s)
{
    if (!s->call)
        return;
    rpc_call_cancel(s->call);
    rpc_call_abandon(s->call);
    s->call = NULL;
    s->action = (struct sidecar_action){.name = NULL};
    watch(s);
}

void sidecar_answer(struct sidecar *s, struct rpc_request *req, const char *action,
                    const cJSON *content)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kstr(w, "action", action);
    if (content)
        jw_ktree(w, "content", content);
    jw_close(w);
    rpc_reply_end(req);
    s->asking--;
    if (s->peer)
        watch(s);
}

static void on_stay(uv_timer_t *timer)
{
    struct sidecar *s = CONTAINER_OF(timer, struct sidecar, timer);
    child_stop(s->child);
}

void sidecar_close(struct sidecar *s)
{
    struct peer *peer = s ? s->peer : NULL;
    if (!peer)
        return;
    sidecar_drop_action(s);
    s->peer = NULL;
    s->ops = NULL;
    jw_null(peer_notify_begin(peer, "extension/shutdown"));
    (void)peer_notify_end(peer); /* without memory for it, it is only less polite */
    peer_close(peer);
    child_flush(s->child);
    child_close_stdin(s->child);
    uv_timer_start(&s->timer, on_stay, GRACE_MS, 0);
}
