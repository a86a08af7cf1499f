#include "conformance/locate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Steps through a text that json_scan has accepted: nothing here looks for faults, but nothing runs
 * past the end either. */
struct walk {
    const char *p, *end;
};

struct place locate_offset(const char *text, size_t n, size_t offset)
{
    struct place at = {1, 1};
    for (size_t i = 0; i < offset && i < n; i++) {
        bool newline = text[i] == '\n';
        at.line += newline;
        at.column = newline ? 1 : at.column + 1;
    }
    return at;
}

static void skip_space(struct walk *w)
{
    while (w->p < w->end && strchr(" \t\r\n,:", *w->p) && *w->p)
        w->p++;
}

static void skip_string(struct walk *w)
{
    for (w->p++; w->p < w->end && *w->p != '"'; w->p++)
        if (*w->p == '\\')
            w->p++;
    w->p++;
}

static void skip_value(struct walk *w)
{
    size_t depth = 0;
    do {
        skip_space(w);
        if (w->p >= w->end)
            return;
        if (*w->p == '"') {
            skip_string(w);
            continue;
        }
        if (*w->p == '{' || *w->p == '[')
            depth++;
        else if (*w->p == '}' || *w->p == ']')
            depth--;
        else
            while (w->p + 1 < w->end && !strchr(",]} \t\r\n", w->p[1]))
                w->p++;
        w->p++;
    } while (depth > 0);
}

/* Compares one pointer token (with ~0 and ~1) with a member's name as it stands in the text.
 * Names with escapes are not understood: case files have none. */
static bool token_is(const char *token, size_t n, const char *name, size_t name_n)
{
    size_t j = 0;
    for (size_t i = 0; i < n; i++, j++) {
        char c = token[i];
        if (c == '~' && i + 1 < n)
            c = token[++i] == '1' ? '/' : '~';
        if (j >= name_n || name[j] != c)
            return false;
    }
    return j == name_n;
}

/* w stands behind '{': moves it to the value of the member. */
static bool enter_member(struct walk *w, const char *token, size_t n)
{
    for (skip_space(w); w->p < w->end && *w->p == '"'; skip_space(w)) {
        const char *name = w->p + 1;
        skip_string(w);
        size_t name_n = (size_t)(w->p - name) - 1;
        skip_space(w);
        if (token_is(token, n, name, name_n))
            return true;
        skip_value(w);
    }
    return false;
}

static bool enter_element(struct walk *w, const char *token)
{
    unsigned long index = strtoul(token, NULL, 10);
    for (skip_space(w); w->p < w->end && *w->p != ']'; skip_space(w)) {
        if (index-- == 0)
            return true;
        skip_value(w);
    }
    return false;
}

static bool enter(struct walk *w, const char *token, size_t n)
{
    if (w->p >= w->end || (*w->p != '{' && *w->p != '['))
        return false;
    bool object = *w->p++ == '{';
    return object ? enter_member(w, token, n) : enter_element(w, token);
}

struct place locate_pointer(const char *text, size_t n, const char *pointer)
{
    struct walk w = {text, text + n};
    skip_space(&w);
    const char *at = w.p;
    while (*pointer == '/') {
        size_t token_n = strcspn(++pointer, "/");
        if (!enter(&w, pointer, token_n))
            break;
        at = w.p;
        pointer += token_n;
    }
    return locate_offset(text, n, (size_t)(at - text));
}
