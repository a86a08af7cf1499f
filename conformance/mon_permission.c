#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "conformance/tools.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* Permission is asked for announced calls, in a turn, with options that can be told apart. */
struct asks {
    const struct wire_call **bare; /* owned; requests whose call nothing else describes so far */
    size_t n, cap;
    struct tools announced;
};

static void judge_options(struct watch *w, const struct wire_msg *m)
{
    const cJSON *a, *b, *options = json_get(m->params, "options");
    cJSON_ArrayForEach(a, options)
    {
        const char *id = json_get_str(a, "optionId");
        for (b = id ? a->next : NULL; b; b = b->next) {
            const char *other = json_get_str(b, "optionId");
            if (!other || strcmp(id, other) != 0)
                continue;
            struct blame blame = blame_of(m, "PERM-05");
            blame.pointer = "/params/options";
            watch_blame(w, &blame, "two options have the id \"%.60s\"", id);
            return;
        }
    }
}

static void judge_moment(struct watch *w, const struct wire_msg *m)
{
    struct blame b = blame_of(m, "PERM-16");
    b.pointer = "/params/sessionId";
    b.at_most = VERDICT_INFO;
    if (m->session && m->session->known && m->session->turns_open == 0)
        watch_blame(w, &b, "permission is asked for while no turn of the session runs");
}

/* The request itself may describe its call: then no tool_call is owed. */
static bool describes_itself(const cJSON *call)
{
    return json_get(call, "title") || json_get(call, "kind") || json_get(call, "content");
}

static void on_request(struct watch *w, struct asks *asks, const struct wire_msg *m)
{
    judge_options(w, m);
    judge_moment(w, m);
    if (!m->call || !m->session || describes_itself(json_get(m->params, "toolCall")))
        return;
    if (grow_pointers(&asks->bare, asks->n, &asks->cap) < 0) {
        w->rc = E_NOMEM;
        return;
    }
    asks->bare[asks->n++] = m->call;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    struct asks *asks = state;
    const char *id = json_get_str(m->update, "toolCallId");
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->kind == WIRE_REQUEST && strcmp(m->method, "session/request_permission") == 0)
        on_request(w, asks, m);
    if (m->update_kind && m->session && id && strcmp(m->update_kind, "tool_call") == 0 &&
        !tools_find(&asks->announced, m->session, id) &&
        !tools_add(&asks->announced, m->session, id))
        w->rc = E_NOMEM;
}

static void end(struct watch *w, void *state)
{
    struct asks *asks = state;
    for (size_t i = 0; i < asks->n; i++) {
        const struct wire_call *c = asks->bare[i];
        const char *id = json_get_str(json_get(c->params, "toolCall"), "toolCallId");
        if (!id || tools_find(&asks->announced, c->session, id))
            continue;
        struct blame b = {.id = "PERM-15",
                          .at_most = VERDICT_INFO,
                          .side = TRACE_AGENT,
                          .event = c->at,
                          .pointer = "/params/toolCall/toolCallId"};
        watch_blame(w, &b,
                    "permission is asked for \"%.60s\", which no tool_call describes, nor the "
                    "request itself",
                    id);
    }
}

static void deinit(void *state)
{
    struct asks *asks = state;
    tools_deinit(&asks->announced);
    free(asks->bare);
}

static const char *const ids[] = {"PERM-05", "PERM-15", "PERM-16", NULL};

const struct monitor monitor_permission = {
    .ids = ids,
    .title = "permission is asked for announced calls of a running turn",
    .state_n = sizeof(struct asks),
    .feed = feed,
    .end = end,
    .deinit = deinit,
};
