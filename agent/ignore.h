#ifndef AGENT_IGNORE_H
#define AGENT_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

/* The rules of one .gitignore file, as git reads them. */
struct ignore;

#define IGNORE_RULES_MAX 1000u /* what comes after them does not count */

/* A line that is no pattern is passed over. 0 or E_NOMEM. */
int ignore_parse(const char *text, size_t n, struct ignore **ret);
/* Accepts NULL. */
void ignore_destroy(struct ignore *g);

enum ignore_word { IGNORE_NOTHING, IGNORE_OUT, IGNORE_IN };

/* What the file says about a path, seen from its folder; NULL: nothing. The last rule that fits
 * decides. An ignore_word or E_NOMEM. */
int ignore_says(const struct ignore *g, const char *path, bool is_folder);

#endif
