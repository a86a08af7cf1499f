#include "mock-client/base64.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(struct buf *out, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    int rc = buf_reserve(out, (n + 2) / 3 * 4);
    for (size_t i = 0; i < n && rc == 0; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16;
        if (i + 1 < n)
            v |= (uint32_t)p[i + 1] << 8;
        if (i + 2 < n)
            v |= p[i + 2];
        char four[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63], alphabet[v >> 6 & 63],
                        alphabet[v & 63]};
        for (size_t k = n - i + 1; k < 4; k++)
            four[k] = '=';
        rc = buf_add(out, four, 4);
    }
    return rc;
}

static int digit(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

/* One group of four; pad is how many of its last digits are '='. */
static int decode_group(const char *four, size_t pad, struct buf *out)
{
    uint32_t v = 0;
    for (size_t k = 0; k < 4; k++) {
        int d = k < 4 - pad ? digit(four[k]) : 0;
        if (d < 0)
            return E_PARSE;
        v = v << 6 | (uint32_t)d;
    }
    char three[3] = {(char)(v >> 16 & 255), (char)(v >> 8 & 255), (char)(v & 255)};
    return buf_add(out, three, 3 - pad);
}

int base64_decode(struct buf *out, const char *text, size_t n)
{
    size_t before = out->n;
    int rc = n % 4 ? E_PARSE : 0;
    for (size_t i = 0; i < n && rc == 0; i += 4) {
        size_t pad = 0;
        if (i + 4 == n)
            pad = text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        rc = decode_group(text + i, pad, out);
    }
    if (rc < 0)
        out->n = before;
    return rc;
}
