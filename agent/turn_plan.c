#include "agent/option.h"
#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The end of a turn in the mode plan: its user is asked whether the plan is to be carried out. To
 * the client this is a call of a tool, to the model it is none: it only learns that it may go on.
 */

#define ALLOWED   "The user agreed to the plan."
#define CANCELLED "Cancelled by the user."

static const struct tool question = {.spec = {.name = "leave_plan_mode"},
                                     .kind = ACP_KIND_SWITCH_MODE};

struct turn_plan {
    char id[SESSION_WIRE_ID_MAX];
    struct tool_call call;
    struct buf shown; /* the question, as the client saw it */
};

static void dispose(struct turn *t)
{
    struct turn_plan *p = t->plan;
    t->plan = NULL;
    tool_call_deinit(&p->call);
    buf_deinit(&p->shown);
    free(p);
}

/* Question and outcome last together: one alone would stay open for ever. */
static int keep(struct turn *t, const struct buf *shown, struct buf *outcome)
{
    if (!buf_cstr(outcome))
        return E_NOMEM;
    struct store_entry entries[] = {{.kind = STORE_UPDATE, .shown = shown->p},
                                    {.kind = STORE_UPDATE, .shown = outcome->p}};
    return record_entries(t->s, entries, ARRAY_LEN(entries));
}

static int settle(struct turn *t, bool agreed, const char *why)
{
    struct buf outcome = {0};
    char *text = strdup(why);
    const struct tool_result result = {.failed = !agreed, .text = text};
    int rc = text ? update_write_tool_result(&outcome, t->plan->id, &result) : E_NOMEM;
    if (rc == 0)
        rc = update_raw(session_updates(t->s), outcome.p, outcome.n);
    if (rc == 0)
        rc = keep(t, &t->plan->shown, &outcome);
    free(text);
    buf_deinit(&outcome);
    dispose(t);
    return rc;
}

void turn_drop_plan(struct turn *t)
{
    if (t->plan && settle(t, false, CANCELLED) < 0)
        log_warn("the end of a question about a plan is not kept");
}

/* The mode may have been left by hand meanwhile. */
static int leave_mode(struct turn *t)
{
    struct session *s = t->s;
    if (s->settings.mode != MODE_PLAN)
        return 0;
    int rc = option_set(s, "mode", mode_choice(MODE_NORMAL)->value);
    if (rc == 0)
        rc = option_tell_mode(s);
    return rc == 0 ? option_tell_list(s) : rc;
}

static void on_answer(void *ctx, enum gate_answer answer, const char *why)
{
    struct turn *t = ctx;
    bool agreed = answer != GATE_DENIED;
    t->gate = NULL;
    int rc = settle(t, agreed, agreed ? ALLOWED : why);
    if (rc == 0 && agreed)
        rc = leave_mode(t);
    if (rc < 0) {
        turn_fail_kept(t, rc);
        return;
    }
    t->agreed = agreed;
    if (agreed || !list_empty(&t->steers))
        turn_request_model(t);
    else
        turn_end(t, ACP_STOP_END_TURN);
}

static int show(struct turn *t)
{
    struct turn_plan *p = t->plan;
    session_wire_id(t->s, "call", ++t->s->calls, p->id);
    p->call.title = strdup("Carry out this plan?");
    p->call.tool = &question;
    p->call.client = session_client(t->s);
    if (!p->call.title)
        return E_NOMEM;
    int rc = update_write_tool_call(&p->shown, p->id, &p->call, question.spec.name);
    if (rc == 0)
        rc = buf_cstr(&p->shown) ? 0 : E_NOMEM;
    return rc == 0 ? update_raw(session_updates(t->s), p->shown.p, p->shown.n) : rc;
}

/* What was planned is part of the conversation before anybody is asked about it. */
void turn_ask_about_plan(struct turn *t)
{
    int rc = turn_keep_reply(t, "[No text.]");
    if (rc == 0) {
        t->plan = calloc(1, sizeof *t->plan);
        rc = t->plan ? show(t) : E_NOMEM;
    }
    if (rc < 0) {
        if (t->plan)
            dispose(t);
        turn_fail_kept(t, rc);
        return;
    }
    const struct gate_question q = {.call = &t->plan->call,
                                    .call_id = t->plan->id,
                                    .yes = "Carry it out",
                                    .no = "Keep planning",
                                    .once_only = true,
                                    .wait_ms = t->env->permission_ms,
                                    .cb = on_answer,
                                    .ctx = t};
    turn_move(t, TURN_TOOL);
    if (gate_ask(&q, &t->gate) < 0)
        on_answer(t, GATE_DENIED, "The user could not be asked.");
}
