#include "script.h"

#include "base/err.h"
#include "script_check.h"
#include "json/json.h"
#include "json/match.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int script_fail(const struct script_place *p, const char *fmt, ...)
{
    va_list args;
    int n = snprintf(p->err, p->err_n, "%s%s", p->at, *p->at ? ": " : "");
    va_start(args, fmt);
    if (n >= 0 && (size_t)n < p->err_n)
        vsnprintf(p->err + n, p->err_n - (size_t)n, fmt, args);
    va_end(args);
    return E_INVALID;
}

int script_members(const struct script_place *p, const cJSON *obj, const char *const *names)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, obj)
    {
        const char *const *name = names;
        while (*name && strcmp(*name, member->string) != 0)
            name++;
        if (!*name)
            return script_fail(p, "unknown member \"%s\"", member->string);
    }
    return 0;
}

int script_number(const struct script_place *p, const cJSON *obj, const char *name, uint32_t *ret)
{
    const cJSON *member = json_get(obj, name);
    if (!member)
        return 0;
    if (!json_is_int(member) || member->valuedouble < 0 || member->valuedouble > UINT32_MAX)
        return script_fail(p, "%s must be a whole number from 0 on", name);
    *ret = (uint32_t)member->valuedouble;
    return 0;
}

/* A place one step further in: "turns[2]" or, below another, "turns[2].reply[0]". */
static struct script_place inside(const struct script_place *p, const char *name, size_t i)
{
    struct script_place in = *p;
    snprintf(in.at, sizeof in.at, "%.90s%s%s[%zu]", p->at, *p->at ? "." : "", name, i);
    return in;
}

/* --- the members of a turn --- */

static int read_pattern(const struct script_place *p, const cJSON *turn, const char *name,
                        const cJSON **ret)
{
    struct json_error e;
    *ret = json_get(turn, name);
    int rc = *ret ? json_match_check(*ret, &e) : 0;
    return rc == E_INVALID ? script_fail(p, "%s: %s", name, e.text) : rc;
}

static int read_finish(const struct script_place *p, const cJSON *turn, struct turn *t)
{
    static const char *const names[] = {
        [FINISH_STOP] = "stop",
        [FINISH_TOOL_CALLS] = "tool_calls",
        [FINISH_LENGTH] = "length",
        [FINISH_FILTER] = "content_filter",
    };
    const cJSON *finish = json_get(turn, "finish");
    enum finish *ret = &t->finish;
    t->finish_word = cJSON_GetArraySize(finish) == 1 ? json_get_str(finish, "word") : NULL;
    if (t->finish_word && strpbrk(t->finish_word, "\"\\\r\n")) /* it goes into JSON as it is */
        return script_fail(p, "finish: word must be a plain word");
    if (!finish || t->finish_word)
        return 0;
    *ret = FINISH_NONE;
    if (cJSON_IsNull(finish))
        return 0;
    for (size_t i = FINISH_STOP; i < ARRAY_LEN(names); i++)
        if (cJSON_IsString(finish) && strcmp(finish->valuestring, names[i]) == 0)
            *ret = (enum finish)i;
    if (*ret == FINISH_NONE)
        return script_fail(
            p, "finish must be stop, tool_calls, length, content_filter, null or {\"word\": text}");
    return 0;
}

static int read_usage(const struct script_place *p, const cJSON *turn, struct usage *ret)
{
    static const char *const members[] = {"input",       "output",  "cached",
                                          "cache_write", "thought", NULL};
    const cJSON *usage = json_get(turn, "usage");
    if (!usage)
        return 0;
    if (cJSON_IsFalse(usage)) {
        ret->mode = USAGE_NONE;
        return 0;
    }
    if (!cJSON_IsObject(usage))
        return script_fail(p, "usage must be false or an object");
    ret->mode = USAGE_GIVEN;
    int rc = script_members(p, usage, members);
    if (rc == 0)
        rc = script_number(p, usage, "input", &ret->input);
    if (rc == 0)
        rc = script_number(p, usage, "output", &ret->output);
    if (rc == 0)
        rc = script_number(p, usage, "cached", &ret->cached);
    if (rc == 0)
        rc = script_number(p, usage, "cache_write", &ret->cache_write);
    return rc < 0 ? rc : script_number(p, usage, "thought", &ret->thought);
}

