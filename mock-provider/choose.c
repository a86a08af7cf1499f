#include "internal.h"

#include "json/json.h"
#include "json/match.h"

#include <stdio.h>

static bool is_left(const struct turn *t)
{
    return !t->limited || t->left > 0;
}

/* Of the members a pattern asks for, how many match: thousandths. */
static int nearness(const cJSON *pattern, const cJSON *value)
{
    int all = 0, matching = 0;
    const cJSON *member;
    cJSON_ArrayForEach(member, pattern)
    {
        all++;
        if (member->string && member->string[0] != '$')
            matching += json_match(member, json_get(value, member->string), NULL) == 1;
    }
    return all ? matching * 1000 / all : 0;
}

static const struct turn *nearest_turn(const struct script *s, const cJSON *neutral)
{
    const struct turn *best = NULL;
    int best_nearness = -1;
    for (size_t i = 0; i < s->turn_n; i++) {
        const struct turn *t = &s->turns[i];
        int near = t->when && is_left(t) ? nearness(t->when, neutral) : -1;
        if (near > best_nearness) {
            best = t;
            best_nearness = near;
        }
    }
    return best;
}

static void explain(const char *what, size_t turn, const struct json_mismatch *m, char *text,
                    size_t n)
{
    snprintf(text, n, "turns[%zu].%s differs at %s: expected %s, got %s", turn, what,
             *m->pointer ? m->pointer : "/", m->expected, m->got);
}

static void explain_miss(const struct script *s, const cJSON *neutral, char *text, size_t n)
{
    struct json_mismatch m = {0};
    const struct turn *near = nearest_turn(s, neutral);
    if (!near) {
        snprintf(text, n, "the script has no turn left: all %zu are used up", s->turn_n);
        return;
    }
    char detail[600];
    json_match(near->when, neutral, &m);
    explain("when", (size_t)(near - s->turns), &m, detail, sizeof detail);
    snprintf(text, n, "the script has no turn for this request; the nearest, %s", detail);
}

static struct turn *use(struct turn *t)
{
    if (t->limited)
        t->left--;
    return t;
}

struct turn *choose_matching(const struct script *s, const cJSON *neutral)
{
    for (size_t i = 0; i < s->turn_n; i++) {
        struct turn *t = &s->turns[i];
        if (t->when && is_left(t) && json_match(t->when, neutral, NULL) == 1)
            return t;
    }
    return NULL;
}

const struct turn *choose_side(const struct provider *p, const cJSON *neutral)
{
    const struct turn *own = p->side ? choose_matching(p->script, neutral) : NULL;
    bool meant = own && (json_get(own->when, "tools") || json_get(own->when, "system"));
    return p->side && !meant ? choose_matching(p->side, neutral) : NULL;
}

struct turn *choose_turn(struct script *s, const cJSON *neutral, char *text, size_t n)
{
    struct turn *matching = choose_matching(s, neutral);
    if (matching)
        return use(matching);
    for (size_t i = 0; i < s->turn_n; i++)
        if (!s->turns[i].when && is_left(&s->turns[i]))
            return use(&s->turns[i]);
    explain_miss(s, neutral, text, n);
    return NULL;
}

bool expectation_holds(const struct script *s, const struct turn *turn, const cJSON *neutral,
                       char *text, size_t n)
{
    struct json_mismatch m = {0};
    if (!turn->expect || json_match(turn->expect, neutral, &m) == 1)
        return true;
    explain("expect", (size_t)(turn - s->turns), &m, text, n);
    return false;
}
