#ifndef MOCK_PROVIDER_GZIP_H
#define MOCK_PROVIDER_GZIP_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A gzip stream (RFC 1952) of stored blocks: whoever reads it has to decode it, and each piece can
 * be read as soon as it has come. A zeroed one begins. */
struct gzip {
    bool begun;
    uint32_t crc, n;
};

/* Both append to out. 0 or E_NOMEM. */
int gzip_add(struct gzip *g, const char *p, size_t n, struct buf *out);
int gzip_end(struct gzip *g, struct buf *out);

#endif
