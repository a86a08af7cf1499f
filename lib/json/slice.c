#include "json/scan.h"

#include <stdint.h>
#include <string.h>

bool json_slice_is_int(struct json_slice s)
{
    if (s.kind != JSON_KIND_NUMBER)
        return false;
    bool negative = s.p[0] == '-';
    uint64_t max = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, v = 0;
    for (size_t i = negative; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (v > (max - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    return true;
}

/* Of a scanned text, so the digits are known to be good. */
static int escape_unit(const char *digits)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        int c = (unsigned char)digits[i];
        v = v * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return v;
}

/* Reads one character at *p, after a backslash; moves *p behind it. */
static int escape_value(const char **p)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    char c = *(*p)++;
    if (c == 'u') {
        *p += 4;
        return escape_unit(*p - 4);
    }
    const char *at = memchr(from, c, sizeof from - 1);
    return at ? to[at - from] : c;
}

bool json_slice_equals(struct json_slice s, const char *text)
{
    if (s.kind != JSON_KIND_STRING)
        return false;
    const char *p = s.p + 1, *end = s.p + s.n - 1;
    while (p < end && *text) {
        int c = (unsigned char)*p++;
        if (c == '\\')
            c = escape_value(&p);
        if (c != (unsigned char)*text++)
            return false;
    }
    return p == end && !*text;
}
