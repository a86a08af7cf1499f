#include "mock-client/env.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void env_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

char **env_copy(const char *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(list[i]);
        if (!copy[i]) {
            env_free(copy);
            return NULL;
        }
    }
    return copy;
}

static size_t list_len(char **list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

/* Takes text. */
static int list_add(char ***list, char *text)
{
    size_t n = list_len(*list);
    char **longer = text ? realloc(*list, (n + 2) * sizeof *longer) : NULL;
    if (!longer) {
        free(text);
        return E_NOMEM;
    }
    longer[n] = text;
    longer[n + 1] = NULL;
    *list = longer;
    return 0;
}

void env_remove(char **env, const char *name)
{
    size_t len = strlen(name), kept = 0;
    for (size_t i = 0; env[i]; i++) {
        if (!strncmp(env[i], name, len) && env[i][len] == '=')
            free(env[i]);
        else
            env[kept++] = env[i];
    }
    env[kept] = NULL;
}

int env_set(char ***env, const char *name, const char *value)
{
    struct buf text = {0};
    env_remove(*env, name);
    bool ok = buf_addf(&text, "%s=%s", name, value) == 0;
    int rc = list_add(env, ok ? buf_take(&text) : NULL);
    buf_deinit(&text);
    return rc;
}

int env_apply(char ***list, const cJSON *env)
{
    int rc = 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, env)
    {
        if (cJSON_IsString(m))
            rc = env_set(list, m->string, m->valuestring);
        else
            env_remove(*list, m->string);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int env_add_args(char ***list, const cJSON *args)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, args)
    {
        int rc = cJSON_IsString(m) ? list_add(list, strdup(m->valuestring)) : E_INVALID;
        if (rc < 0)
            return rc;
    }
    return 0;
}
