#include "agent/client_call.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client_call {
    struct rpc_call *call;
    uv_timer_t timer; /* its close callback frees this */
    struct client_wait wait;
};

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct client_call, timer));
}

static void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct client_call *c = ctx;
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
    c->wait.cb(c->wait.ctx, outcome);
}

static void on_timer(uv_timer_t *timer)
{
    struct client_call *c = CONTAINER_OF(timer, struct client_call, timer);
    struct rpc_outcome late = {.rc = E_TIMEOUT};
    struct client_wait wait = c->wait;
    client_call_drop(c);
    wait.cb(wait.ctx, &late);
}

struct jsonw *client_call_begin(const struct client_to *to, enum acp_method method)
{
    struct jsonw *w = peer_call_begin(to->peer, acp_methods[method].name);
    jw_open(w, '{');
    jw_kstr(w, "sessionId", to->session_id);
    return w;
}

int client_call_end(const struct client_to *to, struct jsonw *w, const struct client_wait *wait,
                    struct client_call **ret)
{
    struct rpc_call *call = NULL;
    struct client_call *c = calloc(1, sizeof *c);
    jw_close(w);
    int rc = peer_call_end(to->peer, on_answer, c, &call);
    if (rc == 0 && !c) {
        rpc_call_cancel(call);
        rpc_call_abandon(call);
        rc = E_NOMEM;
    }
    if (rc < 0) {
        free(c);
        return rc;
    }
    *c = (struct client_call){.call = call, .wait = *wait};
    uv_timer_init(to->loop, &c->timer);
    uv_timer_start(&c->timer, on_timer, wait->ms, 0);
    *ret = c;
    return 0;
}

void client_call_drop(struct client_call *c)
{
    if (!c)
        return;
    rpc_call_cancel(c->call);
    rpc_call_abandon(c->call);
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}

bool client_call_failed(const struct rpc_outcome *outcome, const char *what, char *text, size_t n)
{
    const char *message = json_get_str(outcome->error, "message");
    if (outcome->rc < 0)
        snprintf(text, n, "%s: %s", what,
                 outcome->rc == E_TIMEOUT ? "the client did not answer in time"
                                          : err_text(outcome->rc));
    else if (outcome->error)
        snprintf(text, n, "%s: the client refused: %s", what,
                 message ? message : "it did not say why");
    else
        return false;
    text[utf8_valid_prefix(text, strlen(text))] = '\0';
    return true;
}
