#include "conformance/state.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int state_path(const char *given, char *path, size_t n)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int len;
    if (given)
        len = snprintf(path, n, "%s", given);
    else if (state && state[0] == '/')
        len = snprintf(path, n, "%s/acp-conformance/last-failed", state);
    else if (home && home[0] == '/')
        len = snprintf(path, n, "%s/.local/state/acp-conformance/last-failed", home);
    else
        return E_NOTFOUND;
    return len >= 0 && (size_t)len < n ? 0 : E_TOOBIG;
}

static int make_folders(const char *path)
{
    char *copy = strdup(path);
    int rc = copy ? 0 : -ENOMEM;
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; rc == 0 && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) < 0 && errno != EEXIST)
            rc = -errno;
        *slash = '/';
    }
    free(copy);
    return rc;
}

int state_write(const char *path, const struct outcome *o)
{
    int rc = make_folders(path);
    FILE *f = rc == 0 ? fopen(path, "we") : NULL;
    if (!f)
        return rc < 0 ? rc : -errno;
    fprintf(f, "# what failed last: acp-conformance run --last-failed\n");
    for (size_t i = 0; i < o->n; i++) {
        const struct case_result *r = &o->cases[i].result;
        if ((r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR) &&
            strcmp(r->file->id, PROBE_CASE) != 0)
            fprintf(f, "%s\n", r->file->id);
    }
    bool failed = ferror(f) != 0;
    return fclose(f) != 0 || failed ? -EIO : 0;
}
