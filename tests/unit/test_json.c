#include "base/err.h"
#include "guard.h"
#include "json/json.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cJSON *parse(const char *text)
{
    cJSON *root = NULL;
    struct json_error err = {0};
    struct guarded g = guard_copy(text, strlen(text) + 1);
    int rc = json_parse(g.p, strlen(text), &root, &err);
    guard_free(&g);
    if (rc < 0)
        fail_msg("%s: %s", text, err.text);
    return root;
}

static void test_parse_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int rc;
    } cases[] = {
        {"{\"a\":\t01}", "byte 7: ',' or '}' expected", E_PARSE},
        {"{\n  \"a\": 1,\n  b\n}", "line 3, column 3: member name in quotes expected", E_PARSE},
        {"", "byte 0: value expected", E_PARSE},
        {"[1]\n]", "line 2, column 1: bytes after the value", E_PARSE},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *root = NULL;
        struct json_error err = {.path = "old"};
        assert_int_equal(json_parse(cases[i].text, strlen(cases[i].text), &root, &err),
                         cases[i].rc);
        assert_string_equal(err.text, cases[i].message);
        assert_string_equal(err.path, "");
        assert_null(root);
        assert_int_equal(json_parse(cases[i].text, strlen(cases[i].text), &root, NULL),
                         cases[i].rc);
    }
}

/* What cJSON 1.7.15 alone would accept, cut or refuse. */
static void test_what_cjson_gets_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"{\"v\":\"a\\u0000b\"}", "a\xEF\xBF\xBD"
                                  "b"},
        {"{\"v\":\"\\ud800\"}", "\xEF\xBF\xBD"},
        {"{\"v\":\"\\udc00\\ud800x\"}", "\xEF\xBF\xBD\xEF\xBF\xBDx"},
        {"{\"v\":\"\\ud83d\\ude00\\u0000\"}", "\xF0\x9F\x98\x80\xEF\xBF\xBD"},
        {"{\"v\":\"\\\\u0000\\\"\\n\\u0000\"}", "\\u0000\"\n\xEF\xBF\xBD"},
        {"{\"v\":\"\\ud800\\u0041\"}", "\xEF\xBF\xBD"
                                       "A"},
        {"{\"\\u0000\":1,\"v\":\"ok\"}", "ok"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *root = parse(cases[i].text);
        assert_string_equal(json_get_str(root, "v"), cases[i].value);
        cJSON_Delete(root);
    }
    cJSON *root = NULL;
    assert_int_equal(json_parse("[1,]", 4, &root, NULL), E_PARSE);
    assert_int_equal(json_parse("[1]x", 4, &root, NULL), E_PARSE);
    assert_int_equal(json_parse("\"\t\"", 3, &root, NULL), E_PARSE);
}

static void test_long_numbers(void **state)
{
    (void)state;
    char digits[400];
    for (size_t n = 60; n < sizeof digits - 1; n++) {
        memset(digits, '1', n);
        digits[0] = '-';
        digits[n] = '\0';
        cJSON *root = parse(digits);
        assert_true(root->valuedouble == strtod(digits, NULL));
        cJSON_Delete(root);
        memcpy(digits, "0.", 2);
        memset(digits + 2, '0', n - 2);
        digits[n - 1] = '3';
        root = parse(digits);
        assert_true(root->valuedouble == strtod(digits, NULL));
        cJSON_Delete(root);
    }
    cJSON *root =
        parse("[\"1\",1234567890123456789012345678901234567890123456789012345678901234567,"
              "\"1234567890123456789012345678901234567890123456789012345678901234567\"]");
    assert_true(cJSON_GetArrayItem(root, 1)->valuedouble > 1.23e66);
    assert_int_equal(strlen(cJSON_GetArrayItem(root, 2)->valuestring), 67);
    cJSON_Delete(root);
}

static void test_nested_as_deep_as_the_scanner_allows(void **state)
{
    (void)state;
    char text[1025] = {0};
    memset(text, '[', 512);
    memset(text + 512, ']', 512);
    cJSON *root = parse(text);
    cJSON_Delete(root);
}

