#include "mock-client/player_int.h"

#include "base/err.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 600

static const char *entry_str(const struct play_step *s, const cJSON *entry, const char *name)
{
    const char *text = entry ? json_get_str(entry, name) : NULL;
    return text ? text : json_get_str(s->raw, name);
}

static void text_of_mismatch(const struct json_mismatch *m, char *text, size_t n)
{
    snprintf(text, n, "%s%sexpected %.150s, got %.150s", m->pointer, m->pointer[0] ? ": " : "",
             m->expected, m->got);
}

void play_tell(struct player *p, const struct play_step *s, const cJSON *entry,
               const struct play_finding *f)
{
    char text[TEXT_MAX] = "";
    const char *id = entry_str(s, entry, "check");
    if (f->mismatch && !f->text)
        text_of_mismatch(f->mismatch, text, sizeof text);
    struct player_check check = {
        .id = id ? id : s->check,
        .outcome = f->outcome,
        .step = s->index,
        .verb = s->verb->name,
        .note = entry_str(s, entry, "note"),
        .at_most = entry_str(s, entry, "at_most"),
        .pointer = f->mismatch ? f->mismatch->pointer : "",
        .expected = f->mismatch ? f->mismatch->expected : "",
        .got = f->mismatch ? f->mismatch->got : "",
        .text = f->text ? f->text : text,
        .event = f->event,
    };
    if (f->outcome == PLAYER_BROKEN)
        play_error(p, s, "%s", check.text);
    p->ops->on_check(p->ctx, &check);
}

void play_held(struct player *p, const struct play_step *s, const struct trace_event *event)
{
    play_tell(p, s, NULL, &(struct play_finding){.outcome = PLAYER_HELD, .event = event});
}

void play_broken(struct player *p, const struct play_step *s, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    play_tell(p, s, NULL, &(struct play_finding){.outcome = PLAYER_BROKEN, .text = text});
}

static int judge(struct player *p, const struct play_step *s, const cJSON *entry,
                 const struct trace_event *event)
{
    struct json_mismatch mismatch;
    const cJSON *pattern = entry ? json_get(entry, "match") : json_get(s->step, "expect");
    int rc = json_match(pattern, event->json, &mismatch);
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    struct play_finding f = {.outcome = rc ? PLAYER_HELD : PLAYER_BROKEN,
                             .event = event,
                             .mismatch = rc ? NULL : &mismatch};
    play_tell(p, s, entry, &f);
    return rc;
}

int play_judge(struct player *p, const struct play_step *s, const cJSON *pattern,
               const cJSON *value, const struct trace_event *event)
{
    struct json_mismatch mismatch;
    int rc = json_match(pattern, value, &mismatch);
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    struct play_finding f = {.outcome = rc ? PLAYER_HELD : PLAYER_BROKEN,
                             .event = event,
                             .mismatch = rc ? NULL : &mismatch};
    play_tell(p, s, NULL, &f);
    return rc;
}

