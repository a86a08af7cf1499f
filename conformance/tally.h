#ifndef CONFORMANCE_TALLY_H
#define CONFORMANCE_TALLY_H

#include "conformance/outcome.h"

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * What each case came to over the rounds of a repeated run. The outcome keeps one result a case:
 * the worst. A case whose rounds differ is flaky.
 */
struct tally_row {
    const struct case_file *file; /* lent */
    unsigned counts[VERDICT_COUNT];
    size_t place; /* of its result in the outcome */
};

struct tally {
    struct tally_row *rows; /* owned */
    size_t n, cap;
};

/* Takes in one more result. *retrow (lent until the next call) is the case's row, counted already;
 * a new one says where the outcome will keep its result. 0 or E_NOMEM. */
int tally_add(struct tally *t, const struct case_result *r, size_t place,
              struct tally_row **retrow);

/* How many results a case has; how many cases are flaky. */
unsigned tally_rounds(const struct tally_row *row);
bool tally_is_flaky(const struct tally_row *row);
size_t tally_flaky(const struct tally *t);

/* "3 of 5 PASS, 2 of 5 FAIL". 0 or E_NOMEM. */
int tally_write(const struct tally_row *row, struct buf *out);

void tally_deinit(struct tally *t); /* accepts a zeroed one */

#endif
