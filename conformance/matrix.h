#ifndef CONFORMANCE_MATRIX_H
#define CONFORMANCE_MATRIX_H

#include "conformance/verdict.h"

#include <stdbool.h>
#include <stddef.h>

struct outcome;

/* What a run came to, by area of the cases and level of the requirements. */
enum { MATRIX_LEVELS = 6 };

struct matrix_cell {
    unsigned counts[VERDICT_COUNT]; /* of checks; those of skipped cases are not counted */
    unsigned n;
    enum verdict worst;
};

struct matrix_row {
    const char *area; /* lent by a case's id, not ended by a NUL */
    size_t area_n;
    size_t first, n; /* its cases in the outcome */
    unsigned cases[VERDICT_COUNT];
    struct matrix_cell levels[MATRIX_LEVELS];
};

struct matrix {
    struct matrix_row *rows; /* owned */
    size_t n;
    bool used[MATRIX_LEVELS]; /* some check is of this level */
};

/* "MUST", "MUST NOT", "SCHEMA", "SHOULD", "SHOULD NOT", "MAY". Static. */
const char *matrix_level(size_t i);

/* Of a sorted outcome. 0 or E_NOMEM. */
int matrix_build(const struct outcome *o, struct matrix *ret);
void matrix_deinit(struct matrix *m); /* accepts a zeroed one */

#endif
