#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

/*
 * A growable byte buffer. A zeroed struct is a valid empty buffer; `p` may be NULL while `cap` is
 * 0. Grows geometrically, so appending n bytes one by one costs O(n). Not NUL-terminated unless
 * buf_cstr() was the last call.
 */
struct buf {
    char *p;       /* owned */
    size_t n, cap; /* bytes in use, bytes allocated */
};

/* Accepts a zeroed buffer; leaves a zeroed one. */
void buf_deinit(struct buf *b);

/* Makes room for `extra` more bytes. 0 or E_NOMEM (then nothing changed). */
int buf_reserve(struct buf *b, size_t extra);

/* Append copies. 0 or E_NOMEM (then nothing changed). */
int buf_add(struct buf *b, const void *bytes, size_t n);
int buf_adds(struct buf *b, const char *text);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first n bytes (n <= b->n). */
void buf_consume(struct buf *b, size_t n);

/* The content with a NUL after it (not counted in n), lent until the next call. NULL: out of
 * memory. */
char *buf_cstr(struct buf *b);

/* Gives the memory away, NUL-terminated; the caller frees it. NULL: out of memory (content kept).
 */
char *buf_take(struct buf *b);

#endif
