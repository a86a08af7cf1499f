#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/tools.h"
#include "json/json.h"

#include <string.h>

/*
 * A tool call is announced before it is updated, its status goes forward only, and a call that ran
 * has its final status before the turn ends. Replays and cancelled turns are not judged.
 */

static void judge_step(struct watch *w, const struct wire_msg *m, struct tool *tool,
                       enum tool_status next)
{
    static const char *const names[] = {"pending", "in_progress", "completed", "failed"};
    struct blame b = blame_of(m, "TOOL-25");
    b.pointer = "/params/update/status";
    bool both =
        (next == TOOL_COMPLETED && tool->failed) || (next == TOOL_FAILED && tool->completed);
    b.at_most = both ? VERDICT_WARN : VERDICT_INFO;
    if (next < tool->status || both)
        watch_blame(w, &b, "the call \"%.60s\" was %s and is now %s", tool->id, names[tool->status],
                    names[next]);
    tool->status = next;
    tool->ran |= next == TOOL_IN_PROGRESS;
    tool->completed |= next == TOOL_COMPLETED;
    tool->failed |= next == TOOL_FAILED;
}

static void note_status(struct watch *w, const struct wire_msg *m, struct tool *tool)
{
    enum tool_status next = tool_status_of(json_get(m->update, "status"));
    if (next == TOOL_UNKNOWN)
        return;
    if (tool->replayed || m->session->loads_open > 0)
        tool->status = next;
    else
        judge_step(w, m, tool, next);
}

/* True if an id that had ended is announced again as what is clearly something else. */
static bool is_other_work(const struct tool *tool, const char *title)
{
    return tool->announced && tool_is_over(tool->status) && tool->title && title &&
           strcmp(tool->title, title) != 0;
}

static void on_call(struct watch *w, struct tools *tools, const struct wire_msg *m, const char *id)
{
    struct tool *tool = tools_find(tools, m->session, id);
    const char *title = json_get_str(m->update, "title");
    bool replay = m->session->loads_open > 0;
    if (tool && !replay && !tool->replayed && is_other_work(tool, title)) {
        struct blame b = blame_of(m, "TOOL-03");
        b.pointer = "/params/update/toolCallId";
        watch_blame(w, &b,
                    "the id \"%.60s\" of a call that has ended is announced again for other work",
                    id);
    }
    if (!tool || replay || is_other_work(tool, title))
        tool = tools_add(tools, m->session, id);
    if (!tool) {
        w->rc = E_NOMEM;
        return;
    }
    tool->announced = true;
    tool->title = title ? title : tool->title;
    note_status(w, m, tool);
}

static void on_update(struct watch *w, struct tools *tools, const struct wire_msg *m,
                      const char *id)
{
    struct tool *tool = tools_find(tools, m->session, id);
    if (!tool) {
        struct blame b = blame_of(m, "TOOL-24");
        b.pointer = "/params/update/toolCallId";
        if (!m->session->resumed)
            watch_blame(w, &b,
                        "tool_call_update for \"%.60s\", which no tool_call or permission request "
                        "has announced",
                        id);
        tool = tools_add(tools, m->session, id);
    }
    if (!tool)
        w->rc = E_NOMEM;
    else
        note_status(w, m, tool);
}

static void note_permission(struct watch *w, struct tools *tools, const struct wire_msg *m)
{
    const char *id = json_get_str(json_get(m->params, "toolCall"), "toolCallId");
    if (!id || !m->session || tools_find(tools, m->session, id))
        return;
    if (!tools_add(tools, m->session, id))
        w->rc = E_NOMEM;
}

static void judge_turn_end(struct watch *w, const struct tools *tools, const struct wire_msg *m)
{
    const char *reason = json_get_str(m->result, "stopReason");
    const struct wire_session *s = m->session;
    if (!reason || strcmp(reason, "end_turn") != 0 || !s || s->turns_open > 0)
        return;
    for (size_t i = 0; i < tools->n; i++) {
        const struct tool *tool = tools->v[i];
        if (tool->session != s || tool->turn != s->turns_begun || tool->replayed || !tool->ran ||
            tool_is_over(tool->status))
            continue;
        struct blame b = blame_of(m, "TOOL-11");
        watch_blame(
            w, &b,
            "the turn ends while the call \"%.60s\" is in progress: no final status was reported",
            tool->id);
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    const char *id = json_get_str(m->update, "toolCallId");
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "session/prompt") == 0)
        judge_turn_end(w, state, m);
    if (m->kind == WIRE_REQUEST && strcmp(m->method, "session/request_permission") == 0)
        note_permission(w, state, m);
    if (!m->update_kind || !m->session || !id)
        return;
    if (strcmp(m->update_kind, "tool_call") == 0)
        on_call(w, state, m, id);
    else if (strcmp(m->update_kind, "tool_call_update") == 0)
        on_update(w, state, m, id);
}

static void deinit(void *state)
{
    tools_deinit(state);
}

static const char *const ids[] = {"TOOL-03", "TOOL-11", "TOOL-24", "TOOL-25", NULL};

const struct monitor monitor_tool = {
    .ids = ids,
    .title = "tool calls are announced first, go forward, and end before their turn",
    .state_n = sizeof(struct tools),
    .feed = feed,
    .deinit = deinit,
};
