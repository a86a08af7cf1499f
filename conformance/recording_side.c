#include "conformance/recording.h"

#include "acp/methods.h"
#include "base/err.h"
#include "conformance/grow.h"
#include "conformance/wire.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* Who said a message of a recording. */

static int flip(int side)
{
    return side == TRACE_AGENT ? TRACE_CLIENT : TRACE_AGENT;
}

/* By its method alone: -1 for responses, unknown methods, and those of both sides. */
static int side_of_method(const cJSON *message)
{
    enum acp_method m = acp_method_find(json_get_str(message, "method"));
    if (m == ACP_METHOD_UNKNOWN || acp_methods[m].receiver == ACP_TO_BOTH)
        return -1;
    return acp_methods[m].receiver == ACP_TO_AGENT ? TRACE_CLIENT : TRACE_AGENT;
}

/* ---- with labels --------------------------------------------------------------------------------
 */

static bool same_label(const struct recorded *a, const char *label)
{
    return a->label && label && strcmp(a->label, label) == 0;
}

/* More of what bears this label is the client's (> 0) or the agent's (< 0). */
static long vote(struct recorded *const *v, size_t n, const char *label)
{
    long votes = 0;
    for (size_t i = 0; i < n; i++) {
        int side = same_label(v[i], label) ? side_of_method(v[i]->message) : -1;
        votes += side == TRACE_CLIENT ? 1 : side == TRACE_AGENT ? -1 : 0;
    }
    return votes;
}

static void give_label(struct recorded *const *v, size_t n, const char *label, int side)
{
    for (size_t i = 0; i < n; i++)
        if (same_label(v[i], label))
            v[i]->side = side;
}

/* Of two labels one is enough: the other is the other side's. */
static void give_other_label(struct recorded *const *v, size_t n)
{
    const char *known = NULL, *unknown = NULL;
    int side = -1;
    for (size_t i = 0; i < n; i++) {
        if (v[i]->label && v[i]->side >= 0) {
            known = v[i]->label;
            side = v[i]->side;
        } else if (v[i]->label) {
            unknown = v[i]->label;
        }
    }
    if (known && unknown)
        give_label(v, n, unknown, flip(side));
}

static void by_label(struct recorded *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!v[i]->label || v[i]->side >= 0)
            continue;
        long votes = vote(v, n, v[i]->label);
        if (votes != 0)
            give_label(v, n, v[i]->label, votes > 0 ? TRACE_CLIENT : TRACE_AGENT);
    }
    give_other_label(v, n);
}

/* ---- without ------------------------------------------------------------------------------------
 */

/* Requests nobody has answered yet, oldest first. */
struct open_requests {
    struct recorded **v; /* owned */
    size_t n, cap;
};

static int open_one(struct open_requests *o, struct recorded *r)
{
    if (grow_pointers(&o->v, o->n, &o->cap) < 0)
        return E_NOMEM;
    o->v[o->n++] = r;
    return 0;
}

/* Where the oldest of that id stands, of the given side or (-1) any; NULL if there is none. */
static struct recorded **find_open(const struct open_requests *o, const cJSON *id, int side)
{
    for (size_t i = 0; i < o->n; i++)
        if ((side < 0 || o->v[i]->side == side) &&
            wire_id_equal(json_get(o->v[i]->message, "id"), id))
            return &o->v[i];
    return NULL;
}

static void close_one(struct open_requests *o, struct recorded **at)
{
    memmove(at, at + 1, (size_t)(o->v + o->n - at - 1) * sizeof *at);
    o->n--;
}

static int by_content(struct open_requests *o, struct recorded *r)
{
    const cJSON *id = json_get(r->message, "id");
    bool asks = json_get(r->message, "method") != NULL;
    const cJSON *withdrawn = json_get(json_get(r->message, "params"), "requestId");
    if (asks && r->side < 0)
        r->side = side_of_method(r->message);
    if (asks && r->side < 0 && withdrawn) {
        struct recorded **asked = find_open(o, withdrawn, -1);
        r->side = asked ? (*asked)->side : -1;
    }
    if (asks && id && r->side >= 0)
        return open_one(o, r);
    if (asks || !id)
        return 0;
    struct recorded **asked = find_open(o, id, r->side < 0 ? -1 : flip(r->side));
    if (!asked)
        return 0;
    r->side = flip((*asked)->side);
    close_one(o, asked);
    return 0;
}

int recording_find_sides(struct recorded *const *v, size_t n)
{
    struct open_requests open = {0};
    int rc = 0;
    by_label(v, n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (v[i]->message && !v[i]->label)
            rc = by_content(&open, v[i]);
    free(open.v);
    return rc;
}
