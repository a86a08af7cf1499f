/* Several processes of the agent in one case, and what is compared across the logs. */
#include "play.h"

#define CASE(steps)          "{'checks': ['A-1'], 'steps': [" steps "]}"
#define CASE_OF(more, steps) "{'checks': ['A-1'], " more ", 'steps': [" steps "]}"
#define SESSION              "{'session': 's'}, "

static void test_two_processes(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'start': 'b', 'env': {'GREETING': 'hi'}, 'args': ['more'], 'check': 'A-2'},"
             "{'session': 't', 'agent': 'b'},"
             "{'prompt': 'env', 'agent': 'b'}, {'prompt': 'hello'},"
             "{'text': 'agent', 'agent': 'b', 'match': '^hi more '},"
             "{'text': 'agent', 'equals': 'Hello'},"
             "{'never': {'params': {'update': {'content': {'text': 'Hel'}}}}, 'agent': 'b'},"
             "{'count': {'result': {'sessionId': 's1'}}, 'is': 1, 'agent': 'b'},"
             "{'alive': true, 'agent': 'b'}, {'fence': true}"),
        "A-2 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

/* An answer of one process is none for a request of the other, and asks are not mixed up. */
static void test_requests_are_apart(void **state)
{
    (void)state;
    play_expect_log(
        CASE_OF("'client': {'policy': {'session/request_permission': 'manual'}}", SESSION
                "{'start': 'b'}, {'session': 't', 'agent': 'b'},"
                "{'prompt': 'ask', 'as': 'p', 'wait': false, 'session': 's'},"
                "{'prompt': 'ask', 'agent': 'b', 'as': 'q', 'wait': false},"
                "{'respond': {'method': 'session/request_permission'}, 'agent': 'b', 'answer': "
                "'allow_once'},"
                "{'await': 'q', 'agent': 'b', 'expect': {'result': {'stopReason': 'end_turn'}}},"
                "{'saw': {'params': {'update': {'rawOutput': {'result': {'outcome': {'optionId': "
                "'opt-yes'}}}}}}, 'agent': 'b'},"
                "{'cancel': 's'}, {'await': 'p', 'expect': {'result': {'stopReason': "
                "'cancelled'}}},"
                "{'saw': {'params': {'update': {'rawOutput': {'result': {'outcome': {'outcome': "
                "'cancelled'}}}}}}}"),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_each_ends_alone(void **state)
{
    (void)state;
    play_expect_log(
        CASE("{'start': 'b'}, {'start': 'c'}, {'kill': true, 'agent': 'b'},"
             "{'exit': {'signal': 'KILL'}, 'agent': 'b'},"
             "{'stdout_rest': {'equals': ''}, 'agent': 'b'},"
             "{'signal': 'TERM', 'agent': 'c'}, {'exit': {'signal': 'TERM'}, 'agent': 'c'},"
             "{'alive': true}, {'restart': true, 'agent': 'b', 'check': 'A-3'},"
             "{'alive': true, 'agent': 'b'}, {'close_stdin': true}, {'exit': {'code': 0}},"
             "{'alive': true, 'agent': 'b'}"),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-3 held\nA-1 held\nA-1 held\nA-1 held\n"
        "finished\n");
}

static void test_killed_and_restarted(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION "{'prompt': 'hang', 'as': 'p', 'wait': false}, {'kill': true},"
                     "{'restart': true, 'env': {'GREETING': 'again'}},"
                     "{'session': 't'}, {'prompt': 'env'}, {'text': 'agent', 'match': '^again'}"),
        "A-1 held\nfinished\n");
}

static void test_start_fails(void **state)
{
    (void)state;
    struct play p;
    const char *argv[] = {"sh", TEST_DATA "/agent.sh", NULL};
    play_init(&p);
    p.argv = argv;
    play_case(&p, CASE("{'start': 'b', 'args': ['no-handshake']}, {'alive': true}"));
    assert_string_equal(p.log.p,
                        "A-1 unreached: not reached: steps[0] (start): initialize was answered "
                        "with an error: no, thanks\nstopped: steps[0] (start): initialize was "
                        "answered with an error: no, thanks\n");
    play_deinit(&p);
    play_init(&p);
    p.argv = argv;
    play_case(&p, CASE("{'start': 'b', 'args': ['no-handshake'], 'check': 'A-2'}"));
    assert_string_equal(p.log.p, "A-2 broken: steps[0] (start): initialize was answered with an "
                                 "error: no, thanks\nstopped: steps[0] (start): steps[0] (start): "
                                 "initialize was answered with an error: no, thanks\n");
    play_deinit(&p);
}

