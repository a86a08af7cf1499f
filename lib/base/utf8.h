#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

struct buf;

/* Length of the valid character that starts at p[0], 1 to 4; 0 if it is ill-formed or cut off, or
 * if n is 0. */
size_t utf8_char(const char *p, size_t n);

/* Length of the longest valid prefix (RFC 3629: no surrogates, no overlong forms, at most
 * U+10FFFF). Equal to n if everything is valid. */
size_t utf8_valid_prefix(const char *p, size_t n);

/* Bytes at the end of p[0..n) that are the valid beginning of an unfinished character: 0 to 3.
 * Lets a stream be cut anywhere and joined again. */
size_t utf8_incomplete_tail(const char *p, size_t n);

/* Appends p[0..n) to out, each maximal ill-formed part as U+FFFD. 0 or E_NOMEM. */
int utf8_append_repaired(struct buf *out, const char *p, size_t n);

#endif
