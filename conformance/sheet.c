#include "conformance/sheet.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- our own words ------------------------------------------------------------------------------
 */

void sheet_fail(struct sheet *s, int rc)
{
    if (s->rc == 0)
        s->rc = rc;
}

void sheet_add_n(struct sheet *s, const char *text, size_t n)
{
    if (s->rc == 0)
        s->rc = buf_add(s->out, text, n);
}

void sheet_add(struct sheet *s, const char *text)
{
    sheet_add_n(s, text, strlen(text));
}

void sheet_addf(struct sheet *s, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (s->rc == 0)
        s->rc = n < 0 ? E_INVALID : buf_reserve(s->out, (size_t)n + 1);
    if (s->rc == 0) {
        vsnprintf(s->out->p + s->out->n, (size_t)n + 1, fmt, again);
        s->out->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

/* ---- foreign text -------------------------------------------------------------------------------
 */

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

/* C1 controls, marks that turn the direction of text, and what is no character. */
static bool is_treacherous(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (n == 2)
        return (u[0] == 0xc2 && u[1] < 0xa0) || (u[0] == 0xd8 && u[1] == 0x9c);
    if (n != 3)
        return false;
    if (u[0] == 0xe2 && u[1] == 0x80)
        return u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xaa && u[2] <= 0xae);
    return (u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9) ||
           (u[0] == 0xef && u[1] == 0xbf && u[2] >= 0xbe);
}

/* A character of n bytes (0: ill-formed) that needs care. instead: its escape, or NULL. */
static void add_careful(struct sheet *s, const char *p, size_t n, const char *instead)
{
    char picture[] = {'\xe2', '\x90', (char)(*p == 0x7f ? 0xa1 : 0x80 + *p), '\0'};
    if (instead)
        sheet_add(s, instead);
    else if (n == 1 && is_control(*p))
        sheet_add(s, picture);
    else if (n == 0 || is_treacherous(p, n))
        sheet_add(s, "\xef\xbf\xbd");
    else
        sheet_add_n(s, p, n);
}

static const char *escaped(char c, const char *(*escape)(char c))
{
    return escape ? escape(c) : NULL;
}

/* How many bytes from the start need no care: most text is plain, and reports are large. */
static size_t plain_run(const char *text, size_t n, const char *(*escape)(char c))
{
    size_t i = 0;
    while (i < n && (unsigned char)text[i] < 0x80 && !is_control(text[i]) &&
           !escaped(text[i], escape))
        i++;
    return i;
}

void sheet_foreign(struct sheet *s, const char *text, size_t n, const char *(*escape)(char c))
{
    for (size_t i = 0; i < n && s->rc == 0;) {
        size_t run = plain_run(text + i, n - i, escape);
        sheet_add_n(s, text + i, run);
        i += run;
        if (i == n)
            break;
        size_t len = utf8_char(text + i, n - i);
        add_careful(s, text + i, len, len == 1 ? escaped(text[i], escape) : NULL);
        i += len ? len : 1;
    }
}

static const char *escape_quoted(char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

void sheet_quoted(struct sheet *s, const char *text)
{
    sheet_add(s, "\"");
    sheet_foreign(s, text ? text : "", text ? strlen(text) : 0, escape_quoted);
    sheet_add(s, "\"");
}

/* ---- HTML and XML -------------------------------------------------------------------------------
 */

static const char *escape_markup(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    default:
        return NULL;
    }
}

static const char *escape_attribute(char c)
{
    return c == '"' ? "&quot;" : c == '\'' ? "&#39;" : escape_markup(c);
}

void sheet_markup_n(struct sheet *s, const char *text, size_t n)
{
    sheet_foreign(s, text, n, escape_markup);
}

void sheet_markup(struct sheet *s, const char *text)
{
    if (text)
        sheet_markup_n(s, text, strlen(text));
}

void sheet_value(struct sheet *s, const char *text, size_t n)
{
    sheet_foreign(s, text, n, escape_attribute);
}

void sheet_attribute(struct sheet *s, const char *name, const char *text)
{
    sheet_addf(s, " %s=\"", name);
    sheet_value(s, text ? text : "", text ? strlen(text) : 0);
    sheet_add(s, "\"");
}

void sheet_element(struct sheet *s, const char *open, const char *text)
{
    if (!text || !text[0])
        return;
    sheet_addf(s, "<%s>", open);
    sheet_markup(s, text);
    sheet_addf(s, "</%.*s>", (int)strcspn(open, " "), open);
}
