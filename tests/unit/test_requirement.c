#include "base/err.h"
#include "conformance/embed.h"
#include "conformance/nearest.h"
#include "conformance/requirement.h"
#include "conformance/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "id\tparty\tlevel\tarea\tmethod\trequirement\thow_to_observe\tsource\tcoverage\n"

static struct requirements load(const char *tsv)
{
    struct requirements t;
    assert_int_equal(requirements_load(tsv, strlen(tsv), &t), 0);
    return t;
}

static void reads_rows(void **state)
{
    struct requirements t = load(
        HEAD "B-02\tagent\tMUST\tb\t*\tText b.\tLook.\tpage.mdx#x [keyword]\tneeds: x (issue 4)\n"
             "A-01\tboth\tMAY\ta\tm/n\tText a.\tLook.\tpage (no tag)\t");
    (void)state;
    assert_int_equal(t.n, 2);
    const struct requirement *b = requirements_find(&t, "B-02");
    assert_non_null(b);
    assert_string_equal(b->party, "agent");
    assert_string_equal(b->text, "Text b.");
    assert_string_equal(b->source, "page.mdx#x [keyword]");
    assert_string_equal(b->tag, "keyword");
    assert_string_equal(b->reason, "needs: x (issue 4)");
    assert_string_equal(requirements_find(&t, "A-01")->reason, "");
    assert_string_equal(requirements_find(&t, "A-01")->tag, "");
    assert_null(requirements_find(&t, "A-02"));
    requirements_deinit(&t);
    requirements_deinit(&t);
}

static void refuses_rows_of_other_width(void **state)
{
    static const char *const bad[] = {HEAD "A-01\tagent\tMUST\n", HEAD "1\t2\t3\t4\t5\t6\t7\t8\n",
                                      HEAD "1\t2\t3\t4\t5\t6\t7\t8\t9\t10\n"};
    struct requirements t;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(requirements_load(bad[i], strlen(bad[i]), &t), E_PARSE);
    t = load(HEAD);
    assert_int_equal(t.n, 0);
    assert_null(requirements_find(&t, "A-01"));
    requirements_deinit(&t);
}

static struct requirements load_embedded(void)
{
    const struct embed_file *f = embed_find("requirements.tsv");
    struct requirements t;
    assert_non_null(f);
    assert_int_equal(*f->end, '\0');
    assert_int_equal(requirements_load(f->text, (size_t)(f->end - f->text), &t), 0);
    return t;
}

static void embedded_table_is_whole(void **state)
{
    static const char *const levels[] = {"MUST",       "MUST NOT", "SHOULD",
                                         "SHOULD NOT", "MAY",      "SCHEMA"};
    struct requirements t = load_embedded();
    (void)state;
    assert_int_equal(t.n, 577);
    for (size_t i = 0; i < t.n; i++) {
        size_t known = 0;
        for (size_t j = 0; j < ARRAY_LEN(levels); j++)
            known += strcmp(levels[j], t.rows[i].level) == 0;
        assert_int_equal(known, 1);
        assert_string_not_equal(t.rows[i].tag, "");
        if (i > 0)
            assert_true(strcmp(t.rows[i - 1].id, t.rows[i].id) < 0);
    }
    requirements_deinit(&t);
}

static void severity_follows_the_words(void **state)
{
    static const struct {
        const char *id;
        enum verdict verdict;
    } rows[] = {
        {"TRANS-04", VERDICT_FAIL},  /* MUST NOT [keyword] */
        {"RPC-05", VERDICT_FAIL},    /* MUST [json-rpc] */
        {"RPC-01", VERDICT_FAIL},    /* SCHEMA [schema] */
        {"TRANS-11", VERDICT_WARN},  /* MUST NOT [plain] */
        {"PROMPT-19", VERDICT_WARN}, /* MUST [derived] */
        {"RPC-12", VERDICT_WARN},    /* SHOULD NOT [keyword] */
        {"DIRS-03", VERDICT_WARN},   /* MUST [rfd keyword] */
        {"TRANS-06", VERDICT_INFO},  /* MAY */
        {"PROMPT-20", VERDICT_INFO}, /* SHOULD [informative] */
        {"NEW-07", VERDICT_INFO},    /* "INFO: ..." */
        {"FS-12", VERDICT_INFO},     /* SCHEMA [schema; informative leniency] */
    };
    struct requirements t = load_embedded();
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(verdict_of_breach(requirements_find(&t, rows[i].id)), rows[i].verdict);
    assert_int_equal(verdict_of_breach(NULL), VERDICT_ERROR);
    requirements_deinit(&t);
}

static void worse_and_strict(void **state)
{
    (void)state;
    assert_int_equal(verdict_worse(VERDICT_WARN, VERDICT_NOT_EXERCISED), VERDICT_WARN);
    assert_int_equal(verdict_worse(VERDICT_ERROR, VERDICT_FAIL), VERDICT_FAIL);
    assert_int_equal(verdict_worse(VERDICT_PASS, VERDICT_INFO), VERDICT_INFO);
    assert_int_equal(verdict_strict(VERDICT_WARN, true), VERDICT_FAIL);
    assert_int_equal(verdict_strict(VERDICT_WARN, false), VERDICT_WARN);
    assert_int_equal(verdict_strict(VERDICT_INFO, true), VERDICT_INFO);
    for (int v = 0; v < VERDICT_COUNT; v++)
        assert_int_equal(verdict_find(verdict_name((enum verdict)v)), v);
    assert_int_equal(verdict_find("GOOD"), -1);
}

static void exit_codes(void **state)
{
    static const struct {
        enum verdict verdict;
        enum exit_code alone, beside_pass;
    } rows[] = {
        {VERDICT_PASS, EXIT_CONFORMS, EXIT_CONFORMS},
        {VERDICT_INFO, EXIT_CONFORMS, EXIT_CONFORMS},
        {VERDICT_WARN, EXIT_CONFORMS, EXIT_CONFORMS},
        {VERDICT_FAIL, EXIT_DOES_NOT, EXIT_DOES_NOT},
        {VERDICT_ERROR, EXIT_NO_VERDICT, EXIT_NO_VERDICT},
        {VERDICT_SKIP, EXIT_NO_VERDICT, EXIT_CONFORMS},
        {VERDICT_NOT_EXERCISED, EXIT_NO_VERDICT, EXIT_CONFORMS},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unsigned counts[VERDICT_COUNT] = {0};
        counts[rows[i].verdict]++;
        assert_int_equal(verdict_exit_code(counts), rows[i].alone);
        counts[VERDICT_PASS]++;
        assert_int_equal(verdict_exit_code(counts), rows[i].beside_pass);
    }
    unsigned nothing[VERDICT_COUNT] = {0};
    assert_int_equal(verdict_exit_code(nothing), EXIT_NO_VERDICT);
}

static void nearest_word(void **state)
{
    struct requirements t = load_embedded();
    (void)state;
    assert_string_equal(requirements_nearest(&t, "PROMPT-111"), "PROMPT-11");
    assert_null(requirements_nearest(&t, "something else"));
    struct nearest n = nearest_begin("expct");
    nearest_try(&n, "title");
    assert_null(n.name);
    nearest_try(&n, "extract");
    nearest_try(&n, "expect");
    assert_string_equal(n.name, "expect");
    requirements_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows),
        cmocka_unit_test(refuses_rows_of_other_width),
        cmocka_unit_test(embedded_table_is_whole),
        cmocka_unit_test(severity_follows_the_words),
        cmocka_unit_test(worse_and_strict),
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(nearest_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
