#include "agent/plugin_env.h"

#include "agent/roots.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdlib.h>

static const char *const passed[] = {
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "TMPDIR",
    "TERM",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
};

#define OWN 3

/* False: out of memory. */
static bool add(char **list, size_t *n, const char *name, const char *value)
{
    struct buf text = {0};
    int rc = buf_addf(&text, "%s=%s", name, value);
    list[*n] = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    return list[(*n)++] != NULL;
}

char **plugin_env_make(config_env env, const struct plugin *p, const char *cwd)
{
    size_t n = 0;
    char **list = calloc(ARRAY_LEN(passed) + OWN + 1, sizeof *list);
    bool good = list && add(list, &n, "ACP_PLUGIN", p->name) &&
                add(list, &n, "ACP_PLUGIN_ROOT", p->folder) &&
                add(list, &n, "ACP_SESSION_CWD", cwd);
    for (size_t i = 0; good && env && i < ARRAY_LEN(passed); i++) {
        const char *value = env(passed[i]);
        good = !value || add(list, &n, passed[i], value);
    }
    if (good)
        return list;
    roots_free(list);
    return NULL;
}
