/* Markdown with a head. */
#include "agent/front_matter.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_head_and_body(void **state)
{
    (void)state;
    char text[] =
        "---\r\nname: review\r\ndescription: \"Looks: twice\"\n  - a list\n# no\nempty:\n---\n"
        "# Body\n---\nmore\n";
    struct front_matter f;
    assert_int_equal(front_matter_read(text, &f), 0);
    assert_string_equal(front_matter_get(&f, "name"), "review");
    assert_string_equal(front_matter_get(&f, "description"), "Looks: twice");
    assert_string_equal(front_matter_get(&f, "empty"), "");
    assert_null(front_matter_get(&f, "Name"));
    assert_int_equal(f.n, 3);
    assert_string_equal(f.body, "# Body\n---\nmore\n");
}

static void check_body(const char *text, const char *body)
{
    struct front_matter f;
    char *copy = strdup(text);
    assert_non_null(copy);
    assert_int_equal(front_matter_read(copy, &f), 0);
    assert_string_equal(f.body, body);
    assert_int_equal(f.n, 0);
    free(copy);
}

static void test_odd_texts(void **state)
{
    (void)state;
    check_body("", "");
    check_body("only a body\n", "only a body\n");
    check_body("----\nno fence\n---\n", "----\nno fence\n---\n");
    check_body("--- text\n", "--- text\n");
    check_body("---  \n---\t\nrest", "rest");
    check_body("---\n---", "");
    check_body("---\n:none\nno colon\n---\n", "");
    check_body("\n---\na: b\n---\n", "\n---\na: b\n---\n");
}

static void test_no_end(void **state)
{
    static const char *const texts[] = {"---", "---\n", "---\nname: x\n", "---\n --- \nbody"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct front_matter f;
        char *copy = strdup(texts[i]);
        assert_non_null(copy);
        assert_int_equal(front_matter_read(copy, &f), E_INVALID);
        free(copy);
    }
}

static void test_values(void **state)
{
    (void)state;
    char text[] = "---\na: 'x'\na:  y z \t\nb: \"\nc: '\"\n---\n";
    struct front_matter f;
    assert_int_equal(front_matter_read(text, &f), 0);
    assert_string_equal(front_matter_get(&f, "a"), "y z");
    assert_string_equal(front_matter_get(&f, "b"), "\"");
    assert_string_equal(front_matter_get(&f, "c"), "'\"");
}

static void test_many_keys(void **state)
{
    (void)state;
    char text[400] = "---\n";
    struct front_matter f;
    for (int i = 0; i < FRONT_MATTER_MAX + 3; i++)
        strcat(text, "k: v\n");
    strcat(text, "last: v\n---\nbody");
    assert_int_equal(front_matter_read(text, &f), 0);
    assert_int_equal(f.n, FRONT_MATTER_MAX);
    assert_null(front_matter_get(&f, "last"));
    assert_string_equal(f.body, "body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_and_body), cmocka_unit_test(test_odd_texts),
        cmocka_unit_test(test_no_end),        cmocka_unit_test(test_values),
        cmocka_unit_test(test_many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
