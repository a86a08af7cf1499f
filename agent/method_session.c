#include "agent/method.h"

#include "agent/extension.h"

#include "acp/methods.h"
#include "agent/option.h"
#include "agent/prompt.h"
#include "agent/record.h"
#include "agent/turn.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>

void method_reply_session(struct rpc_request *req, const struct session *s, bool with_id)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    if (with_id)
        jw_kstr(w, "sessionId", s->id);
    option_write_state(w, s);
    jw_close(w);
    rpc_reply_end(req);
}

static void take_model(void *ctx, const struct store_session *session)
{
    struct settings *last = ctx;
    if (settings_read(last, session->settings) < 0)
        log_warn("out of memory: the model used last is not known");
}

/* What the newest stored session was set to; *ret must be deinited. A store that fails does so
 * again, and is told of, when the new session is put into it. */
static void find_last(struct agent *a, struct settings *ret)
{
    char next[STORE_CURSOR_SIZE];
    const struct store_query newest = {.limit = 1};
    settings_init(ret);
    if (a->env.store && !a->env.model && !a->env.config.model)
        (void)store_list_sessions(a->env.store, &newest, take_model, ret, next);
}

/* E_INVALID: start->error says why. */
static int open_session(struct agent *a, const struct method_setup *p, struct settings_start *start,
                        struct session **ret)
{
    struct session *s = NULL;
    struct method_place place;
    int rc = method_place_make(p->cwd, p->directories, &place);
    if (rc == 0)
        rc = session_create(&a->env, &place.lent, &s);
    method_place_deinit(&place);
    if (rc == 0) {
        start->cwd = s->cwd;
        rc = settings_begin(&s->settings, start);
    }
    if (rc == 0)
        rc = slash_load_files(s);
    if (rc == 0)
        rc = extension_load(s, NULL, 0);
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
        method_look_for_model(a, req, params);
        return;
    }
    struct settings_start start = {.config = &a->env.config,
                                   .model = a->env.model,
                                   .work_mode = a->env.work_mode,
                                   .safe_mode = a->env.safe_mode};
    struct settings last;
    find_last(a, &last);
    start.last = last.model;
    rc = open_session(a, &p, &start, &s);
    settings_deinit(&last);
    if (rc == E_INVALID) {
        rpc_fail(req, RPC_INTERNAL_ERROR, start.error, NULL);
        return;
    }
    if (rc < 0) {
        method_fail_store(a, req, rc);
        return;
    }
    agent_add_session(a, s);
    method_reply_session(req, s, true);
    slash_tell(s);
    method_connect(s, p.servers);
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

/* What the session's model takes beside text. */
static unsigned input_of(struct agent *a, const char *id)
{
    const struct session *s = agent_find_session(a, id);
    struct llm_target to;
    return s && session_resolve(s, &to) == 0 ? to.input : 0;
}

void method_session_prompt(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    struct prompt prompt = {0};
    struct json_error err;
    const char *id = method_read_id(req, params);
    if (!id)
        return;
    int rc = prompt_read(params, input_of(a, id), &prompt, &err);
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
