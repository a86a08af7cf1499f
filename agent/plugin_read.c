#include "agent/plugin_read.h"

#include "agent/config_provider.h"
#include "agent/file.h"
#include "agent/front_matter.h"
#include "agent/mcp_config.h"
#include "base/err.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_CHARS 40
#define TEXT_MAX       (64u << 10) /* of a command or a skill */

bool plugin_is_name(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && n <= NAME_MAX_CHARS && islower((unsigned char)*text) &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

int plugin_complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

int plugin_read_words(const cJSON *list, const char *where, char ***ret, struct json_error *err)
{
    const cJSON *item;
    size_t n = 0;
    if (!list)
        return 0;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item) || !*item->valuestring)
            return plugin_complain(err, where, "must be a list of texts that are not empty");
    }
    if (cJSON_GetArraySize(list) == 0)
        return plugin_complain(err, where, "is empty");
    char **words = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *words);
    if (!words)
        return E_NOMEM;
    *ret = words;
    cJSON_ArrayForEach(item, list)
    {
        words[n] = strdup(item->valuestring);
        if (!words[n++])
            return E_NOMEM;
    }
    return 0;
}

/* --- commands and skills --- */

static int add_item(struct plugin_items *items, struct plugin_item **ret)
{
    struct plugin_item *list = realloc(items->list, (items->n + 1) * sizeof *list);
    if (!list)
        return E_NOMEM;
    items->list = list;
    *ret = &list[items->n++];
    **ret = (struct plugin_item){.name = NULL};
    return 0;
}

/* "commands/fix-tests.md" -> "fix-tests", unless the head has a name. */
static char *name_of(const char *path, const struct front_matter *f)
{
    const char *name = front_matter_get(f, "name");
    if (name)
        return strdup(name);
    const char *slash = strrchr(path, '/');
    name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return strndup(name, n > 3 && strcmp(name + n - 3, ".md") == 0 ? n - 3 : n);
}

static int fill_item(struct plugin_item *it, const char *path, const struct front_matter *f,
                     bool keeps_text)
{
    const char *description = front_matter_get(f, "description");
    const char *hint = front_matter_get(f, "argument-hint");
    it->name = name_of(path, f);
    it->description = strdup(description ? description : "");
    it->hint = hint ? strdup(hint) : NULL;
    it->text = keeps_text ? strdup(f->body) : NULL;
    bool whole = it->name && it->description && (it->hint || !hint);
    return whole && (it->text || !keeps_text) ? 0 : E_NOMEM;
}

static int check_item(const struct plugin_items *items, const char *where, struct json_error *err)
{
    const struct plugin_item *it = &items->list[items->n - 1];
    if (!plugin_is_name(it->name))
        return plugin_complain(
            err, where,
            "its name must be up to 40 small letters, digits, - and _, and begin "
            "with a letter");
    if (!*it->description)
        return plugin_complain(err, where, "its head has no description");
    if (plugin_find_item(items, it->name) != it)
        return plugin_complain(err, where, "its name is there twice");
    return 0;
}

static int read_head(char *text, struct front_matter *ret, const char *where,
                     struct json_error *err)
{
    if (front_matter_read(text, ret) < 0)
        return plugin_complain(err, where, "its head has no end: a line --- is missing");
    return 0;
}

/* A path that stays in the folder: what a plugin is made of lies in it. */
static int read_text(const char *folder, const char *path, struct file_text *ret,
                     struct json_error *err)
{
    const struct file_request req = {.root = folder, .path = path, .max = TEXT_MAX};
    int rc = file_read_text(&req, ret);
    if (rc < 0 && rc != E_NOMEM)
        return plugin_complain(err, "", ret->error);
    if (rc == 0 && ret->cut)
        return plugin_complain(err, "", "the file is larger than 64 KiB");
    return rc == 0 && !buf_cstr(&ret->text) ? E_NOMEM : rc;
}

static int read_item(const struct plugin_source *from, const char *path, const char *where,
                     struct plugin_items *items)
{
    struct file_text text = {.first = 0};
    struct front_matter head;
    struct plugin_item *it = NULL;
    char *file = file_join(from->folder, path);
    int rc = file ? read_text(from->folder, file, &text, from->err) : E_NOMEM;
    if (rc == E_INVALID) {
        char why[200];
        snprintf(why, sizeof why, "%.190s", from->err->text + 2); /* after the empty path */
        plugin_complain(from->err, where, why);
    }
    if (rc == 0)
        rc = read_head(text.text.p, &head, where, from->err);
    if (rc == 0)
        rc = add_item(items, &it);
    if (rc == 0) {
        rc = fill_item(it, path, &head, from->keeps_text);
        it->path = file;
        file = NULL;
    }
    if (rc == 0)
        rc = check_item(items, where, from->err);
    file_text_deinit(&text);
    free(file);
    return rc;
}

int plugin_read_files(const struct plugin_source *from, const cJSON *list, const char *where,
                      struct plugin_items *items)
{
    const cJSON *item;
    int i = 0;
    cJSON_ArrayForEach(item, list)
    {
        char at[64];
        snprintf(at, sizeof at, "%s[%d]", where, i++);
        if (!cJSON_IsString(item) || *item->valuestring == '/' || !*item->valuestring)
            return plugin_complain(from->err, at, "must be the path of a file below the plugin");
        int rc = read_item(from, item->valuestring, at, items);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- actions --- */

struct action_members {
    const char *name, *description, *hint;
};

static int read_action(const cJSON *item, const char *where, struct plugin_items *items,
                       struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct action_members, name)},
        {"description", JSON_STR, JSON_REQUIRED, offsetof(struct action_members, description)},
        {"hint", JSON_STR, JSON_OPTIONAL, offsetof(struct action_members, hint)},
    };
    struct action_members v = {NULL, NULL, NULL};
    struct plugin_item *it = NULL;
    if (!cJSON_IsObject(item))
        return plugin_complain(err, where, "expected an object");
    int rc =
        config_read_members(item, where, (struct json_fields){fields, ARRAY_LEN(fields)}, &v, err);
    if (rc == 0)
        rc = add_item(items, &it);
    if (rc < 0 || !it)
        return rc;
    it->name = strdup(v.name);
    it->description = strdup(v.description);
    it->hint = v.hint ? strdup(v.hint) : NULL;
    if (!it->name || !it->description || (v.hint && !it->hint))
        return E_NOMEM;
    return check_item(items, where, err);
}

int plugin_read_actions(const cJSON *list, const char *where, struct plugin_items *items,
                        struct json_error *err)
{
    const cJSON *item;
    int rc = 0, i = 0;
    cJSON_ArrayForEach(item, list)
    {
        char at[64];
        snprintf(at, sizeof at, "%s[%d]", where, i++);
        if (rc == 0)
            rc = read_action(item, at, items, err);
    }
    return rc;
}
