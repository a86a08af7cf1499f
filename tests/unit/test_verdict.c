/* What is said against a caller, from the requests it made. */
#include "mock-provider/verdict.h"

#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define USER(text) "{\"role\":\"user\",\"text\":\"" text "\"}"
#define SAID(text) "{\"role\":\"assistant\",\"text\":\"" text "\"}"
#define TOOL(id)   "{\"role\":\"tool\",\"id\":\"" id "\",\"text\":\"r\"}"

static void ask_after(struct verdict *v, unsigned n, const char *messages,
                      struct verdict_answer answer)
{
    char text[500];
    cJSON *neutral = NULL;
    snprintf(text, sizeof text, "{\"model\":\"m\",\"messages\":[%s]}", messages);
    assert_int_equal(json_parse(text, strlen(text), &neutral, NULL), 0);
    verdict_request(v, n, neutral, &answer);
    cJSON_Delete(neutral);
}

static void ask(struct verdict *v, unsigned n, const char *messages)
{
    ask_after(v, n, messages, (struct verdict_answer){.status = 200, .now = n, .wait_ms = -1});
}

/* Closes the verdict and compares: "rule n;rule n;". */
static void check(struct verdict *v, const char *want)
{
    char got[300] = "";
    const cJSON *finding;
    size_t n = 0;
    verdict_close(v);
    cJSON_ArrayForEach(finding, v->findings)
    {
        n += (size_t)snprintf(got + n, sizeof got - n, "%s %d;", json_get_str(finding, "rule"),
                              (int)json_get_int(finding, "n", -1));
        assert_non_null(json_get_str(finding, "text"));
    }
    assert_string_equal(got, want);
    verdict_deinit(v);
}

static void test_nothing_to_say(void **state)
{
    struct verdict v;
    (void)state;
    assert_int_equal(verdict_init(&v), 0);
    ask(&v, 1, USER("a"));
    verdict_call(&v, 1, "x");
    ask(&v, 2, USER("a") "," SAID("b") "," TOOL("x"));
    ask(&v, 3, USER("a") "," SAID("b") "," TOOL("x") "," SAID("c") "," USER("d"));
    ask(&v, 4, USER("another conversation"));
    ask(&v, 5, USER("a")); /* compacted, or begun anew */
    check(&v, "");
}

static void test_prefix(void **state)
{
    struct verdict v;
    (void)state;
    assert_int_equal(verdict_init(&v), 0);
    ask(&v, 1, USER("a") "," SAID("b") "," USER("c"));
    ask(&v, 2, USER("a") "," SAID("changed") "," USER("c"));
    check(&v, "prefix 2;");
}

static void test_results(void **state)
{
    struct verdict v;
    (void)state;
    assert_int_equal(verdict_init(&v), 0);
    ask(&v, 1, USER("a"));
    verdict_call(&v, 1, "x");
    verdict_call(&v, 1, "y");
    ask(&v, 2, USER("a") "," SAID("b") "," TOOL("x"));
    verdict_call(&v, 2, "z");
    ask(&v, 3, USER("b"));
    verdict_call(&v, 3, "u");
    verdict_gone(&v, 3);
    check(&v, "results 2;results 2;");
}

static void retry(const struct verdict_answer *first, uint64_t at, const char *want)
{
    struct verdict v;
    assert_int_equal(verdict_init(&v), 0);
    ask_after(&v, 1, USER("a"), *first);
    ask_after(&v, 2, USER("a"), (struct verdict_answer){.status = 200, .now = at, .wait_ms = -1});
    check(&v, want);
}

static void test_retries(void **state)
{
    (void)state;
    retry(&(struct verdict_answer){401, 100, -1}, 5000, "hopeless 2;");
    retry(&(struct verdict_answer){429, 100, 2000}, 2099, "retry-after 2;");
    retry(&(struct verdict_answer){429, 100, 2000}, 2100, "");
    retry(&(struct verdict_answer){429, 100, 0}, 100, "");
    retry(&(struct verdict_answer){500, 100, -1}, 149, "back-off 2;");
    retry(&(struct verdict_answer){529, 100, -1}, 150, "");
}

static void test_attempts(void **state)
{
    struct verdict v;
    (void)state;
    assert_int_equal(verdict_init(&v), 0);
    for (unsigned n = 1; n <= 20; n++)
        ask_after(&v, n, USER("a"), (struct verdict_answer){503, n * 1000u, -1});
    check(&v, "attempts 11;");
}

static void test_unasked(void **state)
{
    struct verdict v = {0};
    (void)state;
    ask(&v, 1, USER("a"));
    verdict_call(&v, 1, "x");
    verdict_gone(&v, 1);
    verdict_add(&v, "miss", 1, "%s", "x");
    verdict_close(&v);
    verdict_deinit(&v);
    assert_null(v.findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_say), cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_results),        cmocka_unit_test(test_retries),
        cmocka_unit_test(test_attempts),       cmocka_unit_test(test_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
