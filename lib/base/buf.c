#include "base/buf.h"

#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST 64

void buf_deinit(struct buf *b)
{
    free(b->p);
    *b = (struct buf){0};
}

static int buf_grow(struct buf *b, size_t need)
{
    size_t cap = b->cap < BUF_FIRST ? BUF_FIRST : b->cap;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    char *p = realloc(b->p, cap);
    if (!p)
        return E_NOMEM;
    b->p = p;
    b->cap = cap;
    return 0;
}

int buf_reserve(struct buf *b, size_t extra)
{
    if (extra <= b->cap - b->n)
        return 0;
    return extra > SIZE_MAX - b->n ? E_NOMEM : buf_grow(b, b->n + extra);
}

int buf_add(struct buf *b, const void *bytes, size_t n)
{
    if (n == 0)
        return 0; /* memcpy must not see NULL, which is what an empty buf or slice holds */
    int rc = buf_reserve(b, n);
    if (rc < 0)
        return rc;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

int buf_adds(struct buf *b, const char *text)
{
    return buf_add(b, text, strlen(text));
}

int buf_addc(struct buf *b, char c)
{
    int rc = buf_reserve(b, 1);
    if (rc < 0)
        return rc;
    b->p[b->n++] = c;
    return 0;
}

__attribute__((format(printf, 2, 0))) static int buf_addv(struct buf *b, const char *fmt,
                                                          va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    int rc = n < 0 ? E_INVALID : buf_reserve(b, (size_t)n + 1);
    if (rc == 0) {
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
    return rc;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int rc = buf_addv(b, fmt, args);
    va_end(args);
    return rc;
}

void buf_consume(struct buf *b, size_t n)
{
    assert(n <= b->n);
    b->n -= n;
    if (n > 0 && b->n > 0)
        memmove(b->p, b->p + n, b->n);
}

char *buf_cstr(struct buf *b)
{
    if (buf_reserve(b, 1) < 0)
        return NULL;
    b->p[b->n] = '\0';
    return b->p;
}

char *buf_take(struct buf *b)
{
    char *p = buf_cstr(b);
    if (p)
        *b = (struct buf){0};
    return p;
}
