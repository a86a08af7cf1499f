#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/*
 * Updates and requests name a session of this connection, and new sessions get new ids. Whether an
 * id is known is judged at the end: an update may come before the answer that gives its session out
 * (ambiguities 44).
 */
struct names {
    const struct trace_event **events; /* owned; the first update or request of each session */
    struct wire_session **sessions;    /* owned list */
    size_t n, cap_events, cap_sessions;
    const char **made; /* owned; ids that session/new gave out, of all connections */
    size_t n_made, cap_made;
};

static void note_use(struct watch *w, struct names *names, const struct wire_msg *m)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->sessions[i] == m->session)
            return;
    if (grow_pointers(&names->events, names->n, &names->cap_events) < 0 ||
        grow_pointers(&names->sessions, names->n, &names->cap_sessions) < 0) {
        w->rc = E_NOMEM;
        return;
    }
    names->events[names->n] = m->e;
    names->sessions[names->n++] = m->session;
}

static void judge_made(struct watch *w, struct names *names, const struct wire_msg *m)
{
    const char *id = json_get_str(m->result, "sessionId");
    struct blame b = blame_of(m, "NEW-01");
    b.pointer = "/result/sessionId";
    if (!id)
        return;
    if (id[0] == '\0') {
        b.at_most = VERDICT_WARN;
        watch_blame(w, &b, "the session id is empty");
        return;
    }
    for (size_t i = 0; i < names->n_made; i++)
        if (strcmp(names->made[i], id) == 0)
            watch_blame(w, &b, "the session id \"%.80s\" was given out before", id);
    if (grow_pointers(&names->made, names->n_made, &names->cap_made) < 0)
        w->rc = E_NOMEM;
    else
        names->made[names->n_made++] = id;
}

static bool is_permission(const char *method)
{
    return method && strcmp(method, "session/request_permission") == 0;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    struct names *names = state;
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->session && (m->update || is_permission(m->method)))
        note_use(w, names, m);
    if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "session/new") == 0 &&
        m->call->answers == 1)
        judge_made(w, names, m);
}

static void end(struct watch *w, void *state)
{
    struct names *names = state;
    for (size_t i = 0; i < names->n; i++) {
        if (names->sessions[i]->known)
            continue;
        const cJSON *json = names->events[i]->json;
        const char *method = json_get_str(json, "method");
        struct blame b = {.id = is_permission(method) ? "PERM-16" : "PROMPT-19",
                          .at_most = VERDICT_WARN,
                          .side = TRACE_AGENT,
                          .event = names->events[i],
                          .pointer = "/params/sessionId"};
        watch_blame(w, &b,
                    "%s names the session \"%.80s\", which was never opened on this connection",
                    method ? method : "a message", names->sessions[i]->id);
    }
}

static void deinit(void *state)
{
    struct names *names = state;
    free(names->events);
    free(names->sessions);
    free(names->made);
}

static const char *const ids[] = {"NEW-01", "PROMPT-19", "PERM-16", NULL};

const struct monitor monitor_session = {
    .ids = ids,
    .title = "nothing names an unknown session, no session id is given out twice",
    .state_n = sizeof(struct names),
    .feed = feed,
    .end = end,
    .deinit = deinit,
};
