#include "base/err.h"
#include "conformance/coverage.h"
#include "conformance/embed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char table[] =
    "id\tparty\tlevel\tarea\tmethod\trequirement\thow_to_observe\tsource\tcoverage\n"
    "A-1\tagent\tMUST\ta\t*\tText.\tLook.\tx [keyword]\t\n"
    "A-2\tboth\tMUST NOT\ta\t*\tText.\tLook.\tx [keyword]\tneeds: more of it (issue 12)\n"
    "B-1\tagent\tSHOULD\tb\t*\tText.\tLook.\tx [keyword]\tnot observable: nobody sees it\n"
    "B-2\tclient\tMUST\tb\t*\tText.\tLook.\tx [keyword]\tclient side (issue 9)\n"
    "B-3\tagent\tMAY\tb\t*\tText.\tLook.\tx [keyword]\t\n"
    "RPC-05\tagent\tMUST\tb\t*\tText.\tLook.\tx [json-rpc]\tneeds: something (issue 1)\n";

static const char one[] =
    "{\"checks\": [\"A-1\", \"B-3\"], \"mutants\": ["
    "{\"fails\": [\"A-1\", \"RPC-05\"]}, {\"fails\": [\"NOT-EXERCISED:B-3\"]},"
    "{\"fails\": [\"A-1\", \"no such rule\"]}]}";
static const char two[] = "{\"checks\": [\"A-1\", 7], \"mutants\": []}";

struct world {
    struct requirements reqs;
    struct case_file files[2];
    struct catalog catalog;
    struct coverage coverage;
};

static int make_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->files[0] = (struct case_file){.id = strdup("a/one"), .text = one, .n = strlen(one)};
    w->files[1] = (struct case_file){.id = strdup("a/two"), .text = two, .n = strlen(two)};
    w->catalog = (struct catalog){w->files, 2};
    assert_int_equal(requirements_load(table, strlen(table), &w->reqs), 0);
    assert_int_equal(coverage_init(&w->coverage, &w->reqs, &w->catalog), 0);
    *state = w;
    return 0;
}

static int drop_world(void **state)
{
    struct world *w = *state;
    coverage_deinit(&w->coverage);
    coverage_deinit(&w->coverage);
    for (size_t i = 0; i < 2; i++)
        case_file_deinit(&w->files[i]);
    requirements_deinit(&w->reqs);
    free(w);
    return 0;
}

static const struct coverage_row *row(const struct world *w, const char *id)
{
    for (size_t i = 0; i < w->coverage.n; i++)
        if (strcmp(w->coverage.rows[i].rule->id, id) == 0)
            return &w->coverage.rows[i];
    fail_msg("no row %s", id);
    return NULL;
}