static void test_get(void **state)
{
    (void)state;
    cJSON *root = parse("{\"A\":1,\"a\":\"x\",\"t\":true,\"n\":null,\"i\":-9007199254740992,"
                        "\"f\":1.5,\"big\":1e300,\"d\":1,\"d\":2,\"l\":[1]}");
    assert_string_equal(json_get_str(root, "a"), "x");
    assert_null(json_get_str(root, "A"));
    assert_null(json_get(root, "T"));
    assert_null(json_get(root->child, "a"));
    assert_null(json_get(NULL, "a"));
    assert_null(json_get(json_get(root, "l"), "0"));
    assert_true(json_get_bool(root, "t"));
    assert_false(json_get_bool(root, "n"));
    assert_false(json_get_bool(root, "a"));
    assert_int_equal(json_get_int(root, "i", 7), -9007199254740992);
    assert_int_equal(json_get_int(root, "f", 7), 7);
    assert_int_equal(json_get_int(root, "big", 7), 7);
    assert_int_equal(json_get_int(root, "none", 7), 7);
    assert_int_equal(json_get_int(root, "d", 7), 2);
    assert_string_equal(json_type_name(json_get(root, "l")), "array");
    assert_string_equal(json_type_name(json_get(root, "n")), "null");
    assert_string_equal(json_type_name(NULL), "nothing");
    cJSON_Delete(root);
}

static void test_integers(void **state)
{
    (void)state;
    static const double yes[] = {0, -0.0, 1, 4294967296.0, -9223372036854775808.0};
    static const double no[] = {0.5, 9223372036854775808.0, -1e19, DBL_MAX};
    for (size_t i = 0; i < ARRAY_LEN(yes); i++)
        assert_true(json_is_int(&(cJSON){.type = cJSON_Number, .valuedouble = yes[i]}));
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        assert_false(json_is_int(&(cJSON){.type = cJSON_Number, .valuedouble = no[i]}));
    assert_false(json_is_int(NULL));
    assert_false(json_is_int(&(cJSON){.type = cJSON_True}));
}

static void test_equal(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int equal;
    } cases[] = {
        {"1", "1.0", 1},
        {"1", "2", 0},
        {"2", "1", 0},
        {"0.1", "1e-1", 1},
        {"1", "\"1\"", 0},
        {"null", "false", 0},
        {"true", "true", 1},
        {"true", "false", 0},
        {"\"a\"", "\"A\"", 0},
        {"[1,2]", "[1,2]", 1},
        {"[1,2]", "[2,1]", 0},
        {"[1]", "[1,2]", 0},
        {"[]", "{}", 0},
        {"{\"a\":1,\"b\":[{}]}", "{\"b\":[{}],\"a\":1}", 1},
        {"{\"a\":1}", "{\"A\":1}", 0},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", 0},
        {"{\"a\":1,\"a\":2}", "{\"a\":3,\"a\":2}", 1},
        {"1.7976931348623157e308", "1.7976931348623155e308", 0},
        {"9007199254740992", "9007199254740994", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *a = parse(cases[i].a), *b = parse(cases[i].b);
        if (json_equal(a, b) != cases[i].equal || json_equal(b, a) != cases[i].equal)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        cJSON_Delete(a);
        cJSON_Delete(b);
    }
    assert_true(json_equal(NULL, NULL));
    assert_false(json_equal(NULL, &(cJSON){.type = cJSON_NULL}));
}

struct target {
    const char *str, *opt;
    bool flag;
    int64_t big;
    uint32_t line;
    const cJSON *obj, *arr, *any;
};

static const struct json_field fields[] = {
    {"str", JSON_STR, JSON_REQUIRED, offsetof(struct target, str)},
    {"opt", JSON_STR, JSON_REQUIRED | JSON_NULLABLE, offsetof(struct target, opt)},
    {"flag", JSON_BOOL, JSON_LENIENT, offsetof(struct target, flag)},
    {"big", JSON_I64, JSON_OPTIONAL, offsetof(struct target, big)},
    {"line", JSON_U32, JSON_NULLABLE, offsetof(struct target, line)},
    {"obj", JSON_OBJ, JSON_OPTIONAL, offsetof(struct target, obj)},
    {"arr", JSON_ARR, JSON_LENIENT, offsetof(struct target, arr)},
    {"any", JSON_ANY, JSON_OPTIONAL, offsetof(struct target, any)},
};

