#include "agent/method.h"

#include "agent/extension.h"
#include "agent/file.h"
#include "agent/mcp_config.h"
#include "agent/mcp_set.h"
#include "agent/roots.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

static int check_directory(const cJSON *item, const char *at, struct json_error *err)
{
    struct stat st;
    const char *path = cJSON_GetStringValue(item);
    if (!path)
        return complain(err, at, "expected string");
    if (path[0] != '/')
        return complain(err, at, "must be an absolute path");
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return complain(err, at, "there is no such directory");
    return 0;
}

static int check_directories(const cJSON *list, struct json_error *err)
{
    const cJSON *item;
    size_t i = 0;
    cJSON_ArrayForEach(item, list)
    {
        char at[64];
        snprintf(at, sizeof at, "params.additionalDirectories[%zu]", i++);
        if (check_directory(item, at, err) < 0)
            return E_INVALID;
    }
    return 0;
}

int method_read_setup(const cJSON *params, struct method_setup *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"cwd", JSON_STR, JSON_OPTIONAL, offsetof(struct method_setup, cwd)},
        {"mcpServers", JSON_ARR, JSON_NULLABLE, offsetof(struct method_setup, servers)},
        {"additionalDirectories", JSON_ARR, JSON_NULLABLE,
         offsetof(struct method_setup, directories)},
    };
    *ret = (struct method_setup){.cwd = NULL};
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), ret, err);
    if (rc == 0 && ret->cwd && ret->cwd[0] != '/')
        rc = complain(err, "params.cwd", "must be an absolute path");
    if (rc == 0)
        rc = check_directories(ret->directories, err);
    if (rc == 0)
        rc = mcp_config_check(ret->servers, err);
    return rc;
}

int method_check_cwd(const char *cwd, struct json_error *err)
{
    struct stat st;
    if (!cwd)
        return complain(err, "params.cwd", "missing");
    if (stat(cwd, &st) < 0)
        return complain(err, "params.cwd", "there is no such directory");
    return S_ISDIR(st.st_mode) ? 0 : complain(err, "params.cwd", "is no directory");
}

/* 0 or E_NOMEM. */
static int join_roots(const cJSON *list, char **ret)
{
    const cJSON *item;
    size_t n = 0;
    cJSON_ArrayForEach(item, list)
    {
        ret[n] = file_join("/", item->valuestring);
        if (!ret[n++])
            return E_NOMEM;
    }
    return 0;
}

int method_place_make(const char *cwd, const cJSON *directories, struct method_place *ret)
{
    size_t n = directories ? (size_t)cJSON_GetArraySize(directories) : 0;
    *ret = (struct method_place){.cwd = file_join("/", cwd)};
    ret->roots = n > 0 ? calloc(n + 1, sizeof *ret->roots) : NULL;
    if (!ret->cwd || (n > 0 && !ret->roots))
        return E_NOMEM;
    ret->lent = (struct session_place){ret->cwd, (const char *const *)ret->roots};
    return n > 0 ? join_roots(directories, ret->roots) : 0;
}

void method_place_deinit(struct method_place *p)
{
    free(p->cwd);
    roots_free(p->roots);
    *p = (struct method_place){.cwd = NULL};
}

void method_connect(struct session *s, const cJSON *servers)
{
    cJSON *all = extension_servers(s->extension, servers);
    if (!all || mcp_set_open(s, all, &s->servers) < 0)
        log_warn("out of memory: not all MCP servers of the session are connected");
    cJSON_Delete(all);
    extension_begin(s);
}
