#include "base/err.h"
#include "guard.h"
#include "json/member.h"
#include "json/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The text at a guard page; the slices point into *ret_g. */
static int scan(const char *text, struct json_scan *ret, struct guarded *ret_g)
{
    *ret_g = guard_copy(text, strlen(text));
    return json_scan(ret_g->p, strlen(text), ret);
}

static const char *const good[] = {
    "0",
    "-0",
    "1",
    "-1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "0.1",
    "10",
    "true",
    "false",
    "null",
    "\"\"",
    "[]",
    "{}",
    " \t\r\n1 \t\r\n",
    "[1,2 , 3]",
    "{\"a\":{\"a\":[]}}",
    "{\"\":0}",
    "[[],{}]",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
    "\"\x7f\"",
    "\"\xC3\xA9\xF0\x9F\x98\x80\"",
    "\"\xF4\x8F\xBF\xBF\"",
    "{\"a\":1,\"a\":2}",
    "1e999999",
    "\"12345678\\n12345678\"",
};

static void test_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        struct json_scan s;
        struct guarded g;
        int rc = scan(good[i], &s, &g);
        if (rc != 0)
            fail_msg("%s refused: %s", good[i], s.error_text);
        guard_free(&g);
    }
}

static const struct {
    const char *text;
    size_t at;
    const char *why;
} bad[] = {
    {"", 0, "value expected"},
    {" ", 1, "value expected"},
    {"\xEF\xBB\xBF{}", 0, "byte order mark before the text"},
    {"01", 1, "bytes after the value"},
    {"-", 1, "digit expected"},
    {"+1", 0, "value expected"},
    {".5", 0, "value expected"},
    {"1.", 2, "digit expected after the decimal point"},
    {"1.e5", 2, "digit expected after the decimal point"},
    {"1e", 2, "digit expected in the exponent"},
    {"1e+", 3, "digit expected in the exponent"},
    {"0x10", 1, "bytes after the value"},
    {"NaN", 0, "value expected"},
    {"nul", 0, "value expected"},
    {"nulll", 4, "bytes after the value"},
    {"True", 0, "value expected"},
    {"{} {}", 3, "bytes after the value"},
    {"[1,]", 3, "value expected"},
    {"[,1]", 1, "value expected"},
    {"[1 2]", 3, "',' or ']' expected"},
    {"[1", 2, "',' or ']' expected"},
    {"[1}", 2, "',' or ']' expected"},
    {"{", 1, "member name in quotes expected"},
    {"{a:1}", 1, "member name in quotes expected"},
    {"{\"a\"}", 4, "':' expected"},
    {"{\"a\":}", 5, "value expected"},
    {"{\"a\":1,}", 7, "member name in quotes expected"},
    {"{\"a\":1 \"b\":2}", 7, "',' or '}' expected"},
    {"{\"a\":1]", 6, "',' or '}' expected"},
    {"\"", 1, "string is not closed"},
    {"\"abcdefgh", 9, "string is not closed"},
    {"\"a\tb\"", 2, "control character in string"},
    {"\"a\nb\"", 2, "control character in string"},
    {"\"a\\\"", 4, "string is not closed"},
    {"\"\\", 2, "unknown escape in string"},
    {"\"\\x\"", 2, "unknown escape in string"},
    {"\"\\u\"", 3, "\\u needs four hexadecimal digits"},
    {"\"\\u12\"", 3, "\\u needs four hexadecimal digits"},
    {"\"\\u123g\"", 3, "\\u needs four hexadecimal digits"},
    {"\"\\uD800\\u12", 9, "\\u needs four hexadecimal digits"},
    {"\"a\xFF\"", 2, "invalid UTF-8"},
    {"\"\xC0\x80\"", 1, "invalid UTF-8"},
    {"\"\xED\xA0\x80\"", 1, "invalid UTF-8"},
    {"\"\xE2\x82", 1, "invalid UTF-8"},
    {"\"\xC3\xA9\xC3\"", 3, "invalid UTF-8"},
    {"\xC3\xA9", 0, "value expected"},
    {"'a'", 0, "value expected"},
    {"[1]//x", 3, "bytes after the value"},
    {"[\f1]", 1, "value expected"},
};

static void test_faults_and_their_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct json_scan s;
        struct guarded g;
        int rc = scan(bad[i].text, &s, &g);
        if (rc != E_PARSE)
            fail_msg("%s accepted", bad[i].text);
        if (strcmp(bad[i].why, s.error_text) != 0 || s.error_at != bad[i].at)
            fail_msg("%s: %zu: %s", bad[i].text, s.error_at, s.error_text);
        guard_free(&g);
    }
}

static void test_nul_and_empty_input(void **state)
{
    (void)state;
    struct json_scan s;
    assert_int_equal(json_scan(NULL, 0, &s), E_PARSE);
    assert_int_equal(json_scan("1\0", 2, &s), E_PARSE);
    assert_int_equal(s.error_at, 1);
    assert_int_equal(json_scan("\"\0\"", 3, &s), E_PARSE);
    assert_string_equal(s.error_text, "control character in string");
    assert_int_equal(json_scan("\"\\\0\"", 4, &s), E_PARSE);
}

