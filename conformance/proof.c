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

const char *proof_entry(const char *entry, int *ret_verdict)
{
    const char *colon = strchr(entry, ':');
    char name[24];
    int verdict = -1;
    if (colon) {
        snprintf(name, sizeof name, "%.*s", (int)(colon - entry), entry);
        verdict = verdict_find(name);
    }
    *ret_verdict = verdict;
    return verdict < 0 ? entry : colon + 1;
}

static void tell(struct buf *diff, const char *id, const char *what)
{
    if (diff)
        buf_addf(diff, "%s%s %s", diff->n ? "; " : "", id, what);
}

static bool is_meant(const char *entry, const struct check_result *c)
{
    int verdict;
    const char *id = proof_entry(entry, &verdict);
    bool fits = verdict < 0 ? c->verdict != VERDICT_NOT_EXERCISED : (int)c->verdict == verdict;
    return c->verdict != VERDICT_PASS && fits && strcmp(id, c->id) == 0;
}

static bool came_true(const struct case_result *r, const char *entry)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_meant(entry, &r->checks[i]))
            return true;
    return false;
}

static bool is_listed(const cJSON *fails, const struct check_result *c)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, fails) if (cJSON_IsString(v) && is_meant(v->valuestring, c)) return true;
    return false;
}

/* What is neither PASS nor meant. */
static unsigned count_extra(const cJSON *fails, const struct case_result *r, struct buf *diff)
{
    unsigned extra = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct check_result *c = &r->checks[i];
        char entry[96];
        if (c->verdict == VERDICT_PASS || is_listed(fails, c))
            continue;
        snprintf(entry, sizeof entry, "%s:%.60s", verdict_name(c->verdict), c->id);
        tell(diff, entry, "too");
        extra++;
    }
    return extra;
}

bool proof_matches(const cJSON *fails, const struct case_result *r, struct buf *diff)
{
    unsigned missing = 0;
    const cJSON *v;
    cJSON_ArrayForEach(v, fails)
    {
        const char *entry = cJSON_GetStringValue(v);
        if (entry && came_true(r, entry))
            continue;
        missing++;
        tell(diff, entry ? entry : "?", "did not come");
    }
    missing += count_extra(fails, r, diff);
    if (r->error)
        tell(diff, "the case", r->reason ? r->reason : "ended in an error");
    return missing == 0 && !r->error;
}
