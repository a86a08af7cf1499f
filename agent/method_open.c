#include "agent/method.h"

#include "agent/extension.h"

#include "acp/methods.h"
#include "agent/file.h"
#include "agent/record.h"
#include "agent/restore.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>

bool method_has_store(struct agent *a, struct rpc_request *req, const char *method)
{
    if (a->env.store)
        return true;
    rpc_fail_kv(req, RPC_METHOD_NOT_FOUND,
                "Sessions are not kept: set HOME or ACP_AGENT_HOME for the agent.", "method",
                method);
    return false;
}

/* Nobody may use a session that is not whole. */
static void fail_to_open(struct session *s, struct rpc_request *req, int rc)
{
    if (rc == E_CANCELLED)
        rpc_fail(req, ACP_REQUEST_CANCELLED, "Opening the session was cancelled.", NULL);
    else if (rc == E_CLOSED)
        rpc_fail(req, RPC_INTERNAL_ERROR, "The session was closed while it was opened.", NULL);
    else if (rc == E_NOTFOUND)
        method_fail_unknown(req, s->id);
    else
        rpc_fail(req, RPC_INTERNAL_ERROR, record_error(s->env, rc), NULL);
    if (rc != E_CLOSED) /* then it is being destroyed already */
        session_destroy(s);
}

static void on_opened(struct session *s, struct rpc_request *req, int rc)
{
    if (rc < 0) {
        fail_to_open(s, req, rc);
        return;
    }
    method_reply_session(req, s, false);
    slash_tell(s); /* after all that is history (RESUME-04) */
}

/* A copy that cannot be opened is of no use to anybody. */
static void on_forked(struct session *s, struct rpc_request *req, int rc)
{
    if (rc < 0 && rc != E_CLOSED)
        store_delete_session(s->env->store, s->id);
    if (rc < 0) {
        fail_to_open(s, req, rc);
        return;
    }
    method_reply_session(req, s, true);
    slash_tell(s); /* of an id that the client knows only now */
}

struct opening {
    const char *id, *cwd; /* cwd NULL: as stored */
    const cJSON *directories;
    const cJSON *servers;
    bool show;
    restore_cb done;
};

static int reopen(struct agent *a, const struct opening *o, struct session **ret)
{
    struct store_session stored;
    int rc = store_find_session(a->env.store, o->id, &stored);
    if (rc < 0)
        return rc;
    struct method_place place;
    rc = method_place_make(o->cwd ? o->cwd : stored.cwd, o->directories, &place);
    if (rc == 0)
        rc = session_reopen(&a->env, &stored, &place.lent, ret);
    method_place_deinit(&place);
    if (rc < 0)
        return rc;
    rc = slash_load_files(*ret);
    if (rc == 0)
        rc = extension_load(*ret, NULL, 0);
    if (rc < 0)
        session_destroy(*ret);
    return rc;
}

/* One that is open already is read anew: another process may have gone on with it. */
static void open_stored(struct agent *a, struct rpc_request *req, const struct opening *o)
{
    struct session *old = agent_find_session(a, o->id), *s = NULL;
    int rc = reopen(a, o, &s);
    if (rc == E_NOTFOUND) {
        method_fail_unknown(req, o->id);
        return;
    }
    if (rc < 0) {
        method_fail_store(a, req, rc);
        return;
    }
    session_destroy(old);
    agent_has_credentials(a, false); /* a prompt without them fails by itself */
    agent_add_session(a, s);
    method_connect(s, o->servers);
    restore_start(s, o->show, req, o->done);
}

static bool is_busy(struct agent *a, struct rpc_request *req, const char *id)
{
    const struct session *s = agent_find_session(a, id);
    if (!s || (!s->turn && !s->restore))
        return false;
    rpc_fail_kv(req, RPC_INVALID_REQUEST,
                s->turn ? "A prompt is running in this session: wait for its end or cancel it."
                        : "This session is being opened: wait for the answer to that.",
                "sessionId", id);
    return true;
}

/* NULL: the request is answered. */
static const char *read_opening(struct agent *a, struct rpc_request *req, const cJSON *params,
                                struct method_setup *ret)
{
    struct json_error err;
    const char *id = method_read_id(req, params);
    if (!id)
        return NULL;
    int rc = method_read_setup(params, ret, &err);
    if (rc == 0 && ret->cwd)
        rc = method_check_cwd(ret->cwd, &err);
    if (rc < 0) {
        method_fail_params(req, &err);
        return NULL;
    }
    return is_busy(a, req, id) ? NULL : id;
}

static void open_session(struct agent *a, struct rpc_request *req, const cJSON *params, bool show)
{
    struct method_setup p = {.cwd = NULL};
    const char *id = read_opening(a, req, params, &p);
    const struct opening o = {.id = id,
                              .cwd = p.cwd,
                              .directories = p.directories,
                              .servers = p.servers,
                              .show = show,
                              .done = on_opened};
    if (id)
        open_stored(a, req, &o);
}

void method_session_load(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    if (method_has_store(a, req, acp_methods[ACP_SESSION_LOAD].name))
        open_session(a, req, params, true);
}

void method_session_resume(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    if (method_has_store(a, req, acp_methods[ACP_SESSION_RESUME].name))
        open_session(a, req, params, false);
}

/* "_meta": {"messageId": …}: protocol types take no members of our own at their root. */
static int fork_stored(struct agent *a, const cJSON *params, struct store_fork *fork)
{
    char *cwd = fork->cwd ? file_join("/", fork->cwd) : NULL;
    if (fork->cwd && !cwd)
        return E_NOMEM;
    fork->until = json_get_str(json_get(params, "_meta"), "messageId");
    fork->cwd = cwd;
    fork->now = record_now();
    int rc = store_fork_session(a->env.store, fork);
    free(cwd);
    fork->cwd = NULL;
    return rc;
}

void method_session_fork(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    char id[SESSION_ID_MAX];
    struct method_setup p = {.cwd = NULL};
    if (!method_has_store(a, req, "session/fork"))
        return;
    const char *from = read_opening(a, req, params, &p);
    if (!from)
        return;
    struct store_fork fork = {.from = from, .id = id, .cwd = p.cwd};
    int rc = session_make_id(id);
    if (rc == 0)
        rc = fork_stored(a, params, &fork);
    const struct opening o = {
        .id = id, .directories = p.directories, .servers = p.servers, .done = on_forked};
    if (rc == 0)
        open_stored(a, req, &o);
    else if (rc == E_NOTFOUND)
        method_fail_unknown(req, from);
    else if (rc == E_INVALID)
        rpc_fail_kv(req, RPC_INVALID_PARAMS, record_error(&a->env, rc), "path",
                    "params._meta.messageId");
    else
        method_fail_store(a, req, rc);
}
