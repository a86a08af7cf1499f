#ifndef JSON_JSONW_H
#define JSON_JSONW_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * Writes JSON straight into a buf: no tree, no newline, always valid UTF-8 (ill-formed input
 * becomes U+FFFD), exact integers. Errors are sticky: calls after a failure do nothing, jw_end()
 * tells. Commas and colons are the writer's business. Misuse (a value without its key) is an
 * assertion.
 */
#define JW_DEPTH 64

struct jsonw {
    struct buf *out; /* lent */
    size_t start;    /* out->n at jw_begin: a failed text is cut back to here by jw_end */
    int err;
    unsigned depth;
    bool need_comma, after_key;
    unsigned char closer[JW_DEPTH];
};

void jw_begin(struct jsonw *w, struct buf *out);
/* 0 if the text is whole, else the first error; then everything since jw_begin is cut off again. */
int jw_end(struct jsonw *w);

void jw_open(struct jsonw *w, char bracket); /* '{' or '[' */
void jw_close(struct jsonw *w);
void jw_key(struct jsonw *w, const char *name);

void jw_str(struct jsonw *w, const char *p, size_t n);
void jw_cstr(struct jsonw *w, const char *text); /* NULL writes null */
void jw_int(struct jsonw *w, int64_t v);
void jw_uint(struct jsonw *w, uint64_t v);
void jw_double(struct jsonw *w,
               double v); /* shortest text that reads back equal; not finite: null */
void jw_bool(struct jsonw *w, bool v);
void jw_null(struct jsonw *w);
/* One whole JSON value, trusted to be valid (an id's own bytes). */
void jw_raw(struct jsonw *w, const char *p, size_t n);
/* A cJSON subtree; integers up to 2^53 exactly, NULL writes null. */
void jw_tree(struct jsonw *w, const cJSON *item);

/* jw_key + value. */
void jw_kstr(struct jsonw *w, const char *name, const char *text);
void jw_kint(struct jsonw *w, const char *name, int64_t v);
void jw_kbool(struct jsonw *w, const char *name, bool v);
void jw_kopen(struct jsonw *w, const char *name, char bracket);
void jw_ktree(struct jsonw *w, const char *name, const cJSON *item);

#endif
