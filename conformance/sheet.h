#ifndef CONFORMANCE_SHEET_H
#define CONFORMANCE_SHEET_H

#include <stddef.h>

struct buf;

/*
 * Writes a report. Errors are sticky: calls after a failure do nothing, rc tells.
 *
 * Agents' words are foreign text: besides what a language wants escaped, control characters but LF
 * and TAB become pictures (U+2400 and on), and what is ill-formed, not allowed in XML 1.0 or turns
 * the direction of text becomes U+FFFD. NULL is an empty text.
 */
struct sheet {
    struct buf *out; /* lent */
    int rc;          /* 0 or E_NOMEM */
};

/* The first error counts; 0 is none. */
void sheet_fail(struct sheet *s, int rc);

/* Our own words, as they are. */
void sheet_add(struct sheet *s, const char *text);
void sheet_add_n(struct sheet *s, const char *text, size_t n);
void sheet_addf(struct sheet *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Foreign text. escape: what to write for an ASCII character, NULL for the character itself;
 * may be NULL. */
void sheet_foreign(struct sheet *s, const char *text, size_t n, const char *(*escape)(char c));

/* The same as a double-quoted string of JSON and YAML. */
void sheet_quoted(struct sheet *s, const char *text);

/* The same for HTML and XML, between tags; quotes stay as they are. */
void sheet_markup(struct sheet *s, const char *text);
void sheet_markup_n(struct sheet *s, const char *text, size_t n);

/* The same within the quotes of an attribute. */
void sheet_value(struct sheet *s, const char *text, size_t n);

/* ` name="text"`, with a space before it. */
void sheet_attribute(struct sheet *s, const char *name, const char *text);

/* <tag attributes>text</tag>; nothing at all if the text is empty. */
void sheet_element(struct sheet *s, const char *open, const char *text);

#endif
