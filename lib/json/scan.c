#include "json/scan.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/plain.h"

#include <stdint.h>
#include <string.h>

struct scanner {
    const char *p, *end, *start;
    struct json_scan *ret;
    unsigned depth;
};

static int scan_value(struct scanner *s, enum json_kind *ret);

static int scan_fault(struct scanner *s, int rc, const char *text)
{
    s->ret->error_at = (size_t)(s->p - s->start);
    s->ret->error_text = text;
    return rc;
}

/* The byte under the cursor; -1 at the end. */
static inline int scan_peek(const struct scanner *s)
{
    return s->p < s->end ? (unsigned char)*s->p : -1;
}

static inline bool scan_accept(struct scanner *s, char c)
{
    if (scan_peek(s) != c)
        return false;
    s->p++;
    return true;
}

static inline void scan_space(struct scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

/* Value of four hex digits; -1 if they are none. */
static int hex4(const char *p, const char *end)
{
    int v = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int c = (unsigned char)p[i], digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        bool ok = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
        if (!ok)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

/* At the digits of \uXXXX; a pair is taken as one. */
static int scan_unicode(struct scanner *s)
{
    int unit = hex4(s->p, s->end);
    if (unit < 0)
        return scan_fault(s, E_PARSE, "\\u needs four hexadecimal digits");
    s->p += 4;
    if (unit == 0)
        s->ret->nul_escape = true;
    if (unit < 0xD800 || unit > 0xDFFF)
        return 0;
    int next =
        s->end - s->p >= 6 && s->p[0] == '\\' && s->p[1] == 'u' ? hex4(s->p + 2, s->end) : -1;
    if (unit <= 0xDBFF && next >= 0xDC00 && next <= 0xDFFF)
        s->p += 6;
    else
        s->ret->lone_surrogate = true;
    return 0;
}

static int scan_escape(struct scanner *s)
{
    s->p++;
    int c = scan_peek(s);
    if (c == 'u') {
        s->p++;
        return scan_unicode(s);
    }
    if (c <= 0 || !strchr("\"\\/bfnrt", c))
        return scan_fault(s, E_PARSE, "unknown escape in string");
    s->p++;
    return 0;
}

static int scan_high_bytes(struct scanner *s)
{
    while (scan_peek(s) >= 0x80) {
        size_t len = utf8_char(s->p, (size_t)(s->end - s->p));
        if (len == 0)
            return scan_fault(s, E_PARSE, "invalid UTF-8");
        s->p += len;
    }
    return 0;
}

/* At the opening quote. */
static int scan_string(struct scanner *s)
{
    int rc = 0;
    s->p++;
    while (rc == 0) {
        s->p += plain_prefix(s->p, (size_t)(s->end - s->p));
        int c = scan_peek(s);
        if (c == '"') {
            s->p++;
            return 0;
        }
        if (c == '\\')
            rc = scan_escape(s);
        else if (c >= 0x80)
            rc = scan_high_bytes(s);
        else
            rc = scan_fault(s, E_PARSE,
                            c < 0 ? "string is not closed" : "control character in string");
    }
    return rc;
}

/* True if there was at least one digit. */
static bool scan_digits(struct scanner *s)
{
    const char *from = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > from;
}

static int scan_number(struct scanner *s)
{
    const char *from = s->p;
    scan_accept(s, '-');
    if (!scan_accept(s, '0') && !scan_digits(s))
        return scan_fault(s, E_PARSE, "digit expected");
    if (scan_accept(s, '.') && !scan_digits(s))
        return scan_fault(s, E_PARSE, "digit expected after the decimal point");
    if (scan_accept(s, 'e') || scan_accept(s, 'E')) {
        if (!scan_accept(s, '+'))
            scan_accept(s, '-');
        if (!scan_digits(s))
            return scan_fault(s, E_PARSE, "digit expected in the exponent");
    }
    if (s->p - from > JSON_LONGEST_NUMBER)
        s->ret->long_number = true;
    return 0;
}

static int scan_word(struct scanner *s, const char *word, size_t n)
{
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return scan_fault(s, E_PARSE, "value expected");
    s->p += n;
    return 0;
}

static int scan_array(struct scanner *s)
{
    scan_space(s);
    if (scan_accept(s, ']'))
        return 0;
    do {
        enum json_kind kind;
        int rc = scan_value(s, &kind);
        if (rc < 0)
            return rc;
        scan_space(s);
    } while (scan_accept(s, ','));
    return scan_accept(s, ']') ? 0 : scan_fault(s, E_PARSE, "',' or ']' expected");
}

static struct json_slice *top_member(struct json_scan *ret, struct json_slice name)
{
    const struct {
        const char *name;
        size_t n;
        struct json_slice *slice;
    } members[] = {
        {"jsonrpc", 7, &ret->jsonrpc}, {"id", 2, &ret->id},         {"method", 6, &ret->method},
        {"params", 6, &ret->params},   {"result", 6, &ret->result}, {"error", 5, &ret->error},
    };
    bool escaped = memchr(name.p, '\\', name.n) != NULL;
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (escaped ? json_slice_equals(name, members[i].name)
                    : name.n == members[i].n + 2 &&
                          memcmp(name.p + 1, members[i].name, members[i].n) == 0)
            return members[i].slice;
    return NULL;
}

static int scan_member(struct scanner *s)
{
    struct json_slice name = {.kind = JSON_KIND_STRING}, value;
    scan_space(s);
    name.p = s->p;
    if (scan_peek(s) != '"')
        return scan_fault(s, E_PARSE, "member name in quotes expected");
    int rc = scan_string(s);
    if (rc < 0)
        return rc;
    name.n = (size_t)(s->p - name.p);
    scan_space(s);
    if (!scan_accept(s, ':'))
        return scan_fault(s, E_PARSE, "':' expected");
    scan_space(s);
    value.p = s->p;
    rc = scan_value(s, &value.kind);
    if (rc < 0 || s->depth > 1)
        return rc;
    value.n = (size_t)(s->p - value.p);
    struct json_slice *slot = top_member(s->ret, name);
    if (slot) {
        s->ret->duplicate_member |= slot->kind != JSON_KIND_NONE;
        *slot = value;
    }
    return 0;
}

static int scan_object(struct scanner *s)
{
    scan_space(s);
    if (scan_accept(s, '}'))
        return 0;
    do {
        int rc = scan_member(s);
        if (rc < 0)
            return rc;
        scan_space(s);
    } while (scan_accept(s, ','));
    return scan_accept(s, '}') ? 0 : scan_fault(s, E_PARSE, "',' or '}' expected");
}

/* At an opening bracket. */
static int scan_nested(struct scanner *s, int (*inside)(struct scanner *))
{
    if (s->depth == JSON_SCAN_DEPTH)
        return scan_fault(s, E_TOOBIG, "nested too deep");
    s->depth++;
    s->p++;
    int rc = inside(s);
    s->depth--;
    return rc;
}

static int scan_value(struct scanner *s, enum json_kind *ret)
{
    scan_space(s);
    int c = scan_peek(s);
    switch (c) {
    case '"':
        *ret = JSON_KIND_STRING;
        return scan_string(s);
    case '{':
        *ret = JSON_KIND_OBJECT;
        return scan_nested(s, scan_object);
    case '[':
        *ret = JSON_KIND_ARRAY;
        return scan_nested(s, scan_array);
    case 't':
        *ret = JSON_KIND_BOOL;
        return scan_word(s, "true", 4);
    case 'f':
        *ret = JSON_KIND_BOOL;
        return scan_word(s, "false", 5);
    case 'n':
        *ret = JSON_KIND_NULL;
        return scan_word(s, "null", 4);
    default:
        *ret = JSON_KIND_NUMBER;
        if (c == '-' || (c >= '0' && c <= '9'))
            return scan_number(s);
        return scan_fault(s, E_PARSE, "value expected");
    }
}

static int scan_text(struct scanner *s)
{
    if (s->end - s->p >= 3 && memcmp(s->p, "\xEF\xBB\xBF", 3) == 0)
        return scan_fault(s, E_PARSE, "byte order mark before the text");
    int rc = scan_value(s, &s->ret->kind);
    if (rc < 0)
        return rc;
    scan_space(s);
    return s->p == s->end ? 0 : scan_fault(s, E_PARSE, "bytes after the value");
}

int json_scan(const char *p, size_t n, struct json_scan *ret)
{
    const char *start = n > 0 ? p : "";
    *ret = (struct json_scan){0};
    struct scanner s = {.p = start, .end = start + n, .start = start, .ret = ret};
    int rc = scan_text(&s);
    if (rc < 0)
        *ret = (struct json_scan){.error_at = ret->error_at, .error_text = ret->error_text};
    return rc;
}
