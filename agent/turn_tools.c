#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void turn_free_calls(struct turn *t)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        tool_call_deinit(&t->calls[i].call);
        buf_deinit(&t->calls[i].shown);
    }
    free(t->calls);
    t->calls = NULL;
    t->n_calls = t->next_call = 0;
}

/* The client sees it first, then it lasts, then the model sees it. */
static int tell(struct turn *t, struct turn_call *c, const struct tool_result *result)
{
    struct buf outcome = {0};
    int rc = update_write_tool_result(&outcome, c->id, result);
    if (rc == 0)
        rc = update_raw(session_updates(t->s), outcome.p, outcome.n);
    if (rc == 0)
        rc = buf_cstr(&outcome) ? turn_record_result(t, c, result, outcome.p) : E_NOMEM;
    buf_deinit(&outcome);
    return rc;
}

/* The outcome of the next call. */
static int record(struct turn *t, const struct tool_result *result)
{
    const struct history_message *reply = &t->s->history.messages[t->reply_at];
    size_t i = t->next_call++;
    if (!result->text)
        return E_NOMEM;
    int rc = tell(t, &t->calls[i], result);
    int kept = history_add_tool(&t->s->history, reply->calls[i].id, result->text);
    return rc < 0 ? rc : kept;
}

static int record_failure(struct turn *t, const char *text)
{
    struct tool_result result = {.failed = true, .text = strdup(text)};
    int rc = record(t, &result);
    free(result.text);
    return rc;
}

static void run_next(struct turn *t);

static void go_on(struct turn *t, int rc)
{
    if (rc < 0)
        turn_fail_kept(t, rc);
    else
        run_next(t);
}

static void on_tool_done(void *ctx, struct tool_result *result)
{
    struct turn *t = ctx;
    t->run = NULL;
    t->goal_over = t->goal_over || result->goal_over;
    go_on(t, record(t, result));
}

/* 1: it runs. Otherwise it is over already: 0, or E_NOMEM. */
static int start_call(struct turn *t, struct turn_call *c)
{
    const char *refusal = c->call.error;
    if (!refusal && c->call.tool)
        refusal = mode_refusal(t->s->settings.mode, c->call.tool->kind);
    if (refusal)
        return record_failure(t, refusal);
    turn_move(t, TURN_TOOL);
    update_tool_running(session_updates(t->s), c->id);
    int rc = tool_start(t->env->loop, &c->call, on_tool_done, t, &t->run);
    return rc == 0 ? 1 : record_failure(t, err_text(rc));
}

static void run_next(struct turn *t)
{
    int rc = 0;
    while (rc == 0 && t->next_call < t->n_calls) {
        if (turn_hold(t, run_next))
            return;
        rc = start_call(t, &t->calls[t->next_call]);
    }
    if (rc == 1)
        return;
    if (rc < 0) {
        go_on(t, rc);
        return;
    }
    turn_free_calls(t);
    t->tries = 0;
    turn_request_model(t);
}

static int prepare_call(struct turn *t, struct turn_call *c, struct history_call *from)
{
    session_wire_id(t->s, "call", ++t->s->calls, c->id);
    int rc = tool_prepare(&c->call, t->s->cwd, from);
    c->call.more = session_roots(t->s);
    if (rc == 0)
        rc = tool_sanitize(from, &c->call, c->id);
    return rc == 0 ? update_write_tool_call(&c->shown, c->id, &c->call, from->name) : rc;
}

static int prepare_calls(struct turn *t, struct llm_reply *reply)
{
    int rc = 0;
    t->calls = calloc(reply->n_calls, sizeof *t->calls);
    if (!t->calls)
        return E_NOMEM;
    t->n_calls = reply->n_calls;
    for (size_t i = 0; rc == 0 && i < t->n_calls; i++)
        rc = prepare_call(t, &t->calls[i], &reply->calls[i]);
    return rc;
}

static int store_reply(struct turn *t, struct llm_reply *reply)
{
    const char *text = buf_cstr(&t->text), *thought = buf_cstr(&t->thought);
    if (!text || !thought)
        return E_NOMEM;
    int rc = turn_record_reply(t, text, reply->calls);
    if (rc < 0)
        return rc;
    t->reply_at = t->s->history.n;
    rc = history_add_assistant(&t->s->history, text, thought, reply->calls, reply->n_calls);
    reply->calls = NULL;
    reply->n_calls = 0;
    turn_forget_text(t);
    return rc;
}

static int show_calls(struct turn *t)
{
    int rc = 0;
    t->shown = true;
    for (size_t i = 0; rc == 0 && i < t->n_calls; i++)
        rc = update_raw(session_updates(t->s), t->calls[i].shown.p, t->calls[i].shown.n);
    return rc;
}

void turn_run_tools(struct turn *t, struct llm_reply *reply)
{
    int rc = prepare_calls(t, reply);
    if (rc == 0)
        rc = store_reply(t, reply);
    if (rc < 0)
        turn_free_calls(t); /* they are not in the history, so nothing can be said about them */
    else
        rc = show_calls(t);
    go_on(t, rc);
}

void turn_drop_tools(struct turn *t)
{
    while (t->next_call < t->n_calls)
        if (record_failure(t, "Cancelled by the user.") < 0)
            log_warn("out of memory: a cancelled tool call is not reported");
    turn_free_calls(t);
}
