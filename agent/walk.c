#include "agent/walk.h"

#include "agent/file_write.h"
#include "agent/ignore.h"
#include "agent/walk_names.h"
#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define DEPTH_MAX    64 /* folders in each other; each holds a descriptor open */
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

/* A folder that is open, with those around it. */
struct level {
    const struct level *outer;
    struct ignore *rules;
    size_t at; /* in the path, where what is in it begins */
};

struct state {
    struct walk *w;
    struct buf path;
    size_t start_at; /* where what is below the start begins */
    int depth;
};

int walk_must_end(const struct walk *w)
{
    if (w->stop && atomic_load(w->stop))
        return E_CANCELLED;
    return uv_hrtime() > w->until ? E_TIMEOUT : 0;
}

/* Appends to the path. The length to cut it to again, 0 if there is no memory. */
static int push(struct state *s, const char *name, size_t *ret_was)
{
    *ret_was = s->path.n;
    int rc = s->path.n > 0 ? buf_addc(&s->path, '/') : 0;
    if (rc == 0)
        rc = buf_adds(&s->path, name);
    return rc == 0 && buf_cstr(&s->path) ? 0 : E_NOMEM;
}

/* What the nearest rules say about the path. */
static int look_up(const struct state *s, const struct level *in, bool is_folder)
{
    int word = IGNORE_NOTHING;
    for (; in && word == IGNORE_NOTHING; in = in->outer)
        word = ignore_says(in->rules, s->path.p + in->at, is_folder);
    return word;
}

static int visit(struct state *s, int fd, const struct walk_name *name)
{
    struct walk_entry e = {.folder_fd = fd,
                           .name = name->text,
                           .path = s->path.p,
                           .below = s->path.p + s->start_at,
                           .is_link = name->kind == WALK_LINK};
    return s->w->visit(s->w->ctx, &e);
}

static int walk_folder(struct state *s, int fd, const struct level *outer);

static int step_into(struct state *s, int fd, const char *name, const struct level *outer)
{
    int next = s->depth < DEPTH_MAX ? openat(fd, name, FOLDER_FLAGS) : -1;
    if (next < 0) {
        s->w->passed_over++;
        return 0;
    }
    s->depth++;
    int rc = walk_folder(s, next, outer);
    s->depth--;
    close(next);
    return rc;
}

static int walk_name(struct state *s, int fd, const struct walk_name *name,
                     const struct level *level)
{
    size_t was;
    bool folder = name->kind == WALK_FOLDER;
    int rc = walk_must_end(s->w);
    if (rc < 0 || (folder && strcmp(name->text, ".git") == 0))
        return rc;
    rc = push(s, name->text, &was);
    if (rc == 0)
        rc = look_up(s, level, folder);
    if (rc == IGNORE_OUT)
        rc = 0;
    else if (rc >= 0)
        rc = folder ? step_into(s, fd, name->text, level) : visit(s, fd, name);
    s->path.n = was;
    return rc;
}

static int open_level(struct state *s, int fd, const struct level *outer, struct level *ret)
{
    *ret = (struct level){.outer = outer, .at = s->path.n + (s->path.n > 0)};
    return walk_read_rules(fd, &ret->rules);
}

static int walk_folder(struct state *s, int fd, const struct level *outer)
{
    struct walk_names names = {0};
    struct level level;
    int rc = open_level(s, fd, outer, &level);
    if (rc == 0)
        rc = walk_names_read(fd, &names, &s->w->passed_over);
    for (size_t i = 0; rc == 0 && i < names.n; i++)
        rc = walk_name(s, fd, &names.list[i], &level);
    walk_names_deinit(&names);
    ignore_destroy(level.rules);
    return rc;
}

/* The start: a folder whose content is wanted, or a file by itself. */
static int begin(struct state *s, int fd, const char *name, const struct level *outer)
{
    struct stat st;
    struct walk_name self = {.text = (char *)(uintptr_t)name, .kind = WALK_FILE};
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? E_NOTFOUND : -errno;
    if (S_ISREG(st.st_mode)) {
        s->start_at = s->path.n - strlen(name);
        return visit(s, fd, &self);
    }
    int next = openat(fd, name, FOLDER_FLAGS);
    if (next < 0)
        return -errno;
    s->start_at = s->path.n + 1;
    int rc = walk_folder(s, next, outer);
    close(next);
    return rc;
}

/* Goes from the folder fd down to the start, whose path from there is rest. */
static int descend(struct state *s, int fd, char *rest, const struct level *outer)
{
    size_t was;
    struct level level;
    char *slash = strchr(rest, '/');
    if (slash)
        *slash = '\0';
    int rc = open_level(s, fd, outer, &level);
    if (rc == 0)
        rc = push(s, rest, &was);
    if (rc == 0 && !slash)
        rc = begin(s, fd, rest, &level);
    else if (rc == 0) {
        int next = openat(fd, rest, FOLDER_FLAGS);
        rc = next < 0 ? -errno : descend(s, next, slash + 1, &level);
        if (next >= 0)
            close(next);
    }
    ignore_destroy(level.rules);
    return rc;
}

static int walk_from(struct state *s, int fd)
{
    const char *rest = s->w->start + strlen(s->w->root);
    while (*rest == '/')
        rest++;
    if (!*rest)
        return walk_folder(s, fd, NULL);
    char *copy = strdup(rest);
    int rc = copy ? descend(s, fd, copy, NULL) : E_NOMEM;
    free(copy);
    return rc;
}

int walk_run(struct walk *w)
{
    struct state s = {.w = w};
    int fd = file_open_folder(w->root);
    if (fd < 0)
        return fd;
    int rc = walk_from(&s, fd);
    close(fd);
    buf_deinit(&s.path);
    return rc;
}
