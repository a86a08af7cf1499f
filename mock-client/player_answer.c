#include "mock-client/player_int.h"

#include "mock-client/policy.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* Requests of the agent: who answers them, and when. */

static void ask_destroy(struct play_ask *ask)
{
    list_remove(&ask->node);
    free(ask);
}

void play_asks_deinit(struct player *p)
{
    while (!list_empty(&p->asks))
        ask_destroy(CONTAINER_OF(p->asks.next, struct play_ask, node));
}

void play_asks_forget(struct player *p, const struct play_agent *a)
{
    for (struct list *l = p->asks.next, *next = l->next; l != &p->asks; l = next, next = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node);
        if (ask->agent == a)
            ask_destroy(ask);
    }
}

static int ask_keep(const struct play_ask *like)
{
    struct play_ask *ask = calloc(1, sizeof *ask);
    if (!ask)
        return E_NOMEM;
    *ask = *like;
    list_append(&like->agent->player->asks, &ask->node);
    return 0;
}

/* ---- sending answers ---------------------------------------------------------------------------
 */

void play_send_answer(struct play_agent *a, const struct buf *line, bool may_be_invalid)
{
    struct trace *trace = a->player->options.trace;
    trace->invalid_ok = may_be_invalid;
    if (a->client)
        client_send(a->client, line->p, line->n);
    trace->invalid_ok = false;
}

static int answer_cancelled(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    int rc = policy_answer_cancelled(e->scan.id, &line);
    if (rc == 0)
        play_send_answer(a, &line, false);
    buf_deinit(&line);
    return rc;
}

/* True while a turn of the request's session runs that was cancelled. */
static bool is_cancelled(const struct player *p, const struct trace_event *e)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        const struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->cancelled && !ref->response && play_same_session(ref->sent, e))
            return true;
    }
    return false;
}

/* ---- choosing ----------------------------------------------------------------------------------
 */

/* The kind of the call that permission is asked for: what the request says, or the newest report
 * of that call before it. NULL if nobody said. */
static const char *tool_kind(const struct player *p, const struct trace_event *e)
{
    const cJSON *call = json_get(json_get(e->json, "params"), "toolCall");
    const char *kind = json_get_str(call, "kind"), *id = json_get_str(call, "toolCallId");
    for (size_t i = e->seq; id && !kind && i-- > 0;) {
        const struct trace_event *old = p->options.trace->events[i];
        const cJSON *update = json_get(json_get(old->json, "params"), "update");
        const char *own = json_get_str(update, "toolCallId");
        if (old->side == TRACE_AGENT && own && play_same_session(old, e) && !strcmp(own, id))
            kind = json_get_str(update, "kind");
    }
    return kind;
}

static int answer_by(const struct play_ask *ask);

/* Waits for the release, unless it came before. */
static int answer_held(const struct play_ask *ask, const cJSON *value)
{
    struct play_ask held = *ask;
    held.value = json_get(value, "then");
    held.hold = json_get_str(value, "hold");
    if (!play_hold_reached(ask->agent->player, held.hold))
        return ask_keep(&held);
    held.hold = NULL;
    return answer_by(&held);
}

/* value: one that stands for itself, or NULL for the default. */
static int answer_as(const struct play_ask *ask, const cJSON *value)
{
    const struct trace_event *e = ask->e;
    struct play_ask kept = *ask;
    struct buf line = {0};
    int act = value ? policy_answer(value, e->json, e->scan.id, &line) : POLICY_SERVICE;
    int rc = act < 0 ? act : 0;
    kept.never = act == POLICY_NEVER;
    if (act >= 0 && !kept.never && play_has_method(e, POLICY_PERMISSION) &&
        is_cancelled(ask->agent->player, e))
        rc = answer_cancelled(ask->agent, e);
    else if (act == POLICY_ANSWER)
        play_send_answer(ask->agent, &line, policy_may_be_invalid(value));
    else if (act == POLICY_SERVICE)
        rc = ask->fallback(ask->agent, e);
    else if (act == POLICY_HOLD)
        rc = answer_held(ask, value);
    else if (act > 0)
        rc = ask_keep(&kept);
    buf_deinit(&line);
    return rc;
}

static int answer_by(const struct play_ask *ask)
{
    struct player *p = ask->agent->player;
    struct policy_request request = {.params = json_get(ask->e->json, "params")};
    const cJSON *value;
    if (play_has_method(ask->e, POLICY_PERMISSION))
        request.kind = tool_kind(p, ask->e);
    int rc = policy_choose(&p->policy, ask->value, &request, &value);
    return rc < 0 ? rc : answer_as(ask, value);
}

int play_ask_by(const struct play_ask *ask)
{
    return answer_by(ask);
}

int play_ask(struct play_agent *a, const struct trace_event *e)
{
    const cJSON *policy = json_get(a->player->client_side, "policy");
    struct play_ask ask = {.e = e,
                           .agent = a,
                           .value = policy_find(policy, json_get_str(e->json, "method")),
                           .fallback = play_serve};
    return answer_by(&ask);
}

/* ---- later -------------------------------------------------------------------------------------
 */

int play_asks_cancel(struct player *p, const struct trace_event *cancel)
{
    for (struct list *l = p->asks.next, *next = l->next; l != &p->asks; l = next, next = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node);
        if (ask->never || !play_has_method(ask->e, POLICY_PERMISSION) ||
            !play_same_session(ask->e, cancel))
            continue;
        int rc = answer_cancelled(ask->agent, ask->e);
        if (rc < 0)
            return rc;
        ask_destroy(ask);
    }
    return 0;
}

int play_asks_release(struct player *p, const char *hold)
{
    int rc = 0;
    for (struct list *l = p->asks.next, *next = l->next; l != &p->asks && rc == 0;
         l = next, next = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node), one = *ask;
        if (!ask->hold || strcmp(ask->hold, hold) != 0)
            continue;
        ask_destroy(ask);
        one.hold = NULL;
        rc = answer_by(&one);
    }
    return rc;
}
