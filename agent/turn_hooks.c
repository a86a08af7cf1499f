#include "agent/extension.h"
#include "agent/turn_impl.h"

#include "base/log.h"

#include <stdio.h>

/* Hooks of plugins: before and after a tool, and at the end of a turn. */

int turn_ask_hooks(struct turn *t, enum hook_event event, void (*on_hooks)(void *ctx, const char *))
{
    const struct turn_call *c = t->next_call < t->n_calls ? &t->calls[t->next_call] : NULL;
    struct hook_question q = {.event = event, .cb = on_hooks, .ctx = t};
    if (c && c->call.tool && event != HOOK_TURN_END) {
        q.tool = c->call.tool->spec.name;
        q.args = c->call.args;
        q.result = t->result.text;
        q.failed = t->result.failed;
    }
    if (event == HOOK_TURN_END)
        q.stop_reason = acp_stop_reason_name(ACP_STOP_END_TURN);
    return extension_ask(t->s, &q, &t->hooks);
}

static void on_end(void *ctx, const char *reason)
{
    struct turn *t = ctx;
    char text[600];
    t->hooks = NULL;
    if (reason) {
        snprintf(text, sizeof text, "A hook at the end of the turn says: %.500s", reason);
        log_warn("%s", text);
        if (t->env->notices)
            update_notice(session_updates(t->s), "warning", text);
        else
            turn_tell_as_thought(t, text);
    }
    turn_end(t, ACP_STOP_END_TURN);
}

void turn_end_well(struct turn *t)
{
    if (turn_ask_hooks(t, HOOK_TURN_END, on_end) != 1)
        turn_end(t, ACP_STOP_END_TURN);
}
