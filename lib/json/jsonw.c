#include "json/jsonw.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/plain.h"
#include "json/scan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53: above it doubles skip integers */

static void jw_fail(struct jsonw *w, int rc)
{
    if (rc < 0 && w->err == 0)
        w->err = rc;
}

/* Where n bytes may be written; NULL after a failure. The caller then moves out->n itself. */
static inline char *jw_room(struct jsonw *w, size_t n)
{
    struct buf *b = w->out;
    if (w->err < 0)
        return NULL;
    if (n > b->cap - b->n && buf_reserve(b, n) < 0) {
        w->err = E_NOMEM;
        return NULL;
    }
    return b->p + b->n;
}

static void put(struct jsonw *w, const char *p, size_t n)
{
    char *to = jw_room(w, n);
    if (!to)
        return;
    memcpy(to, p, n);
    w->out->n += n;
}

static inline void put_char(struct jsonw *w, char c)
{
    char *to = jw_room(w, 1);
    if (!to)
        return;
    *to = c;
    w->out->n++;
}

static void put_escape(struct jsonw *w, unsigned char c)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt", hex[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof names - 1; i += 2)
        if (c == (unsigned char)names[i]) {
            put(w, (char[]){'\\', names[i + 1]}, 2);
            return;
        }
    put(w, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

/* Ill-formed parts never reach into ASCII, so a run of high bytes can be repaired by itself. */
static size_t put_high_bytes(struct jsonw *w, const char *p, size_t n)
{
    size_t run = 0;
    while (run < n && (unsigned char)p[run] >= 0x80)
        run++;
    if (w->err == 0)
        jw_fail(w, utf8_append_repaired(w->out, p, run));
    return run;
}

static void put_special_string(struct jsonw *w, const char *p, size_t n)
{
    put_char(w, '"');
    for (size_t i = 0; i < n && w->err == 0;) {
        size_t run = plain_prefix(p + i, n - i);
        put(w, p + i, run);
        i += run;
        if (i == n)
            break;
        if ((unsigned char)p[i] >= 0x80)
            i += put_high_bytes(w, p + i, n - i);
        else
            put_escape(w, (unsigned char)p[i++]);
    }
    put_char(w, '"');
}

static void put_string(struct jsonw *w, const char *p, size_t n)
{
    char *to;
    if (plain_prefix(p, n) < n) {
        put_special_string(w, p, n);
    } else if ((to = jw_room(w, n + 2))) {
        to[0] = '"';
        memcpy(to + 1, n > 0 ? p : "", n);
        to[n + 1] = '"';
        w->out->n += n + 2;
    }
}

static void put_uint(struct jsonw *w, uint64_t v, bool negative)
{
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    if (negative)
        *--at = '-';
    put(w, at, (size_t)(digits + sizeof digits - at));
}

static void put_int(struct jsonw *w, int64_t v)
{
    put_uint(w, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
}

static void put_double(struct jsonw *w, double v)
{
    char text[40];
    int n = 0;
    if (!isfinite(v)) {
        put(w, "null", 4);
        return;
    }
    if (fabs(v) <= EXACT_INTEGER_MAX && v == trunc(v) && !(v == 0 && signbit(v))) {
        put_int(w, (int64_t)v);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        n = snprintf(text, sizeof text, "%.*g", precision, v);
        if (strtod(text, NULL) == v)
            break;
    }
    put(w, text, (size_t)n);
}

static void put_item(struct jsonw *w, const cJSON *item, unsigned depth);

static void put_children(struct jsonw *w, const cJSON *item, unsigned depth)
{
    bool object = cJSON_IsObject(item);
    if (depth == JSON_SCAN_DEPTH) {
        jw_fail(w, E_TOOBIG);
        return;
    }
    put_char(w, object ? '{' : '[');
    for (const cJSON *child = item->child; child && w->err == 0; child = child->next) {
        if (object) {
            const char *name = child->string ? child->string : "";
            put_string(w, name, strlen(name));
            put_char(w, ':');
        }
        put_item(w, child, depth + 1);
        if (child->next)
            put_char(w, ',');
    }
    put_char(w, object ? '}' : ']');
}

static void put_item(struct jsonw *w, const cJSON *item, unsigned depth)
{
    const char *text = item && item->valuestring ? item->valuestring : "";
    switch (item ? item->type & 0xFF : cJSON_NULL) {
    case cJSON_True:
        put(w, "true", 4);
        break;
    case cJSON_False:
        put(w, "false", 5);
        break;
    case cJSON_Number:
        put_double(w, item->valuedouble);
        break;
    case cJSON_String:
        put_string(w, text, strlen(text));
        break;
    case cJSON_Raw:
        put(w, text, strlen(text));
        break;
    case cJSON_Array:
    case cJSON_Object:
        put_children(w, item, depth);
        break;
    default:
        put(w, "null", 4);
    }
}

void jw_begin(struct jsonw *w, struct buf *out)
{
    w->out = out;
    w->start = out->n;
    w->err = 0;
    w->depth = 0;
    w->need_comma = w->after_key = false;
}

int jw_end(struct jsonw *w)
{
    if (w->err < 0)
        w->out->n = w->start;
    else
        assert(w->depth == 0 && w->need_comma); /* a bracket is open, or nothing was written */
    return w->err;
}

/* Every value begins here: the comma before it, and the check that it may stand here. */
static void jw_value(struct jsonw *w)
{
    if (w->err < 0)
        return;
    if (w->depth == 0)
        assert(!w->need_comma); /* a second value */
    else
        assert((w->closer[w->depth - 1] == '}') == w->after_key);
    if (w->need_comma && !w->after_key)
        put_char(w, ',');
    w->need_comma = true;
    w->after_key = false;
}

void jw_open(struct jsonw *w, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    jw_value(w);
    if (w->depth == JW_DEPTH)
        jw_fail(w, E_TOOBIG);
    if (w->err < 0)
        return;
    put_char(w, bracket);
    w->closer[w->depth++] = bracket == '{' ? '}' : ']';
    w->need_comma = false;
}

void jw_close(struct jsonw *w)
{
    if (w->err < 0)
        return;
    assert(w->depth > 0 && !w->after_key);
    put_char(w, (char)w->closer[--w->depth]);
    w->need_comma = true;
}

void jw_key(struct jsonw *w, const char *name)
{
    if (w->err < 0)
        return;
    assert(w->depth > 0 && w->closer[w->depth - 1] == '}' && !w->after_key);
    if (w->need_comma)
        put_char(w, ',');
    put_string(w, name, strlen(name));
    put_char(w, ':');
    w->after_key = true;
}

void jw_str(struct jsonw *w, const char *p, size_t n)
{
    jw_value(w);
    put_string(w, p, n);
}

void jw_cstr(struct jsonw *w, const char *text)
{
    if (text)
        jw_str(w, text, strlen(text));
    else
        jw_null(w);
}

void jw_int(struct jsonw *w, int64_t v)
{
    jw_value(w);
    put_int(w, v);
}

void jw_uint(struct jsonw *w, uint64_t v)
{
    jw_value(w);
    put_uint(w, v, false);
}

void jw_double(struct jsonw *w, double v)
{
    jw_value(w);
    put_double(w, v);
}

void jw_bool(struct jsonw *w, bool v)
{
    jw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void jw_null(struct jsonw *w)
{
    jw_raw(w, "null", 4);
}

void jw_raw(struct jsonw *w, const char *p, size_t n)
{
    jw_value(w);
    put(w, p, n);
}

void jw_tree(struct jsonw *w, const cJSON *item)
{
    jw_value(w);
    put_item(w, item, w->depth);
}

void jw_kstr(struct jsonw *w, const char *name, const char *text)
{
    jw_key(w, name);
    jw_cstr(w, text);
}

void jw_kint(struct jsonw *w, const char *name, int64_t v)
{
    jw_key(w, name);
    jw_int(w, v);
}

void jw_kbool(struct jsonw *w, const char *name, bool v)
{
    jw_key(w, name);
    jw_bool(w, v);
}

void jw_kopen(struct jsonw *w, const char *name, char bracket)
{
    jw_key(w, name);
    jw_open(w, bracket);
}

void jw_ktree(struct jsonw *w, const char *name, const cJSON *item)
{
    jw_key(w, name);
    jw_tree(w, item);
}
