#ifndef AGENT_WALK_NAMES_H
#define AGENT_WALK_NAMES_H

#include <stddef.h>

/* Private to walk.c: what it reads of one open folder. */

struct ignore;

#define WALK_NAMES_MAX 100000u /* of one folder */

enum walk_kind { WALK_FILE, WALK_FOLDER, WALK_LINK };

struct walk_name {
    char *text; /* owned */
    enum walk_kind kind;
};

/* Files, folders and links, by name. Zeroed, it is empty. */
struct walk_names {
    struct walk_name *list;
    size_t n, cap;
};

/* Counts what it cannot read in *passed_over. 0 or E_NOMEM (deinit it in any case). */
int walk_names_read(int fd, struct walk_names *ret, unsigned *passed_over);
void walk_names_deinit(struct walk_names *names);

/* Its .gitignore; NULL if there is none that can be read. 0 or E_NOMEM. */
int walk_read_rules(int fd, struct ignore **ret);

#endif
