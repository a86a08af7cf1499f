#include "conformance/words.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int words_add(struct words *w, const char *word, size_t n)
{
    if (w->n == w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 16;
        char **more = realloc(w->list, cap * sizeof *more);
        if (!more)
            return E_NOMEM;
        w->list = more;
        w->cap = cap;
    }
    char *copy = strndup(word, n);
    if (!copy)
        return E_NOMEM;
    w->list[w->n++] = copy;
    return 0;
}

static int add_line(struct words *w, const char *line)
{
    static const char blanks[] = " \t\r\n";
    line += strspn(line, blanks);
    size_t n = strlen(line);
    while (n > 0 && strchr(blanks, line[n - 1]))
        n--;
    if (n == 0 || line[0] == '#')
        return 0;
    return line[0] == '@' ? E_INVALID : words_add(w, line, n);
}

int words_add_file(struct words *w, const char *path, char *err, size_t err_n)
{
    char *line = NULL;
    size_t cap = 0;
    unsigned number = 0;
    int rc = 0;
    FILE *f = fopen(path, "re");
    if (!f) {
        rc = -errno;
        snprintf(err, err_n, "cannot read %s: %s", path, strerror(errno));
        return rc;
    }
    while (rc == 0 && getline(&line, &cap, f) >= 0) {
        number++;
        rc = add_line(w, line);
    }
    if (rc == E_INVALID)
        snprintf(err, err_n, "%s:%u: a file of selectors cannot name another file", path, number);
    if (rc == 0 && ferror(f)) {
        rc = E_IO;
        snprintf(err, err_n, "cannot read %s: %s", path, err_text(E_IO));
    }
    free(line);
    fclose(f);
    return rc;
}

int words_expand(struct words *w, const char *const *given, size_t n, char *err, size_t err_n)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        size_t before = w->n;
        if (given[i][0] != '@') {
            rc = words_add(w, given[i], strlen(given[i]));
            continue;
        }
        rc = words_add_file(w, given[i] + 1, err, err_n);
        if (rc == 0 && w->n == before) {
            snprintf(err, err_n, "%s names no case", given[i] + 1);
            rc = E_NOTFOUND;
        }
    }
    return rc;
}

void words_deinit(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->list[i]);
    free(w->list);
    *w = (struct words){0};
}
