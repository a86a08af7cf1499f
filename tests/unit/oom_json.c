#include "base/buf.h"
#include "base/err.h"
#include "oom.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/match.h"
#include "json/pointer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int parse(void *text)
{
    cJSON *root = NULL;
    struct json_error err = {0};
    int rc = json_parse(text, strlen(text), &root, &err);
    assert_true(rc == 0 ? root != NULL : root == NULL);
    if (rc < 0)
        assert_string_equal(err.text, "out of memory");
    cJSON_Delete(root);
    return rc;
}

static void test_parse(void **state)
{
    (void)state;
    char plain[] = "{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}";
    char tame[] =
        "{\"a\\u0000\":\"\\ud800 and some text that makes the copy grow, and grow\",\"b\":"
        "1234567890123456789012345678901234567890123456789012345678901234567890,\"c\":"
        "[1,2,-1.5e3,\"\\ud83d\\ude00\\n\"]}";
    char huge[200] = "-";
    memset(huge + 1, '1', sizeof huge - 2);
    oom_fail_each(parse, plain);
    oom_fail_each(parse, tame);
    oom_fail_each(parse, huge);
}

/* The tree is made while nothing fails, so that only the call under test can. */
struct tree {
    cJSON *root, *pattern;
};

static cJSON *tree_of(const char *text)
{
    cJSON *root = NULL;
    assert_int_equal(json_parse(text, strlen(text), &root, NULL), 0);
    return root;
}

static int write_tree(void *ctx)
{
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_open(&w, '{');
    jw_kstr(&w, "text", "with \n escapes, \xFF broken and \xC3\xA9 whole UTF-8, and long enough");
    jw_kint(&w, "number", -1234567890123456789);
    jw_key(&w, "half");
    jw_double(&w, 0.5);
    jw_kopen(&w, "list", '[');
    for (int i = 0; i < 40; i++)
        jw_int(&w, i);
    jw_close(&w);
    jw_ktree(&w, "tree", ctx);
    jw_ktree(&w, "again", ctx);
    jw_close(&w);
    int rc = jw_end(&w);
    if (rc < 0)
        assert_int_equal(out.n, 0);
    buf_deinit(&out);
    return rc;
}

static void test_write(void **state)
{
    (void)state;
    cJSON *root =
        tree_of("{\"a\":[1,\"x\\ny\",{\"b\":null}],\"c\":true,\"d\":\"long enough to make "
                "the buffer grow once more, and then some, and then some\"}");
    oom_fail_each(write_tree, root);
    cJSON_Delete(root);
}

static int mismatch(void *ctx)
{
    struct tree *t = ctx;
    struct json_mismatch m;
    int rc = json_match(t->pattern, t->root, &m);
    return rc < 0 ? rc : 0;
}

static void test_match(void **state)
{
    (void)state;
    struct tree t = {.pattern = tree_of("{\"a\":{\"$all\":[{\"$len\":3},{\"$has\":{\"b\":null}},"
                                        "{\"$not\":{\"$has\":\"x\"}}]}}"),
                     .root = tree_of("{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}")};
    oom_fail_each(mismatch, &t);
    cJSON_Delete(t.root);
    cJSON_Delete(t.pattern);
}

static int change(cJSON *root)
{
    int rc = json_pointer_set(root, "/new~1name", cJSON_CreateString("text"));
    if (rc == 0)
        rc = json_pointer_set(root, "/list/0", cJSON_CreateString("first"));
    if (rc == 0)
        rc = json_pointer_add(root, "/list/0", cJSON_CreateTrue());
    return rc < 0 ? rc : json_pointer_remove(root, "/new~1name");
}

static int change_tree(void *ctx)
{
    (void)ctx;
    cJSON *root = NULL;
    int rc = json_parse("{\"list\":[1]}", 12, &root, NULL);
    if (rc == 0)
        rc = change(root);
    cJSON_Delete(root);
    return rc;
}

static void test_pointer(void **state)
{
    (void)state;
    oom_fail_each(change_tree, NULL);
}

int main(void)
{
    oom_reset(-1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
