#ifndef AGENT_WALK_H
#define AGENT_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What is below a folder, without what git is told to ignore: .gitignore files count from `root`
 * down, .git itself never shows. What is named as `start` is walked even if it is ignored. No link
 * is followed, so nothing outside of it is ever reached. Blocking calls, for a worker thread.
 */

struct walk_entry {
    int folder_fd;     /* lent; where it is */
    const char *name;  /* in there */
    const char *path;  /* from the root */
    const char *below; /* from the start; the name, if it is the start itself */
    bool is_link;      /* else a regular file */
};

struct walk {
    const char *root, *start; /* lent; resolved (roots.h), and start lies below root or is it */
    int (*visit)(void *ctx, const struct walk_entry *e); /* 0; 1: enough; negative: an error */
    void *ctx;
    const atomic_bool *stop; /* polled */
    uint64_t until;          /* uv_hrtime */
    unsigned passed_over;    /* out: folders and names that could not be looked at */
};

/* In the order of their names. 0, 1 (visit had enough), E_CANCELLED, E_TIMEOUT, E_NOMEM, or why
 * start cannot be opened. */
int walk_run(struct walk *w);

/* E_CANCELLED or E_TIMEOUT when it is time to end, else 0. */
int walk_must_end(const struct walk *w);

#endif
