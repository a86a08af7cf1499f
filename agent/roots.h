#ifndef AGENT_ROOTS_H
#define AGENT_ROOTS_H

/*
 * Further folders of a session beside its working directory: a list of absolute paths that ends
 * with NULL. NULL itself is an empty list.
 */

/* NULL: out of memory, or the list is NULL. */
char **roots_copy(const char *const *list);
/* Accepts NULL. */
void roots_free(char **list);

#endif