static void test_read_everything(void **state)
{
    (void)state;
    cJSON *root = parse("{\"str\":\"s\",\"opt\":\"o\",\"flag\":true,\"big\":-4294967297,"
                        "\"line\":4294967295,\"obj\":{},\"arr\":[],\"any\":null,\"more\":1}");
    struct target t = {0};
    assert_int_equal(json_read(root, "params", fields, ARRAY_LEN(fields), &t, NULL), 0);
    assert_string_equal(t.str, "s");
    assert_string_equal(t.opt, "o");
    assert_true(t.flag);
    assert_int_equal(t.big, -4294967297);
    assert_int_equal(t.line, UINT32_MAX);
    assert_ptr_equal(t.obj, json_get(root, "obj"));
    assert_ptr_equal(t.arr, json_get(root, "arr"));
    assert_true(cJSON_IsNull(t.any));
    cJSON_Delete(root);
}

static void test_read_leaves_absent_members_alone(void **state)
{
    (void)state;
    cJSON *root = parse("{\"str\":\"s\",\"opt\":null,\"flag\":7,\"line\":null,\"arr\":{}}");
    struct target t = {.opt = "o", .flag = true, .big = 5, .line = 6, .arr = root, .any = root};
    assert_int_equal(json_read(root, "params", fields, ARRAY_LEN(fields), &t, NULL), 0);
    assert_string_equal(t.opt, "o");
    assert_true(t.flag);
    assert_int_equal(t.big, 5);
    assert_int_equal(t.line, 6);
    assert_ptr_equal(t.arr, root);
    assert_ptr_equal(t.any, root);
    cJSON_Delete(root);
}

static void test_read_faults_name_the_path(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *path, *message;
    } cases[] = {
        {"{}", "params", "params.str", "params.str: missing"},
        {"{\"Str\":\"\"}", "params", "params.str", "params.str: missing"},
        {"{\"str\":null}", "params", "params.str", "params.str: expected string, got null"},
        {"{\"str\":7}", "a[1]", "a[1].str", "a[1].str: expected string, got number 7"},
        {"{\"str\":\"\"}", "", "opt", "opt: missing"},
        {"{\"str\":\"\",\"opt\":[]}", "p", "p.opt", "p.opt: expected string, got array"},
        {"{\"str\":\"\",\"opt\":null,\"big\":1.5}", "p", "p.big",
         "p.big: expected integer, got number 1.5"},
        {"{\"str\":\"\",\"opt\":null,\"big\":null}", "p", "p.big",
         "p.big: expected integer, got null"},
        {"{\"str\":\"\",\"opt\":null,\"line\":-1}", "p", "p.line",
         "p.line: expected integer from 0 to 4294967295, got number -1"},
        {"{\"str\":\"\",\"opt\":null,\"line\":4294967296}", "p", "p.line",
         "p.line: expected integer from 0 to 4294967295, got number 4294967296"},
        {"{\"str\":\"\",\"opt\":null,\"obj\":[]}", "p", "p.obj",
         "p.obj: expected object, got array"},
        {"[]", "params", "params", "params: expected object, got array"},
        {"null", "", "", "expected object, got null"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *root = parse(cases[i].text);
        struct json_error err = {0};
        struct target t = {0};
        assert_int_equal(json_read(root, cases[i].where, fields, ARRAY_LEN(fields), &t, &err),
                         E_INVALID);
        assert_string_equal(err.path, cases[i].path);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(json_read(root, "", fields, ARRAY_LEN(fields), &t, NULL), E_INVALID);
        cJSON_Delete(root);
    }
    struct json_error err = {0};
    struct target t = {0};
    assert_int_equal(json_read(NULL, "params", fields, ARRAY_LEN(fields), &t, &err), E_INVALID);
    assert_string_equal(err.text, "params.str: missing");
}

static void test_read_cuts_long_paths(void **state)
{
    (void)state;
    char where[400];
    struct json_error err;
    struct target t = {0};
    memset(where, 'w', sizeof where - 1);
    where[sizeof where - 1] = '\0';
    assert_int_equal(json_read(NULL, where, fields, ARRAY_LEN(fields), &t, &err), E_INVALID);
    assert_int_equal(strlen(err.path), sizeof err.path - 1);
    assert_non_null(strstr(err.text, ": missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_faults),
        cmocka_unit_test(test_what_cjson_gets_wrong),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_nested_as_deep_as_the_scanner_allows),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_read_everything),
        cmocka_unit_test(test_read_leaves_absent_members_alone),
        cmocka_unit_test(test_read_faults_name_the_path),
        cmocka_unit_test(test_read_cuts_long_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
