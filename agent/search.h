#ifndef AGENT_SEARCH_H
#define AGENT_SEARCH_H

#include "agent/pattern.h"
#include "agent/tool.h"
#include "agent/walk.h"

/*
 * What glob and grep share: a job in a worker thread that walks the folder of a call and gathers
 * lines within bounds.
 */

#define SEARCH_BYTES_MAX (48u << 10) /* of all lines */

struct search;

/* What a tool makes of it. All lent and static. */
struct search_kind {
    int (*visit)(struct search *s, const struct walk_entry *e); /* as of walk.h */
    size_t lines_max;
    const char *none; /* "[No file ...]\n" */
    const char *what; /* that there may be more of: "files" */
};

struct search {
    const struct search_kind *kind;
    struct pattern *pattern;
    struct pattern *only; /* files that are looked at; NULL: all */
    struct buf line;      /* for visit: where it makes its line */
    /* for search.c */
    struct buf out;
    struct buf file; /* the content of the one being looked at */
    size_t lines;
    bool more;         /* than fits */
    unsigned given_up; /* matches that were too much work */
    uv_work_t work;
    struct tool_run *run; /* NULL: stopped */
    atomic_bool stop;
    char *cwd, **folders, *real; /* owned; of the call */
    struct walk walk;
    const char *prefix; /* of names that are told; NULL in the working directory */
    int rc;
};

/* Takes both patterns, whatever happens; only may be NULL. 0 or a negative code. */
int search_start(struct tool_run *run, const struct search_kind *kind, struct pattern *pattern,
                 struct pattern *only);
/* The tool's `stop`. */
void search_stop(struct tool_run *run);

/* Adds a line: the entry's name, then s->line. 0, 1 (no more fits) or E_NOMEM. */
int search_add(struct search *s, const struct walk_entry *e);

/* For `prepare`: sets c->path from path and c->title from the rest. 0 or E_NOMEM. */
int search_name(struct tool_call *c, const char *what, const char *pattern, const char *path);
/* For `prepare`: sets c->error from why a pattern was refused. 0 or E_NOMEM. */
int search_refuse(struct tool_call *c, const char *member, const struct pattern_error *err);

#endif
