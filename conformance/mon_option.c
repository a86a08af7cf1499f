#include "conformance/monitors.h"

#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* Modes and options can be told apart, and what is current is one of those that are offered. */

/* The first text at `member` that two elements of the list share, or NULL. */
static const char *repeated(const cJSON *list, const char *member)
{
    const cJSON *a;
    cJSON_ArrayForEach(a, list)
    {
        const char *id = json_get_str(a, member);
        for (const cJSON *b = id ? a->next : NULL; b; b = b->next) {
            const char *other = json_get_str(b, member);
            if (other && strcmp(id, other) == 0)
                return id;
        }
    }
    return NULL;
}

static bool holds(const cJSON *list, const char *member, const char *text)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, list)
    {
        const char *own = json_get_str(v, member);
        if (own && strcmp(own, text) == 0)
            return true;
    }
    return false;
}

static void judge_modes(struct watch *w, const struct wire_msg *m, const cJSON *modes)
{
    const cJSON *list = json_get(modes, "availableModes");
    const char *current = json_get_str(modes, "currentModeId"), *twice = repeated(list, "id");
    struct blame b = blame_of(m, "MODE-03");
    b.pointer = "/result/modes/currentModeId";
    if (current && cJSON_IsArray(list) && !holds(list, "id", current))
        watch_blame(w, &b, "the current mode \"%.60s\" is none of the available ones", current);
    b.pointer = "/result/modes/availableModes";
    if (twice)
        watch_blame(w, &b, "two modes have the id \"%.60s\"", twice);
}

/* ---- options ------------------------------------------------------------------------------------
 */

static bool offers(const cJSON *options, const char *value)
{
    const cJSON *group;
    cJSON_ArrayForEach(group,
                       options) if (holds(json_get(group, "options"), "value", value)) return true;
    return holds(options, "value", value);
}

static void judge_values(struct watch *w, const struct wire_msg *m, const cJSON *option,
                         const char *pointer)
{
    const cJSON *options = json_get(option, "options");
    const char *current = json_get_str(option, "currentValue"), *twice = repeated(options, "value");
    struct blame b = blame_of(m, "CFG-06");
    b.pointer = pointer;
    b.at_most = VERDICT_WARN;
    if (current && cJSON_IsArray(options) && !offers(options, current))
        watch_blame(w, &b, "the current value \"%.60s\" is none of those offered", current);
    b.id = "CFG-08";
    b.at_most = VERDICT_INFO; /* one value may stand in two groups */
    if (twice)
        watch_blame(w, &b, "the value \"%.60s\" is offered twice", twice);
}

static void judge_option(struct watch *w, const struct wire_msg *m, const cJSON *option,
                         const char *pointer)
{
    static const char *const known[] = {"mode", "model", "model_config", "thought_level"};
    const char *type = json_get_str(option, "type"), *category = json_get_str(option, "category");
    struct blame b = blame_of(m, "CFG-04");
    b.pointer = pointer;
    b.at_most = VERDICT_WARN;
    if (type && strcmp(type, "boolean") == 0 && json_get(option, "options"))
        watch_blame(w, &b, "a boolean option carries a list of options");
    else if (type && strcmp(type, "select") == 0)
        judge_values(w, m, option, pointer);
    bool free = !category || category[0] == '_';
    for (size_t i = 0; i < ARRAY_LEN(known) && !free; i++)
        free = strcmp(category, known[i]) == 0;
    b.id = "CFG-17";
    b.at_most = VERDICT_INFO;
    if (!free)
        watch_blame(w, &b, "the category \"%.60s\" is reserved: it has no underscore", category);
}

static void judge_options(struct watch *w, const struct wire_msg *m, const cJSON *options,
                          const char *where)
{
    const cJSON *option;
    const char *twice = repeated(options, "id");
    char pointer[96];
    int i = 0;
    cJSON_ArrayForEach(option, options)
    {
        snprintf(pointer, sizeof pointer, "%s/%d", where, i++);
        judge_option(w, m, option, pointer);
    }
    struct blame b = blame_of(m, "CFG-08");
    b.pointer = where;
    if (twice)
        watch_blame(w, &b, "two options have the id \"%.60s\"", twice);
}

/* Mode-like settings are offered in both ways for now. */
static void judge_both_ways(struct watch *w, const struct wire_msg *m)
{
    bool modes = cJSON_IsObject(json_get(m->result, "modes"));
    bool option = holds(json_get(m->result, "configOptions"), "category", "mode");
    struct blame b = blame_of(m, "CFG-25");
    b.pointer = "/result";
    if (modes != option)
        watch_blame(w, &b, "modes are offered as %s only",
                    modes ? "modes" : "an option of the category mode");
}

static bool opens_session(const char *method)
{
    return strcmp(method, "session/new") == 0 || strcmp(method, "session/load") == 0 ||
           strcmp(method, "session/resume") == 0;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->update_kind && strcmp(m->update_kind, "config_option_update") == 0)
        judge_options(w, m, json_get(m->update, "configOptions"), "/params/update/configOptions");
    if (m->kind != WIRE_RESPONSE || !m->call || !m->result)
        return;
    bool opens = opens_session(m->call->method);
    if (opens || strcmp(m->call->method, "session/set_config_option") == 0)
        judge_options(w, m, json_get(m->result, "configOptions"), "/result/configOptions");
    if (opens) {
        judge_modes(w, m, json_get(m->result, "modes"));
        judge_both_ways(w, m);
    }
}

static const char *const ids[] = {"MODE-03", "CFG-04", "CFG-06", "CFG-08",
                                  "CFG-17",  "CFG-25", NULL};

const struct monitor monitor_option = {
    .ids = ids,
    .title = "modes and options can be told apart, and the current one is on offer",
    .feed = feed,
};
