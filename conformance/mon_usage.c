#include "conformance/monitors.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Usage that is reported makes sense: a window with a size, and costs that only grow. */
struct cost {
    const struct wire_session *session;
    const char *currency; /* lent by the update that named it last */
    double amount;
};

struct costs {
    struct cost **v; /* owned; one for each session and currency */
    size_t n, cap;
};

static void judge_window(struct watch *w, const struct wire_msg *m)
{
    const cJSON *used = json_get(m->update, "used"), *size = json_get(m->update, "size");
    struct blame b = blame_of(m, "USAGE-06");
    b.pointer = "/params/update/size";
    b.at_most = VERDICT_WARN;
    if (!cJSON_IsNumber(used) || !cJSON_IsNumber(size))
        return;
    if (size->valuedouble < 1)
        watch_blame(w, &b, "usage is reported for a window of the size 0");
    b.id = "USAGE-07";
    b.pointer = "/params/update/used";
    b.at_most = VERDICT_INFO;
    if (size->valuedouble >= 1 && used->valuedouble > size->valuedouble)
        watch_blame(w, &b, "%.0f tokens are used in a window of %.0f", used->valuedouble,
                    size->valuedouble);
}

static bool is_iso_4217(const char *currency)
{
    for (size_t i = 0; i < 3; i++)
        if (!isupper((unsigned char)currency[i]))
            return false;
    return currency[3] == '\0';
}

/* NULL: out of memory. */
static struct cost *cost_of(struct costs *costs, const struct wire_session *s, const char *currency)
{
    struct cost *c;
    for (size_t i = 0; i < costs->n; i++)
        if (costs->v[i]->session == s && strcmp(costs->v[i]->currency, currency) == 0)
            return costs->v[i];
    if (grow_pointers(&costs->v, costs->n, &costs->cap) < 0 || !(c = calloc(1, sizeof *c)))
        return NULL;
    *c = (struct cost){.session = s};
    c->currency = currency;
    costs->v[costs->n++] = c;
    return c;
}

static void judge_cost(struct watch *w, struct costs *costs, const struct wire_msg *m)
{
    const cJSON *cost = json_get(m->update, "cost"), *amount = json_get(cost, "amount");
    const char *currency = json_get_str(cost, "currency");
    struct blame b = blame_of(m, "USAGE-04");
    if (!currency || !cJSON_IsNumber(amount))
        return;
    b.pointer = "/params/update/cost/currency";
    b.at_most = VERDICT_INFO; /* newer schemas allow any unit */
    if (!is_iso_4217(currency))
        watch_blame(w, &b, "\"%.40s\" is no currency code of three letters", currency);
    struct cost *c = cost_of(costs, m->session, currency);
    if (!c) {
        w->rc = E_NOMEM;
        return;
    }
    b.id = "USAGE-05";
    b.pointer = "/params/update/cost/amount";
    b.at_most = VERDICT_WARN;
    if (amount->valuedouble < c->amount)
        watch_blame(w, &b, "the cost of the session falls from %g to %g", c->amount,
                    amount->valuedouble);
    c->amount = amount->valuedouble;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    if (m->e->side != TRACE_AGENT || !m->update_kind || !m->session ||
        strcmp(m->update_kind, "usage_update") != 0)
        return;
    judge_window(w, m);
    if (m->session->loads_open == 0)
        judge_cost(w, state, m);
}

static void deinit(void *state)
{
    struct costs *costs = state;
    for (size_t i = 0; i < costs->n; i++)
        free(costs->v[i]);
    free(costs->v);
}

static const char *const ids[] = {"USAGE-04", "USAGE-05", "USAGE-06", "USAGE-07", NULL};

const struct monitor monitor_usage = {
    .ids = ids,
    .title = "reported usage makes sense",
    .state_n = sizeof(struct costs),
    .feed = feed,
    .deinit = deinit,
};
