#include "agent/llm_error.h"
#include "agent/mcp_set.h"
#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct turn, timer));
}

/* Nothing of the turn will call back after this. */
static void stop_work(struct turn *t)
{
    llm_call_abandon(t->call);
    tool_stop(t->run);
    gate_withdraw(t->gate);
    file_job_abandon(t->job);
    turn_stop_command(t);
    hook_stop(t->hooks);
    t->hooks = NULL;
    mcp_set_forget(t->s->servers);
    uv_timer_stop(&t->timer);
    t->call = NULL;
    t->run = NULL;
    t->gate = NULL;
    t->job = NULL;
    t->held = NULL;
}

static void dispose(struct turn *t)
{
    turn_move(t, TURN_OVER);
    t->s->turn = NULL;
    if (t->s->reload)
        t->env->wake(t->env);
    turn_free_calls(t);
    turn_drop_steers(t);
    prompt_deinit(&t->prompt);
    buf_deinit(&t->text);
    buf_deinit(&t->thought);
    buf_deinit(&t->runs);
    buf_deinit(&t->usage);
    buf_deinit(&t->pending);
    tool_result_deinit(&t->result);
    free(t->note);
    uv_close((uv_handle_t *)&t->timer, on_timer_closed);
}

/* For ends that have no way to tell. */
static void keep_reply(struct turn *t, const char *note)
{
    int rc = turn_keep_reply(t, note);
    if (rc < 0)
        log_warn("the end of this turn is not kept: %s", record_error(t->env, rc));
}

/* Guidance that was accepted stays, although nothing answers it. */
static void keep_steers(struct turn *t, const char *note)
{
    if (list_empty(&t->steers))
        return;
    int rc = turn_add_steers(t);
    if (rc < 0)
        log_warn("guidance at the end of a turn is not kept: %s", record_error(t->env, rc));
    keep_reply(t, note);
}

/* A cancel that comes while links are read finds the prompt not kept yet. */
static void keep_cancelled(struct turn *t)
{
    int rc = t->state == TURN_LINKS ? turn_keep_prompt(t) : 0;
    if (rc < 0)
        log_warn("the cancelled prompt is not kept: %s", record_error(t->env, rc));
    else
        keep_reply(t, "[Cancelled by the user.]");
    keep_steers(t, "[Cancelled by the user.]");
}

/* What the model was told in the turn has to be told again. */
static void forget_notes(struct turn *t)
{
    struct session *s = t->s;
    bool changed = s->settings.told_mode != t->told_mode || s->settings.told_work != t->told_work;
    s->settings.told_mode = t->told_mode;
    s->settings.told_work = t->told_work;
    if (changed && record_settings(s) < 0)
        log_warn("the mode may not be told to the model again");
    if (!s->note) {
        s->note = t->note;
        t->note = NULL;
    }
}

/* As if the turn had never been. */
static void forget(struct turn *t)
{
    history_cut(&t->s->history, t->mark);
    record_cut(t->s, t->stored);
    forget_notes(t);
}

static void answer(struct rpc_request *req, enum acp_stop_reason reason)
{
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kstr(w, "stopReason", acp_stop_reason_name(reason));
    jw_close(w);
    rpc_reply_end(req);
}

void turn_end(struct turn *t, enum acp_stop_reason reason)
{
    struct rpc_request *req = t->req;
    int rc = 0;
    if (reason == ACP_STOP_REFUSAL)
        forget(t); /* what was refused is not asked again */
    else
        rc = turn_keep_reply(t, "[No text.]");
    if (rc < 0) {
        turn_fail_kept(t, rc);
        return;
    }
    if (reason != ACP_STOP_REFUSAL)
        keep_steers(t, "[No answer.]");
    update_session_info(session_updates(t->s), NULL, t->s->updated);
    dispose(t);
    answer(req, reason);
}

void turn_end_cancelled(struct turn *t, bool by_request_id)
{
    struct rpc_request *req = t->req;
    stop_work(t);
    turn_flush(t);
    turn_drop_tools(t);
    turn_drop_plan(t);
    turn_drop_compaction(t);
    keep_cancelled(t);
    update_session_info(session_updates(t->s), NULL, t->s->updated);
    dispose(t);
    if (by_request_id)
        rpc_fail(req, ACP_REQUEST_CANCELLED, "The prompt was cancelled.", NULL);
    else
        answer(req, ACP_STOP_CANCELLED);
}

/* What the provider refused for good would be refused in every later request as well. */
static bool is_poisonous(long status)
{
    bool login = status == 401 || status == 403;
    return status >= 400 && !login && !llm_error_is_transient(status);
}

/* Calls that were announced and not run yet end here, too. */
static void settle_failed(struct turn *t, long status)
{
    stop_work(t);
    turn_flush(t);
    turn_drop_tools(t);
    turn_drop_plan(t);
    turn_drop_compaction(t);
    if (!t->shown || is_poisonous(status)) {
        forget(t);
        return;
    }
    keep_reply(t, "[No answer.]");
    keep_steers(t, "[No answer.]");
}

void turn_fail_plain(struct turn *t, int code, const char *message)
{
    struct rpc_request *req = t->req;
    settle_failed(t, 0);
    dispose(t);
    rpc_fail(req, code, message, NULL);
}

void turn_fail_kept(struct turn *t, int rc)
{
    struct rpc_request *req = t->req;
    char message[1024], id[SESSION_ID_MAX];
    snprintf(message, sizeof message, "%s", record_error(t->env, rc));
    snprintf(id, sizeof id, "%s", t->s->id);
    settle_failed(t, 0);
    dispose(t);
    if (rc == E_NOTFOUND)
        rpc_fail_kv(req, ACP_RESOURCE_NOT_FOUND, message, "sessionId", id);
    else
        rpc_fail(req, RPC_INTERNAL_ERROR, message, NULL);
}

static cJSON *error_data(const char *provider, long status)
{
    cJSON *data = cJSON_CreateObject();
    cJSON_AddStringToObject(data, "provider", provider);
    if (status > 0)
        cJSON_AddNumberToObject(data, "status", (double)status);
    return data;
}

void turn_fail(struct turn *t, const struct llm_error *error)
{
    struct rpc_request *req = t->req;
    char message[sizeof error->text + 96];
    bool login = error->status == 401 || error->status == 403;
    const char *provider = t->provider;
    cJSON *data = error_data(provider, error->status);
    if (error->status > 0)
        snprintf(message, sizeof message, "%s answered %ld: %s", provider, error->status,
                 error->text);
    else
        snprintf(message, sizeof message, "%s: %s", provider, error->text);
    settle_failed(t, error->status);
    dispose(t);
    rpc_fail(req, login ? ACP_AUTH_REQUIRED : RPC_INTERNAL_ERROR, message, data);
    cJSON_Delete(data);
}
