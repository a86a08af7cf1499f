#ifndef AGENT_FRONT_MATTER_H
#define AGENT_FRONT_MATTER_H

#include <stddef.h>

/*
 * Markdown with a head: lines "key: value" between two lines "---" at its very beginning. A text
 * without a head is all body. Lines of the head that are indented or no "key: value" are skipped:
 * other programs put lists there. Quotes around a value are taken off.
 */
#define FRONT_MATTER_MAX 24 /* keys; further ones are skipped */

struct front_matter {
    struct {
        const char *key, *value;
    } list[FRONT_MATTER_MAX];
    size_t n;
    const char *body;
};

/* text is cut up: everything in *ret is lent by it. 0, or E_INVALID: the head has no end. */
int front_matter_read(char *text, struct front_matter *ret);

/* The value, perhaps ""; NULL if the key is not there. Of two the last one counts. */
const char *front_matter_get(const struct front_matter *f, const char *key);

#endif
