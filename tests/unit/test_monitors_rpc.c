#include "monitor_kit.h"

/* The monitors of lines, messages and answers. */

static void a_clean_case_has_no_findings(void **state)
{
    static const struct monitor_row rows[] = {
        {"a turn", TURN CHUNK("s", "hi") DONE("2"), ""},
        {"only a start", START, ""},
        {"nothing", "", ""},
        {"strings as ids",
         INIT "C {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"_x/y\"}\n"
              "A {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":5}\n",
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void lines(void **state)
{
    static const struct monitor_row rows[] = {
        {"a banner", INIT "A Welcome!\n", "TRANS-04"},
        {"a banner in a brace", INIT "A {Welcome}\n", "TRANS-04"},
        {"a number", INIT "A 42\n", "TRANS-04"},
        {"no UTF-8", INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"\xff\"}}\n",
         "TRANS-01"},
        {"a byte order mark", INIT "A \xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}\n",
         "TRANS-01<=INFO"},
        {"half a pair",
         INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"\\ud800\"}}\n",
         "TRANS-01<=INFO"},
        {"pretty", INIT "A {\nA   \"jsonrpc\":\"2.0\",\nA   \"method\":\"_x\"\nA }\n", "TRANS-02"},
        {"a newline in a string",
         INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"b\nA c\"}}\n",
         "TRANS-02"},
        {"cut off", INIT "A {\"jsonrpc\":\"2.0\",\nA {\"jsonrpc\":\"2.0\",\"method\":\"_x\"}\n",
         "TRANS-04"},
        {"cut off at the end", INIT "A {\"jsonrpc\":\"2.0\",\n", "TRANS-04"},
        {"a batch", INIT "A [{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}]\n", "TRANS-11"},
        {"a batch for a batch",
         INIT "X [{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}]\n"
              "A [{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}]\n",
         ""},
        {"ours", INIT "C Welcome!\n", "client:TRANS-05"},
        {"ours, meant", INIT "X Welcome!\n", ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void messages(void **state)
{
    static const struct monitor_row rows[] = {
        {"no version", INIT "A {\"method\":\"_x\"}\n", "RPC-01"},
        {"version 1", INIT "A {\"jsonrpc\":\"1.0\",\"method\":\"_x\"}\n", "RPC-01"},
        {"a numeric version", INIT "A {\"jsonrpc\":2.0,\"method\":\"_x\"}\n", "RPC-01"},
        {"nothing in it", INIT "A {\"jsonrpc\":\"2.0\"}\n", "RPC-26"},
        {"a method that is no text", INIT "A {\"jsonrpc\":\"2.0\",\"method\":7}\n", "RPC-26"},
        {"neither",
         INIT NEW("1", "s") "C {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"_x\"}\nA "
                            "{\"jsonrpc\":\"2.0\",\"id\":2}\n",
         "RPC-03"},
        {"both",
         INIT
         "C {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"_x\"}\n"
         "A "
         "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{},\"error\":{\"code\":1,\"message\":\"m\"}}\n",
         "RPC-03"},
        {"both, one null",
         INIT "C {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"_x\"}\n"
              "A "
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null,\"error\":{\"code\":1,\"message\":"
              "\"m\"}}\n",
         "RPC-03<=WARN"},
        {"a null id", INIT "A {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"_x\"}\n", "RPC-12"},
        {"a fraction", INIT "A {\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"_x\"}\n", "RPC-13"},
        {"1.0 is whole",
         INIT "A {\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"_x\"}\nC "
              "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":1}\n",
         ""},
        {"an object as id", INIT "A {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"_x\"}\n", "RPC-11"},
        {"a number beyond 64 bits", INIT "A {\"jsonrpc\":\"2.0\",\"id\":1e30,\"method\":\"_x\"}\n",
         "RPC-11"},
    };
    (void)state;
    KIT_RUN(rows);
}

static void answers(void **state)
{
    static const struct monitor_row rows[] = {
        {"twice",
         INIT NEW("1", "s") "A {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n",
         "RPC-05"},
        {"another type of id",
         INIT "C {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"_x\"}\nA "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
         "RPC-02"},
        {"an id nobody used", SESSION "A {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n",
         "RPC-02"},
        {"for a notification, no id",
         SESSION CANCEL(
             "s") "A {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"m\"}}\n",
         "RPC-04"},
        {"for a notification, null",
         SESSION CANCEL("s") "A "
                             "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,"
                             "\"message\":\"m\"}}\n",
         "RPC-04"},
        {"for a broken line",
         SESSION
         "X {broken\nA "
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n",
         ""},
        {"for broken raw bytes",
         SESSION
         "R {bro|\nA "
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n",
         ""},
        {"no id, for nothing",
         SESSION "A {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}\n",
         "RPC-25"},
        {"ids used twice",
         SESSION ASK("5", "_x", "") ASK("5", "_y", "") ANSWER("5", "{}") ANSWER("5", "{}"),
         "RPC-15"},
        {"ids used again",
         SESSION ASK("5", "_x", "") ANSWER("5", "{}") ASK("5", "_y", "") ANSWER("5", "{}"), ""},
        {"the same id both ways",
         SESSION "C {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"_x\"}\n" ASK("5", "_x", "")
             ANSWER("5", "{}") "A {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n",
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void silence(void **state)
{
    static const struct monitor_row rows[] = {
        {"after the deadline", TURN "T 5000\n", "RPC-05"},
        {"before it", TURN "T 4999\n", ""},
        {"the process is gone", TURN "P exit\nT 9000\n", ""},
        {"it was told to end", TURN "P eof-sent\nT 9000\n", ""},
        {"we owe an answer", TURN ASK("7", "_x", "") "T 9000\n", ""},
        {"the model is silent", TURN "M {\"n\":1}\nT 9000\n", ""},
        {"the model is done", TURN "M {\"n\":1}\nE done {\"n\":1}\nT 9000\n", "RPC-05"},
        {"it is busy", TURN "T 4000\n" CHUNK("s", "x") "T 4000\n", ""},
        {"it was busy", TURN "T 4000\n" CHUNK("s", "x") "T 5000\n", "RPC-05"},
        {"an odd id", INIT "C {\"jsonrpc\":\"2.0\",\"id\":1e15,\"method\":\"_x\"}\nT 9000\n", ""},
        {"invalid params",
         INIT "X {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\"}\nT 9000\n", "RPC-05"},
        {"no JSON-RPC request", INIT "X {\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"_x\"}\nT 9000\n",
         ""},
        {"nor this",
         INIT "X {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\",\"params\":5}\nT 9000\n", ""},
        {"of a former process", TURN "P exit\nP start\nT 9000\n", ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void raw_requests_are_understood(void **state)
{
    static const struct monitor_row rows[] = {
        {"two in one write",
         INIT "R "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\"}|{\"jsonrpc\":\"2.0\",\"id\":2,"
              "\"method\":\"_x\"}|\n"
              "A {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\nA "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
         ""},
        {"one in two",
         INIT "R {\"jsonrpc\":\"2.0\",\"id\":1,\nR \"method\":\"_x\"}|\nA "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
         ""},
        {"without its last LF",
         INIT "R {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\"}\nP eof-sent\nA "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
         ""},
        {"broken, without its last LF",
         INIT "R {bro\nP eof-sent\nA "
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n",
         ""},
        {"blank lines are nothing",
         SESSION "R | |\n" CANCEL(
             "s") "A {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"m\"}}\n",
         "RPC-04"},
    };
    (void)state;
    KIT_RUN(rows);
}

static void what_is_owed(void **state)
{
    struct trace trace;
    struct watch w;
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\"}";
    static const char note[] = "{\"jsonrpc\":\"2.0\",\"method\":\"_y\"}";
    (void)state;
    trace_init(&trace, 0);
    assert_int_equal(watch_init(&w, 5000000), 0);
    watch_feed(&w, trace_add(&trace, TRACE_PROCESS, "start", "", 0, NULL, 0));
    assert_int_equal(watch_owed(&w, 0), 0);
    watch_feed(&w,
               trace_add(&trace, TRACE_CLIENT, "line", request, strlen(request), NULL, 1000000000));
    assert_int_equal(watch_owed(&w, 2000000), 4000000);
    assert_int_equal(watch_owed(&w, 6000000), 0);
    /* what the agent says meanwhile gives it more time, but not for ever */
    watch_feed(&w, trace_add(&trace, TRACE_AGENT, "line", note, strlen(note), NULL, 5000000000));
    assert_int_equal(watch_owed(&w, 6000000), 4000000);
    watch_feed(&w, trace_add(&trace, TRACE_AGENT, "line", note, strlen(note), NULL, 20000000000));
    assert_int_equal(watch_owed(&w, 20000000), 1000000);
    assert_int_equal(watch_owed(&w, 21000000), 0);
    watch_ending(&w, 21000000);
    assert_int_equal(w.n, 0);
    watch_deinit(&w);
    trace_deinit(&trace);
}

static void every_monitor_is_whole(void **state)
{
    (void)state;
    size_t n = 0;
    for (const struct monitor *m; (m = monitor_at(n)); n++) {
        assert_non_null(m->feed);
        assert_string_not_equal(m->title, "");
        assert_non_null(m->ids[0]);
    }
    assert_true(n >= 14);
    assert_true(monitor_judges("RPC-05"));
    assert_false(monitor_judges("RPC-99"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_case_has_no_findings),
        cmocka_unit_test(lines),
        cmocka_unit_test(messages),
        cmocka_unit_test(answers),
        cmocka_unit_test(silence),
        cmocka_unit_test(raw_requests_are_understood),
        cmocka_unit_test(what_is_owed),
        cmocka_unit_test(every_monitor_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
