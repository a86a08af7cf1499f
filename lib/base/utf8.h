#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

struct buf;

/* Length of the longest valid prefix (RFC 3629: no surrogates, no overlong forms, at most
 * U+10FFFF). Equal to n if everything is valid. */
size_t utf8_valid_prefix(const char *p, size_t n);

/* Bytes at the end of p[0..n) that are the valid beginning of an unfinished character: 0 to 3.
 * Lets a stream be cut anywhere and joined again. */
size_t utf8_incomplete_tail(const char *p, size_t n);

/* Appends p[0..n) to out, each maximal ill-formed part as U+FFFD. 0 or E_NOMEM. */
int utf8_append_repaired(struct buf *out, const char *p, size_t n);

#endif
