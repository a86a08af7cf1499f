#ifndef MOCK_CLIENT_LINES_H
#define MOCK_CLIENT_LINES_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Bytes -> lines, with nothing lost: unlike rpc/ndjson it keeps CRs and blank lines, because what
 * an agent wrote between its messages is evidence. Resumable at every byte, each byte looked at
 * once.
 */
struct lines {
    size_t max; /* longest line without its LF */
    struct buf in;
    size_t head, scanned;
    bool skipping;
};

void lines_init(struct lines *d, size_t max);
void lines_deinit(struct lines *d);

/* Copies n bytes in. 0 or E_NOMEM. */
int lines_feed(struct lines *d, const char *bytes, size_t n);

/* 1: a line of n bytes; p[n] is its LF, and p[n + 1] may be written for a moment.
 * E_TOOBIG: a line is over max and being dropped (told once per line); p and n are its first max
 * bytes. 0: need more. What p points to is lent until the next call on d. */
int lines_next(struct lines *d, char **ret_line, size_t *ret_n);

/* Nothing but spaces, tabs and CRs. */
bool lines_is_blank(const char *p, size_t n);

/* At end of input: 1 and the bytes behind the last LF if there are any, 0 if not. */
int lines_rest(struct lines *d, char **ret_line, size_t *ret_n);

#endif
