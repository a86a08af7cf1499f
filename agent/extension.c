#include "agent/extension.h"

#include "agent/extension_live.h"
#include "agent/session.h"
#include "agent/skill.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "plugin:"

struct extension {
    struct plugin_set *set;
    struct skill_tool *skills; /* NULL: there are none */
    struct live **live;        /* owned; a sidecar for each plugin that has one */
    size_t n_live;
    struct hook_run *beginning; /* of the session, as long as it runs */
};

/* ---- commands ------------------------------------------------------------------------------- */

static bool is_ours(const struct slash_command *c)
{
    return strncmp(c->source, SOURCE, sizeof SOURCE - 1) == 0;
}

static void remove_commands(struct slash_list *l)
{
    for (size_t i = 0; i < l->n;) {
        char source[64];
        snprintf(source, sizeof source, "%s", l->items[i].command.source);
        if (is_ours(&l->items[i].command))
            slash_remove(l, source);
        else
            i++;
    }
}

static int add_command(struct slash_list *l, const struct plugin *p, const struct plugin_item *item)
{
    char name[128], source[64];
    snprintf(name, sizeof name, "%s:%s", p->name, item->name);
    snprintf(source, sizeof source, SOURCE "%s", p->name);
    const struct slash_command c = {.name = name,
                                    .description = item->description,
                                    .hint = item->hint,
                                    .source = source,
                                    .text = item->text};
    int rc = slash_add(l, &c);
    if (rc < 0 && rc != E_NOMEM)
        log_warn("/%s is not used: %s", name, err_text(rc));
    return rc == E_NOMEM ? rc : 0;
}

static int add_commands(struct slash_list *l, const struct plugin_set *set)
{
    int rc = 0;
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; rc == 0 && k < set->list[i].commands.n; k++)
            rc = add_command(l, &set->list[i], &set->list[i].commands.list[k]);
    return rc;
}

/* ---- loading -------------------------------------------------------------------------------- */

static int read_set(const struct session *s, struct plugin_set **ret)
{
    const struct env *env = s->env;
    struct buf user = {0};
    bool home = !env->safe_mode && env->variable &&
                config_locate(env->variable, "plugins", &user) == 0 && buf_cstr(&user);
    const struct plugin_search where = {.user = home ? user.p : NULL,
                                        .cwd = env->safe_mode ? NULL : s->cwd,
                                        .trusted = (const char *const *)env->config.trusted};
    int rc = plugin_set_load(&where, ret);
    buf_deinit(&user);
    for (char **text = rc == 0 ? (*ret)->problems : NULL; text && *text; text++)
        log_warn("%s", *text);
    return rc;
}

static int add_sidecars(struct session *s, struct extension *e)
{
    int rc = 0;
    e->live = calloc(e->set->n + 1, sizeof *e->live);
    if (!e->live)
        return E_NOMEM;
    for (size_t i = 0; rc == 0 && i < e->set->n; i++)
        if (e->set->list[i].sidecar)
            rc = live_create(s, &e->set->list[i], &e->live[e->n_live++]);
    return rc;
}

static int create(const struct session *s, struct extension **ret)
{
    struct extension *e = calloc(1, sizeof *e);
    int rc = e ? read_set(s, &e->set) : E_NOMEM;
    if (rc == 0)
        rc = skill_tool_create(e->set, &e->skills);
    if (rc < 0)
        extension_destroy(e);
    else
        *ret = e;
    return rc;
}

static void leave(struct session *s)
{
    remove_commands(&s->commands);
    if (s->extension && s->extension->skills)
        toolset_remove(&s->tools, skill_tool_of(s->extension->skills));
    extension_destroy(s->extension);
    s->extension = NULL;
}

int extension_load(struct session *s, char *error, size_t error_n)
{
    struct extension *fresh = NULL;
    int rc = create(s, &fresh);
    if (rc < 0)
        return rc;
    if (error && fresh->set->n_broken > 0) {
        snprintf(error, error_n, "%s", fresh->set->problems[0]);
        extension_destroy(fresh);
        return E_INVALID;
    }
    leave(s);
    s->extension = fresh;
    rc = add_commands(&s->commands, fresh->set);
    if (rc == 0)
        rc = add_sidecars(s, fresh);
    if (rc == 0 && fresh->skills)
        rc = toolset_add(&s->tools, skill_tool_of(fresh->skills));
    return rc;
}

void extension_destroy(struct extension *e)
{
    if (!e)
        return;
    hook_stop(e->beginning);
    for (size_t i = 0; i < e->n_live; i++)
        live_destroy(e->live[i]);
    free(e->live);
    skill_tool_destroy(e->skills);
    plugin_set_destroy(e->set);
    free(e);
}

/* ---- servers -------------------------------------------------------------------------------- */

static bool add_copies(cJSON *to, const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        cJSON *copy = cJSON_Duplicate(item, true);
        if (!copy || !cJSON_AddItemToArray(to, copy)) {
            cJSON_Delete(copy);
            return false;
        }
    }
    return true;
}

cJSON *extension_servers(const struct extension *e, const cJSON *list)
{
    cJSON *all = cJSON_CreateArray();
    bool good = all && add_copies(all, list);
    for (size_t i = 0; good && e && i < e->set->n; i++)
        good = add_copies(all, e->set->list[i].servers);
    if (good)
        return all;
    cJSON_Delete(all);
    return NULL;
}

/* ---- hooks ---------------------------------------------------------------------------------- */

int extension_ask(const struct session *s, struct hook_question *q, struct hook_run **ret)
{
    if (!s->extension || s->extension->set->n == 0)
        return 0;
    q->loop = s->env->loop;
    q->env = s->env->variable;
    q->set = s->extension->set;
    q->session_id = s->id;
    q->cwd = s->cwd;
    return hook_start(q, ret);
}

static void on_begun(void *ctx, const char *reason)
{
    struct extension *e = ctx;
    e->beginning = NULL;
    if (reason)
        log_warn("a hook objects to the session, which goes on all the same: %s", reason);
}

void extension_begin(struct session *s)
{
    struct hook_question q = {.event = HOOK_SESSION_START, .cb = on_begun, .ctx = s->extension};
    if (extension_ask(s, &q, s->extension ? &s->extension->beginning : NULL) < 0)
        log_warn("out of memory: the hooks for the beginning of the session do not run");
    for (size_t i = 0; s->extension && i < s->extension->n_live; i++)
        live_begin(s->extension->live[i]);
}