static int read_headers(const struct script_place *p, const cJSON *turn, struct turn *t)
{
    const cJSON *headers = json_get(turn, "headers"), *h;
    if (!headers)
        return 0;
    if (!cJSON_IsObject(headers))
        return script_fail(p, "headers must be an object of strings");
    t->headers = calloc((size_t)cJSON_GetArraySize(headers) + 1, sizeof *t->headers);
    if (!t->headers)
        return E_NOMEM;
    cJSON_ArrayForEach(h, headers)
    {
        if (!cJSON_IsString(h) || strpbrk(h->valuestring, "\r\n") || strpbrk(h->string, "\r\n: "))
            return script_fail(p, "headers: \"%s\" is no header with a text of one line",
                               h->string);
        t->headers[t->header_n++] = (struct httpd_header){h->string, h->valuestring};
    }
    return 0;
}

static int read_answer(const struct script_place *p, const cJSON *turn, struct turn *t)
{
    uint32_t status = 200;
    int rc = script_number(p, turn, "status", &status);
    t->body = json_get(turn, "body");
    t->plain = json_get(turn, "status") != NULL || t->body != NULL;
    t->status = (int)status;
    if (rc == 0 && (status < 200 || status > 599))
        rc = script_fail(p, "status must be from 200 to 599");
    return rc < 0 ? rc : read_headers(p, turn, t);
}

/* Before an answer by status only waiting and hanging up make sense. */
static bool may_precede_status(enum action_kind kind)
{
    return kind == ACTION_HOLD || kind == ACTION_DELAY || kind == ACTION_STALL ||
           kind == ACTION_CUT || kind == ACTION_RESET;
}

static int read_reply(struct script *s, const struct script_place *p, const cJSON *turn,
                      struct turn *t)
{
    const cJSON *reply = json_get(turn, "reply"), *action;
    if (!reply && t->plain)
        return 0;
    if (!cJSON_IsArray(reply))
        return script_fail(p, "reply must be an array of actions");
    t->actions = calloc((size_t)cJSON_GetArraySize(reply) + 1, sizeof *t->actions);
    if (!t->actions)
        return E_NOMEM;
    cJSON_ArrayForEach(action, reply)
    {
        struct script_place at = inside(p, "reply", t->action_n);
        struct action *a = &t->actions[t->action_n++];
        a->json = action;
        int rc = script_read_action(s, &at, a);
        if (rc < 0)
            return rc;
        if (t->plain && !may_precede_status(a->kind))
            return script_fail(&at, "%s cannot stand before a status or body",
                               action_name(a->kind));
    }
    return 0;
}

static int read_times(const struct script_place *p, const cJSON *turn, struct turn *t)
{
    t->limited = !t->when || json_get(turn, "times") != NULL;
    t->left = 1;
    return script_number(p, turn, "times", &t->left);
}

static int read_turn(struct script *s, const struct script_place *p, const cJSON *turn,
                     struct turn *t)
{
    static const char *const members[] = {"when",   "times", "expect", "check",   "reply",
                                          "finish", "usage", "status", "headers", "body",
                                          "wire",   "note",  NULL};
    if (!cJSON_IsObject(turn))
        return script_fail(p, "a turn must be an object");
    const cJSON *check = json_get(turn, "check");
    if (check && !cJSON_IsString(check))
        return script_fail(p, "check must be a requirement id");
    t->check = json_get_str(turn, "check");
    int rc = script_members(p, turn, members);
    if (rc == 0)
        rc = read_pattern(p, turn, "when", &t->when);
    if (rc == 0)
        rc = read_pattern(p, turn, "expect", &t->expect);
    if (rc == 0)
        rc = read_times(p, turn, t);
    if (rc == 0)
        rc = read_finish(p, turn, t);
    if (rc == 0)
        rc = read_usage(p, turn, &t->usage);
    if (rc == 0)
        rc = read_answer(p, turn, t);
    t->wire = s->wire;
    t->chaos = s->chaos;
    if (rc == 0)
        rc = script_read_wire(p, turn, &t->wire, &t->chaos);
    return rc < 0 ? rc : read_reply(s, p, turn, t);
}

