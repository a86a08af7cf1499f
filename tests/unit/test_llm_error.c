/* Error bodies of every provenance, and the times to wait. */
#include "agent/llm_error.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_body(long status, const char *body, const char *text, bool retry)
{
    struct llm_error e;
    llm_error_from_body(status, body, strlen(body), &e);
    assert_string_equal(e.text, text);
    assert_int_equal(e.status, status);
    assert_int_equal(e.retry, retry);
}

static void test_bodies(void **state)
{
    (void)state;
    check_body(401, "{\"error\":{\"message\":\"Incorrect API key\",\"code\":\"invalid_api_key\"}}",
               "Incorrect API key", false);
    check_body(429, "{\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}",
               "slow down", true);
    check_body(429, "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}", "pay",
               false);
    check_body(500, "{\"error\":\"as a string\"}", "as a string", true);
    check_body(400, "{\"object\":\"error\",\"message\":\"too long\",\"code\":400}", "too long",
               false);
    check_body(422, "{\"detail\":\"field required\"}", "field required", false);
    check_body(503, "[{\"error\":{\"code\":503,\"message\":\"busy\"}}]", "busy", true);
    check_body(502, "<html><head><TITLE>502 Bad\n Gateway</TITLE></head></html>", "502 Bad Gateway",
               true);
    check_body(500, "  plain\r\n words \x1b[31m ", "plain words [31m", true);
    check_body(500, "", "no text came with the error", true);
    check_body(404, "{\"other\":1}", "{\"other\":1}", false);
    check_body(500, "bad \xff byte", "bad \xef\xbf\xbd byte", true);
}

static void test_long_text_ends_between_characters(void **state)
{
    (void)state;
    struct llm_error e = {0};
    char text[2048];
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[sizeof text - 2] = '\0';
    llm_error_set(&e, text);
    assert_in_range(strlen(e.text), sizeof e.text - 4, sizeof e.text - 1);
    assert_int_equal(strlen(e.text) % 2, 0);
}

static void check_wait(const char *ms, const char *after, int64_t want)
{
    struct llm_error e = {0};
    llm_error_read_wait(&e, ms, after, 1792567680); /* Wed, 21 Oct 2026 07:28:00 GMT */
    assert_int_equal(e.has_wait, want >= 0);
    if (want >= 0)
        assert_int_equal((int64_t)e.wait_ms, want);
}

static void test_waits(void **state)
{
    (void)state;
    check_wait(NULL, NULL, -1);
    check_wait(NULL, "2", 2000);
    check_wait(NULL, "0.5", 500);
    check_wait(NULL, "0", 0);
    check_wait("150", "2", 150);
    check_wait("x", "2", 2000);
    check_wait(NULL, "7200", 7200000);
    check_wait(NULL, "Wed, 21 Oct 2026 07:28:10 GMT", 10000);
    check_wait(NULL, "Wed, 21 Oct 2026 07:27:00 GMT", -1);
    check_wait(NULL, "soon", -1);
    check_wait(NULL, "-5", -1);
    check_wait(NULL, "nan", -1);
    check_wait(NULL, "1e300", -1);
}

static void test_wait_in_body(void **state)
{
    (void)state;
    struct llm_error e;
    const char *body = "{\"error\":{\"code\":429,\"message\":\"m\",\"details\":[{\"x\":1},"
                       "{\"retryDelay\":\"34s\"}]}}";
    llm_error_from_body(429, body, strlen(body), &e);
    assert_true(e.has_wait);
    assert_int_equal(e.wait_ms, 34000);
    llm_error_read_wait(&e, NULL, "1", 0); /* a header is nearer to the truth */
    assert_int_equal(e.wait_ms, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_long_text_ends_between_characters),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_wait_in_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
