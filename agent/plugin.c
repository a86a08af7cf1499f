#include "agent/plugin.h"

#include "agent/roots.h"
#include "base/buf.h"
#include "base/err.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PLUGINS_MAX    64 /* of one folder */
#define PROJECT_FOLDER ".acp-agent/plugins"

static void items_deinit(struct plugin_items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        free(items->list[i].name);
        free(items->list[i].description);
        free(items->list[i].hint);
        free(items->list[i].path);
        free(items->list[i].text);
    }
    free(items->list);
}

void plugin_deinit(struct plugin *p)
{
    free(p->name);
    free(p->folder);
    free(p->description);
    free(p->version);
    items_deinit(&p->commands);
    items_deinit(&p->skills);
    items_deinit(&p->actions);
    for (size_t i = 0; i < p->n_hooks; i++) {
        roots_free(p->hooks[i].argv);
        roots_free(p->hooks[i].tools);
    }
    free(p->hooks);
    roots_free(p->sidecar);
    cJSON_Delete(p->servers);
    *p = (struct plugin){0};
}

void plugin_set_destroy(struct plugin_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        plugin_deinit(&set->list[i]);
    free(set->list);
    roots_free(set->problems);
    free(set);
}

const struct plugin *plugin_find(const struct plugin_set *set, const char *name, size_t n)
{
    for (size_t i = 0; set && i < set->n; i++)
        if (strlen(set->list[i].name) == n && strncmp(set->list[i].name, name, n) == 0)
            return &set->list[i];
    return NULL;
}

const struct plugin_item *plugin_find_item(const struct plugin_items *items, const char *name)
{
    for (size_t i = 0; i < items->n; i++)
        if (strcmp(items->list[i].name, name) == 0)
            return &items->list[i];
    return NULL;
}

static int add_problem(struct plugin_set *set, const char *text)
{
    size_t n = 0;
    while (set->problems && set->problems[n])
        n++;
    char **list = realloc(set->problems, (n + 2) * sizeof *list);
    if (!list)
        return E_NOMEM;
    set->problems = list;
    list[n] = strdup(text);
    if (list[n])
        list[n + 1] = NULL;
    return list[n] ? 0 : E_NOMEM;
}

static int add_broken(struct plugin_set *set, const char *text)
{
    set->n_broken++;
    return add_problem(set, text);
}

/* Takes p. */
static int add_plugin(struct plugin_set *set, struct plugin *p)
{
    struct plugin_error error;
    if (plugin_find(set, p->name, strlen(p->name))) {
        snprintf(error.text, sizeof error.text,
                 "%.400s: the plugin is not used: there is one of this name already", p->folder);
        plugin_deinit(p);
        return add_problem(set, error.text);
    }
    struct plugin *list = realloc(set->list, (set->n + 1) * sizeof *list);
    if (!list) {
        plugin_deinit(p);
        return E_NOMEM;
    }
    set->list = list;
    list[set->n++] = *p;
    return 0;
}

static int load_plugin(struct plugin_set *set, const char *folder, bool project)
{
    struct plugin p;
    struct plugin_error error;
    int rc = plugin_read(folder, &p, &error);
    p.project = project;
    if (rc == 0)
        return add_plugin(set, &p);
    plugin_deinit(&p);
    return rc == E_INVALID ? add_broken(set, error.text) : rc;
}

static int is_candidate(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int load_entry(struct plugin_set *set, const char *folder, const char *name, bool project)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    bool usable = n > 0 && (size_t)n < sizeof path && is_folder(path);
    return usable ? load_plugin(set, path, project) : 0;
}

/* A folder that is not there holds nothing. */
static int load_folder(struct plugin_set *set, const char *folder, bool project)
{
    struct dirent **names = NULL;
    char text[640];
    int rc = 0, n = scandir(folder, &names, is_candidate, alphasort);
    for (int i = 0; i < n; i++) {
        if (rc == 0 && i < PLUGINS_MAX)
            rc = load_entry(set, folder, names[i]->d_name, project);
        free(names[i]);
    }
    free(names);
    if (rc == 0 && n > PLUGINS_MAX) {
        snprintf(text, sizeof text, "%.500s: only the first %d folders are read", folder,
                 PLUGINS_MAX);
        rc = add_broken(set, text);
    }
    return rc;
}

/* --- the project's --- */

/* cwd and the folders above it: the nearest one that has plugins. False: none has. */
static bool find_project(const char *cwd, char ret[PATH_MAX])
{
    size_t n = strlen(cwd);
    for (;;) {
        while (n > 0 && cwd[n - 1] == '/')
            n--;
        int len = snprintf(ret, PATH_MAX, "%.*s/" PROJECT_FOLDER, (int)n, cwd);
        if (len >= PATH_MAX)
            return false;
        if (is_folder(ret)) {
            ret[n > 0 ? n : 1] = '\0';
            return true;
        }
        if (n == 0)
            return false;
        while (n > 0 && cwd[n - 1] != '/')
            n--;
    }
}

/* Both sides with links resolved: what is trusted is a folder, however it is spelled. */
static bool is_trusted(const char *project, const char *const *trusted)
{
    char *real = realpath(project, NULL);
    bool found = false;
    for (; real && trusted && *trusted && !found; trusted++) {
        char *one = realpath(*trusted, NULL);
        found = one && strcmp(one, real) == 0;
        free(one);
    }
    free(real);
    return found;
}

static int load_project(struct plugin_set *set, const struct plugin_search *where)
{
    char project[PATH_MAX], path[PATH_MAX + sizeof PROJECT_FOLDER + 1], text[640];
    if (!where->cwd || !find_project(where->cwd, project))
        return 0;
    snprintf(path, sizeof path, "%s/" PROJECT_FOLDER, project);
    if (where->user && is_trusted(path, (const char *const[]){where->user, NULL}))
        return 0; /* the user's own folder is no project's */
    if (is_trusted(project, where->trusted))
        return load_folder(set, path, true);
    snprintf(text, sizeof text,
             "%.200s: the plugins of this project are not used. If you trust them, add \"%.200s\" "
             "to trustedProjects in your config.json.",
             path, project);
    return add_problem(set, text);
}

int plugin_set_load(const struct plugin_search *where, struct plugin_set **ret)
{
    struct plugin_set *set = calloc(1, sizeof *set);
    if (!set)
        return E_NOMEM;
    int rc = where->user ? load_folder(set, where->user, false) : 0;
    if (rc == 0)
        rc = load_project(set, where);
    if (rc < 0)
        plugin_set_destroy(set);
    else
        *ret = set;
    return rc;
}
