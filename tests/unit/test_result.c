#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/proof.h"
#include "conformance/requirement.h"
#include "conformance/result.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* PROMPT-12 is SCHEMA [schema], PROMPT-15 MUST [plain], TOOL-25 SHOULD and watched by a monitor. */
static const char text[] =
    "{\"title\": \"t\", \"checks\": [\"PROMPT-12\", \"PROMPT-15\", \"TOOL-25\"], \"steps\": []}";

static struct requirements reqs;
static struct case_file file;

static int load(void **state)
{
    const struct embed_file *f = embed_find("requirements.tsv");
    (void)state;
    file = (struct case_file){
        .id = strdup("a/b"), .path = strdup("a/b.json"), .text = text, .n = strlen(text)};
    return requirements_load(f->text, (size_t)(f->end - f->text), &reqs);
}

static int unload(void **state)
{
    (void)state;
    case_file_deinit(&file);
    requirements_deinit(&reqs);
    return 0;
}

static void check(struct case_result *r, const char *id, enum player_outcome outcome,
                  const char *at_most)
{
    struct player_check c = {.id = id,
                             .outcome = outcome,
                             .step = 1,
                             .verb = "prompt",
                             .at_most = at_most,
                             .pointer = "/p",
                             .expected = "e",
                             .got = "g",
                             .text = "t"};
    result_add_check(r, &c);
}

static void finding(struct case_result *r, const char *id, enum verdict at_most,
                    enum trace_side side)
{
    struct finding f = {.id = id, .at_most = at_most, .side = side, .text = "seen"};
    result_add_finding(r, &f, TRACE_AGENT);
}

static enum verdict verdict_in(const struct case_result *r, const char *id)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->checks[i].id, id) == 0)
            return r->checks[i].verdict;
    fail_msg("no check %s", id);
    return VERDICT_ERROR;
}

#define BEGIN(r, is_strict)                                                                        \
    struct case_result r;                                                                          \
    (void)state;                                                                                   \
    assert_int_equal(result_init(&r, &file, &reqs, is_strict), 0)

static void hold_all(struct case_result *r)
{
    check(r, "PROMPT-12", PLAYER_HELD, NULL);
    check(r, "PROMPT-15", PLAYER_HELD, NULL);
}

static void all_held_is_a_pass(void **state)
{
    BEGIN(r, false);
    hold_all(&r);
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_PASS);
    assert_int_equal(verdict_in(&r, "TOOL-25"), VERDICT_PASS);
    assert_null(result_worst(&r));
    result_deinit(&r);
    result_deinit(&r);
}

static void a_broken_rule_costs_what_its_words_say(void **state)
{
    static const struct {
        const char *id, *at_most;
        bool strict;
        enum verdict want;
    } rows[] = {
        {"PROMPT-12", NULL, false, VERDICT_FAIL},   {"PROMPT-12", "WARN", false, VERDICT_WARN},
        {"PROMPT-12", "INFO", false, VERDICT_INFO}, {"PROMPT-15", NULL, false, VERDICT_WARN},
        {"PROMPT-15", "INFO", false, VERDICT_INFO}, {"PROMPT-15", NULL, true, VERDICT_FAIL},
        {"PROMPT-15", "INFO", true, VERDICT_INFO},  {"NO-SUCH", NULL, false, VERDICT_ERROR},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        BEGIN(r, rows[i].strict);
        hold_all(&r);
        check(&r, rows[i].id, PLAYER_BROKEN, rows[i].at_most);
        result_conclude(&r);
        assert_int_equal(verdict_in(&r, rows[i].id), rows[i].want);
        assert_int_equal(r.verdict, rows[i].want);
        result_deinit(&r);
    }
}

static void the_heaviest_breach_is_told(void **state)
{
    BEGIN(r, false);
    check(&r, "PROMPT-12", PLAYER_BROKEN, "INFO");
    struct player_check c = {.id = "PROMPT-12",
                             .outcome = PLAYER_BROKEN,
                             .step = 7,
                             .verb = "await",
                             .pointer = "/q",
                             .expected = "x",
                             .got = "y",
                             .text = "z"};
    result_add_check(&r, &c);
    check(&r, "PROMPT-12", PLAYER_BROKEN, NULL);
    result_conclude(&r);
    assert_int_equal(r.checks[0].step, 7);
    assert_string_equal(r.checks[0].pointer, "/q");
    assert_ptr_equal(result_worst(&r), &r.checks[0]);
    result_deinit(&r);
}

