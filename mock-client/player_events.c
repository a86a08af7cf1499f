#include "mock-client/player_int.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* Events of the whole trace, and the verbs that compare them across its sides. */

enum { BY_ANSWER = -1 };

static const struct {
    const char *name;
    int side; /* enum trace_side, or BY_ANSWER */
    bool has_process;
} kinds[] = {
    {"agent", TRACE_AGENT, true},   {"client", TRACE_CLIENT, true},
    {"model", TRACE_MODEL, false},  {"model_event", TRACE_MODEL_EVENT, false},
    {"answer_to", BY_ANSWER, true},
};

static int find_kind(const cJSON *entry)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (json_get(entry, kinds[i].name))
            return (int)i;
    return -1;
}

/* ---- finding -----------------------------------------------------------------------------------
 */

/* The request that the response e answers; NULL if e is no response. */
static const struct trace_event *request_of(const struct player *p, const struct trace_event *e)
{
    const struct trace *t = p->options.trace;
    const cJSON *id = json_get(e->json, "id");
    enum trace_side other = e->side == TRACE_AGENT ? TRACE_CLIENT : TRACE_AGENT;
    if (!id || json_get(e->json, "method"))
        return NULL;
    for (size_t i = e->seq; i-- > 0;) {
        const struct trace_event *r = t->events[i];
        if (r->side == other && r->agent == e->agent && json_get(r->json, "method") &&
            json_get(r->json, "id") && json_equal(json_get(r->json, "id"), id))
            return r;
    }
    return NULL;
}

/* What of the event the pattern is about; NULL if the event is of another kind. */
static const cJSON *face(const struct player *p, const struct trace_event *e, int kind)
{
    const struct trace_event *request;
    if (!e->json || (e->side == TRACE_AGENT && !play_is_agent_message(p, e)))
        return NULL;
    if (kinds[kind].side != BY_ANSWER)
        return (int)e->side == kinds[kind].side ? e->json : NULL;
    if (e->side != TRACE_AGENT && e->side != TRACE_CLIENT)
        return NULL;
    request = request_of(p, e);
    return request ? request->json : NULL;
}

static bool of_process(const struct trace_event *e, const char *name)
{
    return !name || (e->agent && !strcmp(e->agent, name));
}

const struct trace_event *play_find_event(const struct player *p, const cJSON *entry, size_t *at)
{
    const struct trace *t = p->options.trace;
    int kind = find_kind(entry);
    const cJSON *pattern = kind < 0 ? NULL : json_get(entry, kinds[kind].name);
    for (; pattern && *at < t->n; (*at)++) {
        const struct trace_event *e = t->events[*at];
        const cJSON *json = face(p, e, kind);
        if (json && of_process(e, json_get_str(entry, "of")) &&
            json_match(pattern, json, NULL) == 1) {
            (*at)++;
            return e;
        }
    }
    return NULL;
}

static size_t mark_of(const struct play_ref *ref)
{
    const struct trace_event *e = !ref ? NULL : ref->sent ? ref->sent : ref->message;
    return e ? e->seq + 1 : ref ? ref->mark : 0;
}

bool play_since(struct player *p, const struct play_step *s, size_t *ret)
{
    const cJSON *since = json_get(s->step, "since");
    *ret = 0;
    if (cJSON_IsString(since))
        *ret = mark_of(play_ref_find(p, since->valuestring));
    if (!cJSON_IsObject(since) || play_find_event(p, since, ret))
        return true;
    play_unreached(p, s, "what it counts from has not happened");
    return false;
}

/* ---- order -------------------------------------------------------------------------------------
 */

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

static void order_intruder(struct player *p, const struct play_step *s, const struct trace_event *e)
{
    struct play_finding f = {.outcome = PLAYER_BROKEN,
                             .event = e,
                             .text = "an event came where \"none\" says that none may come"};
    play_tell(p, s, NULL, &f);
}

/* The event of `none` between two places of the trace; NULL if there is none, as it should be. */
static const struct trace_event *find_intruder(const struct player *p, const cJSON *none,
                                               size_t from, size_t to)
{
    const struct trace_event *e = none ? play_find_event(p, none, &from) : NULL;
    return e && e->seq < to ? e : NULL;
}

/* True if everything happened in order; else it was told what did not. */
static bool look_at_order(struct player *p, struct play_step *s)
{
    const cJSON *entry, *none = NULL;
    const struct trace_event *e, *intruder;
    size_t at = 0, before = 0;
    int i = 0;
    cJSON_ArrayForEach(entry, s->value)
    {
        if (json_get(entry, "none")) {
            none = json_get(entry, "none");
            i++;
            continue;
        }
        e = play_find_event(p, entry, &at);
        if (!e) {
            order_broken(p, s, entry, i);
            return false;
        }
        intruder = find_intruder(p, none, before, e->seq);
        if (intruder) {
            order_intruder(p, s, intruder);
            return false;
        }
        none = NULL;
        before = at;
        i++;
    }
    intruder = find_intruder(p, none, before, p->options.trace->n);
    if (intruder)
        order_intruder(p, s, intruder);
    return !intruder;
}

