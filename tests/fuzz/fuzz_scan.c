/*
 * Any bytes: what the scanner calls valid must parse, be written, and be valid again with the same
 * text from then on; and the bytes as a string must be written as one valid string.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/member.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static cJSON *parse(const char *p, size_t n)
{
    cJSON *root = NULL;
    struct buf text = {0};
    must(buf_add(&text, p, n) == 0 && buf_cstr(&text), "memory");
    must(json_parse(text.p, text.n, &root, NULL) == 0, "what is scanned can be parsed");
    buf_deinit(&text);
    return root;
}

static void write_tree(struct buf *out, const cJSON *root)
{
    struct json_scan s;
    struct jsonw w;
    jw_begin(&w, out);
    jw_tree(&w, root);
    must(jw_end(&w) == 0, "what is parsed can be written");
    must(json_scan(out->p, out->n, &s) == 0, "what is written is valid");
    must(!s.lone_surrogate && !s.nul_escape && !s.long_number, "what is written is tame");
}

static void check_round_trip(const char *p, size_t n)
{
    struct buf first = {0}, second = {0};
    cJSON *root = parse(p, n);
    write_tree(&first, root);
    cJSON *again = parse(first.p, first.n);
    write_tree(&second, again);
    must(first.n == second.n && memcmp(first.p, second.p, first.n) == 0, "text stays as it is");
    buf_deinit(&first);
    buf_deinit(&second);
    cJSON_Delete(root);
    cJSON_Delete(again);
}

/* cJSON by itself, unless the text is one of those it is known to refuse or cut. */
static void check_against_cjson(const struct json_scan *s, const char *p, size_t n)
{
    if (s->lone_surrogate || s->long_number)
        return;
    cJSON *root = cJSON_ParseWithLength(p, n);
    must(root != NULL, "what is scanned cJSON accepts");
    cJSON_Delete(root);
}

static void check_members(const struct json_scan *s, const char *p, size_t n)
{
    const struct json_slice slices[] = {s->jsonrpc, s->id,     s->method,
                                        s->params,  s->result, s->error};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct json_scan inner;
        if (slices[i].kind == JSON_KIND_NONE)
            continue;
        must(slices[i].p >= p && slices[i].p + slices[i].n <= p + n, "members lie in the text");
        must(json_scan(slices[i].p, slices[i].n, &inner) == 0, "members are values");
        must(inner.kind == slices[i].kind, "members have the kind they claim");
        struct json_slice part = json_slice_member(slices[i], "id");
        must(part.kind == JSON_KIND_NONE || json_scan(part.p, part.n, &inner) == 0,
             "members of members are values");
        (void)json_slice_is_int(slices[i]);
        (void)json_slice_equals(slices[i], "session/update");
    }
}

static void check_as_string(const char *p, size_t n)
{
    struct buf out = {0};
    struct json_scan s;
    struct jsonw w;
    jw_begin(&w, &out);
    jw_str(&w, p, n);
    must(jw_end(&w) == 0, "any bytes can be written");
    must(json_scan(out.p, out.n, &s) == 0 && s.kind == JSON_KIND_STRING, "as one string");
    cJSON *item = parse(out.p, out.n);
    must(utf8_valid_prefix(p, n) < n || memchr(p, 0, n) ||
             (strlen(item->valuestring) == n && memcmp(item->valuestring, p, n) == 0),
         "valid text comes back");
    cJSON_Delete(item);
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = size > 0 ? (const char *)data : "";
    struct json_scan s;
    int rc = json_scan(p, size, &s);
    if (rc == 0) {
        check_members(&s, p, size);
        check_against_cjson(&s, p, size);
        check_round_trip(p, size);
    } else {
        must(s.error_at <= size && s.error_text, "a fault has a place and a reason");
    }
    check_as_string(p, size);
    return 0;
}
