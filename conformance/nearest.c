#include "conformance/nearest.h"

#include <string.h>

enum { LONGEST = 48 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions and exchanges between two short words. */
static size_t edits(const char *a, const char *b)
{
    size_t row[LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[nb];
}

struct nearest nearest_begin(const char *word)
{
    return (struct nearest){word, NULL, strlen(word) / 3 + 2};
}

void nearest_try(struct nearest *n, const char *candidate)
{
    if (strlen(n->word) > LONGEST || strlen(candidate) > LONGEST)
        return;
    size_t d = edits(n->word, candidate);
    if (d < n->distance) {
        n->distance = d;
        n->name = candidate;
    }
}
