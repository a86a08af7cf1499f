/* What is summarised, what stays, and what stands for it. */
#include "agent/compact.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "uatAT": a message each of the user's, the model's, of a tool; a capital one has 400 bytes (100
 * tokens), the others 4. */
static void fill(struct history *h, const char *roles)
{
    char text[401];
    *h = (struct history){0};
    for (; *roles; roles++) {
        bool large = *roles < 'a';
        memset(text, *roles, sizeof text);
        text[large ? 400 : 4] = '\0';
        int rc = 0;
        if (*roles == 'u' || *roles == 'U')
            rc = history_add_user(h, text);
        else if (*roles == 'a' || *roles == 'A')
            rc = history_add_assistant(h, text, NULL, NULL, 0);
        else
            rc = history_add_tool(h, "call", text);
        assert_int_equal(rc, 0);
    }
}

static void test_choose(void **state)
{
    static const struct {
        const char *roles;
        uint64_t tokens, least;
        size_t kept;
    } rows[] = {
        {"", 100, 0, 0},         /* nothing there */
        {"u", 100, 0, 1},        /* a question is never summarised by itself */
        {"ua", 100, 0, 2},       /* all fits */
        {"UAUAu", 110, 0, 2},    /* the question and the answer before it */
        {"UAUAu", 50, 0, 1},     /* the question in any case */
        {"UAUAU", 1, 0, 1},      /* however large */
        {"UAUA", 1, 0, 1},       /* idle: the last answer */
        {"UAtttAttt", 10, 0, 4}, /* results stay with their calls */
        {"UAtttATTT", 10, 0, 4}, /* however large */
        {"uatatatat", 5, 0, 4},  /* steps of one turn */
        {"ua", 1, 0, 1},         /* one message becomes one */
        {"uau", 1, 0, 1},        /* and two two */
        {"uaU", 1, 3, 3},        /* too little to be worth it */
        {"UaU", 1, 101, 1},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct history h;
        fill(&h, rows[i].roles);
        size_t kept = compact_choose(&h, rows[i].tokens, rows[i].least);
        if (kept != rows[i].kept)
            fail_msg("%s: %zu are kept, not %zu", rows[i].roles, kept, rows[i].kept);
        history_deinit(&h);
    }
}

static void test_due(void **state)
{
    (void)state;
    assert_false(compact_is_due(UINT64_MAX, 0));
    assert_false(compact_is_due(799, 1000));
    assert_true(compact_is_due(800, 1000));
    assert_true(compact_is_due(8, 10));
    assert_false(compact_is_due(UINT64_MAX / 2, UINT64_MAX));
    assert_true(compact_is_due(UINT64_MAX, UINT64_MAX));
}

static void test_estimate(void **state)
{
    struct history h;
    (void)state;
    fill(&h, "Uau");
    assert_int_equal(compact_estimate(&h, 0), 102);
    assert_int_equal(compact_estimate(&h, 1), 2);
    assert_int_equal(compact_estimate(&h, 3), 0);
    history_deinit(&h);
}

static void check_question(const char *roles, size_t kept, size_t n)
{
    struct history h;
    struct compact_question q;
    fill(&h, roles);
    assert_int_equal(compact_question_make(&h, kept, "mind this", &q), 0);
    assert_int_equal(q.history.n, n);
    const struct history_message *last = &q.history.messages[n - 1];
    assert_int_equal(last->role, HISTORY_USER);
    assert_non_null(strstr(last->text, "summary"));
    assert_non_null(strstr(last->text, "mind this"));
    for (size_t i = 0; i + 1 < n; i++)
        assert_ptr_equal(q.history.messages[i].text, h.messages[i].text);
    compact_question_deinit(&q);
    history_deinit(&h);
}

static void test_question(void **state)
{
    (void)state;
    check_question("uaua", 1, 3); /* joins the question before it: never two in a row */
    check_question("uau", 1, 3);
    check_question("uat", 0, 4);
}

static void check_compacted(const char *roles, size_t kept, const char *want)
{
    struct history h;
    fill(&h, roles);
    assert_int_equal(history_compact(&h, "ssss", kept), 0);
    assert_int_equal(h.n, strlen(want));
    for (size_t i = 0; i < h.n; i++) {
        if (want[i] == '+')
            assert_string_equal(h.messages[i].text, "[Noted.]");
        else
            assert_int_equal(h.messages[i].text[0], want[i]);
    }
    assert_int_equal(h.messages[0].role, HISTORY_USER);
    if (h.n > 1)
        assert_int_equal(h.messages[1].role, HISTORY_ASSISTANT);
    assert_int_equal(history_add_user(&h, "goes on"), 0);
    history_deinit(&h);
}

static void test_compacted(void **state)
{
    (void)state;
    check_compacted("uauau", 1, "s+u");
    check_compacted("uauau", 2, "sau");
    check_compacted("uaua", 0, "s+");
    check_compacted("uattuatt", 3, "satt");
    check_compacted("uattuatt", 1, "satt"); /* from the middle of results: with their calls */
    check_compacted("ua", 1, "sa");
    check_compacted("uau", 3, "uau"); /* nothing to do */
    check_compacted("uau", 99, "uau");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose),    cmocka_unit_test(test_due),
        cmocka_unit_test(test_estimate),  cmocka_unit_test(test_question),
        cmocka_unit_test(test_compacted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
