#include "mock-client/disk.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 64 << 20 };

/* O_NONBLOCK: a FIFO that nobody has open would wait for its other side. */
static int open_regular(const char *path, int flags)
{
    struct stat st;
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return E_UNSUPPORTED;
}

int disk_read(const char *path, struct buf *out)
{
    char part[16384];
    ssize_t n = 0;
    int fd = open_regular(path, O_RDONLY), rc = fd < 0 ? fd : 0;
    while (rc == 0 && (n = read(fd, part, sizeof part)) > 0)
        rc = out->n + (size_t)n > MAX_BYTES ? E_TOOBIG : buf_add(out, part, (size_t)n);
    if (rc == 0 && n < 0)
        rc = E_IO;
    if (fd >= 0)
        close(fd);
    return rc;
}

int disk_write(const char *path, const char *bytes, size_t n)
{
    int fd = open_regular(path, O_WRONLY | O_CREAT | O_TRUNC), rc = 0;
    if (fd < 0)
        return fd;
    for (size_t at = 0; at < n && rc == 0;) {
        ssize_t done = write(fd, bytes + at, n - at);
        rc = done < 0 ? E_IO : 0;
        at += done < 0 ? 0 : (size_t)done;
    }
    return close(fd) == 0 ? rc : E_IO;
}

int disk_make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int rc = mkdir(path, 0777);
        *slash = '/';
        if (rc < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}
