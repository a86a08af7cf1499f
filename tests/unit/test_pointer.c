#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/pointer.h"

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
    assert_int_equal(json_parse(text, strlen(text), &root, NULL), 0);
    return root;
}

static void assert_tree(const cJSON *root, const char *want)
{
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_tree(&w, root);
    assert_int_equal(jw_end(&w), 0);
    assert_string_equal(buf_cstr(&out), want);
    buf_deinit(&out);
}

static void test_reading(void **state)
{
    (void)state;
    cJSON *root = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"m~n\":8,\"~1\":9,"
                        "\"d\":1,\"d\":{\"0\":3}}");
    static const struct {
        const char *pointer, *want;
    } cases[] = {
        {"/foo/1", "\"baz\""}, {"/", "0"},    {"/a~1b", "1"},      {"/c%d", "2"},
        {"/m~0n", "8"},        {"/~01", "9"}, {"/d", "{\"0\":3}"}, {"/d/0", "3"},
    };
    assert_ptr_equal(json_pointer(root, ""), root);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_tree(json_pointer(root, cases[i].pointer), cases[i].want);
    static const char *const nowhere[] = {
        "/foo/2",   "/foo/01", "/foo/-", "/foo/",
        "/foo/1/0", "/foo/+1", "/Foo",   "/a/b",
        "/m~n",     "/m~2n",   "foo",    "/m~",
        "/fo",      "/fooo",   "//",     "/foo/99999999999999999999"};
    for (size_t i = 0; i < ARRAY_LEN(nowhere); i++)
        if (json_pointer(root, nowhere[i]))
            fail_msg("%s leads somewhere", nowhere[i]);
    assert_null(json_pointer(NULL, ""));
    cJSON_Delete(root);
}

static const struct change {
    const char *verb, *before, *pointer, *after;
    int rc;
} changes[] = {
    {"set", "{\"a\":{\"b\":1}}", "/a/b", "{\"a\":{\"b\":[7]}}", 0},
    {"set", "{\"a\":{\"b\":1},\"c\":2}", "/a", "{\"a\":[7],\"c\":2}", 0},
    {"set", "{}", "/x~1y~0", "{\"x/y~\":[7]}", 0},
    {"set", "{\"a\":1,\"a\":2}", "/a", "{\"a\":1,\"a\":[7]}", 0},
    {"set", "{\"a\":[1,2]}", "/a/0", "{\"a\":[[7],2]}", 0},
    {"set", "{\"a\":[1,2]}", "/a/2", "{\"a\":[1,2,[7]]}", 0},
    {"set", "{\"a\":[1,2]}", "/a/-", "{\"a\":[1,2,[7]]}", 0},
    {"set", "{\"a\":[]}", "/a/0", "{\"a\":[[7]]}", 0},
    {"set", "{\"a\":[]}", "/a/1", "{\"a\":[]}", E_NOTFOUND},
    {"set", "{\"a\":[]}", "/a/x", "{\"a\":[]}", E_NOTFOUND},
    {"set", "{\"a\":1}", "/a/b", "{\"a\":1}", E_NOTFOUND},
    {"set", "{\"a\":1}", "/x/b", "{\"a\":1}", E_NOTFOUND},
    {"set", "{\"a\":1}", "a", "{\"a\":1}", E_INVALID},
    {"set", "{\"a\":1}", "/a~2", "{\"a\":1}", E_INVALID},
    {"set", "{\"a\":1}", "", "[7]", 0},
    {"set", "3", "", "[7]", 0},
    {"add", "{\"a\":[1,2]}", "/a/0", "{\"a\":[[7],1,2]}", 0},
    {"add", "{\"a\":[1,2]}", "/a/1", "{\"a\":[1,[7],2]}", 0},
    {"add", "{\"a\":[1,2]}", "/a/2", "{\"a\":[1,2,[7]]}", 0},
    {"add", "{\"a\":[1,2]}", "/a/3", "{\"a\":[1,2]}", E_NOTFOUND},
    {"add", "{\"a\":1}", "/a", "{\"a\":[7]}", 0},
    {"add", "{}", "/a", "{\"a\":[7]}", 0},
    {"remove", "{\"a\":1,\"b\":2}", "/a", "{\"b\":2}", 0},
    {"remove", "{\"a\":[1,2,3]}", "/a/1", "{\"a\":[1,3]}", 0},
    {"remove", "{\"a\":[1,2,3]}", "/a/2", "{\"a\":[1,2]}", 0},
    {"remove", "{\"a\":[1]}", "/a/0", "{\"a\":[]}", 0},
    {"remove", "{\"a\":1}", "/b", "{\"a\":1}", E_NOTFOUND},
    {"remove", "{\"a\":[1]}", "/a/-", "{\"a\":[1]}", E_NOTFOUND},
    {"remove", "{\"a\":1}", "", "{\"a\":1}", E_INVALID},
    {"remove", "{\"a\":1}", "a", "{\"a\":1}", E_INVALID},
};

static int apply(const struct change *c, cJSON *root)
{
    if (strcmp(c->verb, "remove") == 0)
        return json_pointer_remove(root, c->pointer);
    if (strcmp(c->verb, "add") == 0)
        return json_pointer_add(root, c->pointer, parse("[7]"));
    return json_pointer_set(root, c->pointer, parse("[7]"));
}

static void test_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        cJSON *root = parse(changes[i].before);
        int rc = apply(&changes[i], root);
        if (rc != changes[i].rc)
            fail_msg("%s %s: got %d", changes[i].verb, changes[i].pointer, rc);
        assert_tree(root, changes[i].after);
        cJSON_Delete(root);
    }
}

static void test_set_keeps_the_tree_linked(void **state)
{
    (void)state;
    cJSON *root = parse("[1,2,3]");
    assert_int_equal(json_pointer_set(root, "/0", cJSON_CreateString("first")), 0);
    assert_int_equal(json_pointer_set(root, "/2", cJSON_CreateString("last")), 0);
    cJSON_AddItemToArray(root, cJSON_CreateTrue());
    assert_tree(root, "[\"first\",2,\"last\",true]");
    assert_int_equal(json_pointer_remove(root, "/3"), 0);
    assert_int_equal(json_pointer_remove(root, "/0"), 0);
    assert_tree(root, "[2,\"last\"]");
    cJSON_Delete(root);
}

/* Names lent by a literal (cJSON_StringIsConst) must not be freed, owned ones must. */
static void test_set_over_a_lent_name(void **state)
{
    (void)state;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObjectCS(root, "lent", cJSON_CreateNull());
    assert_int_equal(json_pointer_set(root, "/lent", parse("{\"deep\":1}")), 0);
    assert_tree(root, "{\"lent\":{\"deep\":1}}");
    cJSON *detached = cJSON_DetachItemFromObjectCaseSensitive(root, "lent");
    assert_int_equal(json_pointer_set(root, "/owned", detached), 0);
    assert_int_equal(json_pointer_set(root, "/owned", parse("2")), 0);
    assert_tree(root, "{\"owned\":2}");
    cJSON_Delete(root);
}

static void test_set_takes_a_missing_value_for_no_memory(void **state)
{
    (void)state;
    cJSON *root = parse("{}");
    assert_int_equal(json_pointer_set(root, "/a", NULL), E_NOMEM);
    assert_tree(root, "{}");
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_set_keeps_the_tree_linked),
        cmocka_unit_test(test_set_over_a_lent_name),
        cmocka_unit_test(test_set_takes_a_missing_value_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
