/* Framing of the agent's output: every cut gives the same lines, nothing is read behind the end. */
#include "base/buf.h"
#include "base/err.h"
#include "guard.h"
#include "mock-client/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void take_all(struct lines *d, struct buf *got)
{
    char *p;
    size_t n;
    int rc;
    while ((rc = lines_next(d, &p, &n)) != 0) {
        if (rc == 1)
            assert_int_equal(p[n], '\n');
        assert_int_equal(buf_adds(got, rc == 1 ? "<" : "!"), 0);
        assert_int_equal(buf_add(got, p, n), 0);
        assert_int_equal(buf_adds(got, ">"), 0);
    }
}

static void check(const char *in, size_t n, size_t max, const char *want)
{
    for (size_t step = 1; step <= n; step++) {
        struct lines d;
        struct buf got = {0};
        char *p;
        size_t len;
        lines_init(&d, max);
        for (size_t at = 0; at < n; at += step) {
            size_t part = n - at < step ? n - at : step;
            struct guarded g = guard_copy(in + at, part);
            assert_int_equal(lines_feed(&d, g.p, part), 0);
            guard_free(&g);
            take_all(&d, &got);
        }
        if (lines_rest(&d, &p, &len) == 1) {
            assert_int_equal(buf_adds(&got, "~"), 0);
            assert_int_equal(buf_add(&got, p, len), 0);
        }
        assert_int_equal(lines_rest(&d, &p, &len), 0);
        assert_string_equal(got.n ? buf_cstr(&got) : "", want);
        buf_deinit(&got);
        lines_deinit(&d);
    }
}

static void test_every_cut(void **state)
{
    (void)state;
    check("a\nbc\r\n\n\r\nrest", 13, 8, "<a><bc\r><><\r>~rest");
    check("a\n", 2, 8, "<a>");
    check("\n\n", 2, 8, "<><>");
    check("12345678\n", 9, 8, "<12345678>");
}

static void test_too_long(void **state)
{
    (void)state;
    check("123456789\nok\n", 13, 8, "!12345678><ok>");
    check("1234567890123456789012345678\nok\nrest", 36, 8, "!12345678><ok>~rest");
    check("123456789\n123456789\nx", 21, 8, "!12345678>!12345678>~x");
    check("ok\n123456789", 12, 8, "<ok>!12345678>"); /* the rest of a dropped line is dropped */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
