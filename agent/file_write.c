#include "agent/file_write.h"

#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NEW_MODE     0666u
#define MODE_BITS    07777u

/* Is the open folder the one that was allowed? On the way to it a folder may have become a link. */
static bool is_folder(int fd, const char *path)
{
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0)
        return false;
    target[n] = '\0';
    return strcmp(target, path) == 0;
}

int file_open_folder(const char *real)
{
    int fd = open(real, FOLDER_FLAGS);
    if (fd < 0)
        return -errno;
    if (is_folder(fd, real))
        return fd;
    close(fd);
    return E_STATE;
}

/* Opens the folder `name` in fd, makes it if need be, closes fd. */
static int step_into(int fd, const char *name)
{
    int next = mkdirat(fd, name, 0777) < 0 && errno != EEXIST ? -errno : 0;
    if (next == 0)
        next = openat(fd, name, FOLDER_FLAGS);
    if (next == -1)
        next = -errno;
    close(fd);
    return next;
}

/* Opens the deepest folder of path that exists; *rest is what comes after it. path is used up. */
static int open_deepest(char *path, char **rest)
{
    int fd = open(path, FOLDER_FLAGS);
    *rest = path + strlen(path);
    while (fd < 0 && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (**rest)
            (*rest)[-1] = '/';
        *slash = '\0';
        *rest = slash + 1;
        fd = open(slash == path ? "/" : path, FOLDER_FLAGS);
    }
    if (fd < 0)
        return -errno;
    if (is_folder(fd, *path ? path : "/"))
        return fd;
    close(fd);
    return E_STATE;
}

/* The folder of a resolved path, which is used up. */
static int open_folder(char *path)
{
    char *rest, *next = NULL;
    int fd = open_deepest(path, &rest);
    for (char *name = strtok_r(rest, "/", &next); fd >= 0 && name;
         name = strtok_r(NULL, "/", &next))
        fd = step_into(fd, name);
    return fd;
}

/* The mode for the new file: 0 if there is none yet, or a negative code: it must not be replaced.
 */
static int look_at(int folder, const char *name, mode_t *ret)
{
    struct stat st;
    *ret = 0;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISLNK(st.st_mode))
        return E_STATE;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? -EISDIR : E_INVALID;
    if (faccessat(folder, name, W_OK, AT_EACCESS) < 0)
        return -errno;
    *ret = st.st_mode & MODE_BITS;
    return 0;
}

static int write_all(int fd, const struct file_write *w)
{
    size_t n = strlen(w->text), at = 0;
    while (at < n) {
        if (w->stop && atomic_load(w->stop))
            return E_CANCELLED;
        ssize_t put = write(fd, w->text + at, n - at);
        if (put < 0 && errno != EINTR)
            return -errno;
        at += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

static int fill(int fd, const struct file_write *w, mode_t mode)
{
    int rc = write_all(fd, w);
    if (rc == 0 && mode && fchmod(fd, mode) < 0)
        rc = -errno;
    if (rc == 0 && fsync(fd) < 0)
        rc = -errno;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    return rc == 0 && w->stop && atomic_load(w->stop) ? E_CANCELLED : rc;
}

static int replace(int folder, const char *name, const struct file_write *w)
{
    char temp[64];
    mode_t mode;
    int rc = look_at(folder, name, &mode);
    if (rc < 0)
        return rc;
    snprintf(temp, sizeof temp, ".acp-agent-%d-%" PRIx64 ".tmp", (int)getpid(), uv_hrtime());
    int fd = openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_MODE);
    if (fd < 0)
        return -errno;
    rc = fill(fd, w, mode);
    if (rc == 0 && renameat(folder, temp, folder, name) < 0)
        rc = -errno;
    if (rc < 0)
        unlinkat(folder, temp, 0);
    return rc;
}

static const char *reason(int rc)
{
    if (rc == E_STATE)
        return "leads elsewhere than when it was allowed, nothing was written";
    return rc == E_INVALID ? "is no regular file" : err_text(rc);
}

int file_write_text(const struct file_write *w, char error[FILE_ERROR_MAX])
{
    char *path = strdup(w->real);
    if (!path)
        return E_NOMEM;
    char *slash = strrchr(path, '/');
    const char *name = slash + 1;
    char *folder_path = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    int folder = folder_path ? open_folder(folder_path) : E_NOMEM;
    int rc = folder < 0 ? folder : *name ? replace(folder, name, w) : -EISDIR;
    if (folder >= 0)
        close(folder);
    free(folder_path);
    free(path);
    if (rc < 0) {
        snprintf(error, FILE_ERROR_MAX, "%s: %s", w->path, reason(rc));
        error[utf8_valid_prefix(error, strlen(error))] = '\0';
    }
    return rc;
}