int play_expect(struct player *p, const struct play_step *s, const struct trace_event *event)
{
    const cJSON *expect = json_get(s->step, "expect"), *entry;
    if (!expect) {
        if (play_step_judges(s->verb, s->raw))
            play_held(p, s, event);
        return 0;
    }
    if (!cJSON_IsArray(expect))
        return judge(p, s, NULL, event);
    cJSON_ArrayForEach(entry, expect)
    {
        int rc = judge(p, s, entry, event);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- what did not come -------------------------------------------------------------------------
 */

static void tell_text(struct player *p, const struct play_step *s, const cJSON *entry,
                      enum player_outcome outcome, const char *text)
{
    play_tell(p, s, entry, &(struct play_finding){.outcome = outcome, .text = text});
}

static void batch_unreached(struct player *p, const struct play_step *s, const char *text)
{
    const cJSON *raw;
    cJSON_ArrayForEach(raw, json_get(s->raw, s->verb->name))
    {
        struct play_step part;
        if (play_step_init(p, &part, raw, s->index) == 0)
            play_unreached(p, &part, text);
    }
}

void play_unreached(struct player *p, const struct play_step *s, const char *text)
{
    const cJSON *expect = json_get(s->raw, "expect"), *entry;
    if (s->verb->flags & PLAY_BATCH)
        batch_unreached(p, s, text);
    if (cJSON_IsArray(expect))
        cJSON_ArrayForEach(entry, expect) tell_text(p, s, entry, PLAYER_UNREACHED, text);
    else if (expect || play_step_judges(s->verb, s->raw))
        tell_text(p, s, NULL, PLAYER_UNREACHED, text);
}

/* What a step waits for, for people. */
static const char *awaited(const struct play_step *s)
{
    const char *method = s->ref && s->ref->sent ? json_get_str(s->ref->sent->json, "method") : NULL;
    return method ? method : s->verb->name;
}

int play_late(struct player *p, struct play_step *s, const char *why)
{
    char text[TEXT_MAX];
    const cJSON *expect = json_get(s->raw, "expect"), *entry;
    snprintf(text, sizeof text, "%s %s: %s", s->ref ? "no answer to" : "did not come:", awaited(s),
             why);
    if (!cJSON_IsArray(expect))
        tell_text(p, s, NULL, PLAYER_BROKEN, text);
    else
        cJSON_ArrayForEach(entry, expect) tell_text(p, s, entry, PLAYER_BROKEN, text);
    return PLAY_STOP;
}

int play_late_unreached(struct player *p, struct play_step *s, const char *why)
{
    char text[sizeof p->why_text];
    play_error(p, s, "did not come: %s", why);
    memcpy(text, p->why_text, sizeof text);
    play_unreached(p, s, text);
    return PLAY_STOP;
}

/* ---- texts and numbers -------------------------------------------------------------------------
 */

static bool matches_regex(const char *pattern, const char *text)
{
    regex_t re;
    if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool found = regexec(&re, text, 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

bool play_text_holds(const struct play_step *s, const char *text)
{
    const char *equals = json_get_str(s->step, "equals");
    const char *contains = json_get_str(s->step, "contains");
    const char *match = json_get_str(s->step, "match");
    return (!equals || !strcmp(text, equals)) && (!contains || strstr(text, contains)) &&
           (!match || matches_regex(match, text));
}

int play_judge_text(struct player *p, const struct play_step *s, const char *text)
{
    const char *equals = json_get_str(s->step, "equals");
    const char *contains = json_get_str(s->step, "contains");
    const char *match = json_get_str(s->step, "match");
    struct json_mismatch m = {0};
    bool held = play_text_holds(s, text);
    snprintf(m.expected, sizeof m.expected, "%s\"%.200s\"",
             equals     ? ""
             : contains ? "text containing "
                        : "text matching ",
             equals     ? equals
             : contains ? contains
             : match    ? match
                        : "");
    snprintf(m.got, sizeof m.got, "\"%.200s\"%s", text, strlen(text) > 200 ? "..." : "");
    play_tell(p, s, NULL,
              &(struct play_finding){.outcome = held ? PLAYER_HELD : PLAYER_BROKEN,
                                     .mismatch = held ? NULL : &m});
    return 0;
}

int play_in_range(const cJSON *range, size_t n, char *text, size_t text_n)
{
    if (cJSON_IsNumber(range)) {
        snprintf(text, text_n, "%.0f", range->valuedouble);
        return (double)n == range->valuedouble;
    }
    int64_t min = json_get_int(range, "min", 0), max = json_get_int(range, "max", INT64_MAX);
    if (max == INT64_MAX)
        snprintf(text, text_n, "at least %lld", (long long)min);
    else
        snprintf(text, text_n, "%lld to %lld", (long long)min, (long long)max);
    return (int64_t)n >= min && (int64_t)n <= max;
}