/* Every prefix of a message is refused, and never read beyond its end. */
static void test_every_cut(void **state)
{
    (void)state;
    static const char text[] = "{\"id\":-12.5e+3,\"m\":[true,false,null,\"\\ud83d\\ude00\\n\xC3\xA9"
                               "\xF0\x9F\x98\x80 and longer text\"],\"params\":{}}";
    for (size_t n = 0; n < sizeof text; n++) {
        struct json_scan s;
        struct guarded g = guard_copy(text, n);
        assert_int_equal(json_scan(g.p, n, &s), n == sizeof text - 1 ? 0 : E_PARSE);
        if (n < sizeof text - 1)
            assert_true(s.error_at <= n && s.error_text != NULL);
        guard_free(&g);
    }
}

/* The fast path looks at eight bytes: every special byte at every offset in it. */
static void test_special_bytes_at_every_offset(void **state)
{
    (void)state;
    char text[40];
    for (size_t len = 1; len < 24; len++)
        for (size_t at = 0; at < len; at++)
            for (int c = 0; c < 256; c++) {
                struct json_scan s;
                memset(text, '~', sizeof text);
                text[0] = '"';
                text[len + 1] = '"';
                text[at + 1] = (char)c;
                int want = c < 0x20 || c == '"' || c == '\\' || c >= 0x80 ? E_PARSE : 0;
                if (json_scan(text, len + 2, &s) != want)
                    fail_msg("byte %02X at %zu of %zu", (unsigned)c, at, len);
            }
}

static int scan_nested(size_t depth, char open, char close)
{
    char text[2 * (JSON_SCAN_DEPTH + 1)];
    struct json_scan s;
    memset(text, open, depth);
    memset(text + depth, close, depth);
    return json_scan(text, 2 * depth, &s);
}

static void test_depth(void **state)
{
    (void)state;
    struct json_scan s;
    assert_int_equal(scan_nested(JSON_SCAN_DEPTH, '[', ']'), 0);
    assert_int_equal(scan_nested(JSON_SCAN_DEPTH + 1, '[', ']'), E_TOOBIG);
    char *text = malloc(100000);
    memset(text, '[', 100000);
    assert_int_equal(json_scan(text, 100000, &s), E_TOOBIG);
    assert_int_equal(s.error_at, JSON_SCAN_DEPTH);
    free(text);
}

static void assert_slice(struct json_slice s, const char *text, enum json_kind kind)
{
    assert_int_equal(s.kind, kind);
    assert_int_equal(s.n, strlen(text));
    assert_memory_equal(s.p, text, s.n);
}

static void test_message_members(void **state)
{
    (void)state;
    struct json_scan s;
    struct guarded g;
    assert_int_equal(scan("{ \"jsonrpc\" : \"2.0\" ,\"id\": 10000000000000000000001 , "
                          "\"method\":\"a/b\",\"params\":{\"id\":1,\"error\":2}, \"x\":[] , "
                          "\"result\":[ 1 ],\"error\":null}",
                          &s, &g),
                     0);
    assert_int_equal(s.kind, JSON_KIND_OBJECT);
    assert_slice(s.jsonrpc, "\"2.0\"", JSON_KIND_STRING);
    assert_slice(s.id, "10000000000000000000001", JSON_KIND_NUMBER);
    assert_slice(s.method, "\"a/b\"", JSON_KIND_STRING);
    assert_slice(s.params, "{\"id\":1,\"error\":2}", JSON_KIND_OBJECT);
    assert_slice(s.result, "[ 1 ]", JSON_KIND_ARRAY);
    assert_slice(s.error, "null", JSON_KIND_NULL);
    assert_false(s.duplicate_member || s.lone_surrogate || s.nul_escape || s.long_number);
    guard_free(&g);
}

static void test_escaped_and_duplicate_names(void **state)
{
    (void)state;
    struct json_scan s;
    struct guarded g;
    assert_int_equal(scan("{\"id\":1,\"\\u0069d\":true,\"ID\":3,\"method\\u0000\":4}", &s, &g), 0);
    assert_slice(s.id, "true", JSON_KIND_BOOL);
    assert_true(s.duplicate_member);
    assert_true(s.nul_escape);
    assert_int_equal(s.method.kind, JSON_KIND_NONE);
    guard_free(&g);
    assert_int_equal(scan("[{\"id\":1}]", &s, &g), 0);
    assert_int_equal(s.kind, JSON_KIND_ARRAY);
    assert_int_equal(s.id.kind, JSON_KIND_NONE);
    guard_free(&g);
    assert_int_equal(scan("{\"a\":1,\"a\":2}", &s, &g), 0);
    assert_false(s.duplicate_member);
    guard_free(&g);
}

static void test_failure_leaves_no_members(void **state)
{
    (void)state;
    struct json_scan s;
    struct guarded g;
    assert_int_equal(scan("{\"id\":1,\"method\":x}", &s, &g), E_PARSE);
    assert_int_equal(s.id.kind, JSON_KIND_NONE);
    assert_int_equal(s.kind, JSON_KIND_NONE);
    guard_free(&g);
}

