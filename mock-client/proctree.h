#ifndef MOCK_CLIENT_PROCTREE_H
#define MOCK_CLIENT_PROCTREE_H

#include <stdbool.h>

/*
 * The processes that one process has left: those of its session or process group, and those that
 * still have a mark in their environment, wherever they went. Linux (/proc).
 */
struct proctree {
    int root;         /* its pid: leader of a session of its own */
    const char *mark; /* "NAME=value", or NULL */
};

enum proctree_what {
    PROCTREE_ALL,
    PROCTREE_GROUP, /* its process group only */
    PROCTREE_NEWER  /* only such as were started after it, as far as pids tell: cheaper */
};

/* How many there are besides the root, zombies not counted; -1 if it cannot be told. signum: sent
 * to each, 0: none. */
int proctree_signal(const struct proctree *t, enum proctree_what what, int signum);

/* Kills what is left after its end; group: its process group may still be there. True if something
 * was (zombies of the group count, so that is no verdict). */
bool proctree_bury(const struct proctree *t, bool group);

#endif
