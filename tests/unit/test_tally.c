#include "base/buf.h"
#include "conformance/catalog.h"
#include "conformance/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tally_row *add(struct tally *t, struct case_file *file, enum verdict v)
{
    struct case_result r = {.file = file, .verdict = v};
    struct tally_row *row = NULL;
    assert_int_equal(tally_add(t, &r, t->n, &row), 0);
    return row;
}

static void rounds_are_counted(void **state)
{
    struct case_file steady = {.id = (char[]){"a/steady"}}, moody = {.id = (char[]){"a/moody"}};
    struct tally t = {0};
    struct buf text = {0};
    (void)state;
    add(&t, &steady, VERDICT_PASS);
    add(&t, &moody, VERDICT_PASS);
    add(&t, &steady, VERDICT_PASS);
    assert_int_equal(tally_flaky(&t), 0);
    struct tally_row *row = add(&t, &moody, VERDICT_FAIL);
    assert_int_equal(row->place, 1);
    assert_int_equal(tally_rounds(row), 2);
    assert_int_equal(tally_flaky(&t), 1);
    assert_int_equal(tally_write(row, &text), 0);
    assert_string_equal(buf_cstr(&text), "1 of 2 PASS, 1 of 2 FAIL");
    buf_deinit(&text);
    tally_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
