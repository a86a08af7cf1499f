#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changing a tree: json/pointer.h. Comparing with patterns: json/match.h. */

/*
 * Reading JSON: a strict parse, exact look-ups, and parameters through field tables, so that
 * handlers hold no JSON and every error names its path ("params.mcpServers[1].command: missing").
 */

struct json_error {
    char path[160]; /* "params.cwd" */
    char text[256]; /* "params.cwd: expected string, got number" */
};

/* Scans strictly (json/scan.h), then parses. p[n] must be readable and NUL (ndjson lines are).
 * 0, E_PARSE, E_TOOBIG, E_NOMEM; reterr (may be NULL) says where and why:
 * "byte 17: ..." in a text of one line, "line 3, column 7: ..." else. The caller owns *ret
 * (cJSON_Delete). A C string cannot hold \u0000, nor UTF-8 half a surrogate pair: both read as
 * U+FFFD. */
int json_parse(const char *p, size_t n, cJSON **ret, struct json_error *reterr);

struct json_scan;
/* One value of a text that json_scan has accepted already (scan: what it found), not scanned again.
 * p[n] must be NUL. 0 or E_NOMEM. */
int json_parse_scanned(const char *p, size_t n, const struct json_scan *scan, cJSON **ret);

/* Case-sensitive look-up (cJSON_GetObjectItem ignores case). NULL if absent or obj is no object. Of
 * duplicate names the last one counts. */
cJSON *json_get(const cJSON *obj, const char *name);
/* The string / false / fallback if absent or of another type. Lent by obj. */
const char *json_get_str(const cJSON *obj, const char *name);
bool json_get_bool(const cJSON *obj, const char *name);
int64_t json_get_int(const cJSON *obj, const char *name, int64_t fallback);

/* A number without fraction that fits int64 (what a double can tell: exact up to 2^53). */
bool json_is_int(const cJSON *item);

/* "string", "number", "boolean", "null", "object", "array"; "nothing" for NULL. Static. */
const char *json_type_name(const cJSON *item);

/* RFC 6901 pointer ("/params/update/status"); "" is root itself. NULL if there is none. */
cJSON *json_pointer(cJSON *root, const char *pointer);

/* True if the text is "" or a well-formed pointer. */
bool json_pointer_valid(const char *pointer);

/* Deep equality; numbers by value, member order ignored, array order not. */
bool json_equal(const cJSON *a, const cJSON *b);

enum json_type {
    JSON_STR,  /* const char *   lent */
    JSON_BOOL, /* bool */
    JSON_I64,  /* int64_t        integers only */
    JSON_U32,  /* uint32_t       integers only, range checked */
    JSON_OBJ,  /* const cJSON *  lent */
    JSON_ARR,  /* const cJSON *  lent */
    JSON_ANY   /* const cJSON *  lent, any value, null included */
};

enum json_flags {
    JSON_OPTIONAL = 0,
    JSON_REQUIRED = 1, /* absent is an error (and null, unless NULLABLE) */
    JSON_NULLABLE = 2, /* null reads as absent */
    JSON_LENIENT = 4   /* a wrong type reads as absent (x-deserialize-default-on-error) */
};

struct json_field {
    const char *name;
    enum json_type type;
    unsigned flags;
    size_t offset; /* of the member in the target struct; absent members are left as they were */
};

struct json_fields {
    const struct json_field *list;
    size_t n;
};

/*
 * Fills `target` from the object `obj` through `fields`; unknown members are skipped (the protocol
 * is extensible, RPC-20). `where` heads the path, "params". 0 or E_INVALID with *reterr (may be
 * NULL) filled; target may then be half filled. obj == NULL counts as an empty object.
 */
int json_read_fields(const cJSON *obj, const char *where, struct json_fields fields, void *target,
                     struct json_error *reterr);

/* The same with the table and its length as two arguments. */
#define json_read(obj, where, fields, n, target, reterr)                                           \
    json_read_fields(obj, where, (struct json_fields){fields, n}, target, reterr)

#endif
