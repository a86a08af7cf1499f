#include "base/err.h"
#include "base/utf8.h"
#include "json/match.h"
#include "json/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cJSON *parse(const char *text)
{
    cJSON *root = NULL;
    if (!text)
        return NULL;
    assert_int_equal(json_parse(text, strlen(text), &root, NULL), 0);
    return root;
}

static const struct {
    const char *pattern, *value;
} yes[] = {
    {"1", "1.0"},
    {"\"a\"", "\"a\""},
    {"null", "null"},
    {"{}", "{\"a\":1}"},
    {"{\"a\":1}", "{\"b\":2,\"a\":1}"},
    {"{\"a\":{\"b\":[1,{\"c\":2}]}}", "{\"a\":{\"b\":[1,{\"c\":2,\"d\":3}],\"x\":0}}"},
    {"[]", "[]"},
    {"{\"$any\":true}", "null"},
    {"{\"$absent\":true}", NULL},
    {"{\"a\":{\"$absent\":true}}", "{\"A\":1}"},
    {"{\"$type\":\"string\"}", "\"\""},
    {"{\"$type\":\"number\"}", "1"},
    {"{\"$type\":\"number\"}", "1.5"},
    {"{\"$type\":\"integer\"}", "1.0"},
    {"{\"$type\":\"boolean\"}", "false"},
    {"{\"$type\":\"object\"}", "{}"},
    {"{\"$type\":\"array\"}", "[]"},
    {"{\"$type\":\"null\"}", "null"},
    {"{\"$regex\":\"b+\"}", "\"abba\""},
    {"{\"$regex\":\"^(a|b){2}$\"}", "\"ab\""},
    {"{\"$in\":[1,{\"$type\":\"string\"}]}", "\"x\""},
    {"{\"$in\":[1,{\"$absent\":true}]}", NULL},
    {"{\"$not\":1}", "2"},
    {"{\"$not\":1}", NULL},
    {"{\"$not\":{\"$absent\":true}}", "2"},
    {"{\"$all\":[{\"$min\":1},{\"$max\":3}]}", "3"},
    {"{\"$has\":{\"id\":2}}", "[{\"id\":1},{\"id\":2,\"x\":0}]"},
    {"{\"$has\":\"ell\"}", "\"hello\""},
    {"{\"$has\":\"\"}", "\"\""},
    {"{\"$len\":2}", "[1,2]"},
    {"{\"$len\":{\"min\":1}}", "[1,2]"},
    {"{\"$len\":{\"min\":2,\"max\":2}}", "\"\xC3\xA9\xF0\x9F\x98\x80\""},
    {"{\"$len\":{\"max\":0}}", "{}"},
    {"{\"$len\":0}", "\"\""},
    {"{\"$min\":-1.5}", "-1.5"},
    {"{\"$max\":0}", "-7"},
    {"{\"$x\":1,\"b\":2}", "{\"$x\":1,\"b\":2}"},
    {"{\"a\":[{\"$any\":true},{\"$regex\":\".\"}]}", "{\"a\":[null,\"x\"]}"},
};

static void test_matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
        cJSON *p = parse(yes[i].pattern), *v = parse(yes[i].value);
        struct json_mismatch m = {.pointer = "untouched"};
        if (json_match(p, v, &m) != 1)
            fail_msg("%s and %s: at %s", yes[i].pattern, yes[i].value, m.pointer);
        assert_string_equal(m.pointer, "untouched");
        cJSON_Delete(p);
        cJSON_Delete(v);
    }
}

