#include "agent/llm_error.h"
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
    file_job_abandon(t->job);
    uv_timer_stop(&t->timer);
    t->call = NULL;
    t->run = NULL;
    t->job = NULL;
    t->held = NULL;
}

static void dispose(struct turn *t)
{
    turn_move(t, TURN_OVER);
    t->s->turn = NULL;
    turn_free_calls(t);
    prompt_deinit(&t->prompt);
    buf_deinit(&t->text);
    buf_deinit(&t->thought);
    buf_deinit(&t->pending);
    uv_close((uv_handle_t *)&t->timer, on_timer_closed);
}

/* Keeps what was shown of the current reply. A turn never leaves the history with a question that
 * has no answer: models whose templates want user and assistant to take turns refuse that. */
static void keep_text(struct turn *t, const char *note)
{
    struct history *h = &t->s->history;
    const char *text = t->text.n > 0 ? buf_cstr(&t->text) : NULL;
    if (!text && h->n > 0 && h->messages[h->n - 1].role == HISTORY_USER)
        text = note;
    if (text && history_add_assistant(h, text, NULL, NULL, 0) < 0)
        log_warn("out of memory: the end of this turn is not kept");
    t->text.n = 0;
}

/* A cancel that comes while links are read finds the prompt not in the history yet. */
static void keep_prompt(struct turn *t)
{
    char *text = t->state == TURN_LINKS ? prompt_render(&t->prompt) : NULL;
    if (text && history_add_user(&t->s->history, text) < 0)
        log_warn("out of memory: the cancelled prompt is not kept");
    free(text);
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
    if (reason == ACP_STOP_REFUSAL)
        history_cut(&t->s->history, t->mark); /* what was refused is not asked again */
    else
        keep_text(t, "[No text.]");
    dispose(t);
    answer(req, reason);
}

void turn_end_cancelled(struct turn *t, bool by_request_id)
{
    struct rpc_request *req = t->req;
    stop_work(t);
    turn_flush(t);
    turn_drop_tools(t);
    keep_prompt(t);
    keep_text(t, "[Cancelled by the user.]");
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
    if (!t->shown || is_poisonous(status))
        history_cut(&t->s->history, t->mark);
    else
        keep_text(t, "[No answer.]");
}

void turn_fail_plain(struct turn *t, int code, const char *message)
{
    struct rpc_request *req = t->req;
    settle_failed(t, 0);
    dispose(t);
    rpc_fail(req, code, message, NULL);
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
    struct llm_target to = {.provider = "model"};
    char message[sizeof error->text + 96];
    bool login = error->status == 401 || error->status == 403;
    config_resolve(&t->env->config, t->env->model, &to);
    cJSON *data = error_data(to.provider, error->status);
    if (error->status > 0)
        snprintf(message, sizeof message, "%s answered %ld: %s", to.provider, error->status,
                 error->text);
    else
        snprintf(message, sizeof message, "%s: %s", to.provider, error->text);
    settle_failed(t, error->status);
    dispose(t);
    rpc_fail(req, login ? ACP_AUTH_REQUIRED : RPC_INTERNAL_ERROR, message, data);
    cJSON_Delete(data);
}
