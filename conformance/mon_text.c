#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/*
 * What the model said in a turn is what the client was shown, byte for byte and in order. Judged
 * for turns of the only process that ran alone and ended by themselves; replies that were cut or
 * broken off, and side requests (those without tools in a turn that has requests with tools), are
 * not expected to show. A command, or a compaction, may ask the model for itself: such turns are
 * not judged.
 */
struct reply {
    unsigned n; /* which request at the model */
    struct buf text;
    bool whole, broken, has_tools;
};

struct texts {
    const struct wire_session *session; /* of the turn that runs, NULL: none or several */
    bool mixed;                         /* with what is not the turn's own text */
    struct reply **replies;             /* owned; of this turn */
    size_t n, cap;
    struct buf shown; /* text of the turn's agent_message_chunks */
};

static void clear(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        buf_deinit(&t->replies[i]->text);
        free(t->replies[i]);
    }
    t->n = 0;
    t->shown.n = 0;
    t->mixed = false;
    t->session = NULL;
}

static unsigned turns_open(const struct wire *w)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->n_sessions; i++)
        n += w->sessions[i]->connection == w->connection ? w->sessions[i]->turns_open : 0;
    return n;
}

/* ---- what the model said ------------------------------------------------------------------------
 */

static struct reply *reply_of(struct texts *t, const cJSON *event)
{
    int64_t n = json_get_int(event, "n", 0);
    for (size_t i = 0; i < t->n; i++)
        if (t->replies[i]->n == n)
            return t->replies[i];
    return NULL;
}

static void on_request(struct watch *w, struct texts *t, const struct trace_event *e)
{
    struct reply *r = NULL;
    if (!t->session)
        return;
    if (grow_pointers(&t->replies, t->n, &t->cap) < 0 || !(r = calloc(1, sizeof *r))) {
        w->rc = E_NOMEM;
        return;
    }
    r->n = (unsigned)json_get_int(e->json, "n", 0);
    r->has_tools = cJSON_GetArraySize(json_get(e->json, "tools")) > 0;
    t->replies[t->n++] = r;
}

static void on_part(struct watch *w, struct reply *r, const cJSON *event)
{
    static const char *const harmless[] = {"thought", "tool", "hold", "delay"};
    const char *action = json_get_str(event, "action"), *text = json_get_str(event, "text");
    if (!action)
        return;
    if (strcmp(action, "text") == 0) {
        if (buf_adds(&r->text, text ? text : "") < 0)
            w->rc = E_NOMEM;
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
        if (strcmp(action, harmless[i]) == 0)
            return;
    r->broken = true; /* a fault: the agent may show what it likes */
}

static void on_model(struct watch *w, struct texts *t, const struct trace_event *e)
{
    struct reply *r = reply_of(t, e->json);
    if (!r)
        return;
    if (strcmp(e->kind, "part") == 0)
        on_part(w, r, e->json);
    else if (strcmp(e->kind, "done") == 0)
        r->whole = true;
    else if (strcmp(e->kind, "gone") == 0 || strcmp(e->kind, "miss") == 0)
        r->broken = true;
}

/* ---- what was shown -----------------------------------------------------------------------------
 */

static void on_chunk(struct watch *w, struct texts *t, const struct wire_msg *m)
{
    const char *text = json_get_str(json_get(m->update, "content"), "text");
    if (m->session == t->session && text && buf_adds(&t->shown, text) < 0)
        w->rc = E_NOMEM;
}

static bool is_side(const struct texts *t, const struct reply *r)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->replies[i]->has_tools)
            return !r->has_tools;
    return false;
}

static const char *find_text(const char *in, size_t n, const struct buf *what)
{
    for (; n >= what->n; in++, n--)
        if (memcmp(in, what->p, what->n) == 0)
            return in;
    return NULL;
}

static void judge_turn(struct watch *w, struct texts *t, const struct wire_msg *m)
{
    const char *at = t->shown.p, *end = t->shown.p + t->shown.n;
    size_t said = 0;
    bool broken = false;
    struct blame b = blame_of(m, "PROMPT-15");
    for (size_t i = 0; i < t->n; i++) {
        const struct reply *r = t->replies[i];
        broken |= r->broken || !r->whole;
        if (r->broken || !r->whole || r->text.n == 0 || is_side(t, r))
            continue;
        const char *found = at ? find_text(at, (size_t)(end - at), &r->text) : NULL;
        if (!found) {
            b.at_most = VERDICT_WARN;
            watch_blame(
                w, &b,
                "the %zu bytes of text that the model said in reply %u were not shown as they are",
                r->text.n, r->n);
            return;
        }
        at = found + r->text.n;
        said += r->text.n;
    }
    b.at_most = VERDICT_INFO;
    if (!broken && t->n > 0 && said < t->shown.n)
        watch_blame(w, &b, "%zu bytes of text were shown that the model did not say",
                    t->shown.n - said);
}

static void on_turn_end(struct watch *w, struct texts *t, const struct wire_msg *m)
{
    const char *reason = json_get_str(m->result, "stopReason");
    if (m->session != t->session || !t->session)
        return;
    if (!t->mixed && !w->shared_model && reason && strcmp(reason, "end_turn") == 0)
        judge_turn(w, t, m);
    clear(t);
}

static bool is_command(const struct wire_msg *m)
{
    const cJSON *first = cJSON_GetArrayItem(json_get(m->params, "prompt"), 0);
    const char *text = json_get_str(first, "text");
    return text && text[0] == '/';
}

/* Another turn runs at the same time, or model calls serve something else. */
static void note_mixture(struct texts *t, const struct wire_msg *m, bool prompt)
{
    if (prompt && t->session && t->session == m->session && is_command(m))
        t->mixed = true;
    if (m->update_kind && strncmp(m->update_kind, "compaction_", sizeof "compaction_" - 1) == 0)
        t->mixed = true;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    struct texts *t = state;
    bool prompt = m->kind == WIRE_REQUEST && m->call && m->e->side == TRACE_CLIENT &&
                  strcmp(m->method, "session/prompt") == 0;
    if (prompt && turns_open(&w->wire) == 1) {
        clear(t);
        t->session = m->session;
    } else if (prompt) {
        t->mixed = true;
    }
    note_mixture(t, m, prompt);
    if (m->e->side == TRACE_MODEL)
        on_request(w, t, m->e);
    else if (m->e->side == TRACE_MODEL_EVENT)
        on_model(w, t, m->e);
    else if (m->update_kind && strcmp(m->update_kind, "agent_message_chunk") == 0)
        on_chunk(w, t, m);
    else if (m->kind == WIRE_RESPONSE && m->call && m->call->answers == 1 &&
             strcmp(m->call->method, "session/prompt") == 0)
        on_turn_end(w, t, m);
}

static void deinit(void *state)
{
    struct texts *t = state;
    clear(t);
    free(t->replies);
    buf_deinit(&t->shown);
}

static const char *const ids[] = {"PROMPT-15", NULL};

const struct monitor monitor_text = {
    .ids = ids,
    .title = "what the model said is shown byte for byte",
    .state_n = sizeof(struct texts),
    .feed = feed,
    .deinit = deinit,
};