static const struct {
    const char *pattern, *value, *pointer, *expected, *got;
} no[] = {
    {"1", "2", "", "1", "2"},
    {"1", "\"1\"", "", "1", "\"1\""},
    {"1", NULL, "", "1", "nothing"},
    {"{}", NULL, "", "{}", "nothing"},
    {"{}", "[]", "", "{}", "[]"},
    {"{\"a\":{\"b\":1}}", "{\"a\":{\"B\":1}}", "/a/b", "1", "nothing"},
    {"{\"a\":{\"b\":{\"$absent\":true}}}", "{}", "/a", "{\"b\":{\"$absent\":true}}", "nothing"},
    {"[1,2]", "[1,3]", "/1", "2", "3"},
    {"[1,2]", "[1]", "/1", "2", "nothing"},
    {"[1]", "[1,{}]", "/1", "the end of the array", "{}"},
    {"{\"a/b\":{\"c~d\":[0]}}", "{\"a/b\":{\"c~d\":[true]}}", "/a~1b/c~0d/0", "0", "true"},
    {"{\"$any\":true}", NULL, "", "anything", "nothing"},
    {"{\"$absent\":true}", "null", "", "nothing", "null"},
    {"{\"$type\":\"integer\"}", "1.5", "", "a value of type \"integer\"", "1.5"},
    {"{\"$type\":\"string\"}", NULL, "", "a value of type \"string\"", "nothing"},
    {"{\"$regex\":\"^b\"}", "\"ab\"", "", "text matching \"^b\"", "\"ab\""},
    {"{\"$regex\":\"1\"}", "1", "", "text matching \"1\"", "1"},
    {"{\"$in\":[1,{\"a\":2}]}", "{\"a\":3}", "", "one of [1,{\"a\":2}]", "{\"a\":3}"},
    {"{\"$not\":{\"a\":1}}", "{\"a\":1,\"b\":2}", "", "anything but {\"a\":1}",
     "{\"a\":1,\"b\":2}"},
    {"{\"x\":{\"$all\":[{\"$min\":1},{\"$max\":3}]}}", "{\"x\":4}", "/x", "a number of at most 3",
     "4"},
    {"{\"$all\":[{\"a\":1},{\"b\":1}]}", "{\"a\":1}", "/b", "1", "nothing"},
    {"{\"$has\":{\"id\":2}}", "[{\"id\":1}]", "", "something that holds {\"id\":2}",
     "[{\"id\":1}]"},
    {"{\"$has\":1}", "\"1\"", "", "something that holds 1", "\"1\""},
    {"{\"$has\":\"a\"}", "{\"a\":1}", "", "something that holds \"a\"", "{\"a\":1}"},
    {"{\"$len\":2}", "[1]", "", "length 2", "[1]"},
    {"{\"$len\":{\"min\":2}}", "\"a\"", "", "length {\"min\":2}", "\"a\""},
    {"{\"$len\":0}", "null", "", "length 0", "null"},
    {"{\"$min\":1}", "0.5", "", "a number of at least 1", "0.5"},
    {"{\"$min\":1}", "\"5\"", "", "a number of at least 1", "\"5\""},
    {"{\"$regexp\":\"x\"}", "\"x\"", "", "a well-formed pattern instead of {\"$regexp\":\"x\"}",
     "\"x\""},
    {"{\"$any\":false}", "1", "", "a well-formed pattern instead of {\"$any\":false}", "1"},
    {"{\"$regex\":\"(\"}", "\"(\"", "", "text matching \"(\"", "\"(\""},
};

static void test_mismatches_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(no); i++) {
        cJSON *p = parse(no[i].pattern), *v = parse(no[i].value);
        struct json_mismatch m = {0};
        if (json_match(p, v, &m) != 0)
            fail_msg("%s matches %s", no[i].pattern, no[i].value);
        assert_string_equal(m.pointer, no[i].pointer);
        assert_string_equal(m.expected, no[i].expected);
        assert_string_equal(m.got, no[i].got);
        assert_int_equal(json_match(p, v, NULL), 0);
        cJSON_Delete(p);
        cJSON_Delete(v);
    }
}