/* --- the script --- */

static int read_turns(struct script *s, const struct script_place *p, const cJSON *turns)
{
    const cJSON *turn;
    if (!cJSON_IsArray(turns))
        return script_fail(p, "the script must be an array of turns or {\"turns\": [...]}");
    s->turns = calloc((size_t)cJSON_GetArraySize(turns) + 1, sizeof *s->turns);
    if (!s->turns)
        return E_NOMEM;
    cJSON_ArrayForEach(turn, turns)
    {
        struct script_place at = inside(p, "turns", s->turn_n);
        int rc = read_turn(s, &at, turn, &s->turns[s->turn_n++]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_models(const struct script_place *p, const cJSON *models)
{
    const cJSON *model;
    if (models && !cJSON_IsArray(models))
        return script_fail(p, "models must be an array of names");
    cJSON_ArrayForEach(model, models)
    {
        if (!cJSON_IsString(model))
            return script_fail(p, "models must be an array of names");
    }
    return 0;
}

static int check_intents(const struct script_place *p, const cJSON *intents)
{
    static const char *const members[] = {"tool", "args", NULL};
    const cJSON *intent;
    if (intents && !cJSON_IsObject(intents))
        return script_fail(p, "intents must be an object");
    cJSON_ArrayForEach(intent, intents)
    {
        const cJSON *args = json_get(intent, "args");
        if (!json_get_str(intent, "tool") || (args && !cJSON_IsObject(args)))
            return script_fail(p, "intents.%s must be {\"tool\": name, \"args\"?: {...}}",
                               intent->string);
        int rc = script_members(p, intent, members);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_script(struct script *s, const struct script_place *p)
{
    static const char *const members[] = {"turns",   "models", "intents", "wire",
                                          "servers", "note",   NULL};
    if (cJSON_IsArray(s->json))
        return read_turns(s, p, s->json);
    s->models = json_get(s->json, "models");
    s->servers = json_get(s->json, "servers");
    if (!s->intents)
        s->intents = json_get(s->json, "intents");
    int rc = cJSON_IsObject(s->json) ? script_members(p, s->json, members) : 0;
    if (rc == 0)
        rc = check_models(p, s->models);
    if (rc == 0)
        rc = script_check_servers(p, s->servers);
    if (rc == 0)
        rc = script_read_wire(p, s->json, &s->wire, &s->chaos);
    return rc < 0 ? rc : read_turns(s, p, json_get(s->json, "turns"));
}

static int copy(const cJSON *json, cJSON **ret)
{
    *ret = json ? cJSON_Duplicate(json, true) : NULL;
    return json && !*ret ? E_NOMEM : 0;
}

int script_create(const cJSON *json, const cJSON *intents, struct script **ret, char *err,
                  size_t err_n)
{
    const struct script_place top = {.err = err, .err_n = err_n};
    struct script *s = calloc(1, sizeof *s);
    int rc = s ? copy(intents, &s->own_intents) : E_NOMEM;
    if (rc == 0) {
        s->intents = s->own_intents;
        rc = json ? copy(json, &s->json)
                  : json_parse(script_builtin(), strlen(script_builtin()), &s->json, NULL);
    }
    if (rc == 0)
        rc = read_script(s, &top);
    if (rc == 0)
        rc = check_intents(&top, s->intents);
    if (rc < 0) {
        if (rc != E_INVALID && err_n > 0)
            snprintf(err, err_n, "%s", err_text(rc));
        script_destroy(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void script_destroy(struct script *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->turn_n; i++) {
        free(s->turns[i].actions);
        free(s->turns[i].headers);
    }
    free(s->turns);
    free(s->holds);
    cJSON_Delete(s->own_intents);
    cJSON_Delete(s->json);
    free(s);
}

struct hold *script_hold(struct script *s, const char *name)
{
    for (size_t i = 0; i < s->hold_n; i++)
        if (strcmp(s->holds[i].name, name) == 0)
            return &s->holds[i];
    return NULL;
}
