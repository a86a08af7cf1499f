#include "base/buf.h"
#include "base/err.h"
#include "mock-client/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char permission[] =
    "{\"method\":\"session/request_permission\",\"params\":{\"options\":["
    "{\"optionId\":\"n1\",\"kind\":\"reject_once\"},{\"optionId\":\"y1\",\"kind\":\"allow_once\"},"
    "{\"optionId\":\"n2\",\"kind\":\"reject_once\"},{\"optionId\":\"y2\",\"kind\":\"allow_always\"}"
    "]}}";

/* value NULL: no policy. */
static void check(const char *value, const char *request, int act, const char *want)
{
    struct buf line = {0};
    struct json_slice id = {.p = "1.50", .n = 4};
    cJSON *policy = value ? cJSON_Parse(value) : NULL, *json = cJSON_Parse(request);
    assert_non_null(json);
    assert_int_equal(policy_answer(policy, json, id, &line), act);
    assert_string_equal(line.n ? buf_cstr(&line) : "", want);
    buf_deinit(&line);
    cJSON_Delete(policy);
    cJSON_Delete(json);
}

#define SELECTED(id)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"result\":{\"outcome\":{\"outcome\":\"selected\","          \
    "\"optionId\":\"" id "\"}}}"
#define CANCELLED                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}"

static void test_permission(void **state)
{
    (void)state;
    check(NULL, permission, POLICY_ANSWER, SELECTED("n1"));
    check("\"reject_once\"", permission, POLICY_ANSWER, SELECTED("n1"));
    check("\"allow_once\"", permission, POLICY_ANSWER, SELECTED("y1"));
    check("\"allow_always\"", permission, POLICY_ANSWER, SELECTED("y2"));
    check("\"reject_always\"", permission, POLICY_ANSWER, CANCELLED);
    check("\"cancelled\"", permission, POLICY_ANSWER, CANCELLED);
    check(NULL, "{\"method\":\"session/request_permission\"}", POLICY_ANSWER, CANCELLED);
}

static void test_anything(void **state)
{
    (void)state;
    check(NULL, "{\"method\":\"x/\\\"y\"}", POLICY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"error\":{\"code\":-32601,\"message\":\"Method not "
          "found\",\"data\":{\"method\":\"x/\\\"y\"}}}");
    check("\"manual\"", permission, POLICY_MANUAL, "");
    check("\"never\"", "{\"method\":\"x\"}", POLICY_NEVER, "");
    check("{\"result\":null}", "{\"method\":\"x\"}", POLICY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"result\":null}");
    check("{\"error\":{\"code\":1},\"invalid\":true}", "{\"method\":\"x\"}", POLICY_ANSWER,
          "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"error\":{\"code\":1}}");
}

static void check_refusal(const char *policy, const char *want)
{
    char err[200] = "";
    cJSON *json = cJSON_Parse(policy);
    assert_non_null(json);
    assert_int_equal(policy_check(json, err, sizeof err), want[0] ? E_INVALID : 0);
    assert_string_equal(err, want);
    cJSON_Delete(json);
}

static void test_shape(void **state)
{
    char err[10];
    (void)state;
    assert_int_equal(policy_check(NULL, err, sizeof err), 0);
    check_refusal("{}", "");
    check_refusal("{\"session/request_permission\":\"allow_once\",\"a\":\"manual\",\"b\":"
                  "{\"result\":1},\"c\":{\"error\":{},\"invalid\":true}}",
                  "");
    check_refusal("[]", "policy: expected an object keyed by method");
    check_refusal("{\"a\":\"allow_once\"}",
                  "a: \"allow_once\" is an answer to session/request_permission only");
    check_refusal("{\"a\":\"perhaps\"}", "a: unknown answer \"perhaps\"");
    check_refusal("{\"a\":{}}", "a: needs one of result, error, option, accept, hold, when and "
                                "by_kind, this one has none");
    check_refusal("{\"a\":{\"result\":1,\"error\":1}}",
                  "a: needs one of result, error, option, accept, hold, when and by_kind, this one "
                  "has several");
    check_refusal("{\"a\":{\"result\":1,\"x\":1}}", "a: unknown member \"x\"");
    check_refusal("{\"a\":1}", "a: an answer is a word, {\"result\": ...}, {\"error\": ...}, a "
                               "list, or another form of docs/cases.md");
}

static void test_shape_of_forms(void **state)
{
    static const char *const rows[][2] = {
        {"[\"never\",[{\"hold\":\"h\",\"then\":\"service\"}]]", ""},
        {"{\"when\":[{\"match\":{},\"answer\":\"never\"}],\"else\":[\"manual\"]}", ""},
        {"[]", "a: an empty list answers nothing"},
        {"{\"hold\":\"h\"}", "a: a hold has a name and \"then\""},
        {"{\"hold\":\"h\",\"then\":\"x\"}", "a: unknown answer \"x\""},
        {"{\"when\":[]}", "a: when: expected a list of {\"match\", \"answer\"}"},
        {"{\"when\":[{\"match\":1}]}", "a: when: each entry has \"match\" and \"answer\""},
        {"{\"when\":[{\"match\":1,\"answer\":\"never\",\"x\":1}]}",
         "a: when: unknown member \"x\""},
        {"{\"when\":[{\"match\":{\"$len\":\"x\"},\"answer\":\"never\"}]}",
         "a: when: /$len: must be a number or an object of min and max (at least one)"},
        {"{\"when\":[{\"match\":1,\"answer\":\"never\"}],\"else\":3}",
         "a: an answer is a word, {\"result\": ...}, {\"error\": ...}, a list, or another form of "
         "docs/cases.md"},
        {"{\"by_kind\":{}}", "a: by_kind is an object, and only for session/request_permission"},
        {"{\"option\":\"x\"}", "a: option is a text, and only for session/request_permission"},
        {"{\"accept\":{}}", "a: accept is an object or null, and only for elicitation/create"},
    };
    char policy[300];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(policy, sizeof policy, "{\"a\":%s}", rows[i][0]);
        check_refusal(policy, rows[i][1]);
    }
    check_refusal("{\"session/request_permission\":{\"by_kind\":{\"edit\":{\"option\":\"x\"}},"
                  "\"else\":\"allow_once\"},\"elicitation/create\":{\"accept\":null}}",
                  "");
}

static void check_plain(const char *answer, const char *want)
{
    char err[200] = "";
    cJSON *json = cJSON_Parse(answer);
    assert_int_equal(policy_check_plain(NULL, json, err, sizeof err), want[0] ? E_INVALID : 0);
    assert_string_equal(err, want);
    cJSON_Delete(json);
}

static void test_plain(void **state)
{
    (void)state;
    check_plain("\"allow_once\"", "");
    check_plain("\"decline\"", "");
    check_plain("{\"option\":\"x\"}", "");
    check_plain("\"service\"", "an answer: \"service\" is no answer by hand");
    check_plain("[\"never\"]", "an answer: a list is no answer by hand");
    check_plain("{\"hold\":\"h\",\"then\":\"never\"}", "an answer: \"hold\" is no answer by hand");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permission), cmocka_unit_test(test_anything),
        cmocka_unit_test(test_shape),      cmocka_unit_test(test_shape_of_forms),
        cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
