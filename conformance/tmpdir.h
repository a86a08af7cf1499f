#ifndef CONFORMANCE_TMPDIR_H
#define CONFORMANCE_TMPDIR_H

#include <stddef.h>

/* A fresh folder of one case, with an empty working directory and an empty home in it. */
struct tmpdir {
    char *root, *cwd, *home; /* owned, canonical */
};

/* 0, or negative with a sentence in err. */
int tmpdir_make(struct tmpdir *ret, char *err, size_t err_n);

/* Removes everything in it. Accepts a zeroed one. */
void tmpdir_remove(struct tmpdir *t);

#endif
