#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/*
 * A message id names one message: its chunks come together, and no other message has it. What a
 * load replays is a table of its own: it may repeat the ids that were shown live, or give new ones.
 */
enum chunk_kind { CHUNK_USER, CHUNK_AGENT, CHUNK_THOUGHT, CHUNK_KINDS };

struct message {
    const struct wire_session *session;
    const char *id; /* lent by its first chunk */
    enum chunk_kind kind;
    unsigned turn;
    bool replayed, over; /* over: another message of its kind has begun */
};

struct messages {
    struct message **v; /* owned */
    size_t n, cap;
    bool agent_ids, user_ids, user_bare; /* what the running replay has shown */
};

static int kind_of(const char *update)
{
    static const char *const names[CHUNK_KINDS] = {"user_message_chunk", "agent_message_chunk",
                                                   "agent_thought_chunk"};
    for (int i = 0; update && i < CHUNK_KINDS; i++)
        if (strcmp(update, names[i]) == 0)
            return i;
    return -1;
}

static struct message *find(const struct messages *t, const struct message *like)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i]->session == like->session && t->v[i]->replayed == like->replayed &&
            strcmp(t->v[i]->id, like->id) == 0)
            return t->v[i];
    return NULL;
}

static void begin(struct watch *w, struct messages *t, const struct message *like)
{
    struct message *message = NULL;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i]->session == like->session && t->v[i]->kind == like->kind)
            t->v[i]->over = true;
    if (grow_pointers(&t->v, t->n, &t->cap) < 0 || !(message = calloc(1, sizeof *message))) {
        w->rc = E_NOMEM;
        return;
    }
    *message = *like;
    t->v[t->n++] = message;
}

/* Another message than the one that had the id. A thought and the answer it led to may share one:
 * they come from the same reply of the model. */
static void judge_other_kind(struct watch *w, struct blame *b, const struct message *had,
                             const struct message *now)
{
    bool one_reply = had->kind != CHUNK_USER && now->kind != CHUNK_USER && had->turn == now->turn;
    b->at_most = one_reply ? VERDICT_INFO : VERDICT_WARN;
    b->id = now->replayed ? "MSGID-09" : "MSGID-03";
    if (!now->replayed || !one_reply)
        watch_blame(w, b, "the id \"%.60s\" is that of another message", now->id);
}

static void judge_again(struct watch *w, struct blame *b, const struct message *had,
                        const struct message *now)
{
    bool later = had->turn != now->turn;
    b->at_most = VERDICT_WARN;
    b->id = now->replayed ? "MSGID-09" : later ? "MSGID-03" : "MSGID-02";
    if (had->over || (later && !now->replayed))
        watch_blame(w, b,
                    later && !now->replayed
                        ? "the id \"%.60s\" of a message of an earlier turn comes back"
                        : "the id \"%.60s\" comes back after another message of its kind had begun",
                    now->id);
}

static void note_replay(struct messages *t, enum chunk_kind kind, bool has_id)
{
    t->agent_ids |= kind != CHUNK_USER && has_id;
    t->user_ids |= kind == CHUNK_USER && has_id;
    t->user_bare |= kind == CHUNK_USER && !has_id;
}

static void on_chunk(struct watch *w, struct messages *t, const struct wire_msg *m, int kind)
{
    struct message now = {.session = m->session,
                          .id = json_get_str(m->update, "messageId"),
                          .kind = (enum chunk_kind)kind,
                          .turn = m->session->turns_begun,
                          .replayed = m->session->loads_open > 0};
    if (now.replayed)
        note_replay(t, now.kind, now.id != NULL);
    if (!now.id)
        return;
    struct message *had = find(t, &now);
    struct blame b = blame_of(m, NULL);
    b.pointer = "/params/update/messageId";
    if (!had)
        begin(w, t, &now);
    else if (had->kind != now.kind)
        judge_other_kind(w, &b, had, &now);
    else
        judge_again(w, &b, had, &now);
}

/* A table of its own for each replay, and what is live after it. */
static void forget(struct messages *t, const struct wire_session *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->v[i]->session == s)
            free(t->v[i]);
        else
            t->v[kept++] = t->v[i];
    }
    t->n = kept;
    t->agent_ids = t->user_ids = t->user_bare = false;
}

static void judge_replay(struct watch *w, const struct messages *t, const struct wire_msg *m)
{
    struct blame b = blame_of(m, "MSGID-06");
    b.at_most = VERDICT_WARN;
    if (m->result && t->agent_ids && t->user_bare && !t->user_ids)
        watch_blame(w, &b, "the replayed messages of the agent have ids, those of the user none");
}

static bool is_load(const struct wire_msg *m)
{
    return m->call && m->call->session && strcmp(m->call->method, "session/load") == 0;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    int kind = kind_of(m->update_kind);
    if (m->e->side == TRACE_CLIENT && m->kind == WIRE_REQUEST && is_load(m))
        forget(state, m->call->session);
    if (m->e->side != TRACE_AGENT)
        return;
    if (kind >= 0 && m->session)
        on_chunk(w, state, m, kind);
    if (m->kind == WIRE_RESPONSE && is_load(m))
        judge_replay(w, state, m);
}

static void deinit(void *state)
{
    struct messages *t = state;
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
}

static const char *const ids[] = {"MSGID-02", "MSGID-03", "MSGID-06", "MSGID-09", NULL};

const struct monitor monitor_message_id = {
    .ids = ids,
    .title = "a message id names one message",
    .state_n = sizeof(struct messages),
    .feed = feed,
    .deinit = deinit,
};
