#include "conformance/proof.h"

#include "conformance/catalog.h"

#include <stdio.h>
#include <string.h>

#define UNEXERCISED "NOT-EXERCISED:"

void proof_failed(const struct case_result *r, void (*cb)(void *ctx, const char *id), void *ctx)
{
    for (size_t i = 0; i < r->n; i++) {
        char id[96];
        const struct check_result *c = &r->checks[i];
        if (c->verdict == VERDICT_PASS)
            continue;
        snprintf(id, sizeof id, "%s%.60s", c->verdict == VERDICT_NOT_EXERCISED ? UNEXERCISED : "",
                 c->id);
        cb(ctx, id);
    }
}

struct compare {
    const cJSON *fails;
    struct buf *diff;
    unsigned extra;
    const char *wanted; /* looked for among what failed */
    bool found;
};

static void tell(struct buf *diff, const char *id, const char *what)
{
    if (diff)
        buf_addf(diff, "%s%s %s", diff->n ? "; " : "", id, what);
}

static bool lists(const cJSON *fails, const char *id)
{
    const cJSON *v;
    cJSON_ArrayForEach(v,
                       fails) if (cJSON_IsString(v) && strcmp(v->valuestring, id) == 0) return true;
    return false;
}

static void look_for(void *ctx, const char *id)
{
    struct compare *c = ctx;
    c->found |= strcmp(id, c->wanted) == 0;
}

static void count_extra(void *ctx, const char *id)
{
    struct compare *c = ctx;
    if (lists(c->fails, id))
        return;
    c->extra++;
    tell(c->diff, id, strncmp(id, UNEXERCISED, strlen(UNEXERCISED)) == 0 ? "too" : "failed too");
}

bool proof_matches(const cJSON *fails, const struct case_result *r, struct buf *diff)
{
    struct compare c = {.fails = fails, .diff = diff};
    unsigned missing = 0;
    const cJSON *v;
    cJSON_ArrayForEach(v, fails)
    {
        c.wanted = cJSON_GetStringValue(v);
        c.found = false;
        if (c.wanted)
            proof_failed(r, look_for, &c);
        if (!c.found) {
            missing++;
            tell(diff, c.wanted ? c.wanted : "?", "did not fail");
        }
    }
    proof_failed(r, count_extra, &c);
    if (r->error)
        tell(diff, "the case", r->reason ? r->reason : "ended in an error");
    return missing == 0 && c.extra == 0 && !r->error;
}
