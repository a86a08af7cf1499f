#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Terminals that the agent made are released, not used afterwards, and shown before that.
 * A command that still runs may outlive its turn; one that has ended, or was killed, may not stay
 * unreleased for long after it.
 */
enum { RELEASE_US = 2000000 };

struct term {
    const char *id; /* lent by the answer that gave it out */
    const struct wire_session *session;
    const struct trace_event *made;
    bool over, released, shown;
};

struct terms {
    struct term **v; /* owned */
    size_t n, cap;
};

static struct term *find(const struct terms *t, const char *id)
{
    for (size_t i = t->n; id && i-- > 0;)
        if (strcmp(t->v[i]->id, id) == 0)
            return t->v[i];
    return NULL;
}

/* ---- what the client tells ----------------------------------------------------------------------
 */

static void on_made(struct watch *w, struct terms *t, const struct wire_msg *m)
{
    const char *id = json_get_str(m->result, "terminalId");
    struct term *term = NULL;
    if (!id)
        return;
    if (grow_pointers(&t->v, t->n, &t->cap) < 0 || !(term = calloc(1, sizeof *term))) {
        w->rc = E_NOMEM;
        return;
    }
    *term = (struct term){.id = id, .session = m->call->session, .made = m->e};
    t->v[t->n++] = term;
}

static void on_answer(struct watch *w, struct terms *t, const struct wire_msg *m)
{
    const char *method = m->call->method;
    struct term *term = find(t, json_get_str(m->call->params, "terminalId"));
    if (strcmp(method, "terminal/create") == 0)
        on_made(w, t, m);
    if (!term || !m->result)
        return;
    term->over |= strcmp(method, "terminal/wait_for_exit") == 0 ||
                  strcmp(method, "terminal/kill") == 0 ||
                  (strcmp(method, "terminal/output") == 0 &&
                   cJSON_IsObject(json_get(m->result, "exitStatus")));
}

/* ---- what the agent does ------------------------------------------------------------------------
 */

static void on_use(struct watch *w, struct terms *t, const struct wire_msg *m)
{
    struct term *term = find(t, json_get_str(m->params, "terminalId"));
    bool release = strcmp(m->method, "terminal/release") == 0;
    if (!term)
        return;
    struct blame b = blame_of(m, "TERM-26");
    b.pointer = "/params/terminalId";
    b.at_most = release ? VERDICT_INFO : VERDICT_WARN;
    if (term->released)
        watch_blame(w, &b,
                    release ? "the terminal is released a second time"
                            : "a released terminal is used again");
    term->released |= release;
}

static void on_item(struct watch *w, struct terms *t, const struct wire_msg *m, const cJSON *item)
{
    const char *id = json_get_str(item, "terminalId");
    struct term *term = find(t, id);
    struct blame b = blame_of(m, "TOOL-16");
    b.pointer = "/params/update/content";
    if (!term && id)
        watch_blame(
            w, &b,
            "a tool call shows the terminal \"%.60s\", which was not made on this connection", id);
    if (!term)
        return;
    b.id = "TOOL-17";
    if (term->released && !term->shown)
        watch_blame(w, &b, "the terminal is put into a tool call only after it was released");
    term->shown = true;
}

static void on_update(struct watch *w, struct terms *t, const struct wire_msg *m)
{
    const cJSON *item;
    if (m->session && (m->session->loads_open > 0 || m->session->resumed))
        return; /* replays may show terminals of the past */
    cJSON_ArrayForEach(item, json_get(m->update, "content"))
    {
        const char *type = json_get_str(item, "type");
        if (type && strcmp(type, "terminal") == 0)
            on_item(w, t, m, item);
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    if (m->kind == WIRE_RESPONSE && m->call && m->e->side == TRACE_CLIENT)
        on_answer(w, state, m);
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->kind == WIRE_REQUEST && strncmp(m->method, "terminal/", 9) == 0)
        on_use(w, state, m);
    if (m->update_kind && strncmp(m->update_kind, "tool_call", 9) == 0)
        on_update(w, state, m);
}

/* ---- the end ------------------------------------------------------------------------------------
 */

static bool owes_release(const struct watch *w, const struct term *t)
{
    return w->wire.up && t->over && !t->released && t->session &&
           t->session->connection == w->wire.connection && t->session->turns_begun > 0 &&
           t->session->turns_open == 0;
}

static uint64_t owed(const struct watch *w, const void *state, uint64_t now_us)
{
    const struct terms *t = state;
    uint64_t most = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t until = t->v[i]->session ? t->v[i]->session->ended_us + RELEASE_US : 0;
        if (owes_release(w, t->v[i]) && until > now_us && until - now_us > most)
            most = until - now_us;
    }
    return most;
}

static void ending(struct watch *w, void *state)
{
    struct terms *t = state;
    for (size_t i = 0; i < t->n; i++) {
        if (!owes_release(w, t->v[i]) || t->v[i]->session->ended_us + RELEASE_US > w->now_us)
            continue;
        struct blame b = {
            .id = "TERM-25", .at_most = VERDICT_WARN, .side = TRACE_AGENT, .event = t->v[i]->made};
        watch_blame(
            w, &b,
            "the terminal \"%.60s\" was not released, though its command and its turn are over",
            t->v[i]->id);
    }
}

static void deinit(void *state)
{
    struct terms *t = state;
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
}

static const char *const ids[] = {"TERM-25", "TERM-26", "TOOL-16", "TOOL-17", NULL};

const struct monitor monitor_terminal = {
    .ids = ids,
    .title = "terminals are shown, released, and not used afterwards",
    .state_n = sizeof(struct terms),
    .feed = feed,
    .owed = owed,
    .ending = ending,
    .deinit = deinit,
};