static void what_was_not_reached_is_not_exercised(void **state)
{
    BEGIN(r, false);
    check(&r, "PROMPT-12", PLAYER_HELD, NULL);
    check(&r, "PROMPT-12", PLAYER_UNREACHED, NULL); /* judged before: that counts */
    check(&r, "PROMPT-15", PLAYER_UNREACHED, NULL);
    result_conclude(&r);
    assert_int_equal(verdict_in(&r, "PROMPT-12"), VERDICT_PASS);
    assert_int_equal(verdict_in(&r, "PROMPT-15"), VERDICT_NOT_EXERCISED);
    assert_int_equal(r.verdict, VERDICT_NOT_EXERCISED);
    result_deinit(&r);
}

static void a_check_nobody_looked_at_is_not_exercised(void **state)
{
    BEGIN(r, false);
    check(&r, "PROMPT-12", PLAYER_HELD, NULL);
    result_conclude(&r);
    assert_int_equal(verdict_in(&r, "TOOL-25"), VERDICT_PASS); /* its monitor watched */
    assert_int_equal(r.verdict, verdict_in(&r, "PROMPT-15"));
    result_deinit(&r);
}

static void without_its_event_a_case_passes_nothing(void **state)
{
    BEGIN(r, false);
    hold_all(&r);
    result_not_exercised(&r, "tool", "no such tool");
    result_not_exercised(&r, "model", "second reason");
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_NOT_EXERCISED);
    assert_string_equal(r.reason, "no such tool");
    assert_string_equal(r.reason_code, "tool");
    result_deinit(&r);
}

static void but_what_failed_has_failed(void **state)
{
    BEGIN(r, false);
    check(&r, "PROMPT-12", PLAYER_BROKEN, NULL);
    result_not_exercised(&r, "tool", "no such tool");
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_FAIL);
    result_deinit(&r);
}

static void what_only_the_model_brings_is_excused(void **state)
{
    struct player_check effect = {.id = "PROMPT-15", .outcome = PLAYER_BROKEN, .verb = "text"};
    struct player_check both = {.id = "PROMPT-12", .outcome = PLAYER_BROKEN, .verb = "saw"};
    BEGIN(r, false);
    result_add_check(&r, &effect);
    result_add_check(&r, &both);
    check(&r, "PROMPT-12", PLAYER_BROKEN, NULL); /* a response was wrong as well */
    result_excuse_effects(&r);
    finding(&r, "RPC-05", VERDICT_FAIL, TRACE_AGENT);
    result_conclude(&r);
    assert_int_equal(verdict_in(&r, "PROMPT-15"), VERDICT_NOT_EXERCISED);
    assert_int_equal(verdict_in(&r, "PROMPT-12"), VERDICT_FAIL);
    assert_int_equal(verdict_in(&r, "RPC-05"), VERDICT_FAIL);
    result_deinit(&r);
}

static void findings_of_monitors_count(void **state)
{
    BEGIN(r, false);
    hold_all(&r);
    finding(&r, "RPC-05", VERDICT_FAIL, TRACE_AGENT);
    finding(&r, "TOOL-25", VERDICT_INFO, TRACE_AGENT);
    result_conclude(&r);
    assert_int_equal(r.n, 4);
    assert_int_equal(r.n_listed, 3);
    assert_int_equal(verdict_in(&r, "RPC-05"), VERDICT_FAIL);
    assert_int_equal(verdict_in(&r, "TOOL-25"), VERDICT_INFO);
    assert_string_equal(r.checks[3].by, "monitor");
    result_deinit(&r);
}

static void findings_about_us_are_our_error(void **state)
{
    BEGIN(r, false);
    hold_all(&r);
    finding(&r, "NEW-02", VERDICT_FAIL, TRACE_CLIENT);
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_ERROR);
    assert_string_equal(r.reason, "seen");
    assert_string_equal(r.reason_code, "harness");
    result_deinit(&r);
}

