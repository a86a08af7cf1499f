#include "base/buf.h"
#include "base/err.h"
#include "guard.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/scan.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_a_message(void **state)
{
    (void)state;
    struct buf out = {0};
    struct jsonw w;
    buf_adds(&out, "before ");
    jw_begin(&w, &out);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    jw_key(&w, "id");
    jw_raw(&w, "10000000000000000000001", 23);
    jw_kopen(&w, "params", '[');
    jw_open(&w, '{');
    jw_close(&w);
    jw_open(&w, '[');
    jw_int(&w, 1);
    jw_null(&w);
    jw_close(&w);
    jw_bool(&w, true);
    jw_close(&w);
    jw_kbool(&w, "no", false);
    jw_kint(&w, "n", -3);
    jw_kstr(&w, "none", NULL);
    jw_ktree(&w, "tree", NULL);
    jw_close(&w);
    assert_int_equal(jw_end(&w), 0);
    assert_string_equal(buf_cstr(&out),
                        "before {\"jsonrpc\":\"2.0\",\"id\":10000000000000000000001,"
                        "\"params\":[{},[1,null],true],\"no\":false,\"n\":-3,\"none\":null,"
                        "\"tree\":null}");
    buf_deinit(&out);
}

static void assert_string_written(const char *in, size_t n, const char *want)
{
    struct guarded g = guard_copy(in, n);
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_str(&w, g.p, n);
    assert_int_equal(jw_end(&w), 0);
    assert_string_equal(buf_cstr(&out), want);
    buf_deinit(&out);
    guard_free(&g);
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t n;
        const char *want;
    } cases[] = {
        {"", 0, "\"\""},
        {"plain", 5, "\"plain\""},
        {"\"\\/\b\f\n\r\t", 8, "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"a\0b", 3, "\"a\\u0000b\""},
        {"\x01\x1f\x7f", 3, "\"\\u0001\\u001f\x7f\""},
        {"\xC3\xA9 \xF0\x9F\x98\x80", 7, "\"\xC3\xA9 \xF0\x9F\x98\x80\""},
        {"\xFF", 1, "\"\xEF\xBF\xBD\""},
        {"ok \xE2\x82", 5, "\"ok \xEF\xBF\xBD\""},
        {"\xED\xA0\x80z", 4, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\""},
        {"12345678\n12345678\n", 18, "\"12345678\\n12345678\\n\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_written(cases[i].in, cases[i].n, cases[i].want);
}

/* Any bytes at all come out as one valid JSON string that reads back as the repaired text. */
static void test_every_byte_at_every_offset(void **state)
{
    (void)state;
    char text[20];
    for (size_t at = 0; at < sizeof text; at++)
        for (int c = 0; c < 256; c++) {
            struct buf out = {0};
            struct json_scan s;
            struct jsonw w;
            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            jw_begin(&w, &out);
            jw_str(&w, text, sizeof text);
            assert_int_equal(jw_end(&w), 0);
            if (json_scan(out.p, out.n, &s) < 0 || s.kind != JSON_KIND_STRING)
                fail_msg("byte %02X at %zu: %s", (unsigned)c, at, s.error_text);
            buf_deinit(&out);
        }
}

static const char *number_text(struct buf *out, double v)
{
    struct jsonw w;
    out->n = 0;
    jw_begin(&w, out);
    jw_double(&w, v);
    assert_int_equal(jw_end(&w), 0);
    return buf_cstr(out);
}

static void test_doubles(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {1e15, "1000000000000000"},
        {9007199254740992.0, "9007199254740992"},
        {-9007199254740991.0, "-9007199254740991"},
        {1e21, "1e+21"},
        {1.0 / 3, "0.3333333333333333"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
    };
    struct buf out = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(number_text(&out, cases[i].v), cases[i].want);
    assert_string_equal(number_text(&out, (double)INFINITY), "null");
    assert_string_equal(number_text(&out, (double)NAN), "null");
    for (double v = 1e-300; v < 1e300; v *= 1234.5678) {
        assert_true(strtod(number_text(&out, v), NULL) == v);
        assert_true(strtod(number_text(&out, -v), NULL) == -v);
    }
    buf_deinit(&out);
}

static void test_integers(void **state)
{
    (void)state;
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_open(&w, '[');
    jw_int(&w, INT64_MIN);
    jw_int(&w, INT64_MAX);
    jw_int(&w, 0);
    jw_uint(&w, UINT64_MAX);
    jw_uint(&w, 10);
    jw_close(&w);
    assert_int_equal(jw_end(&w), 0);
    assert_string_equal(buf_cstr(&out),
                        "[-9223372036854775808,9223372036854775807,0,18446744073709551615,10]");
    buf_deinit(&out);
}

static void test_trees_pass_through(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"a\":[1,2,{\"b\":null}],\"c\":true,\"d\":false,\"e\":\"\\u0001\xC3\xA9\\\"\",\"\":-0.5}",
        "[9007199254740991,1000000000000000,1e+21]",
        "{\"a\\nb\":1,\"a\":1,\"a\":2}",
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        cJSON *root = NULL;
        struct buf out = {0};
        struct jsonw w;
        assert_int_equal(json_parse(texts[i], strlen(texts[i]), &root, NULL), 0);
        jw_begin(&w, &out);
        jw_tree(&w, root);
        assert_int_equal(jw_end(&w), 0);
        assert_string_equal(buf_cstr(&out), texts[i]);
        buf_deinit(&out);
        cJSON_Delete(root);
    }
}

