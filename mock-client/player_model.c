#include "mock-client/player_int.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* The verbs about the model's side, and those about holds, which it shares with the client. */

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
    const char *own = e->json ? json_get_str(e->json, "text") : e->bytes;
    return !text || (own && !strcmp(own, text));
}

static size_t count_requests(const struct player *p, size_t from)
{
    const struct trace *t = p->options.trace;
    size_t n = 0;
    for (size_t i = from; i < t->n; i++)
        n += t->events[i]->side == TRACE_MODEL;
    return n;
}

/* What the model, or as a note the client, has done; text may be NULL: any. */
static size_t count_events(const struct player *p, const char *kind, const char *text)
{
    const struct trace *t = p->options.trace;
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct trace_event *e = t->events[i];
        n += (e->side == TRACE_MODEL_EVENT || e->side == TRACE_NOTE) && !strcmp(e->kind, kind) &&
             says(e, text);
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
    if (count_requests(p, 0) > 0)
        return play_late(p, s, why);
    return play_late_unreached(p, s, "no request has reached the model");
}

/* ---- hold, release, gone -----------------------------------------------------------------------
 */

static int begin_events(struct player *p, struct play_step *s)
{
    s->found = nth_of_kind(p, s);
    return PLAY_WAIT;
}

static int poll_events(struct player *p, struct play_step *s, const char *kind, const char *text)
{
    if (count_events(p, kind, text) < s->found)
        return PLAY_WAIT;
    if (s->verb->flags & PLAY_JUDGES || json_get(s->raw, "check"))
        play_held(p, s, NULL);
    return PLAY_NEXT;
}

/* A mark that only the client can reach needs no model. */
int play_hold_begin(struct player *p, struct play_step *s)
{
    int rc = play_holds(p, s->value->valuestring) ? 0 : need_model(p, s);
    return rc < 0 ? rc : begin_events(p, s);
}

/* No rule makes an agent ask the client. */
int play_hold_late(struct player *p, struct play_step *s, const char *why)
{
    if (play_holds(p, s->value->valuestring))
        return play_late_unreached(p, s, why);
    return play_model_late(p, s, why);
}

int play_hold_poll(struct player *p, struct play_step *s)
{
    return poll_events(p, s, "hold", s->value->valuestring);
}

int play_model_gone_begin(struct player *p, struct play_step *s)
{
    int rc = need_model(p, s);
    return rc < 0 ? rc : begin_events(p, s);
}

int play_model_gone_poll(struct player *p, struct play_step *s)
{
    return poll_events(p, s, "gone", NULL);
}

static bool has_hold(const cJSON *tree, const char *name)
{
    const char *own = json_get_str(tree, "hold");
    if (own && !strcmp(own, name))
        return true;
    for (const cJSON *m = tree ? tree->child : NULL; m; m = m->next)
        if (has_hold(m, name))
            return true;
    return false;
}

bool play_holds(const struct player *p, const char *name)
{
    return has_hold(p->client_side, name);
}

static int release_model(struct player *p, struct play_step *s, const char *name)
{
    int rc = need_model(p, s);
    if (rc < 0)
        return rc;
    rc = p->options.model->release(p->options.model_ctx, name);
    return rc < 0 ? play_error(p, s, "the model's script cannot go on: %s", err_text(rc)) : 0;
}

int play_release_begin(struct player *p, struct play_step *s)
{
    const char *name = s->value->valuestring;
    bool ours = play_holds(p, name);
    int rc = ours ? play_release_hold(p, name) : 0;
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    if (!ours || has_hold(json_get(p->options.play, "model"), name))
        rc = release_model(p, s, name);
    return rc < 0 ? rc : PLAY_NEXT;
}

/* ---- model_saw, model_count --------------------------------------------------------------------
 */

int play_model_saw_begin(struct player *p, struct play_step *s)
{
    int rc = need_model(p, s);
    if (rc < 0)
        return rc;
    return play_since(p, s, &s->cursor) ? PLAY_WAIT : PLAY_NEXT;
}

static bool is_model_request(const struct trace_event *e)
{
    return e->side == TRACE_MODEL;
}

static bool is_server_request(const struct trace_event *e)
{
    return e->side == TRACE_MODEL_EVENT && e->json && strcmp(e->kind, "server") == 0;
}

static const struct trace_event *next_request(struct player *p, struct play_step *s,
                                              bool (*is)(const struct trace_event *e))
{
    const struct trace *t = p->options.trace;
    while (s->cursor < t->n) {
        const struct trace_event *e = t->events[s->cursor++];
        if (is(e))
            return e;
    }
    return NULL;
}

static int poll_requests(struct player *p, struct play_step *s,
                         bool (*is)(const struct trace_event *e))
{
    const struct trace_event *e;
    int64_t nth = json_get_int(s->step, "nth", 0);
    while ((e = next_request(p, s, is)) != NULL) {
        s->found++;
        if (nth ? (int64_t)s->found == nth : json_match(s->value, e->json, NULL) == 1) {
            int rc = play_judge(p, s, s->value, e->json, e);
            return rc < 0 ? rc : PLAY_NEXT;
        }
    }
    return PLAY_WAIT;
}

int play_model_saw_poll(struct player *p, struct play_step *s)
{
    return poll_requests(p, s, is_model_request);
}

int play_server_saw_begin(struct player *p, struct play_step *s)
{
    return play_model_saw_begin(p, s);
}

int play_server_saw_poll(struct player *p, struct play_step *s)
{
    return poll_requests(p, s, is_server_request);
}

int play_model_count_begin(struct player *p, struct play_step *s)
{
    struct json_mismatch m = {0};
    size_t from, n;
    int rc = need_model(p, s);
    if (rc < 0)
        return rc;
    if (!play_since(p, s, &from))
        return PLAY_NEXT;
    n = count_requests(p, from);
    bool held = play_in_range(s->value, n, m.expected, sizeof m.expected);
    snprintf(m.got, sizeof m.got, "%zu", n);
    play_tell(p, s, NULL,
              &(struct play_finding){.outcome = held ? PLAYER_HELD : PLAYER_BROKEN,
                                     .mismatch = held ? NULL : &m});
    return PLAY_NEXT;
}
