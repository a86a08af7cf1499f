#include "agent/roots.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char **roots_copy(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = list ? calloc(n + 1, sizeof *copy) : NULL;
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(list[i]);
        if (!copy[i]) {
            roots_free(copy);
            return NULL;
        }
    }
    return copy;
}

void roots_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

bool roots_lies_below(const char *root, const char *path)
{
    size_t n = strlen(root);
    if (strncmp(root, path, n) != 0)
        return false;
    return n == 1 || path[n] == '/' || path[n] == '\0'; /* n 1: the root is "/" */
}

static bool holds(const char *root, const char *resolved)
{
    char *real = realpath(root, NULL);
    bool yes = real && roots_lies_below(real, resolved);
    free(real);
    return yes;
}

bool roots_hold(const char *cwd, const char *const *more, const char *resolved)
{
    bool yes = holds(cwd, resolved);
    for (; !yes && more && *more; more++)
        yes = holds(*more, resolved);
    return yes;
}

/* Cuts the last part off: "/a/b" -> "/a" -> "/". */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    slash[slash == path] = '\0';
}

static int join(const char *folder, const char *rest, char **ret)
{
    struct buf out = {0};
    while (*rest == '/')
        rest++;
    int rc = buf_adds(&out, folder);
    if (rc == 0 && *rest && folder[1])
        rc = buf_addc(&out, '/');
    if (rc == 0)
        rc = buf_adds(&out, rest);
    *ret = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return *ret ? 0 : E_NOMEM;
}

int roots_resolve(const char *path, char **ret)
{
    struct stat st;
    int rc = 0;
    char *head = strdup(path), *real = NULL;
    if (!head)
        return E_NOMEM;
    while (!real && rc == 0) {
        real = realpath(head, NULL);
        if (real)
            rc = join(real, path + strlen(head), ret);
        else if (errno != ENOENT)
            rc = errno == ENOMEM ? E_NOMEM : -errno;
        else if (lstat(head, &st) == 0)
            rc = E_INVALID;
        else
            cut_last(head);
    }
    free(real);
    free(head);
    return rc;
}