static void test_odd_trees(void **state)
{
    (void)state;
    cJSON *root = cJSON_CreateArray();
    cJSON_AddItemToArray(root, cJSON_CreateRaw("{\"raw\":1}"));
    cJSON_AddItemToArray(root, cJSON_CreateString("bad \xFF"));
    cJSON_AddItemToArray(root, cJSON_CreateNumber((double)INFINITY));
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_tree(&w, root);
    assert_int_equal(jw_end(&w), 0);
    assert_string_equal(buf_cstr(&out), "[{\"raw\":1},\"bad \xEF\xBF\xBD\",null]");
    buf_deinit(&out);
    cJSON_Delete(root);
}

static void test_errors_stick_and_cut(void **state)
{
    (void)state;
    struct buf out = {0};
    struct jsonw w;
    buf_adds(&out, "kept");
    jw_begin(&w, &out);
    for (int i = 0; i < JW_DEPTH + 5; i++)
        jw_open(&w, '[');
    jw_int(&w, 1);
    jw_key(&w, "no place for a key, but nobody listens any more");
    jw_tree(&w, &(cJSON){.type = cJSON_True});
    jw_close(&w);
    assert_int_equal(jw_end(&w), E_TOOBIG);
    assert_string_equal(buf_cstr(&out), "kept");
    buf_deinit(&out);
}

/* Nested by hand, for a parsed tree is never this deep. */
static cJSON *nested(int depth)
{
    cJSON *root = cJSON_CreateArray();
    for (int i = 1; i < depth; i++) {
        cJSON *outer = cJSON_CreateArray();
        cJSON_AddItemToArray(outer, root);
        root = outer;
    }
    return root;
}

static int write_nested(int depth, int open)
{
    cJSON *root = nested(depth);
    struct buf out = {0};
    struct json_scan s;
    struct jsonw w;
    jw_begin(&w, &out);
    for (int i = 0; i < open; i++)
        jw_open(&w, '[');
    jw_tree(&w, root);
    for (int i = 0; i < open; i++)
        jw_close(&w);
    int rc = jw_end(&w);
    if (rc == 0)
        assert_int_equal(json_scan(out.p, out.n, &s), 0);
    assert_true(rc == 0 || out.n == 0);
    buf_deinit(&out);
    cJSON_Delete(root);
    return rc;
}

static void test_what_is_written_can_be_scanned(void **state)
{
    (void)state;
    assert_int_equal(write_nested(JSON_SCAN_DEPTH, 0), 0);
    assert_int_equal(write_nested(JSON_SCAN_DEPTH + 1, 0), E_TOOBIG);
    assert_int_equal(write_nested(JSON_SCAN_DEPTH - 3, 3), 0);
    assert_int_equal(write_nested(JSON_SCAN_DEPTH - 3, 4), E_TOOBIG);
    assert_int_equal(write_nested(1, JW_DEPTH), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_every_byte_at_every_offset),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_trees_pass_through),
        cmocka_unit_test(test_odd_trees),
        cmocka_unit_test(test_errors_stick_and_cut),
        cmocka_unit_test(test_what_is_written_can_be_scanned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
