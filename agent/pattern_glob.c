#include "agent/pattern.h"

#include "base/err.h"

#include <ctype.h>
#include <string.h>

struct glob {
    const char *text, *p;
    bool braces;
    unsigned open; /* braces */
    struct buf *out;
};

/* One character that is no slash, even where its bytes are no UTF-8. */
#define ANY_CHAR "(?:[^/\\x80-\\xff]|[\\xc0-\\xff][\\x80-\\xbf]*|[\\x80-\\xbf])"

static int add_quoted(struct glob *g, char c)
{
    int rc = ispunct((unsigned char)c) ? buf_addc(g->out, '\\') : 0;
    return rc == 0 ? buf_addc(g->out, c) : rc;
}

static bool begins_part(const struct glob *g)
{
    return g->p == g->text || g->p[-1] == '/';
}

static int add_stars(struct glob *g)
{
    size_t n = strspn(g->p, "*");
    bool whole = n == 2 && begins_part(g) && (g->p[2] == '/' || g->p[2] == '\0');
    bool last = g->p[n] == '\0';
    g->p += n;
    if (!whole)
        return buf_adds(g->out, "[^/]*");
    if (last)
        return buf_adds(g->out, ".+");
    g->p++; /* the slash is part of what may be missing */
    return buf_adds(g->out, "(?:.*/)?");
}

/* The ] of a class that begins at p; one at its very beginning is a member. NULL: none. */
static const char *class_end(const char *p)
{
    p += p[1] == '!' || p[1] == '^' ? 2 : 1;
    if (*p == ']')
        p++;
    while (*p && *p != ']' && *p != '/')
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p == ']' ? p : NULL;
}

static int add_class(struct glob *g)
{
    const char *end = class_end(g->p);
    const char *p = g->p + 1;
    if (!end)
        return add_quoted(g, *g->p++);
    bool except = *p == '!' || *p == '^';
    int rc = buf_adds(g->out, except ? "[^/" : "[");
    for (p += except; rc == 0 && p < end; p++) {
        if (*p == '\\')
            p++;
        rc = *p == '-' && p[-1] != '\\' ? buf_addc(g->out, '-') : add_quoted(g, *p);
    }
    g->p = end + 1;
    return rc == 0 ? buf_addc(g->out, ']') : rc;
}

/* Is there a } for the { at p? */
static bool is_closed(const char *p)
{
    unsigned depth = 0;
    for (; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '{')
            depth++;
        else if (*p == '}' && --depth == 0)
            return true;
    }
    return false;
}

static int add_brace(struct glob *g)
{
    char c = *g->p;
    if (c == '{' && is_closed(g->p)) {
        g->open++;
        g->p++;
        return buf_adds(g->out, "(?:");
    }
    if (g->open == 0 || c == '{')
        return add_quoted(g, *g->p++);
    g->p++;
    g->open -= c == '}';
    return buf_addc(g->out, c == '}' ? ')' : '|');
}

static int add_next(struct glob *g)
{
    switch (*g->p) {
    case '*':
        return add_stars(g);
    case '?':
        g->p++;
        return buf_adds(g->out, ANY_CHAR);
    case '[':
        return add_class(g);
    case '\\':
        g->p += g->p[1] != '\0';
        return add_quoted(g, *g->p++);
    case '{':
    case ',':
    case '}':
        return g->braces ? add_brace(g) : add_quoted(g, *g->p++);
    default:
        return add_quoted(g, *g->p++);
    }
}

int pattern_glob_to_regex(const char *text, bool braces, struct buf *out)
{
    bool anywhere = !strchr(text, '/');
    struct glob g = {.braces = braces, .out = out};
    g.text = g.p = text + (*text == '/');
    int rc = buf_adds(out, anywhere ? "^(?:.*/)?" : "^");
    while (rc == 0 && *g.p)
        rc = add_next(&g);
    return rc == 0 ? buf_addc(out, '$') : rc;
}
