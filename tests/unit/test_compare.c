#include "base/buf.h"
#include "base/err.h"
#include "conformance/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char table[] =
    "id\tparty\tlevel\tarea\tmethod\trequirement\thow_to_observe\tsource\treason\n"
    "A-01\tagent\tMUST\talpha\t*\tOne <rule>.\t\tx [keyword]\t\n"
    "A-02\tagent\tSHOULD\talpha\t*\tTwo.\t\tx [keyword]\t\n"
    "B-01\tagent\tMUST\tbeta\t*\tThree.\t\tx [keyword]\t\n";

#define CHECK(id, verdict)                                                                         \
    "{\"id\":\"" id "\",\"verdict\":\"" verdict "\",\"pointer\":\"/p\",\"text\":\"a|b <i>\"}"
#define CASE(id, verdict, checks)                                                                  \
    "{\"id\":\"" id "\",\"verdict\":\"" verdict "\",\"checks\":[" checks "]}"
#define REPORT(name, cases)                                                                        \
    "{\"format\":\"acp-conformance-report\",\"agent\":{\"profile\":\"" name                        \
    "\",\"version\":\"1.2\"},\"duration_ms\":1500,\"cases\":[" cases "]}"

static void add(struct compare *c, const char *text)
{
    char err[256], path[] = "/tmp/report-XXXXXX.json";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    if (compare_add(c, path, err, sizeof err) < 0)
        fail_msg("%s", err);
    remove(path);
}

struct fixture {
    struct requirements reqs;
    struct compare now, former;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(requirements_load(table, strlen(table), &f->reqs), 0);
    f->now.reqs = f->former.reqs = &f->reqs;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    compare_deinit(&f->now);
    compare_deinit(&f->former);
    requirements_deinit(&f->reqs);
    free(f);
    return 0;
}

static void the_worst_of_all_cases_counts(void **state)
{
    struct fixture *f = *state;
    unsigned n[VERDICT_COUNT];
    add(&f->now,
        REPORT(
            "x",
            CASE("alpha/a", "FAIL", CHECK("A-01", "PASS") "," CHECK("B-01", "FAIL")) "," CASE(
                "alpha/b", "FAIL",
                CHECK("A-01", "FAIL") "," CHECK(
                    "A-02",
                    "NOT-EXERCISED")) "," CASE("alpha/c", "FAIL",
                                               CHECK("A-01", "FAIL") "," CHECK(
                                                   "A-02",
                                                   "PASS")) "," CASE("alpha/d", "SKIP",
                                                                     "") "," CASE("alpha/e", "PASS",
                                                                                  CHECK("Z-99",
                                                                                        "FAIL"))));
    const struct compare_agent *a = &f->now.agents[0];
    assert_string_equal(a->name, "x");
    compare_cases(a, n);
    assert_int_equal(n[VERDICT_FAIL], 3);
    assert_int_equal(n[VERDICT_SKIP], 1);
    assert_int_equal(a->marks[0].verdict, VERDICT_FAIL);
    assert_int_equal(a->marks[0].cases, 2);
    assert_string_equal(a->marks[0].case_id, "alpha/b");
    /* not exercised in one place, but in another */
    assert_int_equal(a->marks[1].verdict, VERDICT_PASS);
    compare_count(&f->now, a, "alpha", n);
    assert_int_equal(n[VERDICT_FAIL] + n[VERDICT_PASS], 2);
    compare_count(&f->now, a, "beta", n);
    assert_int_equal(n[VERDICT_FAIL], 1);
    assert_true(compare_is_broken(&f->now, 0));
    assert_false(compare_is_broken(&f->now, 1));
}

static void drift_is_told(void **state)
{
    struct fixture *f = *state;
    add(&f->former,
        REPORT("x",
               CASE("a/a", "FAIL",
                    CHECK("A-01", "FAIL") "," CHECK("A-02", "PASS") "," CHECK("B-01", "FAIL"))));
    add(&f->now,
        REPORT("x",
               CASE("a/a", "FAIL",
                    CHECK("A-01", "PASS") "," CHECK("A-02", "WARN") "," CHECK("B-01", "WARN"))));
    add(&f->now, REPORT("y", CASE("a/a", "FAIL", CHECK("A-01", "FAIL"))));
    compare_match(&f->now, &f->former);
    assert_string_equal(compare_drift(&f->now.agents[0], 0), "fixed");
    assert_string_equal(compare_drift(&f->now.agents[0], 1), "new");
    assert_string_equal(compare_drift(&f->now.agents[0], 2), "changed");
    assert_null(compare_drift(&f->now.agents[1], 0));
}

static void pages_say_it(void **state)
{
    struct fixture *f = *state;
    struct buf md = {0}, html = {0};
    add(&f->former, REPORT("x", CASE("a/a", "PASS", CHECK("A-01", "PASS"))));
    add(&f->now, REPORT("x", CASE("a/a", "FAIL", CHECK("A-01", "FAIL") "," CHECK("A-02", "PASS"))));
    compare_match(&f->now, &f->former);
    assert_int_equal(compare_markdown(&f->now, &md), 0);
    assert_int_equal(compare_html(&f->now, &html), 0);
    assert_non_null(strstr(buf_cstr(&md), "| x | 1.2 | 1 | 0 | 0 | 0 | 1 |"));
    assert_non_null(strstr(buf_cstr(&md), "| alpha | **1 FAIL** 1/2 |"));
    assert_non_null(strstr(buf_cstr(&md), "| A-01 | **FAIL** |"));
    assert_null(strstr(buf_cstr(&md), "| A-02 |"));
    assert_non_null(strstr(buf_cstr(&md), "- new: x A-01: FAIL, was PASS"));
    assert_non_null(strstr(buf_cstr(&md), "- FAIL x: at /p: a\\|b &lt;i&gt; (a/a)"));
    assert_non_null(strstr(buf_cstr(&html), "One &lt;rule&gt;."));
    assert_non_null(strstr(buf_cstr(&html), "title=\"at /p: a|b &lt;i&gt;\">FAIL <small>new"));
    buf_deinit(&md);
    buf_deinit(&html);
}

static void other_files_are_refused(void **state)
{
    struct fixture *f = *state;
    char err[256] = "", path[] = "/tmp/report-XXXXXX.json";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("{\"format\":\"something\"}", file);
    fclose(file);
    assert_true(compare_add(&f->now, path, err, sizeof err) < 0);
    assert_non_null(strstr(err, "is no report of acp-conformance run"));
    assert_int_equal(f->now.n, 0);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_worst_of_all_cases_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drift_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_say_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
