#include "agent/method.h"

#include "acp/methods.h"
#include "agent/file.h"
#include "agent/mcp.h"
#include "agent/prompt.h"
#include "agent/turn.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct new_params {
    const char *cwd;
    const cJSON *servers, *directories;
};

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

static int check_cwd(const char *cwd, struct json_error *err)
{
    struct stat st;
    if (!cwd)
        return complain(err, "params.cwd", "missing");
    if (cwd[0] != '/')
        return complain(err, "params.cwd", "must be an absolute path");
    if (stat(cwd, &st) < 0)
        return complain(err, "params.cwd", "there is no such directory");
    return S_ISDIR(st.st_mode) ? 0 : complain(err, "params.cwd", "is no directory");
}

static int check_directories(const cJSON *list, struct json_error *err)
{
    if (!list || !list->child)
        return 0;
    return complain(err, "params.additionalDirectories",
                    "not supported by this agent (see sessionCapabilities)");
}

static int read_new(struct agent *a, const cJSON *params, struct new_params *ret,
                    struct json_error *err)
{
    static const struct json_field fields[] = {
        {"cwd", JSON_STR, JSON_OPTIONAL, offsetof(struct new_params, cwd)},
        {"mcpServers", JSON_ARR, JSON_NULLABLE, offsetof(struct new_params, servers)},
        {"additionalDirectories", JSON_ARR, JSON_NULLABLE,
         offsetof(struct new_params, directories)},
    };
    *ret = (struct new_params){.cwd = a->options.cwd};
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), ret, err);
    if (rc == 0)
        rc = check_cwd(ret->cwd, err);
    if (rc == 0)
        rc = check_directories(ret->directories, err);
    return rc == 0 ? mcp_check(ret->servers, err) : rc;
}

static int open_session(struct agent *a, const struct new_params *p, struct session **ret)
{
    char *cwd = file_join("/", p->cwd);
    int rc = cwd ? session_create(&a->env, cwd, a->options.append, ret) : E_NOMEM;
    free(cwd);
    if (rc == 0 && p->servers && p->servers->child)
        log_warn("session/new names %d MCP server(s): this version does not connect to any",
                 cJSON_GetArraySize(p->servers));
    return rc;
}

void method_session_new(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    struct new_params p;
    struct json_error err;
    struct session *s = NULL;
    if (read_new(a, params, &p, &err) < 0) {
        method_fail_params(req, &err);
        return;
    }
    if (!agent_has_credentials(a, false)) {
        method_fail_login(req);
        return;
    }
    int rc = open_session(a, &p, &s);
    if (rc < 0) {
        rpc_fail(req, RPC_INTERNAL_ERROR, err_text(rc), NULL);
        return;
    }
    agent_add_session(a, s);
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kstr(w, "sessionId", s->id);
    jw_close(w);
    rpc_reply_end(req);
}

/* params.sessionId, or NULL with the request answered. */
static const char *read_id(struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {{"sessionId", JSON_STR, JSON_REQUIRED, 0}};
    const char *id = NULL;
    struct json_error err;
    if (json_read(params, "params", fields, 1, &id, &err) == 0)
        return id;
    method_fail_params(req, &err);
    return NULL;
}

static void fail_unknown(struct rpc_request *req, const char *id)
{
    rpc_fail_kv(req, ACP_RESOURCE_NOT_FOUND, "There is no open session of this id.", "sessionId",
                id);
}

void method_session_close(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    const char *id = read_id(req, params);
    struct session *s = id ? agent_find_session(a, id) : NULL;
    if (!id)
        return;
    if (!s && !agent_was_closed(a, id)) {
        fail_unknown(req, id);
        return;
    }
    if (s)
        agent_close_session(a, s);
    rpc_reply_empty(req);
}

static void start_prompt(struct agent *a, struct rpc_request *req, const char *id,
                         struct prompt *prompt)
{
    struct session *s = agent_find_session(a, id);
    if (!s)
        fail_unknown(req, id);
    else if (s->turn)
        rpc_fail_kv(req, RPC_INVALID_REQUEST,
                    "A prompt is running in this session: wait for its end or cancel it.",
                    "sessionId", id);
    else
        turn_start(s, req, prompt);
}

void method_session_prompt(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    struct prompt prompt = {0};
    struct json_error err;
    const char *id = read_id(req, params);
    if (!id)
        return;
    int rc = prompt_read(params, &prompt, &err);
    if (rc == E_INVALID)
        method_fail_params(req, &err);
    else if (rc < 0)
        rpc_fail(req, RPC_INTERNAL_ERROR, "Out of memory.", NULL);
    else
        start_prompt(a, req, id, &prompt);
    prompt_deinit(&prompt);
}

void method_session_cancel(struct agent *a, const cJSON *params)
{
    const char *id = json_get_str(params, "sessionId");
    struct session *s = id ? agent_find_session(a, id) : NULL;
    if (s && s->turn)
        turn_cancel(s->turn);
}
