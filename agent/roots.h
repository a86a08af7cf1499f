#ifndef AGENT_ROOTS_H
#define AGENT_ROOTS_H

#include <stdbool.h>

/*
 * Further folders of a session beside its working directory: a list of absolute paths that ends
 * with NULL. NULL itself is an empty list.
 */

/* NULL: out of memory, or the list is NULL. */
char **roots_copy(const char *const *list);
/* Accepts NULL. */
void roots_free(char **list);

/* Where an absolute path without "." and ".." leads: its deepest part that exists, links resolved,
 * and the rest as it is. The caller frees *ret. 0, E_NOMEM, E_INVALID (a link that leads nowhere:
 * what is written there might end up anywhere), or the system's error. */
int roots_resolve(const char *path, char **ret);

/* Does a resolved path lie in cwd or one of the others? */
bool roots_hold(const char *cwd, const char *const *more, const char *resolved);

/* The same for one folder that is resolved, too. */
bool roots_lies_below(const char *root, const char *path);

#endif
