#include "agent/method.h"

#include "agent/local.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* A session/new that waits until it is known which model there is. */
struct waiting {
    struct list node;
    struct rpc_request *req;
    cJSON *params; /* owned */
};

static void serve(struct agent *a, struct waiting *w)
{
    struct rpc_request *req = w->req;
    list_remove(&w->node);
    if (a->ending)
        rpc_fail(req, RPC_INTERNAL_ERROR, "The agent ends.", NULL);
    else
        method_session_new(a, req, w->params);
    cJSON_Delete(w->params);
    free(w);
}

void method_serve_waiting(struct agent *a)
{
    while (!list_empty(&a->waiting))
        serve(a, CONTAINER_OF(a->waiting.next, struct waiting, node));
}

/* The model counts like one of the command line, as long as nothing else can be asked. */
static void on_found(void *ctx, const char *spec)
{
    struct agent *a = ctx;
    if (spec && !a->ending) {
        free(a->local_model);
        a->local_model = strdup(spec);
        a->env.model = a->local_model;
        log_info("the model is %s", spec);
    }
    a->looked = true;
    method_serve_waiting(a);
    a->looked = a->looking = false;
}

/* E_NOTFOUND: there is nothing to wait for. */
static int wait_for(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    if (a->looked || a->logged_out || a->env.model || !local_is_worth_asking(&a->env.config))
        return E_NOTFOUND;
    struct waiting *w = calloc(1, sizeof *w);
    if (w)
        *w = (struct waiting){.req = req, .params = cJSON_Duplicate(params, true)};
    if (!w || (params && !w->params)) {
        free(w);
        return E_NOMEM;
    }
    int rc = a->looking ? 0 : local_start(a->env.fetch, &a->env.config, on_found, a);
    if (rc < 0) {
        cJSON_Delete(w->params);
        free(w);
        return rc;
    }
    a->looking = true;
    list_append(&a->waiting, &w->node);
    return 0;
}

void method_look_for_model(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    if (wait_for(a, req, params) < 0)
        method_fail_login(a, req);
}
