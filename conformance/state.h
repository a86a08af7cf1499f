#ifndef CONFORMANCE_STATE_H
#define CONFORMANCE_STATE_H

#include "conformance/outcome.h"

#include <stddef.h>

/*
 * What failed last: a file of selectors (conformance/words.h), so that it can be read, edited and
 * given to others as @FILE.
 */

/* given, or $XDG_STATE_HOME/acp-conformance/last-failed, or that below ~/.local/state. 0,
 * E_NOTFOUND if there is no such place, E_TOOBIG. */
int state_path(const char *given, char *path, size_t n);

/* Makes the folders above it. 0 or -errno. */
int state_write(const char *path, const struct outcome *o);

#endif
