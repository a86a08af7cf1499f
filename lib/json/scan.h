#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * One strict RFC 8259 pass over a text, without allocation and without changing it. Runs on every
 * line before cJSON sees it: cJSON 1.7.15 accepts invalid JSON, cuts strings at \u0000 and reprints
 * large numbers, so what is valid, and what an id is, is decided here. On failure only error_at and
 * error_text mean anything.
 *
 * Strict: valid UTF-8 (no BOM), no control characters inside strings, no lone surrogate is refused
 * (RFC 8259 allows the escape: it is reported in `lone_surrogate`), no trailing bytes but white
 * space, nesting up to JSON_SCAN_DEPTH.
 */
#define JSON_SCAN_DEPTH     512
#define JSON_LONGEST_NUMBER 63 /* what cJSON 1.7.15 can read */

enum json_kind {
    JSON_KIND_NONE, /* member absent */
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_NUMBER,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT
};

/* A raw part of the scanned text, quotes included; lent by the text. */
struct json_slice {
    const char *p;
    size_t n;
    enum json_kind kind;
};

struct json_scan {
    enum json_kind kind; /* of the whole text */
    /* The members of a JSON-RPC message, if the text is an object. Of duplicate names the last one
     * counts. Names are compared after unescaping. */
    struct json_slice jsonrpc, id, method, params, result, error;
    bool lone_surrogate;    /* some string holds an unpaired \uD800-\uDFFF escape */
    bool duplicate_member;  /* one of the six names above stands twice */
    bool nul_escape;        /* some string holds \u0000: cJSON would cut it there */
    bool long_number;       /* some number is longer than JSON_LONGEST_NUMBER */
    size_t error_at;        /* byte offset of the first fault; valid only on failure */
    const char *error_text; /* static, "control character in string"; only on failure */
};

/* 0, E_PARSE (error_at, error_text say where and why) or E_TOOBIG (nested too deep). */
int json_scan(const char *p, size_t n, struct json_scan *ret);

/* True if the slice is a number without fraction and exponent that fits int64 (RPC-11). */
bool json_slice_is_int(struct json_slice s);

/* True if the slice is the string `text` (plain ASCII without escapes on our side; escapes in the
 * slice are understood). */
bool json_slice_equals(struct json_slice s, const char *text);

#endif
