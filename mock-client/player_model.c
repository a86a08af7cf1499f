#include "mock-client/player_int.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* The verbs about the model's side, and `order`, which looks at all sides. */

static int need_model(struct player *p, const struct play_step *s)
{
    return p->options.model
               ? 0
               : play_error(p, s,
                            "this step needs the model's script, which is not played here; "
                            "run the case with acp-conformance");
}

static bool says(const struct trace_event *e, const char *text)
{
    const char *own = json_get_str(e->json, "text");
    return !text || (own && !strcmp(own, text));
}

/* kind and text may be NULL: any. */
static size_t count_events(const struct player *p, enum trace_side side, const char *kind,
                           const char *text)
{
    const struct trace *t = p->options.trace;
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct trace_event *e = t->events[i];
        n += e->side == side && (!kind || !strcmp(e->kind, kind)) && says(e, text);
    }
    return n;
}

/* How many steps before this one and itself have this verb (and value): the n-th `hold` waits for
 * the n-th time its mark is reached. */
static size_t nth_of_kind(const struct player *p, const struct play_step *s)
{
    size_t n = 0;
    for (int i = 0; i <= s->index; i++) {
        const cJSON *value = json_get(cJSON_GetArrayItem(p->steps, i), s->verb->name);
        n += value && json_equal(value, json_get(s->raw, s->verb->name));
    }
    return n;
}

int play_model_late(struct player *p, struct play_step *s, const char *why)
{
    if (count_events(p, TRACE_MODEL, NULL, NULL) > 0)
        return play_late(p, s, why);
    return play_late_unreached(p, s, "no request has reached the model");
}

/* ---- hold, release, gone -----------------------------------------------------------------------
 */

static int begin_events(struct player *p, struct play_step *s)
{
    int rc = need_model(p, s);
    s->found = nth_of_kind(p, s);
    return rc < 0 ? rc : PLAY_WAIT;
}

static int poll_events(struct player *p, struct play_step *s, const char *kind, const char *text)
{
    if (count_events(p, TRACE_MODEL_EVENT, kind, text) < s->found)
        return PLAY_WAIT;
    if (s->verb->flags & PLAY_JUDGES || json_get(s->raw, "check"))
        play_held(p, s, NULL);
    return PLAY_NEXT;
}

int play_hold_begin(struct player *p, struct play_step *s)
{
    return begin_events(p, s);
}

int play_hold_poll(struct player *p, struct play_step *s)
{
    return poll_events(p, s, "hold", s->value->valuestring);
}

int play_model_gone_begin(struct player *p, struct play_step *s)
{
    return begin_events(p, s);
}

int play_model_gone_poll(struct player *p, struct play_step *s)
{
    return poll_events(p, s, "gone", NULL);
}

int play_release_begin(struct player *p, struct play_step *s)
{
    int rc = need_model(p, s);
    if (rc == 0)
        rc = p->options.model->release(p->options.model_ctx, s->value->valuestring);
    if (rc < 0 && p->options.model)
        return play_error(p, s, "the model's script cannot go on: %s", err_text(rc));
    return rc < 0 ? rc : PLAY_NEXT;
}

/* ---- model_saw, model_count --------------------------------------------------------------------
 */

int play_model_saw_begin(struct player *p, struct play_step *s)
{
    int rc = need_model(p, s);
    return rc < 0 ? rc : PLAY_WAIT;
}

static const struct trace_event *next_request(struct player *p, struct play_step *s)
{
    const struct trace *t = p->options.trace;
    while (s->cursor < t->n) {
        const struct trace_event *e = t->events[s->cursor++];
        if (e->side == TRACE_MODEL)
            return e;
    }
    return NULL;
}

int play_model_saw_poll(struct player *p, struct play_step *s)
{
    const struct trace_event *e;
    int64_t nth = json_get_int(s->step, "nth", 0);
    while ((e = next_request(p, s)) != NULL) {
        s->found++;
        if (nth ? (int64_t)s->found == nth : json_match(s->value, e->json, NULL) == 1) {
            int rc = play_judge(p, s, s->value, e->json, e);
            return rc < 0 ? rc : PLAY_NEXT;
        }
    }
    return PLAY_WAIT;
}

int play_model_count_begin(struct player *p, struct play_step *s)
{
    struct json_mismatch m = {0};
    int rc = need_model(p, s);
    if (rc < 0)
        return rc;
    size_t n = count_events(p, TRACE_MODEL, NULL, NULL);
    bool held = play_in_range(s->value, n, m.expected, sizeof m.expected);
    snprintf(m.got, sizeof m.got, "%zu", n);
    play_tell(p, s, NULL,
              &(struct play_finding){.outcome = held ? PLAYER_HELD : PLAYER_BROKEN,
                                     .mismatch = held ? NULL : &m});
    return PLAY_NEXT;
}

/* ---- order -------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    enum trace_side side;
} sides[] = {
    {"agent", TRACE_AGENT},
    {"client", TRACE_CLIENT},
    {"model", TRACE_MODEL},
    {"model_event", TRACE_MODEL_EVENT},
};

static int find_side(const cJSON *entry)
{
    for (size_t i = 0; i < ARRAY_LEN(sides); i++)
        if (json_get(entry, sides[i].name))
            return (int)i;
    return -1;
}

/* The first event at or behind *at that the entry means; *at is then behind it. */
static const struct trace_event *find_event(const struct player *p, const cJSON *entry, size_t *at)
{
    const struct trace *t = p->options.trace;
    int which = find_side(entry);
    if (which < 0)
        return NULL;
    const cJSON *pattern = json_get(entry, sides[which].name);
    for (; *at < t->n; (*at)++) {
        const struct trace_event *e = t->events[*at];
        if (e->side != sides[which].side || !e->json)
            continue;
        if (e->side == TRACE_AGENT && !play_is_agent_message(p, e))
            continue;
        if (json_match(pattern, e->json, NULL) == 1) {
            (*at)++;
            return e;
        }
    }
    return NULL;
}

static void order_broken(struct player *p, const struct play_step *s, const cJSON *entry, int i)
{
    struct json_mismatch m = {0};
    char *text = cJSON_PrintUnformatted(entry);
    snprintf(m.pointer, sizeof m.pointer, "/order/%d", i);
    snprintf(m.expected, sizeof m.expected, "%.200s%s", text ? text : "an event",
             i ? " behind the one before" : "");
    snprintf(m.got, sizeof m.got, "none");
    cJSON_free(text);
    play_tell(p, s, NULL, &(struct play_finding){.outcome = PLAYER_BROKEN, .mismatch = &m});
}

int play_order_begin(struct player *p, struct play_step *s)
{
    const cJSON *entry;
    size_t at = 0;
    int i = 0;
    cJSON_ArrayForEach(entry, s->value)
    {
        if (!find_event(p, entry, &at)) {
            order_broken(p, s, entry, i);
            return PLAY_NEXT;
        }
        i++;
    }
    play_held(p, s, NULL);
    return PLAY_NEXT;
}

int play_order_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *entry;
    int i = 0;
    char where[32];
    cJSON_ArrayForEach(entry, json_get(step, "order"))
    {
        int which = find_side(entry);
        snprintf(where, sizeof where, "order[%d]", i++);
        if (which < 0 || cJSON_GetArraySize(entry) != 1)
            return play_lint_fail(reterr, where, "is one of agent, client, model and model_event");
        int rc = play_lint_pattern(json_get(entry, sides[which].name), where, reterr);
        if (rc < 0)
            return rc;
    }
    return i >= 2 ? 0 : play_lint_fail(reterr, "order", "needs two events or more");
}
