#include "base/err.h"
#include "conformance/locate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "{\n"
                           "  \"a\": [1, {\"b\\\"\": \"x,]\"}, true],\n"
                           "  \"c/d\": {\"e\": {}},\n"
                           "  \"last\": -1.5e3\n"
                           "}\n";

static void finds_values(void **state)
{
    static const struct {
        const char *pointer;
        unsigned line, column;
    } rows[] = {
        {"", 1, 1},
        {"/a", 2, 8},
        {"/a/0", 2, 9},
        {"/a/1", 2, 12},
        {"/a/2", 2, 28},
        {"/c~1d", 3, 10},
        {"/c~1d/e", 3, 16},
        {"/last", 4, 11},
        /* what is not there is found as far as the way goes */
        {"/none", 1, 1},
        {"/a/7", 2, 8},
        {"/a/0/x", 2, 9},
        {"/c~1d/e/f", 3, 16},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct place at = locate_pointer(text, strlen(text), rows[i].pointer);
        assert_int_equal(at.line, rows[i].line);
        assert_int_equal(at.column, rows[i].column);
    }
}

static void counts_lines(void **state)
{
    struct place at = locate_offset("ab\ncd\n", 6, 4);
    (void)state;
    assert_int_equal(at.line, 2);
    assert_int_equal(at.column, 2);
    at = locate_offset("ab", 2, 99);
    assert_int_equal(at.column, 3);
}

/* The walker is only promised valid texts, but never runs past the end of any. */
static void stays_inside(void **state)
{
    (void)state;
    for (size_t n = 0; n < strlen(text); n++) {
        char *exact = malloc(n + 1);
        memcpy(exact, text, n);
        exact[n] = '\0';
        locate_pointer(exact, n, "/a/2");
        locate_pointer(exact, n, "/last");
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_values),
        cmocka_unit_test(counts_lines),
        cmocka_unit_test(stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
