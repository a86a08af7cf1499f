#include "mock-client/proctree.h"

#include "base/buf.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_proc(int pid, const char *name, struct buf *out)
{
    char path[64], part[4096];
    ssize_t n;
    int rc = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (rc == 0 && (n = read(fd, part, sizeof part)) > 0)
        rc = buf_add(out, part, (size_t)n);
    close(fd);
    return rc;
}

struct seat {
    char state;
    int group, session;
};

static int next_number(const char **at)
{
    char *end;
    long number = strtol(*at, &end, 10);
    *at = end;
    return (int)number;
}

/* "pid (name) state ppid pgrp session ...", and the name may hold anything. */
static bool read_seat(int pid, struct seat *ret)
{
    struct buf text = {0};
    bool ok = read_proc(pid, "stat", &text) == 0 && buf_cstr(&text);
    const char *at = ok ? strrchr(text.p, ')') : NULL;
    ok = at && strlen(at) > 3; /* ") S ..." */
    if (ok) {
        ret->state = at[2];
        at += 3;
        next_number(&at); /* the parent */
        ret->group = next_number(&at);
        ret->session = next_number(&at);
    }
    buf_deinit(&text);
    return ok;
}

static bool has_mark(int pid, const char *mark)
{
    struct buf env = {0};
    size_t len = strlen(mark);
    bool found = false;
    if (read_proc(pid, "environ", &env) == 0 && buf_cstr(&env)) {
        for (size_t at = 0; at < env.n && !found; at += strlen(env.p + at) + 1)
            found = strlen(env.p + at) == len && memcmp(env.p + at, mark, len) == 0;
    }
    buf_deinit(&env);
    return found;
}

static bool belongs(const struct proctree *t, enum proctree_what what, int pid)
{
    struct seat seat;
    if (pid <= 0 || pid == t->root || pid == (int)getpid() ||
        (what == PROCTREE_NEWER && pid < t->root) || !read_seat(pid, &seat))
        return false;
    if (seat.state == 'Z' || seat.state == 'X')
        return false;
    if (seat.group == t->root)
        return true;
    if (what == PROCTREE_GROUP)
        return false;
    return seat.session == t->root || (t->mark && has_mark(pid, t->mark));
}

int proctree_signal(const struct proctree *t, enum proctree_what what, int signum)
{
    int n = 0;
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    if (!proc || access("/proc/self/stat", R_OK) < 0) {
        if (proc)
            closedir(proc);
        return -1;
    }
    while ((entry = readdir(proc)) != NULL) {
        const char *name = entry->d_name;
        int pid = next_number(&name);
        if (!belongs(t, what, pid))
            continue;
        n++;
        if (signum)
            kill(pid, signum);
    }
    closedir(proc);
    return n;
}

/* The number of the group serves where there is no /proc. */
bool proctree_bury(const struct proctree *t, bool group)
{
    int n = t->mark ? proctree_signal(t, PROCTREE_NEWER, SIGKILL) : 0;
    bool there = group && kill(-t->root, SIGKILL) == 0;
    return n > 0 || there;
}
