#include "agent/plugin_read.h"

#include "agent/config_provider.h"
#include "agent/mcp_config.h"
#include "base/err.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOOK_SECONDS     10u
#define HOOK_SECONDS_MAX 600u

static const char *const event_names[HOOK_EVENTS] = {"beforeTool", "afterTool", "sessionStart",
                                                     "turnEnd"};

const char *hook_event_name(enum hook_event event)
{
    return event_names[event];
}

struct members {
    const char *name, *description, *version;
    const cJSON *commands, *skills, *hooks, *servers, *sidecar, *actions;
};

/* --- hooks --- */

struct hook_members {
    const cJSON *command, *tools;
    uint32_t seconds;
};

static int add_hook(struct plugin *p, enum hook_event event, struct plugin_hook **ret)
{
    struct plugin_hook *hooks = realloc(p->hooks, (p->n_hooks + 1) * sizeof *hooks);
    if (!hooks)
        return E_NOMEM;
    p->hooks = hooks;
    *ret = &hooks[p->n_hooks++];
    **ret = (struct plugin_hook){.event = event};
    return 0;
}

static bool has_tool(enum hook_event event)
{
    return event == HOOK_BEFORE_TOOL || event == HOOK_AFTER_TOOL;
}

static int read_hook(struct plugin *p, enum hook_event event, const cJSON *item,
                     struct json_error *err, const char *where)
{
    static const struct json_field fields[] = {
        {"command", JSON_ARR, JSON_REQUIRED, offsetof(struct hook_members, command)},
        {"tools", JSON_ARR, JSON_OPTIONAL, offsetof(struct hook_members, tools)},
        {"timeoutSeconds", JSON_U32, JSON_OPTIONAL, offsetof(struct hook_members, seconds)},
    };
    struct hook_members v = {.seconds = HOOK_SECONDS};
    struct plugin_hook *hook = NULL;
    char at[160];
    if (!cJSON_IsObject(item))
        return plugin_complain(err, where, "expected an object");
    int rc =
        config_read_members(item, where, (struct json_fields){fields, ARRAY_LEN(fields)}, &v, err);
    if (rc == 0 && (v.seconds == 0 || v.seconds > HOOK_SECONDS_MAX)) {
        snprintf(at, sizeof at, "%s.timeoutSeconds", where);
        rc = plugin_complain(err, at, "must be 1 to 600");
    }
    snprintf(at, sizeof at, "%s.tools", where);
    if (rc == 0 && v.tools && !has_tool(event))
        rc = plugin_complain(err, at, "only beforeTool and afterTool are about tools");
    if (rc == 0)
        rc = add_hook(p, event, &hook);
    if (rc == 0)
        rc = plugin_read_words(v.tools, at, &hook->tools, err);
    snprintf(at, sizeof at, "%s.command", where);
    if (rc == 0)
        rc = plugin_read_words(v.command, at, &hook->argv, err);
    if (rc == 0)
        hook->limit_ms = v.seconds * 1000u;
    return rc;
}

static int read_event(struct plugin *p, enum hook_event event, const cJSON *list,
                      struct json_error *err)
{
    const cJSON *item;
    int rc = 0, i = 0;
    cJSON_ArrayForEach(item, list)
    {
        char at[64];
        snprintf(at, sizeof at, "hooks.%s[%d]", event_names[event], i++);
        if (rc == 0)
            rc = read_hook(p, event, item, err, at);
    }
    return rc;
}

static int read_hooks(struct plugin *p, const cJSON *obj, struct json_error *err)
{
    const cJSON *lists[HOOK_EVENTS] = {NULL};
    struct json_field fields[HOOK_EVENTS];
    for (int e = 0; e < HOOK_EVENTS; e++)
        fields[e] =
            (struct json_field){event_names[e], JSON_ARR, JSON_OPTIONAL, (size_t)e * sizeof *lists};
    int rc = obj ? config_read_members(obj, "hooks", (struct json_fields){fields, HOOK_EVENTS},
                                       lists, err)
                 : 0;
    for (int e = 0; rc == 0 && e < HOOK_EVENTS; e++)
        rc = read_event(p, (enum hook_event)e, lists[e], err);
    return rc;
}

/* --- the sidecar --- */

struct sidecar_members {
    const cJSON *command;
    bool at_start;
};

static int read_sidecar(struct plugin *p, const cJSON *obj, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"command", JSON_ARR, JSON_REQUIRED, offsetof(struct sidecar_members, command)},
        {"atStart", JSON_BOOL, JSON_OPTIONAL, offsetof(struct sidecar_members, at_start)},
    };
    struct sidecar_members v = {.at_start = false};
    if (!obj)
        return 0;
    int rc = config_read_members(obj, "sidecar", (struct json_fields){fields, ARRAY_LEN(fields)},
                                 &v, err);
    if (rc == 0)
        rc = plugin_read_words(v.command, "sidecar.command", &p->sidecar, err);
    p->sidecar_at_start = v.at_start;
    return rc;
}

