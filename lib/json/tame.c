#include "json/tame.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/plain.h"
#include "json/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What scan made sure of is not checked again: escapes are whole, strings are closed. */
static unsigned unit_at(const char *digits)
{
    char text[5] = {0};
    memcpy(text, digits, 4);
    return (unsigned)strtoul(text, NULL, 16);
}

/* At a backslash: appends the escape, or the pair of escapes. Returns its length. */
static size_t tame_escape(const char *p, struct buf *out, int *rc)
{
    if (p[1] != 'u') {
        *rc = buf_add(out, p, 2);
        return 2;
    }
    unsigned unit = unit_at(p + 2), next = 0;
    if (unit >= 0xD800 && unit <= 0xDBFF && p[6] == '\\' && p[7] == 'u')
        next = unit_at(p + 8);
    bool pair = next >= 0xDC00 && next <= 0xDFFF;
    bool bad = unit == 0 || (unit >= 0xD800 && unit <= 0xDFFF && !pair);
    *rc = bad ? buf_adds(out, "\\uFFFD") : buf_add(out, p, pair ? 12 : 6);
    return pair ? 12 : 6;
}

static size_t tame_string(const char *p, struct buf *out, int *rc)
{
    size_t i = 1;
    *rc = buf_addc(out, '"');
    while (*rc == 0 && p[i] != '"') {
        size_t run = 0;
        while (p[i + run] != '"' && p[i + run] != '\\')
            run++;
        *rc = buf_add(out, p + i, run);
        i += run;
        if (*rc == 0 && p[i] == '\\')
            i += tame_escape(p + i, out, rc);
    }
    if (*rc == 0)
        *rc = buf_addc(out, '"');
    return i + 1;
}

static size_t tame_number(const char *p, size_t n, struct buf *out, int *rc)
{
    size_t len = 1;
    while (len < n && p[len] && strchr("0123456789+-.eE", p[len]))
        len++;
    if (len <= JSON_LONGEST_NUMBER) {
        *rc = buf_add(out, p, len);
        return len;
    }
    double v = strtod(p, NULL);
    /* printf says "inf", which is no JSON; 1e999 reads back as infinity. */
    *rc = isinf(v) ? buf_adds(out, v < 0 ? "-1e999" : "1e999") : buf_addf(out, "%.17g", v);
    return len;
}

int json_tame(const char *p, size_t n, struct buf *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n;) {
        if (p[i] == '"')
            i += tame_string(p + i, out, &rc);
        else if (p[i] == '-' || (p[i] >= '0' && p[i] <= '9'))
            i += tame_number(p + i, n - i, out, &rc);
        else
            rc = buf_addc(out, p[i++]);
    }
    return rc;
}
