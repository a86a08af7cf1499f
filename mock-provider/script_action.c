#include "script_check.h"

#include "base/err.h"
#include "dialect.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static int read_text(struct script *s, const struct script_place *p, struct action *a);
static int read_tool(struct script *s, const struct script_place *p, struct action *a);
static int read_hold(struct script *s, const struct script_place *p, struct action *a);
static int read_delay(struct script *s, const struct script_place *p, struct action *a);
static int read_flag(struct script *s, const struct script_place *p, struct action *a);
static int read_raw(struct script *s, const struct script_place *p, struct action *a);
static int read_event(struct script *s, const struct script_place *p, struct action *a);
static int read_error(struct script *s, const struct script_place *p, struct action *a);

/* Each action once: the member that names it, how it is read, which members may stand beside. */
static const struct {
    const char *name;
    int (*read)(struct script *, const struct script_place *, struct action *);
    const char *members[7];
} actions[] = {
    [ACTION_TEXT] = {"text", read_text, {"text", "repeat", "note"}},
    [ACTION_THOUGHT] = {"thought", read_text, {"thought", "repeat", "note"}},
    [ACTION_TOOL] = {"tool",
                     read_tool,
                     {"tool", "with", "id", "fragments", "raw_arguments", "note"}},
    [ACTION_HOLD] = {"hold", read_hold, {"hold", "note"}},
    [ACTION_DELAY] = {"delay", read_delay, {"delay", "note"}},
    [ACTION_STALL] = {"stall", read_flag, {"stall", "note"}},
    [ACTION_CUT] = {"cut", read_flag, {"cut", "note"}},
    [ACTION_RESET] = {"reset", read_flag, {"reset", "note"}},
    [ACTION_RAW] = {"raw", read_raw, {"raw", "repeat", "note"}},
    [ACTION_EVENT] = {"event", read_event, {"event", "note"}},
    [ACTION_MALFORMED] = {"malformed", read_flag, {"malformed", "note"}},
    [ACTION_ERROR] = {"error", read_error, {"error", "note"}},
    [ACTION_NO_DONE] = {"no_done", read_flag, {"no_done", "note"}},
};

const char *action_name(enum action_kind kind)
{
    return actions[kind].name;
}

static int read_repeat(const struct script_place *p, struct action *a)
{
    uint32_t repeat = 1;
    int rc = script_number(p, a->json, "repeat", &repeat);
    a->repeat = repeat;
    return rc;
}

static int read_text(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    const cJSON *element;
    if (!cJSON_IsString(a->value) && !cJSON_IsArray(a->value))
        return script_fail(p, "%s must be a string or an array of strings", action_name(a->kind));
    if (cJSON_IsArray(a->value))
        cJSON_ArrayForEach(element, a->value)
        {
            if (!cJSON_IsString(element))
                return script_fail(p, "%s holds something that is not a string",
                                   action_name(a->kind));
        }
    return read_repeat(p, a);
}

static int read_raw(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    if (!cJSON_IsString(a->value))
        return script_fail(p, "raw must be a string");
    return read_repeat(p, a);
}

static bool is_optional(const cJSON *obj, const char *name, bool (*is)(const cJSON *))
{
    const cJSON *member = json_get(obj, name);
    return !member || is(member);
}

static bool is_string(const cJSON *item)
{
    return cJSON_IsString(item);
}

static bool is_object(const cJSON *item)
{
    return cJSON_IsObject(item);
}

static int read_tool(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    if (!cJSON_IsString(a->value) || !*a->value->valuestring)
        return script_fail(p, "tool must be a name");
    if (!is_optional(a->json, "with", is_object))
        return script_fail(p, "with must be an object");
    if (!is_optional(a->json, "id", is_string))
        return script_fail(p, "id must be a string");
    const char *id = json_get_str(a->json, "id");
    if (id && strlen(id) >= sizeof((struct call *)0)->id)
        return script_fail(p, "id is longer than %zu bytes", sizeof((struct call *)0)->id - 1);
    if (!is_optional(a->json, "raw_arguments", is_string))
        return script_fail(p, "raw_arguments must be a string");
    a->fragments = 2;
    return script_number(p, a->json, "fragments", &a->fragments);
}

static int add_hold(struct script *s, const char *name)
{
    struct hold *more = realloc(s->holds, (s->hold_n + 1) * sizeof *more);
    if (!more)
        return E_NOMEM;
    s->holds = more;
    s->holds[s->hold_n++] = (struct hold){.name = name};
    return 0;
}

static int read_hold(struct script *s, const struct script_place *p, struct action *a)
{
    if (!cJSON_IsString(a->value) || !*a->value->valuestring)
        return script_fail(p, "hold must be a name");
    const struct hold *known = script_hold(s, a->value->valuestring);
    a->hold = known ? (size_t)(known - s->holds) : s->hold_n;
    return known ? 0 : add_hold(s, a->value->valuestring);
}

static int read_delay(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    uint32_t ms = 0;
    int rc = script_number(p, a->json, "delay", &ms);
    a->repeat = ms;
    return rc;
}

static int read_flag(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    if (!cJSON_IsTrue(a->value))
        return script_fail(p, "%s must be true", action_name(a->kind));
    return 0;
}

static int read_event(struct script *s, const struct script_place *p, struct action *a)
{
    (void)s;
    (void)p;
    (void)a;
    return 0;
}

static int read_error(struct script *s, const struct script_place *p, struct action *a)
{
    static const char *const members[] = {"message", "type", "code", NULL};
    (void)s;
    if (!cJSON_IsObject(a->value) || !json_get_str(a->value, "message"))
        return script_fail(p, "error must be {\"message\": text, \"type\"?: text}");
    if (!is_optional(a->value, "type", is_string) || !is_optional(a->value, "code", is_string))
        return script_fail(p, "error: type and code must be strings");
    return script_members(p, a->value, members);
}

/* Which of the actions the object names; -1 and a message otherwise. */
static int find_kind(const struct script_place *p, const cJSON *obj)
{
    int found = -1;
    for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
        if (!json_get(obj, actions[i].name))
            continue;
        if (found >= 0) {
            script_fail(p, "%s and %s in one action", actions[found].name, actions[i].name);
            return -1;
        }
        found = (int)i;
    }
    if (found < 0)
        script_fail(p, "unknown action \"%s\"", obj->child ? obj->child->string : "");
    return found;
}

int script_read_action(struct script *s, const struct script_place *p, struct action *a)
{
    if (!cJSON_IsObject(a->json))
        return script_fail(p, "an action must be an object");
    int kind = find_kind(p, a->json);
    if (kind < 0)
        return E_INVALID;
    a->kind = (enum action_kind)kind;
    a->value = json_get(a->json, actions[kind].name);
    int rc = script_members(p, a->json, actions[kind].members);
    return rc < 0 ? rc : actions[kind].read(s, p, a);
}
