#ifndef CONFORMANCE_NEAREST_H
#define CONFORMANCE_NEAREST_H

#include <stddef.h>

/*
 * "did you mean": the candidate with the fewest edits, if it is near enough to be a slip. Begin
 * with the word that was written, try each candidate, read `name` (lent by the candidates, NULL:
 * none).
 */
struct nearest {
    const char *word;
    const char *name;
    size_t distance; /* of name; one more than the largest that still counts before the first */
};

struct nearest nearest_begin(const char *word);
void nearest_try(struct nearest *n, const char *candidate);

#endif
