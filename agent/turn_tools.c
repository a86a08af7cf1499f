#include "agent/record.h"
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

/* It is no part of the call's outcome, so it is kept, and replayed, by itself. */
static int tell_plan(struct turn *t, const char *plan)
{
    struct store_entry e = {.kind = STORE_UPDATE, .shown = plan};
    int rc = update_raw(session_updates(t->s), plan, strlen(plan));
    return rc == 0 ? record_entries(t->s, &e, 1) : rc;
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
    if (rc == 0 && result->plan)
        rc = tell_plan(t, result->plan);
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

/* What the tool did stands, whatever a hook says of it. */
static int record_hooked(struct turn *t, const char *reason)
{
    struct tool_result result = t->result;
    struct buf text = {0};
    t->result = (struct tool_result){.failed = false};
    if (reason && result.text &&
        buf_addf(&text, "%s\n\n[A hook says: %s]", result.text, reason) == 0) {
        free(result.text);
        result.text = buf_take(&text);
        free(result.content); /* the client is shown the same */
        result.content = NULL;
    }
    buf_deinit(&text);
    int rc = record(t, &result);
    tool_result_deinit(&result);
    return rc;
}

static void on_hooks_after(void *ctx, const char *reason)
{
    struct turn *t = ctx;
    t->hooks = NULL;
    go_on(t, record_hooked(t, reason));
}

/* A command counts as a check, whatever it is and comes to: only the model knows. */
static void note_change(struct turn *t, enum acp_tool_kind kind, bool failed)
{
    if (kind == ACP_KIND_EXECUTE)
        t->unchecked = false;
    else if (kind == ACP_KIND_EDIT && !failed)
        t->unchecked = true;
}

static void on_tool_done(void *ctx, struct tool_result *result)
{
    struct turn *t = ctx;
    t->run = NULL;
    t->goal_over = t->goal_over || result->goal_over;
    note_change(t, t->calls[t->next_call].call.tool->kind, result->failed);
    t->result = *result;
    *result = (struct tool_result){.failed = false}; /* it is ours now */
    int rc = turn_ask_hooks(t, HOOK_AFTER_TOOL, on_hooks_after);
    if (rc != 1)
        go_on(t, record_hooked(t, NULL));
}

/* --- one call: looked at, allowed, run --- */

/* Each step returns 1: it goes on by itself later. Otherwise the call is over: 0, or E_NOMEM. */
static int run_call(struct turn *t, struct turn_call *c);
static int look_at_call(struct turn *t, struct turn_call *c);
static int ask_first(struct turn *t, struct turn_call *c);

/* What a step that began later came to. */
static void stepped(struct turn *t, int rc)
{
    if (rc != 1)
        go_on(t, rc);
}

static void on_allowed(void *ctx, enum gate_answer answer, const char *why)
{
    struct turn *t = ctx;
    struct turn_call *c = &t->calls[t->next_call];
    t->gate = NULL;
    if (answer == GATE_DENIED) {
        go_on(t, record_failure(t, why));
        return;
    }
    if (answer == GATE_ALLOWED_ALWAYS)
        gate_allow_always(&t->s->rules, &c->call);
    /* Nobody saw what a call outside would change before it was allowed. */
    stepped(t, c->call.outside ? look_at_call(t, c) : run_call(t, c));
}

static int ask_user(struct turn *t, struct turn_call *c)
{
    const struct gate_question q = {.call = &c->call,
                                    .call_id = c->id,
                                    .once_only = t->env->safe_mode,
                                    .wait_ms = t->env->permission_ms,
                                    .cb = on_allowed,
                                    .ctx = t};
    c->call.asked = !c->call.outside;
    turn_move(t, TURN_TOOL);
    int rc = gate_ask(&q, &t->gate);
    return rc == 0 ? 1 : record_failure(t, "The user could not be asked.");
}

static bool must_ask(const struct turn *t, const struct turn_call *c)
{
    enum approval approval = t->env->safe_mode ? APPROVAL_ASK : t->s->settings.approval;
    return gate_must_ask(&t->s->rules, approval, &c->call);
}

static int ask_first(struct turn *t, struct turn_call *c)
{
    return must_ask(t, c) ? ask_user(t, c) : run_call(t, c);
}

static void on_looked(void *ctx, struct tool_result *result)
{
    struct turn *t = ctx;
    struct turn_call *c = &t->calls[t->next_call];
    t->run = NULL;
    if (result->failed || !result->text)
        go_on(t, record(t, result));
    else
        stepped(t, c->call.outside ? run_call(t, c) : ask_first(t, c));
}

static int look_at_call(struct turn *t, struct turn_call *c)
{
    if (!c->call.tool->look)
        return c->call.outside ? run_call(t, c) : ask_first(t, c);
    turn_move(t, TURN_TOOL);
    int rc = tool_look(t->env->loop, &c->call, on_looked, t, &t->run);
    return rc == 0 ? 1 : record_failure(t, err_text(rc));
}

static const char *refusal_of(const struct turn *t, const struct turn_call *c)
{
    if (c->call.error || !c->call.tool)
        return c->call.error;
    return mode_refusal(t->s->settings.mode, c->call.tool->kind);
}

static void on_hooks_before(void *ctx, const char *reason)
{
    struct turn *t = ctx;
    char text[600];
    t->hooks = NULL;
    snprintf(text, sizeof text, "A hook refused this: %.500s", reason ? reason : "");
    stepped(t, reason ? record_failure(t, text) : run_call(t, &t->calls[t->next_call]));
}

/* 1: they are asked, and run_call comes again. */
static int ask_hooks_first(struct turn *t, struct turn_call *c)
{
    bool asked = c->hooked;
    c->hooked = true;
    return asked ? 0 : turn_ask_hooks(t, HOOK_BEFORE_TOOL, on_hooks_before);
}

/* The mode may have become plan while the user, or a hook, was asked. */
static int run_call(struct turn *t, struct turn_call *c)
{
    const char *refusal = refusal_of(t, c);
    if (refusal)
        return record_failure(t, refusal);
    turn_move(t, TURN_TOOL);
    int asked = ask_hooks_first(t, c);
    if (asked != 0)
        return asked;
    update_tool_running(session_updates(t->s), c->id, &c->call);
    int rc = tool_start(t->env->loop, &c->call, on_tool_done, t, &t->run);
    return rc == 0 ? 1 : record_failure(t, err_text(rc));
}

static int start_call(struct turn *t, struct turn_call *c)
{
    const char *refusal = refusal_of(t, c);
    int rc = refusal ? 0 : tool_locate(&c->call);
    if (rc < 0)
        return rc;
    if (!refusal)
        refusal = c->call.error;
    if (refusal)
        return record_failure(t, refusal);
    return c->call.outside && must_ask(t, c) ? ask_user(t, c) : look_at_call(t, c);
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
    int rc = tool_prepare(&c->call, &t->s->tools, t->s->cwd, from);
    c->call.more = session_roots(t->s);
    c->call.id = c->id;
    c->call.client = session_client(t->s);
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
    if (t->result.text && record_hooked(t, NULL) < 0)
        log_warn("out of memory: a tool call that has ended is not reported");
    while (t->next_call < t->n_calls)
        if (record_failure(t, "Cancelled by the user.") < 0)
            log_warn("out of memory: a cancelled tool call is not reported");
    turn_free_calls(t);
}
