#include "agent/mcp_set_impl.h"

#include "agent/session.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a server asks goes to the client as a form of the protocol, and comes back as it was
 * answered: both sides speak of the same forms. */

#define WAIT_MS 1800000u /* people think */

struct mcp_ask {
    struct list node;
    struct mcp_server *v;
    struct rpc_request *req;
    struct client_call *call;
};

static void answer(struct mcp_ask *a, const cJSON *result)
{
    struct mcp_client *client = a->v->client;
    struct rpc_request *req = a->req;
    list_remove(&a->node);
    free(a);
    mcp_client_answer(client, req, result);
}

void mcp_server_end_asks(struct mcp_server *v)
{
    while (!list_empty(&v->asks)) {
        struct mcp_ask *a = CONTAINER_OF(v->asks.next, struct mcp_ask, node);
        client_call_drop(a->call);
        answer(a, NULL);
    }
}

/* The action, and content where there is to be some. NULL: it is none, or there is no memory. */
static cJSON *read_answer(const cJSON *result)
{
    const char *action = json_get_str(result, "action");
    const cJSON *content = json_get(result, "content");
    bool accepted = action && strcmp(action, "accept") == 0 && cJSON_IsObject(content);
    if (!accepted && !(action && strcmp(action, "decline") == 0))
        return NULL;
    cJSON *read = cJSON_CreateObject();
    cJSON *copy = accepted ? cJSON_Duplicate(content, true) : NULL;
    if (read && cJSON_AddStringToObject(read, "action", action) &&
        (!accepted || (copy && cJSON_AddItemToObject(read, "content", copy))))
        return read;
    cJSON_Delete(copy);
    cJSON_Delete(read);
    return NULL;
}

static void on_answer(void *ctx, const struct rpc_outcome *o)
{
    cJSON *read = read_answer(o->result);
    answer(ctx, read);
    cJSON_Delete(read);
}

static int send_question(struct mcp_ask *a, const cJSON *params)
{
    const struct client_to to = session_client(a->v->s);
    const struct client_wait wait = {.ms = WAIT_MS, .cb = on_answer, .ctx = a};
    char message[2048];
    snprintf(message, sizeof message, "%.100s: %.1900s", a->v->config.name,
             json_get_str(params, "message"));
    struct jsonw *w = client_call_begin(&to, ACP_ELICITATION_CREATE);
    jw_kstr(w, "mode", "form");
    jw_kstr(w, "message", message);
    jw_ktree(w, "requestedSchema", json_get(params, "requestedSchema"));
    return client_call_end(&to, w, &wait, &a->call);
}

void mcp_server_ask(void *ctx, struct rpc_request *req, const cJSON *params)
{
    struct mcp_server *v = ctx;
    struct mcp_ask *a = calloc(1, sizeof *a);
    if (!a) {
        mcp_client_answer(v->client, req, NULL);
        return;
    }
    a->v = v;
    a->req = req;
    list_append(&v->asks, &a->node);
    if (send_question(a, params) < 0)
        answer(a, NULL);
}
