#ifndef AGENT_FILE_H
#define AGENT_FILE_H

#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reading files that may be anything: never waits on a pipe or device, never reads more than it was
 * told, never leaves the root it was given. Plain blocking calls on regular files; what may be
 * large runs in a worker thread (file_job.h).
 */

/* Appends a whole small regular file. 0, E_NOTFOUND, E_TOOBIG, E_INVALID (no regular file), E_NOMEM
 * or the system's error. */
int file_read_all(const char *path, size_t max, struct buf *out);
/* The same for a name in an open folder, which may not be a link. */
int file_read_at(int folder_fd, const char *name, size_t max, struct buf *out);

/* What to read. All lent. */
struct file_request {
    const char *root;        /* a directory; the file must lie below it after links are resolved, */
    const char *const *more; /* or below one of these (roots.h); NULL: none */
    const char *only;        /* where path led when it was allowed (roots_resolve): only this file
                                counts, no root; NULL: the roots do */
    const char *path;        /* absolute */
    uint32_t line;           /* first line wanted, from 1; 0 counts as 1 */
    uint32_t limit;          /* lines wanted, 0: all */
    size_t max;              /* bytes of text at most */
    const atomic_bool *stop; /* polled: true ends it with E_CANCELLED; may be NULL */
};

struct file_text {
    struct buf text;      /* owned; valid UTF-8 whatever the file holds, no NUL */
    uint64_t first, last; /* the lines given out; last < first: none */
    bool more;            /* the file goes on after them */
    bool cut;             /* and it was `max` that ended them */
    bool repaired;        /* the file is no UTF-8: the text is not what it holds */
    char error[1024];     /* on failure: one sentence that names the path */
};

void file_text_deinit(struct file_text *t);

/* 0, or a negative code with ret->error filled. The check against the root and the reading use the
 * same open file. *ret is filled anew; deinit it in any case. */
int file_read_text(const struct file_request *req, struct file_text *ret);

/* Joins and resolves nothing but "." and "..": where a path given by the model points to, as text.
 * The caller frees it; NULL: out of memory. */
char *file_join(const char *cwd, const char *path);

#endif
