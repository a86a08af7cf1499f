#ifndef CONFORMANCE_WORDS_H
#define CONFORMANCE_WORDS_H

#include <stddef.h>

/*
 * Words of the command line, those that begin with '@' replaced by what their file says: one word
 * a line, blanks around it dropped, empty lines and lines that begin with '#' skipped.
 */
struct words {
    char **list; /* owned, as are its strings */
    size_t n, cap;
};

/* Appends a copy. 0 or E_NOMEM. */
int words_add(struct words *w, const char *word, size_t n);

/* Appends the words of a file. 0, E_NOMEM, or with a sentence in err: -errno, E_INVALID for a word
 * that begins with '@' again. */
int words_add_file(struct words *w, const char *path, char *err, size_t err_n);

/* Appends `given`. Errors as above, also E_NOTFOUND for a file without any word: it would else
 * mean everything. */
int words_expand(struct words *w, const char *const *given, size_t n, char *err, size_t err_n);

void words_deinit(struct words *w); /* accepts a zeroed one */

#endif
