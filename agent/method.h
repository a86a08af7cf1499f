#ifndef AGENT_METHOD_H
#define AGENT_METHOD_H

#include "agent/agent_impl.h"
#include "json/json.h"

/*
 * Every method the agent serves, once: ACP_##id gives the wire name, `alias` is the older spelling
 * some clients use (NULL: none). A handler answers req, now or later.
 */
#define METHOD_REQUESTS(X)                                                                         \
    X(INITIALIZE, NULL, method_initialize)                                                         \
    X(AUTHENTICATE, NULL, method_authenticate)                                                     \
    X(LOGOUT, NULL, method_logout)                                                                 \
    X(SESSION_NEW, "newSession", method_session_new)                                               \
    X(SESSION_LOAD, "loadSession", method_session_load)                                            \
    X(SESSION_RESUME, "resumeSession", method_session_resume)                                      \
    X(SESSION_LIST, "listSessions", method_session_list)                                           \
    X(SESSION_DELETE, "deleteSession", method_session_delete)                                      \
    X(SESSION_CLOSE, "closeSession", method_session_close)                                         \
    X(SESSION_SET_MODE, "setSessionMode", method_session_set_mode)                                 \
    X(SESSION_SET_CONFIG_OPTION, "setSessionConfigOption", method_session_set_option)              \
    X(SESSION_PROMPT, "prompt", method_session_prompt)

/* Methods that are not in stable ACP: wire name, older spelling, function. */
#define METHOD_STEER  "_reasonix.io/session/steer"
#define METHOD_RELOAD "_reasonix.io/session/reloadExtensions"
#define METHOD_MORE_REQUESTS(X)                                                                    \
    X("session/fork", "forkSession", method_session_fork)                                          \
    X("session/set_model", "setSessionModel", method_session_set_model)                            \
    X(METHOD_STEER, NULL, method_steer)                                                            \
    X(METHOD_RELOAD, NULL, method_reload)

#define METHOD_NOTIFICATIONS(X) X(SESSION_CANCEL, "cancel", method_session_cancel)

#define X(id, alias, fn) void fn(struct agent *a, struct rpc_request *req, const cJSON *params);
METHOD_REQUESTS(X)
METHOD_MORE_REQUESTS(X)
#undef X
#define X(id, alias, fn) void fn(struct agent *a, const cJSON *params);
METHOD_NOTIFICATIONS(X)
#undef X

/* -32602 with the path in data. */
void method_fail_params(struct rpc_request *req, const struct json_error *err);
/* -32000 that says what to do; -32603 if it is a broken config.json that keeps us from it. */
void method_fail_login(struct agent *a, struct rpc_request *req);
/* Answers session/new, now or later: with a model of a local server if there is one, else as
 * method_fail_login. */
void method_look_for_model(struct agent *a, struct rpc_request *req, const cJSON *params);

/* The member authMethods of an open object. terminal: the client can run us in one. */
void method_write_logins(struct jsonw *w, bool terminal);

/* -32002 with data.sessionId. */
void method_fail_unknown(struct rpc_request *req, const char *id);
/* A failure of the store (or of what reads it): -32603 with its sentence. */
void method_fail_store(struct agent *a, struct rpc_request *req, int rc);
/* For methods that need the store: false, with the request answered, where there is none. */
bool method_has_store(struct agent *a, struct rpc_request *req, const char *method);
/* params.sessionId, or NULL with the request answered. */
const char *method_read_id(struct rpc_request *req, const cJSON *params);

/* What new, load, resume and fork have in common. All lent by params. */
struct method_setup {
    const char *cwd; /* absolute, but it may not exist; NULL: not given */
    const cJSON *servers, *directories;
};
int method_read_setup(const cJSON *params, struct method_setup *ret, struct json_error *err);
/* The same as a place to work in, paths made plain. 0 or E_NOMEM; deinit it in any case.
 * directories may be NULL. */
struct method_place {
    char *cwd, **roots;        /* owned */
    struct session_place lent; /* the same */
};
int method_place_make(const char *cwd, const cJSON *directories, struct method_place *ret);
void method_place_deinit(struct method_place *p);
/* Is it a directory that exists? 0 or E_INVALID. */
int method_check_cwd(const char *cwd, struct json_error *err);
/* Begins what a session has beside itself: MCP servers, the client's and those of plugins, and the
 * hooks for its beginning. */
void method_connect(struct session *s, const cJSON *servers);
/* The result of those methods; with_id: as a new session. */
void method_reply_session(struct rpc_request *req, const struct session *s, bool with_id);

#endif
