/* What a peer makes of what comes in. */
#include "peer_server.h"

#define NO_OBJECT  ERROR("null", "-32600", "Invalid request: a message is a JSON object")
#define NO_VERSION ERROR("null", "-32600", "Invalid request: \\\"jsonrpc\\\" must be \\\"2.0\\\"")
#define NO_METHOD  ERROR("null", "-32600", "Invalid request: \\\"method\\\" must be a string")
#define NO_BATCH                                                                                   \
    ERROR("null", "-32600", "Invalid request: batches are not supported, send one message a line")
#define NO_ID                                                                                      \
    ERROR("null", "-32600", "Invalid request: \\\"id\\\" must be a string, a number or null")
#define NO_PARAMS(id)                                                                              \
    ERROR(id, "-32600", "Invalid request: \\\"params\\\" must be an object or an array")

static void requests_are_answered(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":{\"a\":[1,\"\\u00e9\"]}}\n",
          RESULT("1", "{\"a\":[1,\"\xc3\xa9\"]}"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":[1,2]}\n", RESULT("1", "[1,2]"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n", RESULT("1", "null"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":null}\r\n\r\n  \n", RESULT("1", "null"),
          "");
    CHECK("{\"params\":{},\"method\":\"\\u0065cho\",\"id\":1,\"jsonrpc\":\"2.0\"}\n",
          RESULT("1", "{}"), "");
    CHECK(HEAD "\"id\":2,\"method\":\"fail\",\"params\":{\"x\":1}}\n",
          HEAD "\"id\":2,\"error\":{\"code\":-32602,\"message\":\"bad\",\"data\":{\"x\":1}}}\n",
          "");
}

static void ids_come_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const ids[] = {"0",
                                      "-1",
                                      "9007199254740993",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "1.5",
                                      "1e3",
                                      "1000000000000000",
                                      "123456789012345678901234567890",
                                      "\"\"",
                                      "\"1\"",
                                      "\"a\\u0000b\"",
                                      "\"\\ud800\"",
                                      "\"\xf0\x9f\x98\x80\"",
                                      "\"\\/\\u0041\"",
                                      "null"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        char in[200], want[200];
        snprintf(in, sizeof in, HEAD "\"method\":\"echo\",\"id\" : %s ,\"params\":{}}\n", ids[i]);
        snprintf(want, sizeof want, HEAD "\"id\":%s,\"result\":{}}\n", ids[i]);
        check(in, strlen(in), want, "");
    }
}

static void unknown_methods_are_refused(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"no/such\"}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"no/such\"}}}\n",
          "");
    /* A NUL does not turn one method into another. */
    CHECK(HEAD "\"id\":1,\"method\":\"echo\\u0000x\"}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"echo\xef\xbf\xbdx\"}}}\n",
          "");
    CHECK(HEAD "\"id\":1,\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"$/cancel_request\"}}}\n",
          "");
}

static void a_long_method_is_not_sent_back(void **state)
{
    (void)state;
    struct server s;
    struct buf line = {0};
    start(&s);
    buf_adds(&line, HEAD "\"id\":1,\"method\":\"x");
    for (int i = 0; i < 300; i++)
        buf_adds(&line, "\xc3\xa9"); /* cut between characters */
    buf_adds(&line, "\"}\n");
    assert_int_equal(peer_feed(s.peer, line.p, line.n), 0);
    assert_true(s.out.n < 400);
    assert_null(strstr(buf_cstr(&s.out), "\xef\xbf\xbd"));
    buf_deinit(&line);
    stop(&s);
}

static void notifications_are_never_answered(void **state)
{
    (void)state;
    CHECK(HEAD "\"method\":\"note\",\"params\":{\"a\":1}}\n", "", "note{\"a\":1};");
    CHECK(HEAD "\"method\":\"note\"}\n", "", "note;");
    CHECK(HEAD "\"method\":\"note\",\"params\":null}\n", "", "note;");
    CHECK(HEAD "\"method\":\"note\",\"params\":[]}\n", "", "note[];");
    CHECK(HEAD "\"method\":\"note\",\"params\":7}\n", "", "");
    CHECK(HEAD "\"method\":\"note\",\"params\":\"x\"}\n", "", "");
    CHECK(HEAD "\"method\":\"$/foo\",\"params\":{}}\n", "", "$/foo{};");
}

static void broken_json_is_a_parse_error(void **state)
{
    (void)state;
    struct server s;
    static const char *const lines[] = {
        "{",          "nope",       "{\"a\":1}}",       "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}",
        "{'a':1}",    "[1,]",       "\"\xed\xa0\x80\"", "{\"a\":01}",       "\"tab\there\"",
        "{\"id\":1,", "{\"a\":1} x"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        start(&s);
        assert_int_equal(feed(&s, lines[i]), 0);
        assert_int_equal(feed(&s, "\n" HEAD "\"id\":1,\"method\":\"echo\"}\n"), 0);
        assert_non_null(buf_cstr(&s.out));
        const char want[] =
            HEAD "\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error: ";
        assert_memory_equal(s.out.p, want, sizeof want - 1);
        assert_string_equal(strchr(s.out.p, '\n') + 1, RESULT("1", "null"));
        stop(&s);
    }
}

