#include "agent/store_impl.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int store_locate(const char *(*env)(const char *name), struct buf *out)
{
    const char *home = env("ACP_AGENT_HOME");
    if (home && *home)
        return buf_addf(out, "%s/sessions.db", home);
    home = env("XDG_DATA_HOME");
    if (home && *home == '/') /* the XDG specification wants others ignored */
        return buf_addf(out, "%s/acp-agent/sessions.db", home);
    home = env("HOME");
    if (home && *home)
        return buf_addf(out, "%s/.local/share/acp-agent/sessions.db", home);
    return E_NOTFOUND;
}

/* Every folder above the file. Those that are there are left as they are. */
static int make_folders(struct store *s)
{
    char *path = strdup(s->path);
    int rc = path ? 0 : store_fail(s, E_NOMEM, "Out of memory.");
    for (char *at = path ? strchr(path + 1, '/') : NULL; rc == 0 && at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            rc = store_fail_file(s, path, errno);
        *at = '/';
    }
    free(path);
    return rc;
}

/* O_EXCL is more than a test: closing a descriptor of a file drops all locks this process has on
 * it, so a database that may be open must not be opened here. */
static int make_empty(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == EEXIST ? 0 : errno;
    close(fd);
    return 0;
}

int store_make_file(struct store *s)
{
    int err = make_empty(s->path);
    if (err == ENOENT) {
        int rc = make_folders(s);
        if (rc < 0)
            return rc;
        err = make_empty(s->path);
    }
    return err == 0 ? 0 : store_fail_file(s, s->path, err);
}
