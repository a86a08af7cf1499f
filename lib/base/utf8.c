#include "base/utf8.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"
#define HIGH_BITS   0x8080808080808080u

/*
 * What may stand where: RFC 3629 restricts only the second byte beyond 80..BF, and the lead byte
 * decides how. `need` is the length of the character, 0 for a byte that leads nothing.
 */
struct lead {
    unsigned char need, low, high;
};

static struct lead lead_of(unsigned char c)
{
    if (c < 0x80)
        return (struct lead){1, 0, 0};
    if (c < 0xC2)
        return (struct lead){0, 0, 0};
    if (c < 0xE0)
        return (struct lead){2, 0x80, 0xBF};
    if (c < 0xF0)
        return (struct lead){3, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF};
    if (c < 0xF5)
        return (struct lead){4, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF};
    return (struct lead){0, 0, 0};
}

/* Bytes from p[0] on that begin a valid character (its length if whole), given what p[0] leads. */
static size_t well_formed_part(const unsigned char *p, size_t n, struct lead lead)
{
    size_t max = n < lead.need ? n : lead.need;
    if (max < 2)
        return max;
    if (p[1] < lead.low || p[1] > lead.high)
        return 1;
    size_t i = 2;
    while (i < max && (p[i] & 0xC0) == 0x80)
        i++;
    return i;
}

size_t utf8_char(const char *p, size_t n)
{
    if (n == 0)
        return 0;
    const unsigned char *u = (const unsigned char *)p;
    struct lead lead = lead_of(u[0]);
    return well_formed_part(u, n, lead) == lead.need ? lead.need : 0;
}

static size_t ascii_prefix(const char *p, size_t n)
{
    size_t i = 0;
    uint64_t word;
    for (; n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        if (word & HIGH_BITS)
            break;
    }
    while (i < n && (unsigned char)p[i] < 0x80)
        i++;
    return i;
}

size_t utf8_valid_prefix(const char *p, size_t n)
{
    size_t i = 0;
    for (;;) {
        i += ascii_prefix(p + i, n - i);
        size_t len = utf8_char(p + i, n - i);
        if (len == 0)
            return i;
        i += len;
    }
}

size_t utf8_incomplete_tail(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        const unsigned char *at = u + n - back;
        if ((*at & 0xC0) == 0x80)
            continue;
        struct lead lead = lead_of(*at);
        bool open = lead.need > back && well_formed_part(at, back, lead) == back;
        return open ? back : 0;
    }
    return 0;
}

int utf8_append_repaired(struct buf *out, const char *p, size_t n)
{
    size_t before = out->n, i = 0;
    int rc = 0;
    while (rc == 0 && i < n) {
        size_t good = utf8_valid_prefix(p + i, n - i);
        rc = buf_add(out, p + i, good);
        i += good;
        if (rc < 0 || i == n)
            break;
        const unsigned char *bad = (const unsigned char *)p + i;
        size_t part = well_formed_part(bad, n - i, lead_of(*bad));
        i += part > 0 ? part : 1;
        rc = buf_adds(out, REPLACEMENT);
    }
    if (rc < 0)
        out->n = before;
    return rc;
}
