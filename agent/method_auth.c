#include "agent/method.h"

#include "acp/methods.h"
#include "agent/credentials.h"
#include "agent/local.h"
#include "base/err.h"

#include <string.h>

#define AUTH_ENVIRONMENT "environment"
#define AUTH_SETUP       "setup"

static void write_terminal_login(struct jsonw *w)
{
    jw_open(w, '{');
    jw_kstr(w, "id", AUTH_SETUP);
    jw_kstr(w, "name", "Set up in a terminal");
    jw_kstr(w, "description", "Asks for a provider, its key and a model, and checks them.");
    jw_kstr(w, "type", "terminal");
    jw_kopen(w, "args", '[');
    jw_cstr(w, "--setup"); /* comes behind the command line the client starts us with */
    jw_close(w);
    jw_close(w);
}

void method_write_logins(struct jsonw *w, bool terminal)
{
    jw_kopen(w, "authMethods", '[');
    if (terminal)
        write_terminal_login(w);
    jw_open(w, '{');
    jw_kstr(w, "id", AUTH_ENVIRONMENT);
    jw_kstr(w, "name", "Key from the environment or credentials.json");
    jw_kstr(w, "description", "Reads the environment and the files of the agent again.");
    jw_close(w);
    jw_close(w);
}

void method_fail_login(struct agent *a, struct rpc_request *req)
{
    struct buf text = {0};
    if (*a->env.config.error) {
        rpc_fail(req, RPC_INTERNAL_ERROR, a->env.config.error, NULL);
        return;
    }
    int rc = a->logged_out
                 ? buf_adds(&text, "You are logged out: log in with authenticate. Keys come from ")
                 : buf_adds(&text, "There is no key for a model: set one of ");
    if (rc == 0)
        rc = config_list_keys(&text);
    if (rc == 0)
        rc = buf_adds(&text, ", or run acp-agent setup.");
    const char *message = rc == 0 ? buf_cstr(&text) : NULL;
    rpc_fail(req, ACP_AUTH_REQUIRED, message ? message : "There is no key for a model.", NULL);
    buf_deinit(&text);
}

void method_authenticate(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {{"methodId", JSON_STR, JSON_REQUIRED, 0}};
    const char *id = NULL;
    struct json_error err;
    if (json_read(params, "params", fields, 1, &id, &err) < 0)
        method_fail_params(req, &err);
    else if (a->login_terminal && strcmp(id, AUTH_SETUP) == 0)
        rpc_fail_kv(req, RPC_INVALID_PARAMS,
                    "params.methodId: run this one in a terminal, then connect anew", "path",
                    "params.methodId");
    else if (strcmp(id, AUTH_ENVIRONMENT) != 0)
        rpc_fail_kv(req, RPC_INVALID_PARAMS, "params.methodId: no such method was offered", "path",
                    "params.methodId");
    else if (!agent_has_credentials(a, true) && !local_is_worth_asking(&a->env.config))
        method_fail_login(a, req);
    else
        rpc_reply_empty(req);
}

/* Keys in the environment are not ours to remove: they are not used until the next login. */
void method_logout(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    (void)params;
    int rc = credentials_remove(a->options.env);
    if (rc < 0) {
        rpc_fail_kv(req, RPC_INTERNAL_ERROR, "The stored keys could not be removed.", "reason",
                    err_text(rc));
        return;
    }
    agent_log_out(a);
    rpc_reply_empty(req);
}