static void test_flags(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int lone, nul;
    } cases[] = {
        {"\"\\ud83d\\ude00\"", 0, 0},  {"\"\\uD83D\"", 1, 0},
        {"\"\\uDE00\"", 1, 0},         {"\"\\uDE00\\uD83D\"", 1, 0},
        {"\"\\uD83Dx\\uDE00\"", 1, 0}, {"\"\\uD83D\\uD83D\\uDE00\"", 1, 0},
        {"\"\\u0000\"", 0, 1},         {"\"\\\\u0000\"", 0, 0},
        {"\"\\uD83D\\n\"", 1, 0},      {"{\"\\uDE00\":1}", 1, 0},
        {"\"\\uFFFF\"", 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json_scan s;
        struct guarded g;
        assert_int_equal(scan(cases[i].text, &s, &g), 0);
        assert_int_equal(s.lone_surrogate, cases[i].lone);
        assert_int_equal(s.nul_escape, cases[i].nul);
        guard_free(&g);
    }
}

static struct json_slice slice(const char *text, enum json_kind kind)
{
    return (struct json_slice){text, strlen(text), kind};
}

static void test_integers(void **state)
{
    (void)state;
    static const char *const yes[] = {"0", "-0", "7", "9223372036854775807",
                                      "-9223372036854775808"};
    static const char *const no[] = {"1.0",
                                     "1e2",
                                     "9223372036854775808",
                                     "-9223372036854775809",
                                     "99999999999999999999",
                                     "18446744073709551617"};
    for (size_t i = 0; i < ARRAY_LEN(yes); i++)
        assert_true(json_slice_is_int(slice(yes[i], JSON_KIND_NUMBER)));
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        assert_false(json_slice_is_int(slice(no[i], JSON_KIND_NUMBER)));
    assert_false(json_slice_is_int(slice("\"1\"", JSON_KIND_STRING)));
    assert_false(json_slice_is_int((struct json_slice){0}));
}

static void test_slice_equality(void **state)
{
    (void)state;
    static const struct {
        const char *slice, *text;
        int equal;
    } cases[] = {
        {"\"2.0\"", "2.0", 1},    {"\"2.0\"", "2.0x", 0},    {"\"2.0x\"", "2.0", 0},
        {"\"\"", "", 1},          {"\"a\"", "", 0},          {"\"\"", "a", 0},
        {"\"a\\/b\"", "a/b", 1},  {"\"\\u0061b\"", "ab", 1}, {"\"\\u006Ab\"", "jb", 1},
        {"\"a\\u0000\"", "a", 0}, {"\"\\n\\t\"", "\n\t", 1}, {"\"\\\"\"", "\"", 1},
        {"\"\\u0161\"", "a", 0},  {"\"a\\\\\"", "a\\", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(json_slice_equals(slice(cases[i].slice, JSON_KIND_STRING), cases[i].text),
                         cases[i].equal);
    assert_false(json_slice_equals(slice("null", JSON_KIND_NULL), "null"));
    assert_false(json_slice_equals((struct json_slice){0}, ""));
}

static void test_raw_members(void **state)
{
    (void)state;
    static const char text[] =
        " { \"s\" : \"}\\\"{\" , \"n\":-1.5e3,\"o\":{\"id\":[{\"]\":\"[\"}]},\"t\":true, "
        "\"z\" : null ,\"d\":1,\"\\u0064\":2,\"last\":9}";
    static const struct {
        const char *name, *want;
        enum json_kind kind;
    } cases[] = {
        {"s", "\"}\\\"{\"", JSON_KIND_STRING},
        {"n", "-1.5e3", JSON_KIND_NUMBER},
        {"o", "{\"id\":[{\"]\":\"[\"}]}", JSON_KIND_OBJECT},
        {"t", "true", JSON_KIND_BOOL},
        {"z", "null", JSON_KIND_NULL},
        {"d", "2", JSON_KIND_NUMBER},
        {"last", "9", JSON_KIND_NUMBER},
    };
    struct guarded g = guard_copy(text + 1, sizeof text - 2);
    struct json_slice object = {g.p, sizeof text - 2, JSON_KIND_OBJECT};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_slice(json_slice_member(object, cases[i].name), cases[i].want, cases[i].kind);
    assert_int_equal(json_slice_member(object, "id").kind, JSON_KIND_NONE);
    guard_free(&g);
    object = (struct json_slice){"{ }", 3, JSON_KIND_OBJECT};
    assert_int_equal(json_slice_member(object, "id").kind, JSON_KIND_NONE);
    object = (struct json_slice){"[1]", 3, JSON_KIND_ARRAY};
    assert_int_equal(json_slice_member(object, "id").kind, JSON_KIND_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_faults_and_their_places),
        cmocka_unit_test(test_nul_and_empty_input),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_special_bytes_at_every_offset),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_message_members),
        cmocka_unit_test(test_escaped_and_duplicate_names),
        cmocka_unit_test(test_failure_leaves_no_members),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_slice_equality),
        cmocka_unit_test(test_raw_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
