#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/*
 * A compaction begins once, ends once, and its summary goes with success. One that is told of
 * only when it is over is as good, as is what a load replays; status values nobody knows count as
 * neither.
 */
struct compaction {
    const struct wire_session *session;
    const char *id;  /* lent by the message that named it first */
    const char *end; /* the terminal status it was given, or NULL */
};

struct compactions {
    struct compaction **v; /* owned */
    size_t n, cap;
};

static struct compaction *find(const struct compactions *t, const struct wire_session *s,
                               const char *id)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i]->session == s && strcmp(t->v[i]->id, id) == 0)
            return t->v[i];
    return NULL;
}

static struct compaction *add(struct watch *w, struct compactions *t, const struct wire_session *s,
                              const char *id)
{
    struct compaction *c = NULL;
    if (grow_pointers(&t->v, t->n, &t->cap) < 0 || !(c = calloc(1, sizeof *c))) {
        w->rc = E_NOMEM;
        return NULL;
    }
    *c = (struct compaction){.session = s, .id = id};
    t->v[t->n++] = c;
    return c;
}

static bool is_end(const char *status)
{
    static const char *const ends[] = {"completed", "failed", "cancelled"};
    for (size_t i = 0; status && i < ARRAY_LEN(ends); i++)
        if (strcmp(status, ends[i]) == 0)
            return true;
    return false;
}

static bool is(const char *status, const char *name)
{
    return status && strcmp(status, name) == 0;
}

static void judge_parts(struct watch *w, const struct wire_msg *m, const char *status)
{
    const cJSON *error = json_get(m->update, "error");
    bool summary = cJSON_GetArraySize(json_get(m->update, "summary")) > 0;
    bool known = is_end(status) || is(status, "in_progress");
    struct blame b = blame_of(m, "COMPACT-07");
    b.pointer = "/params/update";
    b.at_most = VERDICT_WARN;
    if (known && summary && !is(status, "completed"))
        watch_blame(w, &b, "a summary goes with the status \"%s\"", status);
    if (known && error && !cJSON_IsNull(error) && !is(status, "failed"))
        watch_blame(w, &b, "an error goes with the status \"%s\"", status);
}

static void on_update(struct watch *w, struct compaction *c, const struct wire_msg *m)
{
    const char *status = json_get_str(m->update, "status");
    struct blame b = blame_of(m, "COMPACT-06");
    b.pointer = "/params/update/compactionId";
    b.at_most = VERDICT_WARN;
    if (c->end && is(status, "in_progress")) {
        watch_blame(w, &b, "the compaction \"%.60s\" had ended and begins again", c->id);
        c->end = NULL;
    }
    b.id = "COMPACT-05";
    b.pointer = "/params/update/status";
    if (c->end && is_end(status) && !is(status, c->end))
        watch_blame(w, &b, "the compaction \"%.60s\" was %s and is now %s", c->id, c->end, status);
    judge_parts(w, m, status);
    if (is_end(status))
        c->end = status;
}

static void on_chunk(struct watch *w, const struct compaction *c, const struct wire_msg *m,
                     bool first)
{
    struct blame b = blame_of(m, "COMPACT-04");
    b.pointer = "/params/update/compactionId";
    b.at_most = first ? VERDICT_INFO : VERDICT_WARN;
    if (first || c->end)
        watch_blame(w, &b, "a piece of the summary comes %s",
                    first ? "before the compaction was told of" : "after the compaction had ended");
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    const char *id = json_get_str(m->update, "compactionId");
    bool update = is(m->update_kind, "compaction_update");
    if (m->e->side != TRACE_AGENT || !id || !m->session || m->session->loads_open > 0 ||
        (!update && !is(m->update_kind, "compaction_summary_chunk")))
        return;
    struct compaction *c = find(state, m->session, id);
    bool first = c == NULL;
    c = first ? add(w, state, m->session, id) : c;
    if (c && update)
        on_update(w, c, m);
    else if (c)
        on_chunk(w, c, m, first);
}

static void deinit(void *state)
{
    struct compactions *t = state;
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
}

static const char *const ids[] = {"COMPACT-04", "COMPACT-05", "COMPACT-06", "COMPACT-07", NULL};

const struct monitor monitor_compaction = {
    .ids = ids,
    .title = "a compaction begins once and ends once",
    .state_n = sizeof(struct compactions),
    .feed = feed,
    .deinit = deinit,
};