static void test_trace_names_the_process(void **state)
{
    (void)state;
    struct play p;
    struct buf line = {0};
    size_t of_b = 0;
    play_init(&p);
    play_case(&p, CASE("{'start': 'b'}"));
    for (size_t i = 0; i < p.trace.n; i++) {
        line.n = 0;
        assert_int_equal(trace_write_event(&line, p.trace.events[i]), 0);
        of_b += strstr(buf_cstr(&line), "\"agent\":\"b\"") != NULL;
        assert_int_equal(strstr(line.p, "\"agent\":\"b\"") != NULL,
                         p.trace.events[i]->agent != NULL);
    }
    assert_true(of_b >= 4); /* start, initialize, its answer, the end */
    buf_deinit(&line);
    play_deinit(&p);
}

static void test_order_with_none(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'prompt': 'hello'}, {'start': 'b'},"
             "{'order': [{'client': {'method': 'session/prompt'}}, {'none': {'client': {'method': "
             "'session/cancel'}}}, {'agent': {'result': {'stopReason': {'$any': true}}}}]},"
             "{'order': [{'agent': {'result': {'sessionId': {'$any': true}}}}, {'none': {'agent': "
             "{'method': 'session/update'}}}, {'agent': {'result': {'stopReason': {'$any': "
             "true}}}}]},"
             "{'order': [{'client': {'method': 'session/prompt'}}, {'none': {'client': {'method': "
             "'initialize'}, 'of': 'b'}}]},"
             "{'order': [{'agent': {'result': {'stopReason': {'$any': true}}}}, {'answer_to': "
             "{'method': 'initialize'}, 'of': 'b'}]}"),
        "A-1 held\nA-1 broken: an event came where \"none\" says that none may come\n"
        "A-1 broken: an event came where \"none\" says that none may come\nA-1 held\nfinished\n");
}

static void test_same(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'request': '_echo', 'params': {'text': 'a b', 'n': [1, {'x': 2}]}},"
             "{'same': [{'client': {'method': '_echo'}, 'at': '/params'}, {'answer_to': {'method': "
             "'_echo'}, 'at': '/result/params'}]},"
             "{'same': [{'client': {'method': '_echo'}, 'at': '/params/text'}, {'answer_to': "
             "{'method': '_echo'}, 'at': '/result/params/n'}]},"
             "{'same': [{'client': {'method': '_echo'}, 'at': '/params/text'}, {'answer_to': "
             "{'method': '_echo'}, 'at': ''}], 'how': 'contains'},"
             "{'same': [{'client': {'method': '_echo'}, 'at': '/params/text'}, {'answer_to': "
             "{'method': '_echo'}, 'at': '/result/gone'}], 'how': 'contains'},"
             "{'same': [{'client': {'method': '_gone'}, 'at': ''}, {'agent': {}, 'at': ''}]}"),
        "A-1 held\nA-1 broken: expected \"a b\", got [1,{\"x\":2}]\nA-1 held\n"
        "A-1 broken: expected \"a b\", got nothing\n"
        "A-1 unreached: an event that it compares has not come\nfinished\n");
}

static void test_kept_text(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'prompt': 'hello', 'as': 'p'}, {'text': 'agent', 'as': 'live'},"
             "{'prompt': 'hello'}, {'text': 'agent', 'since': 'live', 'equals': '${live}'},"
             "{'text': 'agent', 'equals': '${live}${live}', 'as': 'both'},"
             "{'text': 'agent', 'since': 'live', 'equals': 'x ${both}'},"
             "{'text': 'agent', 'since': {'agent': {'result': {'stopReason': 'end_turn'}}}, "
             "'equals': 'Hello'},"
             "{'never': {}, 'since': {'client': {'method': 'session/cancel'}}}"),
        "A-1 held\nA-1 held\nA-1 broken: expected \"x HelloHello\", got \"Hello\"\nA-1 held\n"
        "A-1 unreached: what it counts from has not happened\nfinished\n");
}

/* It was killed, but may take a moment to go. */
static bool is_left(const char *child)
{
    char command[100];
    snprintf(command, sizeof command, "pgrep -f '^%s$' >/dev/null", child);
    for (int i = 0; i < 500; i++)
        if (system(command) != 0)
            return false;
    return true;
}

