#include "mock-client/player_int.h"

#include "mock-client/policy.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* Requests of the agent: who answers them, and when. */

#define PERMISSION "session/request_permission"

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

static int ask_keep(struct play_agent *a, const struct play_ask *like)
{
    struct play_ask *ask = calloc(1, sizeof *ask);
    if (!ask)
        return E_NOMEM;
    *ask = *like;
    ask->agent = a;
    list_append(&a->player->asks, &ask->node);
    return 0;
}

/* ---- sending answers ---------------------------------------------------------------------------
 */

static void answer(struct play_agent *a, const struct buf *line, bool may_be_invalid)
{
    struct trace *trace = a->player->options.trace;
    trace->invalid_ok = may_be_invalid;
    client_send(a->client, line->p, line->n);
    trace->invalid_ok = false;
}

static int answer_cancelled(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    int rc = policy_answer_cancelled(e->scan.id, &line);
    if (rc == 0)
        answer(a, &line, false);
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

/* value: of the policy, NULL for the default. */
static int answer_as(struct play_agent *a, const struct trace_event *e, const cJSON *value)
{
    struct buf line = {0};
    int act = policy_answer(value, e->json, e->scan.id, &line);
    bool cancelled = play_has_method(e, PERMISSION) && is_cancelled(a->player, e);
    int rc = act;
    if (cancelled && act >= 0 && act != POLICY_NEVER)
        rc = answer_cancelled(a, e);
    else if (act == POLICY_ANSWER)
        answer(a, &line, policy_may_be_invalid(value));
    else if (act > 0)
        rc = ask_keep(a, &(struct play_ask){.e = e, .never = act == POLICY_NEVER});
    buf_deinit(&line);
    return rc < 0 ? rc : 0;
}

int play_ask(struct play_agent *a, const struct trace_event *e)
{
    const char *method = json_get_str(e->json, "method");
    const cJSON *policy = json_get(a->player->client_side, "policy");
    return answer_as(a, e, policy_find(policy, method));
}

int play_asks_cancel(struct player *p, const struct trace_event *cancel)
{
    for (struct list *l = p->asks.next, *next = l->next; l != &p->asks; l = next, next = l->next) {
        struct play_ask *ask = CONTAINER_OF(l, struct play_ask, node);
        if (ask->never || !play_has_method(ask->e, PERMISSION) ||
            !play_same_session(ask->e, cancel))
            continue;
        int rc = answer_cancelled(ask->agent, ask->e);
        if (rc < 0)
            return rc;
        ask_destroy(ask);
    }
    return 0;
}

int play_release_hold(struct player *p, const char *name)
{
    (void)p;
    (void)name;
    return 0;
}