/* Both are called as /plugin:name. */
static int check_actions(const struct plugin *p, struct json_error *err)
{
    if (p->actions.n > 0 && !p->sidecar)
        return plugin_complain(err, "actions", "there is no sidecar to do them");
    for (size_t i = 0; i < p->actions.n; i++)
        if (plugin_find_item(&p->commands, p->actions.list[i].name))
            return plugin_complain(err, "actions", "a command has the same name as an action");
    return 0;
}

/* --- MCP servers --- */

static int read_servers(struct plugin *p, const cJSON *list, struct json_error *err)
{
    char text[sizeof err->text];
    if (!list)
        return 0;
    int rc = mcp_config_check(list, err);
    if (rc == E_INVALID) {
        const char *at = strncmp(err->text, "params.", 7) == 0 ? err->text + 7 : err->text;
        snprintf(text, sizeof text, "%s", at);
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    p->servers = rc == 0 ? cJSON_Duplicate(list, true) : NULL;
    return rc == 0 && !p->servers ? E_NOMEM : rc;
}

/* --- the whole --- */

static int take_text(char **slot, const char *text)
{
    *slot = text ? strdup(text) : NULL;
    return text && !*slot ? E_NOMEM : 0;
}

static int take_files(struct plugin *p, const struct members *v, struct json_error *err)
{
    struct plugin_source from = {p->folder, true, err};
    int rc = plugin_read_files(&from, v->commands, "commands", &p->commands);
    from.keeps_text = false; /* read when they are wanted */
    return rc == 0 ? plugin_read_files(&from, v->skills, "skills", &p->skills) : rc;
}

static int take_members(struct plugin *p, const struct members *v, struct json_error *err)
{
    int rc = 0;
    if (strcmp(v->name, p->name) != 0)
        return plugin_complain(err, "name", "must be the name of the plugin's folder");
    rc = take_text(&p->description, v->description);
    if (rc == 0)
        rc = take_text(&p->version, v->version);
    if (rc == 0)
        rc = take_files(p, v, err);
    if (rc == 0)
        rc = read_hooks(p, v->hooks, err);
    if (rc == 0)
        rc = read_sidecar(p, v->sidecar, err);
    if (rc == 0)
        rc = plugin_read_actions(v->actions, "actions", &p->actions, err);
    if (rc == 0)
        rc = check_actions(p, err);
    return rc == 0 ? read_servers(p, v->servers, err) : rc;
}

static int read_root(struct plugin *p, const cJSON *root, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct members, name)},
        {"description", JSON_STR, JSON_OPTIONAL, offsetof(struct members, description)},
        {"version", JSON_STR, JSON_OPTIONAL, offsetof(struct members, version)},
        {"commands", JSON_ARR, JSON_OPTIONAL, offsetof(struct members, commands)},
        {"skills", JSON_ARR, JSON_OPTIONAL, offsetof(struct members, skills)},
        {"hooks", JSON_OBJ, JSON_OPTIONAL, offsetof(struct members, hooks)},
        {"mcpServers", JSON_ARR, JSON_OPTIONAL, offsetof(struct members, servers)},
        {"sidecar", JSON_OBJ, JSON_OPTIONAL, offsetof(struct members, sidecar)},
        {"actions", JSON_ARR, JSON_OPTIONAL, offsetof(struct members, actions)},
    };
    struct members v = {NULL};
    int rc = config_read_members(root, "plugin", (struct json_fields){fields, ARRAY_LEN(fields)},
                                 &v, err);
    return rc == 0 ? take_members(p, &v, err) : rc;
}

static int set_place(struct plugin *p, const char *folder)
{
    const char *slash = strrchr(folder, '/');
    p->folder = strdup(folder);
    p->name = strdup(slash ? slash + 1 : folder);
    return p->folder && p->name ? 0 : E_NOMEM;
}

static int read_file(struct plugin *p, const char *path, struct plugin_error *error)
{
    struct json_error err = {.text = ""};
    cJSON *root = NULL;
    int rc = config_parse_file(path, (struct config_text){error->text, sizeof error->text}, &root);
    if (rc == E_NOTFOUND) {
        snprintf(error->text, sizeof error->text, "%.600s: there is no such file", path);
        return E_INVALID;
    }
    if (rc == 0) {
        rc = read_root(p, root, &err);
        if (rc == E_INVALID)
            snprintf(error->text, sizeof error->text, "%.380s: %s", path, err.text);
    }
    cJSON_Delete(root);
    return rc;
}

int plugin_read(const char *folder, struct plugin *ret, struct plugin_error *error)
{
    char path[PATH_MAX];
    *ret = (struct plugin){.name = NULL};
    int rc = set_place(ret, folder);
    snprintf(path, sizeof path, "%.*s/plugin.json", PATH_MAX - 16, folder);
    if (rc == 0 && !plugin_is_name(ret->name)) {
        snprintf(error->text, sizeof error->text,
                 "%.400s: a plugin's name is up to 40 small letters, digits, - and _, and begins "
                 "with a letter: rename the folder",
                 folder);
        return E_INVALID;
    }
    return rc == 0 ? read_file(ret, path, error) : rc;
}