int play_order_begin(struct player *p, struct play_step *s)
{
    if (look_at_order(p, s))
        play_held(p, s, NULL);
    return PLAY_NEXT;
}

/* ---- same --------------------------------------------------------------------------------------
 */

static bool contains_text(const cJSON *tree, const char *text)
{
    if (cJSON_IsString(tree))
        return strstr(tree->valuestring, text) != NULL;
    for (const cJSON *m = tree ? tree->child : NULL; m; m = m->next)
        if (contains_text(m, text))
            return true;
    return false;
}

static bool is_same(const struct play_step *s, const cJSON *first, const cJSON *other)
{
    const char *how = json_get_str(s->step, "how");
    if (how && !strcmp(how, "contains"))
        return cJSON_IsString(first) && contains_text(other, first->valuestring);
    return other && json_equal(first, other);
}

static void print_value(const cJSON *value, char *text, size_t n)
{
    char *json = value ? cJSON_PrintUnformatted(value) : NULL;
    snprintf(text, n, "%.200s", json ? json : "nothing");
    cJSON_free(json);
}

static void tell_other(struct player *p, const struct play_step *s, const cJSON *first,
                       const cJSON *other)
{
    struct json_mismatch m = {0};
    print_value(first, m.expected, sizeof m.expected);
    print_value(other, m.got, sizeof m.got);
    play_tell(p, s, NULL, &(struct play_finding){.outcome = PLAYER_BROKEN, .mismatch = &m});
}

static const cJSON *value_at(const struct player *p, const cJSON *entry, bool *ret_there)
{
    size_t at = 0;
    const struct trace_event *e = play_find_event(p, entry, &at);
    *ret_there = e != NULL;
    return e ? json_pointer(e->json, json_get_str(entry, "at")) : NULL;
}

int play_same_begin(struct player *p, struct play_step *s)
{
    const cJSON *entry, *first = NULL;
    bool there;
    cJSON_ArrayForEach(entry, s->value)
    {
        const cJSON *value = value_at(p, entry, &there);
        if (!there || (entry == s->value->child && !value)) {
            play_unreached(p, s, "an event that it compares has not come");
            return PLAY_NEXT;
        }
        if (entry == s->value->child) {
            first = value;
        } else if (!is_same(s, first, value)) {
            tell_other(p, s, first, value);
            return PLAY_NEXT;
        }
    }
    play_held(p, s, NULL);
    return PLAY_NEXT;
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

int play_event_check(const cJSON *entry, bool has_at, const char *where, struct json_error *reterr)
{
    const cJSON *m;
    int kind = find_kind(entry);
    if (kind < 0)
        return play_lint_fail(reterr, where,
                              "is one of agent, client, model, model_event and answer_to");
    cJSON_ArrayForEach(m, entry)
    {
        bool of = !strcmp(m->string, "of"), at = !strcmp(m->string, "at");
        if (of && !kinds[kind].has_process)
            return play_lint_fail(reterr, where, "of is about agent, client and answer_to");
        if ((of || at) && !cJSON_IsString(m))
            return play_lint_fail(reterr, where, "%s is a text", m->string);
        if (!of && !(at && has_at) && strcmp(m->string, kinds[kind].name) != 0)
            return play_lint_fail(reterr, where, "unknown member \"%s\"", m->string);
    }
    if (has_at && (!json_get_str(entry, "at") || !json_pointer_valid(json_get_str(entry, "at"))))
        return play_lint_fail(reterr, where, "needs \"at\", a JSON pointer");
    return play_lint_pattern(json_get(entry, kinds[kind].name), where, reterr);
}

static int check_events(const cJSON *step, const char *verb, bool has_at, struct json_error *reterr)
{
    const cJSON *entry;
    int i = 0;
    char where[32];
    cJSON_ArrayForEach(entry, json_get(step, verb))
    {
        const cJSON *none = has_at ? NULL : json_get(entry, "none");
        snprintf(where, sizeof where, "%s[%d]", verb, i);
        if (none && (i == 0 || cJSON_GetArraySize(entry) != 1 || json_get(entry->prev, "none")))
            return play_lint_fail(reterr, where, "none stands alone, behind an event");
        int rc = play_event_check(none ? none : entry, has_at, where, reterr);
        if (rc < 0)
            return rc;
        i++;
    }
    return i >= 2 ? 0 : play_lint_fail(reterr, verb, "needs two events or more");
}

int play_order_check(const cJSON *step, struct json_error *reterr)
{
    return check_events(step, "order", false, reterr);
}

int play_same_check(const cJSON *step, struct json_error *reterr)
{
    const char *how = json_get_str(step, "how");
    if (how && strcmp(how, "equal") != 0 && strcmp(how, "contains") != 0)
        return play_lint_fail(reterr, "how", "is \"equal\" or \"contains\"");
    return check_events(step, "same", true, reterr);
}
