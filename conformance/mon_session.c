#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/*
 * Updates and requests name a session of this connection, and new sessions get new ids. Whether an
 * id is known is judged at the end: an update may come before the answer that gives its session out
 * (ambiguities 44). Where an answer was to give an id out and gave none, one unknown id is what
 * that answer owed: the answer is to blame, the updates are not.
 */
struct names {
    const struct trace_event **events; /* owned; the first update or request of each session */
    struct wire_session **sessions;    /* owned list */
    size_t n, cap_events, cap_sessions;
    const char **made; /* owned; ids that session/new gave out, of all connections */
    size_t n_made, cap_made;
    size_t owed; /* ids that were asked for, less those that came */
};

static bool gives_session(const char *method)
{
    return method && (strcmp(method, "session/new") == 0 || strcmp(method, "session/fork") == 0);
}

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

static bool is_made(const struct names *names, const char *id)
{
    for (size_t i = 0; i < names->n_made; i++)
        if (strcmp(names->made[i], id) == 0)
            return true;
    return false;
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
    if (is_made(names, id)) {
        watch_blame(w, &b, "the session id \"%.80s\" was given out before", id);
        return;
    }
    names->owed--;
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
    if (m->kind == WIRE_REQUEST && m->e->side == TRACE_CLIENT && gives_session(m->method))
        names->owed++;
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->session && (m->update || is_permission(m->method)))
        note_use(w, names, m);
    if (m->kind == WIRE_RESPONSE && m->call && gives_session(m->call->method) &&
        m->call->answers == 1)
        judge_made(w, names, m);
}

static void end(struct watch *w, void *state)
{
    struct names *names = state;
    for (size_t i = 0; i < names->n; i++) {
        if (names->sessions[i]->known)
            continue;
        if (names->owed > 0) {
            names->owed--;
            continue;
        }
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