static void reasons_have_a_form(void **state)
{
    (void)state;
    assert_int_equal(coverage_state_of("needs: terminals (issue 5)"), COVERAGE_NEEDS);
    assert_int_equal(coverage_state_of("client side (issue 9)"), COVERAGE_CLIENT);
    assert_int_equal(coverage_state_of("not observable: it is UI"), COVERAGE_NOT_OBSERVABLE);
    static const char *const bad[] = {"",
                                      "needs: terminals",
                                      "needs: terminals (issue )",
                                      "needs: terminals (issue 5) perhaps",
                                      "client side",
                                      "not observable",
                                      "not observable: ",
                                      "later"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(coverage_state_of(bad[i]), COVERAGE_OPEN);
}

static void mutants_cover_rules(void **state)
{
    struct world *w = *state;
    const struct coverage_row *r = row(w, "A-1");
    assert_int_equal(r->state, COVERAGE_COVERED);
    assert_false(r->stale);
    assert_false(r->watched);
    assert_int_equal(r->n, 2);
    assert_string_equal(r->cases[0].file->id, "a/one");
    assert_int_equal(r->cases[0].mutants, 2);
    assert_int_equal(r->cases[0].mutant[0], 0);
    assert_int_equal(r->cases[0].mutant[1], 2);
    assert_int_equal(r->cases[1].mutants, 0); /* judged there, but nothing shows that it can fail */
}

static void what_is_not_covered_has_a_reason_or_is_open(void **state)
{
    struct world *w = *state;
    assert_int_equal(row(w, "A-2")->state, COVERAGE_NEEDS);
    assert_int_equal(row(w, "B-1")->state, COVERAGE_NOT_OBSERVABLE);
    assert_int_equal(row(w, "B-2")->state, COVERAGE_CLIENT);
    assert_int_equal(row(w, "B-3")->state, COVERAGE_OPEN); /* not reached is not caught */
    assert_int_equal(row(w, "B-3")->n, 1);
    assert_true(row(w, "RPC-05")->stale);
    assert_true(row(w, "RPC-05")->watched);
}

/* The ids that the words mean, as one text. */
static const char *chosen(const struct world *w, const char *const *words, size_t n)
{
    static char text[256];
    struct coverage_words cw = {words, n};
    text[0] = '\0';
    for (size_t i = 0; i < w->coverage.n; i++)
        if (coverage_means(&cw, &w->coverage.rows[i])) {
            strcat(text, w->coverage.rows[i].rule->id);
            strcat(text, " ");
        }
    return text;
}

#define CHOSEN(w, ...)                                                                             \
    chosen(w, (const char *const[]){__VA_ARGS__},                                                  \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void words_choose_rows(void **state)
{
    struct world *w = *state;
    assert_string_equal(chosen(w, NULL, 0), "A-1 A-2 B-1 B-3 RPC-05 ");
    assert_string_equal(CHOSEN(w, "a"), "A-1 A-2 ");
    assert_string_equal(CHOSEN(w, "b", "MUST"), "RPC-05 ");
    assert_string_equal(CHOSEN(w, "MUST-NOT", "MAY"), "A-2 B-3 ");
    assert_string_equal(CHOSEN(w, "client"), "B-2 ");
    assert_string_equal(CHOSEN(w, "both", "agent", "b"), "B-1 B-3 RPC-05 ");
    assert_string_equal(CHOSEN(w, "B-*"), "B-1 B-2 B-3 ");
    assert_string_equal(CHOSEN(w, "open"), "B-3 ");
    assert_string_equal(CHOSEN(w, "covered", "needs"), "A-1 A-2 RPC-05 ");
}

static void words_that_mean_nothing_are_named(void **state)
{
    struct world *w = *state;
    const char *const good[] = {"a", "MUST-NOT", "both", "open", "A-*"};
    const char *const bad[] = {"a", "MUST_NOTS"};
    assert_null(coverage_bad_word(&(struct coverage_words){good, 5}, &w->reqs));
    assert_string_equal(coverage_bad_word(&(struct coverage_words){bad, 2}, &w->reqs), "MUST_NOTS");
    assert_non_null(
        coverage_bad_word(&(struct coverage_words){(const char *const[]){"z"}, 1}, &w->reqs));
}

/* The suite as it is: every rule that binds agents has a case whose mutant turns it red, or says
 * why not, and names of reasons have their form. */
static void nothing_is_forgotten(void **state)
{
    const struct embed_file *f = embed_find("requirements.tsv");
    struct requirements reqs;
    struct catalog cases;
    struct coverage c;
    unsigned open = 0;
    (void)state;
    assert_non_null(f);
    assert_int_equal(requirements_load(f->text, (size_t)(f->end - f->text), &reqs), 0);
    assert_int_equal(catalog_open_embedded(&cases), 0);
    assert_int_equal(coverage_init(&c, &reqs, &cases), 0);
    for (size_t i = 0; i < c.n; i++) {
        const char *reason = c.rows[i].rule->reason;
        if (c.rows[i].state == COVERAGE_OPEN || (reason[0] && !coverage_state_of(reason))) {
            print_error("%s: neither covered by a mutant nor excused in requirements.tsv\n",
                        c.rows[i].rule->id);
            open++;
        }
    }
    assert_int_equal(open, 0);
    coverage_deinit(&c);
    catalog_close(&cases);
    requirements_deinit(&reqs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_have_a_form),
        cmocka_unit_test_setup_teardown(mutants_cover_rules, make_world, drop_world),
        cmocka_unit_test_setup_teardown(what_is_not_covered_has_a_reason_or_is_open, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(words_choose_rows, make_world, drop_world),
        cmocka_unit_test_setup_teardown(words_that_mean_nothing_are_named, make_world, drop_world),
        cmocka_unit_test(nothing_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