static void an_error_is_told_before_anything_else(void **state)
{
    BEGIN(r, false);
    result_not_exercised(&r, "model", "first");
    result_error(&r, "cannot start");
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_ERROR);
    assert_string_equal(r.reason, "cannot start");
    assert_int_equal(verdict_in(&r, "TOOL-25"), VERDICT_NOT_EXERCISED);
    result_deinit(&r);
}

static void turns_of_the_model_judge_too(void **state)
{
    BEGIN(r, false);
    result_add_held(&r, "PROMPT-15", "model");
    result_add_mismatch(&r, "PROMPT-12", "last.text differs");
    result_conclude(&r);
    assert_int_equal(verdict_in(&r, "PROMPT-15"), VERDICT_PASS);
    assert_int_equal(verdict_in(&r, "PROMPT-12"), VERDICT_FAIL);
    assert_string_equal(r.checks[0].by, "model");
    result_deinit(&r);
}

static void a_skipped_case_judges_nothing(void **state)
{
    BEGIN(r, false);
    result_skip(&r, "capability", "no loadSession");
    result_conclude(&r);
    assert_int_equal(r.verdict, VERDICT_SKIP);
    assert_string_equal(r.reason, "no loadSession");
    result_deinit(&r);
}

static void proofs_want_exactly_what_is_declared(void **state)
{
    static const struct {
        const char *fails, *diff;
    } rows[] = {
        {"[\"PROMPT-12\", \"NOT-EXERCISED:PROMPT-15\"]", NULL},
        {"[\"NOT-EXERCISED:PROMPT-15\", \"PROMPT-12\"]", NULL},
        {"[\"FAIL:PROMPT-12\", \"NOT-EXERCISED:PROMPT-15\"]", NULL},
        {"[\"WARN:PROMPT-12\", \"NOT-EXERCISED:PROMPT-15\"]",
         "WARN:PROMPT-12 did not come; FAIL:PROMPT-12 too"},
        {"[]", "FAIL:PROMPT-12 too; NOT-EXERCISED:PROMPT-15 too"},
        {"[\"PROMPT-12\"]", "NOT-EXERCISED:PROMPT-15 too"},
        {"[\"NOT-EXERCISED:PROMPT-15\"]", "FAIL:PROMPT-12 too"},
        {"[\"PROMPT-12\", \"NOT-EXERCISED:PROMPT-15\", \"RPC-05\"]", "RPC-05 did not come"},
    };
    BEGIN(r, false);
    check(&r, "PROMPT-12", PLAYER_BROKEN, NULL);
    check(&r, "PROMPT-15", PLAYER_UNREACHED, NULL);
    result_conclude(&r);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf diff = {0};
        cJSON *fails = cJSON_Parse(rows[i].fails);
        assert_int_equal(proof_matches(fails, &r, &diff), rows[i].diff == NULL);
        assert_string_equal(buf_cstr(&diff), rows[i].diff ? rows[i].diff : "");
        cJSON_Delete(fails);
        buf_deinit(&diff);
    }
    result_deinit(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_held_is_a_pass),
        cmocka_unit_test(a_broken_rule_costs_what_its_words_say),
        cmocka_unit_test(the_heaviest_breach_is_told),
        cmocka_unit_test(what_was_not_reached_is_not_exercised),
        cmocka_unit_test(a_check_nobody_looked_at_is_not_exercised),
        cmocka_unit_test(without_its_event_a_case_passes_nothing),
        cmocka_unit_test(but_what_failed_has_failed),
        cmocka_unit_test(what_only_the_model_brings_is_excused),
        cmocka_unit_test(findings_of_monitors_count),
        cmocka_unit_test(findings_about_us_are_our_error),
        cmocka_unit_test(an_error_is_told_before_anything_else),
        cmocka_unit_test(turns_of_the_model_judge_too),
        cmocka_unit_test(a_skipped_case_judges_nothing),
        cmocka_unit_test(proofs_want_exactly_what_is_declared),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
