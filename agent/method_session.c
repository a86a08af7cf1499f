#include "agent/method.h"

#include "acp/methods.h"
#include "agent/file.h"
#include "agent/mcp.h"
#include "agent/prompt.h"
#include "agent/record.h"
#include "agent/turn.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

static int check_directories(const cJSON *list, struct json_error *err)
{
    if (!list || !list->child)
        return 0;
    return complain(err, "params.additionalDirectories",
                    "not supported by this agent (see sessionCapabilities)");
}

int method_read_setup(const cJSON *params, struct method_setup *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"cwd", JSON_STR, JSON_OPTIONAL, offsetof(struct method_setup, cwd)},
        {"mcpServers", JSON_ARR, JSON_NULLABLE, offsetof(struct method_setup, servers)},
        {"additionalDirectories", JSON_ARR, JSON_NULLABLE,
         offsetof(struct method_setup, directories)},
    };
    *ret = (struct method_setup){.cwd = NULL};
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), ret, err);
    if (rc == 0 && ret->cwd && ret->cwd[0] != '/')
        rc = complain(err, "params.cwd", "must be an absolute path");
    if (rc == 0)
        rc = check_directories(ret->directories, err);
    if (rc == 0)
        rc = mcp_check(ret->servers, err);
    if (rc == 0 && ret->servers && ret->servers->child)
        log_warn("%d MCP server(s) are named: this version does not connect to any",
                 cJSON_GetArraySize(ret->servers));
    return rc;
}

int method_check_cwd(const char *cwd, struct json_error *err)
{
    struct stat st;
    if (!cwd)
        return complain(err, "params.cwd", "missing");
    if (stat(cwd, &st) < 0)
        return complain(err, "params.cwd", "there is no such directory");
    return S_ISDIR(st.st_mode) ? 0 : complain(err, "params.cwd", "is no directory");
}

void method_reply_session(struct rpc_request *req, const struct session *s, bool with_id)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    if (with_id)
        jw_kstr(w, "sessionId", s->id);
    jw_close(w);
    rpc_reply_end(req);
}

static int open_session(struct agent *a, const char *given, struct session **ret)
{
    struct session *s = NULL;
    char *cwd = file_join("/", given);
    int rc = cwd ? session_create(&a->env, cwd, &s) : E_NOMEM;
    free(cwd);
    if (rc == 0)
        rc = record_session(s);
    if (rc < 0) {
        session_destroy(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void method_session_new(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    struct method_setup p;
    struct json_error err;
    struct session *s = NULL;
    int rc = method_read_setup(params, &p, &err);
    if (!p.cwd)
        p.cwd = a->options.cwd;
    if (rc == 0)
        rc = method_check_cwd(p.cwd, &err);
    if (rc < 0) {
        method_fail_params(req, &err);
        return;
    }
    if (!agent_has_credentials(a, false)) {
        method_fail_login(req);
        return;
    }
    rc = open_session(a, p.cwd, &s);
    if (rc < 0) {
        method_fail_store(a, req, rc);
        return;
    }
    agent_add_session(a, s);
    method_reply_session(req, s, true);
}

const char *method_read_id(struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {{"sessionId", JSON_STR, JSON_REQUIRED, 0}};
    const char *id = NULL;
    struct json_error err;
    if (json_read(params, "params", fields, 1, &id, &err) == 0)
        return id;
    method_fail_params(req, &err);
    return NULL;
}

void method_fail_unknown(struct rpc_request *req, const char *id)
{
    rpc_fail_kv(req, ACP_RESOURCE_NOT_FOUND, "There is no session of this id.", "sessionId", id);
}

void method_fail_store(struct agent *a, struct rpc_request *req, int rc)
{
    rpc_fail(req, RPC_INTERNAL_ERROR, record_error(&a->env, rc), NULL);
}

void method_session_close(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    const char *id = method_read_id(req, params);
    if (!id)
        return;
    struct session *s = agent_find_session(a, id);
    int rc = 0;
    if (s)
        session_destroy(s);
    else
        rc = a->env.store ? store_find_session(a->env.store, id, NULL) : E_NOTFOUND;
    if (rc == E_NOTFOUND)
        method_fail_unknown(req, id);
    else if (rc < 0)
        method_fail_store(a, req, rc);
    else
        rpc_reply_empty(req);
}

static void start_prompt(struct agent *a, struct rpc_request *req, const char *id,
                         struct prompt *prompt)
{
    struct session *s = agent_find_session(a, id);
    if (!s)
        rpc_fail_kv(req, ACP_RESOURCE_NOT_FOUND,
                    "There is no open session of this id: session/load or session/resume opens "
                    "one that is stored.",
                    "sessionId", id);
    else if (s->restore)
        rpc_fail_kv(req, RPC_INVALID_REQUEST,
                    "This session is being opened: wait for the answer to that.", "sessionId", id);
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
    const char *id = method_read_id(req, params);
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
