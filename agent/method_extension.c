#include "agent/method.h"

#include "agent/prompt.h"
#include "agent/turn.h"
#include "base/err.h"

/*
 * Vendor methods, as the guide of the vendor has them.
 */

/* Files that guidance links to are only named to the model: it can read them. */
static void steer(struct session *s, struct rpc_request *req, struct prompt *prompt)
{
    if (!s->turn)
        rpc_fail_kv(req, RPC_INVALID_REQUEST,
                    "No prompt is running in this session: send this as a prompt.", "sessionId",
                    s->id);
    else if (turn_steer(s->turn, prompt) < 0)
        rpc_fail(req, RPC_INTERNAL_ERROR, "Out of memory.", NULL);
    else
        rpc_reply_empty(req);
}

void method_steer(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    struct prompt prompt = {0};
    struct json_error err;
    const char *id = method_read_id(req, params);
    if (!id)
        return;
    struct session *s = agent_find_session(a, id);
    if (!s) {
        rpc_fail_kv(req, RPC_INVALID_PARAMS, "params.sessionId: there is no such open session",
                    "path", "params.sessionId");
        return;
    }
    int rc = prompt_read(params, 0, &prompt, &err);
    if (rc == E_INVALID)
        method_fail_params(req, &err);
    else if (rc < 0)
        rpc_fail(req, RPC_INTERNAL_ERROR, "Out of memory.", NULL);
    else
        steer(s, req, &prompt);
    prompt_deinit(&prompt);
}

static void answer_reload(struct rpc_request *req, bool queued)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kbool(w, "queued", queued);
    jw_close(w);
    rpc_reply_end(req);
}

void method_reload(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    const char *id = method_read_id(req, params);
    struct session *s = id ? agent_find_session(a, id) : NULL;
    if (!id)
        return;
    if (!s) {
        method_fail_unknown(req, id);
        return;
    }
    if (s->turn || s->restore) {
        s->reload = true; /* once, however often it is asked for */
        answer_reload(req, true);
        return;
    }
    int rc = agent_reload(a, s);
    if (rc < 0)
        rpc_fail(req, RPC_INTERNAL_ERROR, a->reload_error, NULL);
    else
        answer_reload(req, false);
}