static void test_long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    char text[400];
    for (size_t n = 240; n < 270; n++) {
        size_t at = 0;
        text[at++] = '"';
        memset(text + at, 'x', n % 3);
        at += n % 3;
        while (at < n)
            at += (size_t)snprintf(text + at, sizeof text - at, "\xE2\x82\xAC");
        memcpy(text + at, "\"", 2);
        cJSON *p = parse("1"), *v = parse(text);
        struct json_mismatch m;
        assert_int_equal(json_match(p, v, &m), 0);
        size_t len = strlen(m.got);
        assert_int_equal(utf8_valid_prefix(m.got, len), len);
        if (at + 1 < sizeof m.got)
            assert_string_equal(m.got, text);
        else
            assert_string_equal(m.got + len - 3, "...");
        cJSON_Delete(p);
        cJSON_Delete(v);
    }
}

static void test_long_pointers_are_cut(void **state)
{
    (void)state;
    struct json_path path = {0};
    size_t kept = json_path_enter(&path, "first");
    for (int i = 0; i < 100; i++)
        json_path_enter(&path, "a~b");
    assert_int_equal(strlen(path.text), path.n);
    assert_string_equal(path.text + path.n - 3, "...");
    json_path_leave(&path, kept);
    assert_string_equal(path.text, "");
    json_path_enter_index(&path, 12);
    json_path_enter(&path, "a/b~c");
    assert_string_equal(path.text, "/12/a~1b~0c");
}

static void test_well_formed_patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
        cJSON *p = parse(yes[i].pattern);
        struct json_error err = {0};
        if (json_match_check(p, &err) != 0)
            fail_msg("%s: %s", yes[i].pattern, err.text);
        cJSON_Delete(p);
    }
}

static void test_malformed_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path, *text;
    } cases[] = {
        {"{\"$any\":1}", "/$any", "/$any: must be true"},
        {"{\"a\":{\"$absent\":false}}", "/a/$absent", "/a/$absent: must be true"},
        {"[0,{\"$type\":\"int\"}]", "/1/$type",
         "/1/$type: must be string, number, integer, boolean, object, array or null"},
        {"{\"$regex\":1}", "/$regex", "/$regex: must be a string"},
        {"{\"$in\":[]}", "/$in", "/$in: must be an array with at least one pattern"},
        {"{\"$in\":[1,{\"$min\":\"2\"}]}", "/$in/1/$min", "/$in/1/$min: must be a number"},
        {"{\"$all\":{}}", "/$all", "/$all: must be an array with at least one pattern"},
        {"{\"$not\":{\"$max\":null}}", "/$not/$max", "/$not/$max: must be a number"},
        {"{\"$has\":{\"x\":{\"$foo\":1}}}", "/$has/x/$foo",
         "/$has/x/$foo: no such operator; there are $any $absent $type $regex $in $not $all $has "
         "$len $min $max"},
        {"{\"$len\":\"3\"}", "/$len",
         "/$len: must be a number or an object of min and max (at least one)"},
        {"{\"$len\":{}}", "/$len",
         "/$len: must be a number or an object of min and max (at least one)"},
        {"{\"$len\":{\"mim\":1}}", "/$len",
         "/$len: must be a number or an object of min and max (at least one)"},
        {"{\"$min\":1,\"$max\":2}", "/$min",
         "/$min: an operator must be the only member; put several into $all"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *p = parse(cases[i].pattern);
        struct json_error err = {0};
        assert_int_equal(json_match_check(p, &err), E_INVALID);
        assert_string_equal(err.path, cases[i].path);
        assert_string_equal(err.text, cases[i].text);
        assert_int_equal(json_match_check(p, NULL), E_INVALID);
        cJSON_Delete(p);
    }
    cJSON *p = parse("{\"a\":{\"$regex\":\"(\"}}");
    struct json_error err = {0};
    assert_int_equal(json_match_check(p, &err), E_INVALID);
    assert_string_equal(err.path, "/a/$regex");
    cJSON_Delete(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_mismatches_say_why),
        cmocka_unit_test(test_long_texts_are_cut_at_a_character),
        cmocka_unit_test(test_long_pointers_are_cut),
        cmocka_unit_test(test_well_formed_patterns),
        cmocka_unit_test(test_malformed_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
