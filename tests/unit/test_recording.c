#include "conformance/recording.h"

#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INIT    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}"
#define INITED  "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}"
#define ASK     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{}}"
#define MAY_I   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/request_permission\"}"
#define YOU_MAY "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"outcome\":{}}}"
#define ENDED   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}"
#define OWN     "{\"jsonrpc\":\"2.0\",\"method\":\"_own/thing\"}"

/* The sides of what a text holds: 'c' and 'a', the start left out. */
static void assert_sides(const char *text, const char *sides, size_t skipped)
{
    struct recording r;
    struct trace_fault fault;
    char got[32] = "", *copy = strdup(text);
    assert_non_null(copy);
    assert_int_equal(recording_read(&r, copy, strlen(copy), &fault), 0);
    for (size_t i = 0; i < r.trace.n; i++)
        if (r.trace.events[i]->side != TRACE_PROCESS)
            strcat(got, r.trace.events[i]->side == TRACE_AGENT ? "a" : "c");
    assert_string_equal(got, sides);
    assert_int_equal(r.skipped, skipped);
    recording_deinit(&r);
    free(copy);
}

static void test_bare_lines(void **state)
{
    (void)state;
    assert_sides(INIT "\n" INITED "\n", "ca", 0);
    assert_sides("\n" INIT "\r\n\n" INITED, "ca", 0);
    /* the same id on both sides: the permission was asked last, but the answer says nothing of
     * that; the oldest open request is taken first, and both are answered in the end */
    assert_sides(INIT "\n" INITED "\n" ASK "\n" ENDED "\n" MAY_I "\n" YOU_MAY "\n", "cacaac", 0);
    assert_sides(INIT "\nnoise\n" OWN "\n" INITED "\n", "ca", 2);
}

static void test_a_withdrawal_is_the_askers(void **state)
{
    static const char withdraw[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n";
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, "%s\n%s\n%s", INIT, MAY_I, withdraw);
    assert_sides(text, "caa", 0);
    snprintf(text, sizeof text, "%s\n%s\n%s", INIT, ASK, withdraw);
    assert_sides(text, "ccc", 0);
    snprintf(text, sizeof text, "%s\n%s%s", INIT, withdraw, INITED);
    assert_sides(text, "ca", 1);
}

static void test_labels_mean_what_was_said_under_them(void **state)
{
    (void)state;
    assert_sides("{\"dir\":\"c2a\",\"t\":1,\"msg\":" INIT "}\n{\"dir\":\"a2c\",\"msg\":" INITED
                 "}\n{\"dir\":\"a2c\",\"msg\":" OWN "}\n",
                 "caa", 0);
    assert_sides("{\"direction\":\"in\",\"payload\":" INITED "}\n"
                 "{\"direction\":\"out\",\"payload\":" INIT "}\n",
                 "ac", 0);
    assert_sides("{\"direction\":\"in\",\"payload\":" INIT "}\n"
                 "{\"direction\":\"out\",\"payload\":" INITED "}\n",
                 "ca", 0);
    assert_sides("{\"dir\":\"x\",\"msg\":" INIT "}\n{\"dir\":\"x\",\"msg\":null}\n", "c", 1);
}

static void test_a_message_may_be_a_text(void **state)
{
    (void)state;
    assert_sides("{\"direction\":\"x\",\"raw\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":0,"
                 "\\\"method\\\":\\\"initialize\\\"}\"}\n",
                 "c", 0);
    assert_sides("{\"from\":\"x\",\"raw\":\"{broken\"}\n" INIT "\n", "c", 1);
}

static void test_documents(void **state)
{
    (void)state;
    assert_sides("[" INIT "," INITED "]", "ca", 0);
    assert_sides("{\n\"version\":1,\"messages\":[\n{\"direction\":\"client\",\"payload\":" INIT
                 "},\n{\"direction\":\"agent\",\"payload\":" INITED "}]}",
                 "ca", 0);
}

static void test_order_and_times(void **state)
{
    struct recording r;
    struct trace_fault fault;
    char text[] = "{\"dir\":\"c\",\"t\":5,\"msg\":" INIT "}\n{\"dir\":\"a\",\"t\":2,\"msg\":" INITED
                  "}\n{\"dir\":\"c\",\"t\":\"noon\",\"msg\":" ASK "}\n";
    (void)state;
    assert_int_equal(recording_read(&r, text, strlen(text), &fault), 0);
    assert_int_equal(r.trace.n, 4);
    assert_true(r.from_start);
    for (size_t i = 1; i < r.trace.n; i++)
        assert_int_equal(r.trace.events[i]->t_us, 5000);
    recording_deinit(&r);
}

static void test_our_own_traces(void **state)
{
    (void)state;
    assert_sides("{\"trace\":1}\n{\"seq\":0,\"t\":0,\"side\":\"client\",\"kind\":\"line\",\"step\":"
                 "0,\"message\":" INIT "}\n",
                 "c", 0);
}

static void assert_fault(const char *text, unsigned line)
{
    struct recording r;
    struct trace_fault fault;
    char *copy = strdup(text);
    assert_non_null(copy);
    assert_int_equal(recording_read(&r, copy, strlen(copy), &fault), E_PARSE);
    assert_int_equal(fault.line, line);
    assert_true(fault.text[0] != '\0');
    recording_deinit(&r);
    free(copy);
}

static void test_what_is_no_recording(void **state)
{
    (void)state;
    assert_fault("", 1);
    assert_fault("noise\nnoise\n", 1);
    assert_fault("[]", 1);
    assert_fault("{\"trace\":1}\n{\"side\":\"moon\"}\n", 2);
}

static void test_told_from_cases(void **state)
{
    static const char case_file[] = "{\n\"title\": \"x\", \"steps\": []\n}";
    static const char broken_case[] = "{\n\"title\": \"x\",, \n}";
    static const char lines[] = INIT "\n" INITED "\n", document[] = "{\"messages\":[" INIT "]}";
    (void)state;
    assert_false(recording_is(case_file, strlen(case_file)));
    assert_false(recording_is(broken_case, strlen(broken_case)));
    assert_true(recording_is(lines, strlen(lines)));
    assert_true(recording_is(document, strlen(document)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare_lines),
        cmocka_unit_test(test_a_withdrawal_is_the_askers),
        cmocka_unit_test(test_labels_mean_what_was_said_under_them),
        cmocka_unit_test(test_a_message_may_be_a_text),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_order_and_times),
        cmocka_unit_test(test_our_own_traces),
        cmocka_unit_test(test_what_is_no_recording),
        cmocka_unit_test(test_told_from_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
