#ifndef RPC_NDJSON_H
#define RPC_NDJSON_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Bytes -> lines, resumable at every byte, each byte looked at once, memory bounded by `max`.
 * Lines end in LF; a CR before it is cut off. Empty and blank lines are skipped (RPC-22). After an
 * over-long line the reader drops bytes up to its LF and goes on.
 * It does not judge content: no JSON, no UTF-8.
 */
struct ndjson {
    size_t max; /* longest line in bytes without its LF; set before the first feed */
    struct buf in;
    size_t head, scanned;
    bool skipping;
    size_t skipped;
};

void ndjson_init(struct ndjson *d, size_t max);
void ndjson_deinit(struct ndjson *d);

/* Copies n bytes in. 0 or E_NOMEM. */
int ndjson_feed(struct ndjson *d, const char *bytes, size_t n);

/* 1: a line, NUL-terminated, lent until the next call on d. 0: need more bytes.
 * E_TOOBIG: a line was over `max` and is being dropped (told once per line); call again. */
int ndjson_next(struct ndjson *d, char **ret_line, size_t *ret_n);

/* At end of input: 1 and the unfinished last line if there is one, 0 if not. */
int ndjson_rest(struct ndjson *d, char **ret_line, size_t *ret_n);

#endif
