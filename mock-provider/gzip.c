#include "gzip.h"

#define BLOCK_MAX  65535u
#define POLYNOMIAL 0xEDB88320u

static uint32_t crc_of(uint32_t crc, const char *p, size_t n)
{
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    return ~crc;
}

/* Least significant byte first. */
static int add_number(struct buf *out, uint32_t v, int bytes)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < bytes; i++)
        rc = buf_addc(out, (char)(v >> (8 * i) & 0xFF));
    return rc;
}

static int begin(struct gzip *g, struct buf *out)
{
    static const char head[10] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff'};
    int rc = g->begun ? 0 : buf_add(out, head, sizeof head);
    g->begun = true;
    return rc;
}

static int add_block(struct buf *out, const char *p, size_t n, bool last)
{
    int rc = buf_addc(out, last ? 1 : 0);
    if (rc == 0)
        rc = add_number(out, (uint32_t)n, 2);
    if (rc == 0)
        rc = add_number(out, ~(uint32_t)n, 2);
    return rc < 0 ? rc : buf_add(out, p, n);
}

int gzip_add(struct gzip *g, const char *p, size_t n, struct buf *out)
{
    int rc = begin(g, out);
    g->crc = crc_of(g->crc, p, n);
    g->n += (uint32_t)n;
    while (rc == 0 && n > 0) {
        size_t part = n < BLOCK_MAX ? n : BLOCK_MAX;
        rc = add_block(out, p, part, false);
        p += part;
        n -= part;
    }
    return rc;
}

int gzip_end(struct gzip *g, struct buf *out)
{
    int rc = begin(g, out);
    if (rc == 0)
        rc = add_block(out, "", 0, true);
    if (rc == 0)
        rc = add_number(out, g->crc, 4);
    return rc < 0 ? rc : add_number(out, g->n, 4);
}
