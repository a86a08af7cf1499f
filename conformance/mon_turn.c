#include "conformance/monitors.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>

/*
 * Updates of a turn come before its response: a MUST for cancelled turns, otherwise recorded only
 * (ambiguities 43); and "cancelled" is said of cancelled turns only.
 */
enum { LATE_US = 2000000 }; /* beyond that an update is taken for something new */

struct turns {
    bool dismissed; /* the client closed or reloaded a session, cancelled a request, dismissed a
                       dialog or sent a second prompt into a turn */
};

static bool is_of_turn(const char *kind)
{
    static const char *const kinds[] = {"agent_message_chunk", "agent_thought_chunk", "tool_call",
                                        "tool_call_update"};
    for (size_t i = 0; kind && i < ARRAY_LEN(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static void judge_update(struct watch *w, const struct wire_msg *m)
{
    const struct wire_session *s = m->session;
    if (!s || !s->quiet || s->loads_open > 0 || !is_of_turn(m->update_kind) ||
        m->e->t_us - s->ended_us > LATE_US)
        return;
    struct blame b = blame_of(m, s->ended_cancelled ? "CANCEL-09" : "PROMPT-20");
    b.pointer = "/params/update/sessionUpdate";
    watch_blame(w, &b, "%s comes after the response of the %sturn it belongs to", m->update_kind,
                s->ended_cancelled ? "cancelled " : "");
}

static void judge_reason(struct watch *w, const struct turns *t, const struct wire_msg *m)
{
    const char *reason = json_get_str(m->result, "stopReason");
    bool cancelled = m->session && (m->session->cancel_sent || m->session->ended_cancelled);
    if (!reason || strcmp(reason, "cancelled") != 0 || cancelled || t->dismissed)
        return;
    struct blame b = blame_of(m, "PROMPT-13");
    b.pointer = "/result/stopReason";
    b.at_most = VERDICT_WARN;
    watch_blame(w, &b, "the turn is answered \"cancelled\", but nobody cancelled it");
}

/* An answer of the client that waves a question of the agent away. */
static bool dismisses(const struct wire_msg *m)
{
    const char *outcome = json_get_str(json_get(m->result, "outcome"), "outcome");
    const char *action = json_get_str(m->result, "action");
    return (outcome && strcmp(outcome, "cancelled") == 0) ||
           (action && strcmp(action, "accept") != 0) || m->error;
}

static void note_client(struct turns *t, const struct wire_msg *m)
{
    if (m->kind == WIRE_RESPONSE)
        t->dismissed |= dismisses(m);
    else if (m->method)
        t->dismissed |=
            (strcmp(m->method, "session/prompt") == 0 && m->session &&
             m->session->turns_open > 1) ||
            strcmp(m->method, "session/close") == 0 || strcmp(m->method, "session/delete") == 0 ||
            strcmp(m->method, "session/load") == 0 || strcmp(m->method, "$/cancel_request") == 0;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    if (m->e->side == TRACE_CLIENT)
        note_client(state, m);
    if (m->e->side != TRACE_AGENT || !w->wire.up) /* how a shutdown ends turns is open */
        return;
    if (m->update)
        judge_update(w, m);
    if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "session/prompt") == 0)
        judge_reason(w, state, m);
}

static const char *const ids[] = {"CANCEL-09", "PROMPT-13", "PROMPT-20", NULL};

const struct monitor monitor_turn = {
    .ids = ids,
    .title = "updates of a turn come before its response; only cancelled turns say so",
    .state_n = sizeof(struct turns),
    .feed = feed,
};
