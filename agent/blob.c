#include "agent/blob.h"

#include "base/buf.h"
#include "base/err.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* 0-63, or -1. */
static int value_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

int blob_decode(const char *text, struct buf *out)
{
    size_t before = out->n, pads = 0, digits = 0;
    uint32_t bits = 0;
    int rc = 0;
    for (; rc == 0 && *text; text++) {
        int v = value_of(*text);
        if (isspace((unsigned char)*text))
            continue;
        if (*text == '=')
            pads++;
        else if (v < 0 || pads > 0)
            rc = E_PARSE;
        if (v < 0)
            continue;
        bits = bits << 6 | (uint32_t)v;
        if (++digits % 4 != 1) /* the first digit of four completes no byte */
            rc = buf_addc(out, (char)(bits >> (6 - 2 * ((digits - 1) % 4))));
    }
    if (rc == 0 && (digits % 4 == 1 || pads > 2))
        rc = E_PARSE;
    if (rc < 0)
        out->n = before;
    return rc;
}