static void leave_one(const char *how, const char *child)
{
    const char *argv[] = {"sh", "-c", how, "sh", child, TEST_DATA "/agent.sh", NULL};
    struct play p;
    play_init(&p);
    p.argv = argv;
    play_case(&p, CASE("{'processes': {'left': 1}}, {'start': 'b'}, {'processes': {'left': 1}, "
                       "'agent': 'b'}, {'close_stdin': true}, {'exit': {'code': 0}}, "
                       "{'processes': {'left': 1}}, {'processes': {'left': 0}, 'within': 1}"));
    assert_string_equal(p.log.p, "A-1 held\nA-1 held\nA-1 held\nA-1 held\n"
                                 "A-1 broken: /left: expected 0, got 1\nfinished\n");
    assert_false(is_left(child));
    play_deinit(&p);
}

/* A child in the group, one that has left the session, one that has closed the pipes; while the
 * agent runs and after its end. None outlives the case. */
static void test_processes(void **state)
{
    static const char *const hows[] = {
        "$1 & exec sh $2",
        "setsid $1 & exec sh $2",
        "$1 >&- 2>&- <&- & exec sh $2",
    };
    char child[40];
    (void)state;
    play_expect_log(
        CASE("{'processes': {'left': 0}}, {'processes': {'left': {'min': 1}}, 'within': "
             "1}, {'close_stdin': true}, {'exit': {}}, {'processes': {'left': 0}}"),
        "A-1 held\nA-1 broken: /left: expected at least 1, got 0\nA-1 held\n"
        "A-1 held\nfinished\n");
    snprintf(child, sizeof child, "sleep 1%d", (int)getpid());
    for (size_t i = 0; i < ARRAY_LEN(hows); i++)
        leave_one(hows[i], child);
}

static void refuse(const char *steps, const char *want)
{
    char err[300] = "";
    cJSON *json = play_parse(steps);
    assert_int_equal(player_check_steps(json, err, sizeof err), E_INVALID);
    assert_string_equal(err, want);
    cJSON_Delete(json);
}

static void test_lint(void **state)
{
    static const char *const rows[][2] = {
        {"[{'fence': true, 'agent': 'b'}]",
         "steps[0]: agent: no step before starts a process \"b\""},
        {"[{'start': 'b'}, {'start': 'b'}]", "steps[1]: start: there is a process \"b\" already"},
        {"[{'start': ''}]", "steps[0]: start: needs a name"},
        {"[{'start': 'b', 'args': [1]}]", "steps[0]: args: are texts"},
        {"[{'start': 'b', 'agent': 'c'}]",
         "steps[0]: start: names the process itself, \"agent\" does not go with it"},
        {"[{'start': 'b'}, {'batch': [{'notify': 'x', 'agent': 'b'}]}]",
         "steps[1]: batch: [0]: \"agent\" belongs to the whole batch"},
        {"[{'order': [{'none': {'agent': {}}}, {'agent': {}}]}]",
         "steps[0]: order[0]: none stands alone, behind an event"},
        {"[{'order': [{'agent': {}}, {'none': {'x': {}}}]}]",
         "steps[0]: order[1]: is one of agent, client, model, model_event and answer_to"},
        {"[{'order': [{'agent': {}}, {'model': {}, 'of': 'b'}]}]",
         "steps[0]: order[1]: of is about agent, client and answer_to"},
        {"[{'order': [{'agent': {}, 'of': 'b'}, {'agent': {}}]}]",
         "steps[0]: order: no step before starts a process \"b\""},
        {"[{'same': [{'agent': {}, 'at': ''}, {'agent': {}}]}]",
         "steps[0]: same[1]: needs \"at\", a JSON pointer"},
        {"[{'same': [{'agent': {}, 'at': ''}]}]", "steps[0]: same: needs two events or more"},
        {"[{'same': [], 'how': 'x'}]", "steps[0]: how: is \"equal\" or \"contains\""},
        {"[{'saw': {}, 'since': {'agent': {}, 'at': ''}}]",
         "steps[0]: since: unknown member \"at\""},
        {"[{'saw': {}, 'since': 5}]",
         "steps[0]: since: is one of agent, client, model, model_event and answer_to"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        refuse(rows[i][0], rows[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_requests_are_apart),
        cmocka_unit_test(test_each_ends_alone),
        cmocka_unit_test(test_killed_and_restarted),
        cmocka_unit_test(test_start_fails),
        cmocka_unit_test(test_trace_names_the_process),
        cmocka_unit_test(test_order_with_none),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_kept_text),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_lint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
