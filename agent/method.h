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
    X(SESSION_NEW, "newSession", method_session_new)                                               \
    X(SESSION_CLOSE, "closeSession", method_session_close)                                         \
    X(SESSION_PROMPT, "prompt", method_session_prompt)

#define METHOD_NOTIFICATIONS(X) X(SESSION_CANCEL, "cancel", method_session_cancel)

#define X(id, alias, fn) void fn(struct agent *a, struct rpc_request *req, const cJSON *params);
METHOD_REQUESTS(X)
#undef X
#define X(id, alias, fn) void fn(struct agent *a, const cJSON *params);
METHOD_NOTIFICATIONS(X)
#undef X

/* -32602 with the path in data. */
void method_fail_params(struct rpc_request *req, const struct json_error *err);
/* -32000 that says what to do. */
void method_fail_login(struct rpc_request *req);

#endif
