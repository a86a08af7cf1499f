#include "base/buf.h"
#include "base/err.h"
#include "conformance/baseline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"format\": \"acp-conformance-baseline\", \"version\": 1, \"entries\": ["

static struct case_file file = {.id = (char[]){"a/b"}};
static struct catalog catalog = {&file, 1};

static int parse(struct baseline *b, const char *text)
{
    char err[512];
    return baseline_parse(text, strlen(text), b, err, sizeof err);
}

/* One judged requirement; the case's verdict afterwards. */
static enum verdict apply(struct baseline *b, enum verdict v)
{
    struct check_result check = {.id = "X-1", .verdict = v, .step = -1};
    struct case_result r = {.file = &file, .verdict = v, .checks = &check, .n = 1};
    assert_int_equal(baseline_apply(b, &r), 0);
    free(check.note);
    return r.verdict;
}

static void entries_excuse(void **state)
{
    struct baseline b = {0};
    (void)state;
    assert_int_equal(apply(&b, VERDICT_FAIL), VERDICT_FAIL);
    baseline_deinit(&b);
    assert_int_equal(parse(&b, HEAD "{\"case\": \"a/b\", \"check\": \"X-1\", \"reason\": \"r\"}]}"),
                     0);
    assert_false(baseline_is_stale(&b.entries[0], &catalog));
    assert_int_equal(apply(&b, VERDICT_NOT_EXERCISED), VERDICT_NOT_EXERCISED);
    assert_false(baseline_is_stale(&b.entries[0], &catalog));
    assert_int_equal(apply(&b, VERDICT_PASS), VERDICT_PASS);
    assert_true(baseline_is_stale(&b.entries[0], &catalog));
    assert_int_equal(apply(&b, VERDICT_FAIL), VERDICT_INFO);
    assert_false(baseline_is_stale(&b.entries[0], &catalog));
    baseline_deinit(&b);
}

static void what_was_written_is_read(void **state)
{
    struct baseline b = {0}, again = {0};
    struct buf text = {0};
    (void)state;
    apply(&b, VERDICT_FAIL);
    apply(&b, VERDICT_PASS);
    assert_int_equal(baseline_write(&b, &text), 0);
    assert_int_equal(parse(&again, buf_cstr(&text)), 0);
    assert_int_equal(again.n, 1);
    assert_true(again.entries[0].flaky);
    assert_string_equal(again.entries[0].case_id, "a/b");
    assert_string_equal(again.entries[0].check, "X-1");
    buf_deinit(&text);
    baseline_deinit(&b);
    baseline_deinit(&again);
}

static void faults_are_told(void **state)
{
    static const char entry[] = "{\"case\": \"a\", \"check\": \"X\", \"reason\": \"r\"}";
    struct baseline b = {0};
    struct buf text = {0};
    (void)state;
    buf_addf(&text, HEAD "%s, %s]}", entry, entry);
    assert_int_equal(parse(&b, buf_cstr(&text)), E_INVALID);
    baseline_deinit(&b);
    assert_int_equal(parse(&b, HEAD "{\"case\": \"a\", \"check\": \"X\", \"reason\": \"r\", "
                                    "\"status\": \"odd\"}]}"),
                     E_INVALID);
    assert_int_equal(parse(&b, "[]"), E_INVALID);
    assert_int_equal(parse(&b, "["), E_PARSE);
    baseline_deinit(&b);
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_excuse),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(faults_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
