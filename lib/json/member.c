#include "json/member.h"

#include <string.h>

/* The text is known to be valid: no bounds are checked, every value ends where its syntax says. */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
        p++;
    return p;
}

static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p + 1;
}

static const char *skip_nested(const char *p)
{
    size_t depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        if (*p == '{' || *p == '[')
            depth++;
        else if (*p == '}' || *p == ']')
            depth--;
        p++;
    } while (depth > 0);
    return p;
}

static const char *skip_scalar(const char *p)
{
    while (!strchr(",}] \t\r\n", *p))
        p++;
    return p;
}

static enum json_kind kind_of(char first)
{
    switch (first) {
    case '"':
        return JSON_KIND_STRING;
    case '{':
        return JSON_KIND_OBJECT;
    case '[':
        return JSON_KIND_ARRAY;
    case 't':
    case 'f':
        return JSON_KIND_BOOL;
    case 'n':
        return JSON_KIND_NULL;
    default:
        return JSON_KIND_NUMBER;
    }
}

static struct json_slice take_value(const char **p)
{
    const char *start = skip_blanks(*p);
    enum json_kind kind = kind_of(*start);
    if (kind == JSON_KIND_STRING)
        *p = skip_string(start);
    else if (kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY)
        *p = skip_nested(start);
    else
        *p = skip_scalar(start);
    return (struct json_slice){start, (size_t)(*p - start), kind};
}

struct json_slice json_slice_member(struct json_slice object, const char *name)
{
    struct json_slice found = {NULL, 0, JSON_KIND_NONE};
    if (object.kind != JSON_KIND_OBJECT)
        return found;
    const char *p = skip_blanks(object.p + 1);
    while (*p != '}') {
        struct json_slice key = take_value(&p);
        p = skip_blanks(p) + 1; /* the colon */
        struct json_slice value = take_value(&p);
        if (json_slice_equals(key, name))
            found = value;
        p = skip_blanks(p);
        if (*p == ',')
            p = skip_blanks(p + 1);
    }
    return found;
}