static void too_deep_is_a_parse_error(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(feed(&s, "["), 0);
    assert_int_equal(feed(&s, "\n"), 0);
    assert_non_null(strstr(buf_cstr(&s.out), "\"id\":null,\"error\":{\"code\":-32700"));
    stop(&s);
}

static void long_lines_are_dropped(void **state)
{
    (void)state;
    char junk[MAX_LINE + 100];
    struct server s;
    memset(junk, 'x', sizeof junk);
    for (size_t step = 1; step < 2 * sizeof junk; step *= 2) {
        start(&s);
        assert_int_equal(feed_in(&s, junk, sizeof junk, step), 0);
        assert_int_equal(feed(&s, "\n" HEAD "\"id\":1,\"method\":\"echo\"}\n"), 0);
        assert_out(&s, ERROR("null", "-32700", "Parse error: the line is longer than 4000 bytes")
                           RESULT("1", "null"));
        stop(&s);
    }
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    CHECK("42\n", NO_OBJECT, "");
    CHECK("null\n", NO_OBJECT, "");
    CHECK("\"x\"\n", NO_OBJECT, "");
    CHECK("true\n", NO_OBJECT, "");
    CHECK("{}\n", NO_VERSION, "");
    CHECK("{\"foo\":\"bar\"}\n", NO_VERSION, "");
    CHECK("{\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":\"1.0\",\"method\":\"note\"}\n", NO_VERSION, "");
    CHECK(HEAD "\"id\":1}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":1,\"method\":42}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":1,\"method\":null}\n", NO_METHOD, "");
    CHECK(HEAD "\"method\":[\"note\"]}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":{\"x\":1},\"method\":\"echo\"}\n", NO_ID, "");
    CHECK(HEAD "\"id\":true,\"method\":\"echo\"}\n", NO_ID, "");
    CHECK(HEAD "\"id\":[1],\"method\":\"echo\"}\n", NO_ID, "");
}

static void batches_are_refused_once(void **state)
{
    (void)state;
    CHECK("[]\n", NO_BATCH, "");
    CHECK("[" HEAD "\"id\":1,\"method\":\"echo\"}]\n", NO_BATCH, "");
    CHECK("[1,2,3]\n", NO_BATCH, "");
    CHECK("[" HEAD "\"id\":1,\"method\":\"echo\"}," HEAD "\"method\":\"note\"}]\n", NO_BATCH, "");
}

static void scalar_params_are_refused(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":\"a\",\"method\":\"echo\",\"params\":7}\n", NO_PARAMS("\"a\""), "");
    CHECK(HEAD "\"id\":null,\"method\":\"echo\",\"params\":\"x\"}\n", NO_PARAMS("null"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":false}\n", NO_PARAMS("1"), "");
}

static void stray_responses_are_ignored(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":99,\"result\":{}}\n", "", "");
    CHECK(HEAD "\"id\":null,\"result\":{}}\n", "", "");
    CHECK(HEAD "\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n", "", "");
    CHECK(HEAD "\"id\":\"1\",\"error\":null}\n", "", "");
    CHECK("{\"result\":7}\n", "", "");
    CHECK("{\"id\":[],\"error\":7}\n", "", "");
    CHECK(HEAD "\"id\":1e400,\"result\":{}}\n" HEAD "\"id\":-1,\"result\":{}}\n", "", "");
}

static void a_method_makes_it_a_request(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"result\":{},\"error\":{}}\n", RESULT("1", "null"),
          "");
    CHECK(HEAD "\"method\":\"note\",\"result\":{}}\n", "", "note;");
}

static void of_duplicates_the_last_counts(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"id\":2,\"method\":\"x\",\"method\":\"echo\",\"params\":{\"a\":1},"
               "\"params\":{\"b\":2}}\n",
          RESULT("2", "{\"b\":2}"), "");
}

static void order_is_kept_in_a_burst(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n" HEAD "\"method\":\"a\"}\n"
               "nope\n" HEAD "\"method\":\"b\"}\n" HEAD "\"id\":2,\"method\":\"echo\"}\n",
          RESULT("1", "null") ERROR("null", "-32700", "Parse error: value expected at byte 0")
              RESULT("2", "null"),
          "a;b;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(ids_come_back_byte_for_byte),
        cmocka_unit_test(unknown_methods_are_refused),
        cmocka_unit_test(a_long_method_is_not_sent_back),
        cmocka_unit_test(notifications_are_never_answered),
        cmocka_unit_test(broken_json_is_a_parse_error),
        cmocka_unit_test(too_deep_is_a_parse_error),
        cmocka_unit_test(long_lines_are_dropped),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(batches_are_refused_once),
        cmocka_unit_test(scalar_params_are_refused),
        cmocka_unit_test(stray_responses_are_ignored),
        cmocka_unit_test(a_method_makes_it_a_request),
        cmocka_unit_test(of_duplicates_the_last_counts),
        cmocka_unit_test(order_is_kept_in_a_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
