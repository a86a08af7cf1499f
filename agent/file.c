#include "agent/file.h"

#include "agent/roots.h"
#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK       (64u << 10)
#define BINARY_LOOK 8192u

/* O_NONBLOCK: opening a pipe must not wait for its writer. */
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

/* Opens a regular file. The descriptor, or a negative code. */
static int open_regular(int folder_fd, const char *path, int more_flags)
{
    struct stat st;
    int fd = openat(folder_fd, path, OPEN_FLAGS | more_flags);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? E_NOTFOUND : -errno;
    int rc = fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : E_INVALID;
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

/* read() that goes on after signals. Bytes, 0 at the end, or a negative code. */
static ssize_t read_some(int fd, char *p, size_t n)
{
    ssize_t got;
    do
        got = read(fd, p, n);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

/* Takes fd, which may be an error. */
static int read_whole(int fd, size_t max, struct buf *out)
{
    size_t before = out->n;
    ssize_t got = 0;
    int rc = fd < 0 ? fd : 0;
    while (rc == 0) {
        rc = buf_reserve(out, CHUNK);
        got = rc == 0 ? read_some(fd, out->p + out->n, CHUNK) : 0;
        if (got <= 0)
            break;
        out->n += (size_t)got;
        if (out->n - before > max)
            rc = E_TOOBIG;
    }
    if (fd >= 0)
        close(fd);
    if (rc == 0 && got < 0)
        rc = (int)got;
    if (rc < 0)
        out->n = before;
    return rc;
}

int file_read_all(const char *path, size_t max, struct buf *out)
{
    return read_whole(open_regular(AT_FDCWD, path, 0), max, out);
}

int file_read_at(int folder_fd, const char *name, size_t max, struct buf *out)
{
    return read_whole(open_regular(folder_fd, name, O_NOFOLLOW), max, out);
}

void file_text_deinit(struct file_text *t)
{
    buf_deinit(&t->text);
}

static int complain(struct file_text *t, int rc, const char *path, const char *what)
{
    snprintf(t->error, sizeof t->error, "%s: %s", path, what);
    t->error[utf8_valid_prefix(t->error, strlen(t->error))] = '\0';
    return rc;
}

/* Where an open descriptor really is: between the check of a path and its opening a folder may
 * have become a link. */
static bool is_open_below(int fd, const char *root)
{
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0)
        return false;
    target[n] = '\0';
    return roots_lies_below(root, target);
}

static int open_below(const char *root, const char *resolved)
{
    struct stat st;
    if (!roots_lies_below(root, resolved))
        return E_UNSUPPORTED;
    if (stat(resolved, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? -EISDIR : E_INVALID;
    int fd = open_regular(AT_FDCWD, resolved, O_NOFOLLOW);
    if (fd >= 0 && !is_open_below(fd, root)) {
        close(fd);
        return E_UNSUPPORTED;
    }
    return fd;
}

/* E_UNSUPPORTED: not below this one. */
static int open_below_root(const char *root, const char *path)
{
    char *resolved = realpath(root, NULL);
    int fd = resolved ? open_below(resolved, path) : -errno;
    free(resolved);
    return fd;
}

static int open_below_any(const struct file_request *req, const char *path)
{
    int fd = open_below_root(req->root, path);
    for (const char *const *more = req->more; fd == E_UNSUPPORTED && more && *more; more++) {
        fd = open_below_root(*more, path);
        if (fd == -ENOENT)
            fd = E_UNSUPPORTED; /* that folder is gone */
    }
    return fd;
}

static int open_wanted(const struct file_request *req, const char *path)
{
    if (!req->only)
        return open_below_any(req, path);
    return strcmp(path, req->only) == 0 ? open_below(req->only, path) : E_UNSUPPORTED;
}

static int open_confined(const struct file_request *req, struct file_text *t)
{
    char what[PATH_MAX + 64];
    char *path = realpath(req->path, NULL);
    int fd = path ? open_wanted(req, path) : -errno;
    if (fd == E_UNSUPPORTED) {
        snprintf(what, sizeof what, "lies outside the workspace %.*s", PATH_MAX, req->root);
        complain(t, fd, req->path, what);
    } else if (fd < 0) {
        complain(t, fd, req->path, fd == E_INVALID ? "is no regular file" : err_text(fd));
    }
    free(path);
    return fd;
}

/* The state of one reading: lines are counted until the wanted ones come, those are kept raw. */
struct reading {
    const struct file_request *req;
    struct file_text *t;
    struct buf raw;
    uint64_t line; /* the line the next byte belongs to */
    uint64_t end;  /* the first line not wanted */
    bool full;
    int rc;
};

static void keep(struct reading *r, const char *p, size_t n)
{
    size_t room = r->req->max - r->raw.n;
    if (n > room) {
        n = room;
        r->full = r->t->cut = true;
    }
    r->rc = buf_add(&r->raw, p, n);
    if (r->rc < 0)
        r->full = true;
    if (n > 0)
        r->t->last = r->line;
}

static void take_line_part(struct reading *r, const char *p, size_t n, bool ends)
{
    if (r->line >= r->end)
        r->full = true;
    else if (r->line >= r->t->first)
        keep(r, p, n);
    if (ends)
        r->line++;
}

static void take_chunk(struct reading *r, const char *p, size_t n)
{
    while (n > 0 && !r->full) {
        const char *nl = memchr(p, '\n', n);
        size_t part = nl ? (size_t)(nl - p) + 1 : n;
        take_line_part(r, p, part, nl != NULL);
        p += part;
        n -= part;
    }
}

static int read_lines(int fd, struct reading *r, char *chunk)
{
    bool first = true;
    ssize_t got = 1;
    while (!r->full) {
        if (r->req->stop && atomic_load(r->req->stop))
            return complain(r->t, E_CANCELLED, r->req->path, "reading was cancelled");
        got = read_some(fd, chunk, CHUNK);
        if (got <= 0)
            break;
        size_t look = (size_t)got < BINARY_LOOK ? (size_t)got : BINARY_LOOK;
        if (first && memchr(chunk, '\0', look))
            return complain(r->t, E_INVALID, r->req->path, "is a binary file and is not shown");
        first = false;
        take_chunk(r, chunk, (size_t)got);
    }
    int rc = got < 0 ? (int)got : r->rc;
    if (rc < 0)
        return complain(r->t, rc, r->req->path, err_text(rc));
    r->t->more = r->full;
    return 0;
}

/* C strings carry the text from here on, so a late NUL goes the way of all bad bytes. */
static void replace_nuls(struct buf *b)
{
    char *p = b->p;
    for (const char *end = p + b->n; p < end; p++)
        if (*p == '\0')
            *p = (char)0xff;
}

static int repair(struct reading *r)
{
    if (r->t->cut)
        r->raw.n -= utf8_incomplete_tail(r->raw.p, r->raw.n);
    replace_nuls(&r->raw);
    r->t->repaired = utf8_valid_prefix(r->raw.p, r->raw.n) < r->raw.n;
    int rc = utf8_append_repaired(&r->t->text, r->raw.p, r->raw.n);
    if (rc == 0 && !buf_cstr(&r->t->text))
        rc = E_NOMEM;
    return rc == 0 ? 0 : complain(r->t, rc, r->req->path, err_text(rc));
}

int file_read_text(const struct file_request *req, struct file_text *ret)
{
    *ret = (struct file_text){.first = req->line ? req->line : 1};
    struct reading r = {.req = req, .t = ret, .line = 1, .end = UINT64_MAX};
    if (req->limit > 0)
        r.end = ret->first + req->limit;
    char *chunk = malloc(CHUNK);
    if (!chunk)
        return complain(ret, E_NOMEM, req->path, err_text(E_NOMEM));
    int rc = open_confined(req, ret);
    if (rc >= 0) {
        int fd = rc;
        rc = read_lines(fd, &r, chunk);
        close(fd);
    }
    if (rc == 0)
        rc = repair(&r);
    buf_deinit(&r.raw);
    free(chunk);
    return rc;
}

/* Appends the parts of a path, each with its slash before it. */
static int add_parts(struct buf *out, const char *path)
{
    int rc = 0;
    while (rc == 0 && *path) {
        size_t n = strcspn(path, "/");
        if (n == 2 && strncmp(path, "..", 2) == 0) {
            while (out->n > 0 && out->p[--out->n] != '/')
                ;
        } else if (n > 0 && !(n == 1 && *path == '.')) {
            rc = buf_addc(out, '/');
            if (rc == 0)
                rc = buf_add(out, path, n);
        }
        path += n + (path[n] == '/');
    }
    return rc;
}

char *file_join(const char *cwd, const char *path)
{
    struct buf out = {0};
    int rc = *path == '/' ? 0 : add_parts(&out, cwd);
    if (rc == 0)
        rc = add_parts(&out, path);
    if (rc == 0 && out.n == 0)
        rc = buf_addc(&out, '/');
    char *joined = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return joined;
}
