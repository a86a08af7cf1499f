/* A conversation keeps within bounds, and knows how much it holds. */
#include "agent/history.h"
#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT 1000 /* bytes of each message */

static void add(struct history *h, size_t i)
{
    char text[TEXT + 1];
    memset(text, 'x', TEXT);
    text[TEXT] = '\0';
    snprintf(text, sizeof text, "%06zu", i);
    text[6] = '.';
    assert_int_equal(
        i % 2 ? history_add_assistant(h, text, NULL, NULL, 0) : history_add_user(h, text), 0);
}

static void test_small_ones_stay(void **state)
{
    struct history h = {0};
    (void)state;
    assert_int_equal(history_bound(&h, 0), 0);
    for (size_t i = 0; i < 4; i++)
        add(&h, i);
    size_t bytes = h.bytes;
    assert_in_range(bytes, 4 * TEXT, 8 * TEXT);
    assert_int_equal(history_bound(&h, bytes), 0);
    assert_int_equal(h.n, 4);
    history_deinit(&h);
    assert_int_equal(h.bytes, 0);
}

static void test_the_oldest_are_left_out(void **state)
{
    struct history h = {0};
    (void)state;
    for (size_t i = 0; i < 40; i++)
        add(&h, i);
    size_t all = h.bytes;
    assert_int_equal(history_bound(&h, all - 1), 0);
    assert_true(h.bytes <= all / 2 + TEXT);
    assert_true(h.bytes >= all / 3);
    assert_int_equal(h.messages[0].role, HISTORY_USER);
    assert_non_null(strstr(h.messages[0].text, "left out"));
    assert_memory_equal(h.messages[h.n - 1].text, "000039", 6);
    for (size_t i = 1; i < h.n; i++) /* roles still alternate */
        assert_int_not_equal(h.messages[i].role, h.messages[i - 1].role);
    history_deinit(&h);
}

static void test_the_last_stays_however_large(void **state)
{
    struct history h = {0};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        add(&h, i);
    assert_int_equal(history_bound(&h, 10), 0);
    assert_memory_equal(h.messages[h.n - 1].text, "000002", 6);
    assert_int_equal(history_bound(&h, 10), 0);
    assert_memory_equal(h.messages[h.n - 1].text, "000002", 6);
    history_deinit(&h);
}

static void test_results_stay_with_their_calls(void **state)
{
    struct history h = {0};
    (void)state;
    add(&h, 0);
    add(&h, 1);
    add(&h, 2);
    struct history_call *call = calloc(1, sizeof *call);
    assert_non_null(call);
    call->id = strdup("c");
    call->name = strdup("read_file");
    call->args = strdup("{}");
    assert_int_equal(history_add_assistant(&h, "", NULL, call, 1), 0);
    assert_int_equal(history_add_tool(&h, "c", "result"), 0);
    assert_int_equal(history_bound(&h, 10), 0);
    assert_int_equal(h.messages[h.n - 1].role, HISTORY_TOOL);
    assert_int_equal(h.messages[h.n - 2].n_calls, 1);
    history_deinit(&h);
}

static void test_each_change_is_counted(void **state)
{
    struct history h = {0};
    (void)state;
    add(&h, 0);
    size_t one = h.bytes;
    assert_int_equal(history_join_user(&h, "more"), 0);
    assert_int_equal(h.bytes, one + 6); /* a blank line between them */
    add(&h, 1);
    add(&h, 2);
    history_cut(&h, 1);
    assert_int_equal(h.bytes, one + 6);
    assert_int_equal(history_add_prompt(&h, "see",
                                        "[{\"type\":\"image\",\"mimeType\":\"image/png\","
                                        "\"data\":\"aGk=\"}]"),
                     0);
    assert_true(h.bytes > one + 6 + 4 + 3);
    assert_int_equal(history_compact(&h, "short", 0), 0);
    assert_true(h.bytes < one);
    history_cut(&h, 0);
    assert_int_equal(h.bytes, 0);
    history_deinit(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_ones_stay),
        cmocka_unit_test(test_the_oldest_are_left_out),
        cmocka_unit_test(test_the_last_stays_however_large),
        cmocka_unit_test(test_results_stay_with_their_calls),
        cmocka_unit_test(test_each_change_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
