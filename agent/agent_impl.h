#ifndef AGENT_AGENT_IMPL_H
#define AGENT_AGENT_IMPL_H

#include "agent/agent.h"
#include "agent/env.h"
#include "agent/session.h"
#include "base/buf.h"
#include "base/list.h"
#include "uvio/stream.h"

/* Private to agent.c and method*.c. */
struct agent {
    struct agent_options options;
    const struct agent_ops *ops;
    void *ctx;
    struct env env;
    struct stream *stream;
    struct buf out; /* what the peer wrote since the last hand-over to the stream */
    struct list sessions;
    struct list waiting; /* session/new that wait for local servers, see method_local.c */
    char *local_model;   /* owned; what was found there, or NULL */
    bool looking, looked;
    uv_timer_t warm;        /* loads libcurl in an idle moment */
    uv_check_t gather;      /* runs after the reads of one turn of the loop, if text was gathered */
    uv_timer_t reload;      /* does what waited for a session to be idle */
    char reload_error[640]; /* why the last one failed: one sentence */
    bool configured, initialized, ending;
    bool logged_out;     /* until authenticate: no session gets credentials */
    bool login_terminal; /* the client can run us in a terminal */
    unsigned open_parts; /* that must report their end before the agent is gone */
};

/* The live session of that id, or NULL. */
struct session *agent_find_session(struct agent *a, const char *id);
/* Takes the session into the list. */
void agent_add_session(struct agent *a, struct session *s);

/* Are there credentials for the model? Reads the configuration if there were none so far, or
 * `again`. */
bool agent_has_credentials(struct agent *a, bool again);
/* Reads the configuration anew. If it is broken the former one stays, and config.error says why. */
int agent_load_config(struct agent *a);
/* What the model that new sessions begin with takes beside text: bits of enum media_kind. */
unsigned agent_default_input(struct agent *a);
/* Forgets all keys until agent_has_credentials(a, true). */
void agent_log_out(struct agent *a);
/* Reads the workspace's instructions and the configuration anew and tells the client. 0 or a
 * negative code; then nothing changed. */
int agent_reload(struct agent *a, struct session *s);

/* Answers the session/new that wait for a model, see method_local.c. */
void method_serve_waiting(struct agent *a);
/* A request or notification of the client, for peer_ops. */
int method_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params);
void method_notify(void *ctx, const char *method, const cJSON *params);

#endif
