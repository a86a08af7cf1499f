/* The verbs of docs/cases.md, each played against a real process. */
#include "play.h"

#define CASE(steps)          "{'checks': ['A-1'], 'steps': [" steps "]}"
#define CASE_OF(more, steps) "{'checks': ['A-1'], " more ", 'steps': [" steps "]}"
#define SESSION              "{'session': 's'}, "

static void test_nothing(void **state)
{
    (void)state;
    play_expect_log("{'steps': []}", "finished\n");
    play_expect_log("{'handshake': false, 'steps': []}", "finished\n");
}

static void test_handshake(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "no-handshake";
    play_case(&p, CASE("{'prompt': 'x', 'check': 'A-2'}, {'never': {'x': 1}}"));
    assert_string_equal(p.log.p,
                        "A-2 unreached: not reached: initialize was answered with an error: no, "
                        "thanks\n"
                        "A-1 unreached: not reached: initialize was answered with an error: no, "
                        "thanks\n"
                        "no handshake: initialize was answered with an error: no, thanks\n");
    play_deinit(&p);
}

static void test_initialize(void **state)
{
    (void)state;
    play_expect_log(
        "{'checks': ['A-1'], 'handshake': false, 'client': {'capabilities': {'fs': {}}},"
        "'steps': [{'initialize': {'clientInfo': null, 'x': 1}, 'as': 'i',"
        "'expect': {'result': {'protocolVersion': 1}}},"
        "{'order': [{'client': {'method': 'initialize', 'params': {'x': 1, "
        "'clientCapabilities': {'fs': {}}, 'clientInfo': {'$absent': true}}}},"
        "{'agent': {'id': '${i.id}'}}]}]}",
        "A-1 held\nA-1 held\nfinished\n");
}

static void test_prompt(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'prompt': 'hello', 'as': 'p', 'expect': {'result': {'stopReason': 'end_turn'}}},"
             "{'text': 'agent', 'equals': 'Hello', 'check': 'A-2'},"
             "{'text': 'agent', 'equals': 'Hell'}, {'text': 'thought', 'contains': 'm'},"
             "{'text': 'user', 'match': '^x'},"
             "{'text': 'agent', 'since': 'p', 'session': 's', 'match': '^H.*o$'}"),
        "A-1 held\nA-2 held\nA-1 broken: expected \"Hell\", got \"Hello\"\nA-1 held\n"
        "A-1 broken: expected text matching \"^x\", got \"\"\nA-1 held\nfinished\n");
}

/* What the agent says of itself is no part of the answer; what somebody has said before is. */
static void test_text_with_notices(void **state)
{
    (void)state;
    play_expect_log(CASE(SESSION "{'prompt': 'notice'}, {'text': 'agent', 'equals': 'Hello'},"
                                 "{'text': 'agent', 'equals': 'Hello!'},"
                                 "{'prompt': [{'type': 'text', 'text': 'notice'},"
                                 "{'type': 'text', 'text': 'Note: x'}], 'as': 'p'},"
                                 "{'text': 'agent', 'since': 'p', 'equals': 'Hello'}"),
                    "A-1 held\nA-1 broken: expected \"Hello!\", got \"Note: xHello\"\n"
                    "A-1 broken: expected \"Hello\", got \"Note: xHello\"\nfinished\n");
}

static void test_expectations(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'prompt': 'hello', 'expect': [{'check': 'B-1', 'match': {'result': {'stopReason': "
             "'x'}}}, {'match': {'error': {'$absent': true}}}, {'check': 'B-2', 'match': "
             "{'id': '${s.id}'}}]},"
             "{'prompt': 'what', 'check': 'A-3'}"),
        "B-1 broken: /result/stopReason: expected \"x\", got \"end_turn\"\nA-1 held\n"
        "B-2 broken: /id: expected 2, got 3\nA-3 held\nfinished\n");
}

static void test_substitution(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    play_case(&p, CASE(SESSION
                       "{'request': '_echo', 'params': {'a': '${s}', 'b': 'x ${s.id} $${s}',"
                       "'c': '${s.result./modes}', 'd': '${cwd}', 'e': '${provider}', 'f':"
                       "'${initialize.result./protocolVersion}'}, 'expect': {'result': {'params':"
                       "{'a': 's1', 'b': 'x 2 $${s}', 'c': {'currentModeId': 'ask'}, 'd': '${cwd}',"
                       "'e': 'http://127.0.0.1:1', 'f': 1}}}},"
                       "{'request': '_echo', 'params': {'x': '${s.result./gone}'}, 'check': 'A-9'},"
                       "{'alive': true}"));
    assert_string_equal(
        p.log.p, "A-1 held\nA-9 unreached: steps[2] (request): ${s.result./gone} has no value\n"
                 "A-1 unreached: not reached: steps[2] (request): ${s.result./gone} has no value\n"
                 "stopped: steps[2] (request): ${s.result./gone} has no value\n");
    play_deinit(&p);
}

static void test_after_session(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    cJSON *calls = play_parse("[{'method': '_echo', 'params': {'a': 1}},"
                              "{'method': '_no', 'params': {}}]");
    p.after_session = calls;
    play_case(&p,
              CASE(SESSION "{'prompt': 'hello', 'expect': {'result': {'stopReason': 'end_turn'}}},"
                           "{'order': [{'agent': {'result': {'sessionId': 's1'}}},"
                           "{'client': {'method': '_echo', 'params': {'a': 1, 'sessionId': 's1'}}},"
                           "{'agent': {'result': {'params': {'a': 1}}}},"
                           "{'client': {'method': '_no', 'params': {'sessionId': 's1'}}},"
                           "{'client': {'method': 'session/prompt'}}]}"));
    assert_string_equal(p.log.p, "A-1 held\nA-1 held\nfinished\n");
    cJSON_Delete(calls);
    play_deinit(&p);
}

static void test_session_refused(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "login";
    play_case(&p, CASE("{'session': 's', 'check': 'A-2'}, {'prompt': 'hello', 'expect': {}}"));
    assert_string_equal(
        p.log.p,
        "A-2 unreached: steps[0] (session): session/new was answered with error -32000: log in "
        "first\n"
        "A-1 unreached: not reached: steps[0] (session): session/new was answered with error "
        "-32000: log in first\n"
        "stopped: steps[0] (session): session/new was answered with error -32000: log in first\n");
    play_deinit(&p);
}

static void test_session_expected_to_fail(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "login";
    play_case(&p, CASE("{'session': 's', 'params': {'cwd': null}, 'invalid': true, 'expect': "
                       "{'error': {'code': -32000}}}, {'prompt': 'hello', 'expect': {}}"));
    assert_string_equal(p.log.p, "A-1 held\nA-1 unreached: steps[1] (prompt): there is no session\n"
                                 "stopped: steps[1] (prompt): there is no session\n");
    play_deinit(&p);
}

static void test_permission_policies(void **state)
{
    static const struct {
        const char *policy, *outcome;
    } rows[] = {
        {"{}", "{'outcome': 'selected', 'optionId': 'opt-no'}"},
        {"{'session/request_permission': 'allow_once'}",
         "{'outcome': 'selected', 'optionId': 'opt-yes'}"},
        {"{'session/request_permission': 'allow_always'}", "{'outcome': 'cancelled'}"},
        {"{'session/request_permission': 'cancelled'}", "{'outcome': 'cancelled'}"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 CASE_OF("'client': {'policy': %s}",
                         SESSION "{'prompt': 'ask'}, {'order': [{'agent': {'id': 'perm'}}, "
                                 "{'client': {'id': 'perm', 'result': {'outcome': %s}}}]}"),
                 rows[i].policy, rows[i].outcome);
        play_expect_log(text, "A-1 held\nfinished\n");
    }
}

static void test_other_policies(void **state)
{
    (void)state;
    play_expect_log(CASE(SESSION "{'prompt': 'read'}, {'order': [{'agent': {'id': 77}}, {'client': "
                                 "{'id': 77, 'error': {'code': -32601}}}]}"),
                    "A-1 held\nfinished\n");
    play_expect_log(CASE_OF("'client': {'policy': {'fs/read_text_file': {'result': {'content': "
                            "'${cwd}'}}}}",
                            SESSION "{'prompt': 'read'}, {'saw': {'params': {'update': {'rawOutput'"
                                    ": {'result': {'content': '${cwd}'}}}}}}"),
                    "A-1 held\nfinished\n");
    play_expect_log(CASE_OF("'client': {'policy': {'fs/read_text_file': {'error': {'code': -5, "
                            "'message': 'no'}}}}",
                            SESSION "{'prompt': 'read'}, {'saw': {'params': {'update': {'rawOutput'"
                                    ": {'error': {'code': -5}}}}}}"),
                    "A-1 held\nfinished\n");
}

static void test_respond(void **state)
{
    (void)state;
    play_expect_log(CASE_OF("'client': {'policy': {'session/request_permission': 'manual'}}",
                            SESSION
                            "{'prompt': 'ask', 'as': 'p', 'wait': false},"
                            "{'respond': {'method': 'session/request_permission'}, 'as': 'r',"
                            "'result': {'outcome': {'outcome': 'selected', 'optionId': "
                            "'${r.message./params/options/0/optionId}'}}},"
                            "{'await': 'p', 'expect': {'result': {'stopReason': 'end_turn'}}},"
                            "{'saw': {'params': {'update': {'rawOutput': {'result': {'outcome': "
                            "{'optionId': 'opt-yes'}}}}}}, 'as': 't', 'expect': {'method': "
                            "'session/update'}},"
                            "{'request': '_echo', 'params': {'c': '${t.message./params/update/"
                            "toolCallId}'}, 'expect': {'result': {'params': {'c': 'call-1'}}}}"),
                    "A-1 held\nA-1 held\nA-1 held\nfinished\n");
    play_expect_log(CASE_OF("'client': {'policy': {'session/request_permission': 'manual'}}",
                            SESSION "{'prompt': 'ask', 'as': 'p', 'wait': false},"
                                    "{'respond': {'id': 'perm'}, 'answer': 'allow_once', 'check': "
                                    "'A-2'}, {'await': 'p'}, {'saw': {'params': {'update': "
                                    "{'rawOutput': {'result': {'outcome': {'optionId': "
                                    "'opt-yes'}}}}}}}"),
                    "A-2 held\nA-1 held\nfinished\n");
}

static void test_respond_to_nobody(void **state)
{
    (void)state;
    play_expect_log(CASE(SESSION "{'respond': {'method': 'x'}, 'result': {}, 'within': 1, 'check': "
                                 "'A-2'}, {'alive': true}"),
                    "A-2 unreached: steps[1] (respond): did not come: not within 1 ms\n"
                    "A-1 unreached: not reached: steps[1] (respond): did not come: not within 1 "
                    "ms\nstopped: steps[1] (respond): did not come: not within 1 ms\n");
}

static void test_cancel(void **state)
{
    (void)state;
    play_expect_log(CASE(SESSION
                         "{'prompt': 'hang', 'as': 'p', 'wait': false}, {'cancel': 's'},"
                         "{'await': 'p', 'expect': {'result': {'stopReason': 'cancelled'}}}"),
                    "A-1 held\nfinished\n");
    /* what waits for an answer by hand is answered by the cancel */
    play_expect_log(CASE_OF("'client': {'policy': {'session/request_permission': 'manual'}}",
                            SESSION "{'prompt': 'ask', 'as': 'p', 'wait': false}, {'saw': {'id': "
                                    "'perm'}}, {'cancel': 's'}, {'await': 'p'}, {'order': ["
                                    "{'client': {'method': 'session/cancel'}}, {'client': {'id': "
                                    "'perm', 'result': {'outcome': {'outcome': 'cancelled'}}}}]}"),
                    "A-1 held\nA-1 held\nfinished\n");
}

static void test_permission_after_cancel(void **state)
{
    (void)state;
    play_expect_log(CASE_OF("'client': {'policy': {'session/request_permission': 'allow_once'}}",
                            SESSION "{'prompt': 'late', 'as': 'p', 'wait': false}, {'cancel': 's'},"
                                    "{'await': 'p'}, {'order': [{'agent': {'id': 'perm'}}, "
                                    "{'client': {'id': 'perm', 'result': {'outcome': {'outcome': "
                                    "'cancelled'}}}}]}"),
                    "A-1 held\nfinished\n");
}

/* A client that never answers, so that agents can be seen to end the turn all the same. */
static void test_never(void **state)
{
    (void)state;
    play_expect_log(CASE_OF("'client': {'policy': {'session/request_permission': 'never'}}",
                            SESSION "{'prompt': 'ask', 'as': 'p', 'wait': false}, {'saw': {'id': "
                                    "'perm'}}, {'cancel': 's'}, {'await': 'p', 'expect': {'result':"
                                    " {'stopReason': 'cancelled'}}}, {'order': [{'client': "
                                    "{'method': 'session/cancel'}}, {'client': {'id': 'perm'}}]}"),
                    "A-1 held\nA-1 held\nA-1 broken: /order/1: expected "
                    "{\"client\":{\"id\":\"perm\"}} behind the one before, got none\nfinished\n");
}

static void test_cancel_request(void **state)
{
    (void)state;
    play_expect_log(CASE("{'request': '_deaf', 'as': 'p', 'wait': false}, {'cancel_request': 'p'},"
                         "{'await': 'p', 'expect': {'error': {'code': -32800}}}"),
                    "A-1 held\nfinished\n");
}

static void test_request_ids(void **state)
{
    (void)state;
    play_expect_log(CASE("{'request': '_echo', 'id': 'abc', 'expect': {'id': 'abc'}},"
                         "{'request': '_echo', 'id': 0, 'expect': {'id': 0, 'result': {'params': "
                         "{'$absent': true}}}},"
                         "{'notify': '_note', 'params': [1]}, {'notify': '_other'},"
                         "{'order': [{'client': {'method': '_note', 'params': [1], 'id': "
                         "{'$absent': true}}}, {'client': {'method': '_other'}}]}"),
                    "A-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_late_answer(void **state)
{
    (void)state;
    play_expect_log(
        CASE("{'request': '_deaf', 'within': 1, 'expect': [{'check': 'B-1', 'match': {}}, {'check':"
             " 'B-2', 'match': {}}]}, {'alive': true, 'check': 'B-3'}"),
        "B-1 broken: no answer to _deaf: not within 1 ms\nB-2 broken: no answer to _deaf: not "
        "within 1 ms\nB-3 unreached: not reached: steps[0] (request): no answer to _deaf: not "
        "within 1 ms\nstopped: steps[0] (request): no answer to _deaf: not within 1 ms\n");
    play_expect_log(CASE_OF("'timeout': 1", "{'request': '_deaf'}"),
                    "A-1 broken: no answer to _deaf: not within 1 ms\n"
                    "stopped: steps[0] (request): no answer to _deaf: not within 1 ms\n");
}

static void test_agent_dies(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    play_case(&p, CASE(SESSION "{'prompt': 'die', 'expect': {}}"));
    assert_string_equal(p.log.p, "A-1 broken: no answer to session/prompt: the agent ended (exit "
                                 "code 3) before\nstopped: steps[1] (prompt): no answer to "
                                 "session/prompt: the agent ended (exit code 3) before\n");
    play_deinit(&p);
}

static void test_saw_never_count(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION "{'prompt': 'hello', 'as': 'p'},"
                     "{'saw': {'params': {'update': {'sessionUpdate': 'agent_message_chunk'}}}, "
                     "'count': 2, 'expect': {'params': {'update': {'content': {'text': 'lo'}}}}},"
                     "{'count': {'method': 'session/update'}, 'is': 3},"
                     "{'count': {'method': 'session/update'}, 'is': {'min': 4}},"
                     "{'count': {'method': 'session/update'}, 'is': {'min': 1, 'max': 2}, 'since': "
                     "'p'},"
                     "{'fence': true}, {'never': {'error': {}}}, {'never': {'method': "
                     "'session/update'}, 'note': 'n'}, {'prompt': 'hello', 'as': 'q'}, {'never': "
                     "{'id': '${p.id}'}, 'since': 'q'}"),
        "A-1 held\nA-1 held\nA-1 broken: expected at least 4, got 3\nA-1 broken: expected 1 to 2, "
        "got 3\nA-1 held\nA-1 broken: a message came that must not come\nA-1 held\nfinished\n");
}

static void test_saw_in_vain(void **state)
{
    (void)state;
    play_expect_log(CASE("{'saw': {'x': 1}, 'within': 1}"),
                    "A-1 broken: did not come: saw: not within 1 ms\nstopped: steps[0] (saw): did "
                    "not come: saw: not within 1 ms\n");
}

static void test_fence_unanswered(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "no-fence";
    play_case(&p, CASE("{'fence': true, 'within': 1}, {'never': {'x': 1}}, {'request': '_echo', "
                       "'expect': {'result': {}}}, {'alive': true, 'within': 1}"));
    assert_string_equal(p.log.p,
                        "A-1 unreached: the agent did not answer the fence before it\nA-1 held\n"
                        "A-1 broken: no answer to _acp.conformance/fence: not within 1 ms\n"
                        "stopped: steps[3] (alive): no answer to _acp.conformance/fence: not "
                        "within 1 ms\n");
    play_deinit(&p);
}

static void test_send(void **state)
{
    (void)state;
    play_expect_log(
        CASE("{'send': '{\\'jsonrpc\\':\\'2.0\\',\\'method\\':\\'_echo\\',\\'id\\':9,"
             "\\'params\\':{\\'a\\':\\'', 'repeat': {'text': 'xy', 'count': 2}, 'then': "
             "'\\'}}', 'id': 9, 'as': 'p', 'chunks': [1, 7, 2]},"
             "{'await': 'p', 'expect': {'result': {'params': {'a': 'xyxy'}}}},"
             "{'send': 'nonsense', 'id': null, 'as': 'q', 'invalid': true},"
             "{'await': 'q', 'expect': {'error': {'code': -32700}}},"
             "{'send': '{\\'method\\':', 'newline': false}, {'send': '\\'_echo\\',\\'id\\':10}',"
             "'as': 'r', 'id': 10, 'chunks': 1}, {'await': 'r', 'expect': {'result': {'$any': "
             "true}}},"
             "{'base64': 'eyJtZXRob2QiOiJfZWNobyIsImlkIjoxMX0=', 'as': 't', 'id': 11}, {'await': "
             "'t', 'check': 'A-2'}"),
        "A-1 held\nA-1 held\nA-1 held\nA-2 held\nfinished\n");
}

static void test_batch(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION
             "{'batch': [{'prompt': 'hang', 'as': 'p', 'expect': {'result': {'stopReason': "
             "'cancelled'}}}, {'cancel': 's'}, {'request': '_echo', 'check': 'B-1'}, {'request': "
             "'_echo', 'params': {'p': '${p.id}'}, 'wait': false, 'as': 'e'}], 'check': 'A-2'},"
             "{'await': 'e', 'expect': {'result': {'params': {'p': '${p.id}'}}}}"),
        "A-2 held\nB-1 held\nA-1 held\nfinished\n");
    play_expect_log(
        CASE("{'batch': [{'request': '_echo', 'check': 'B-1'}, {'request': '_deaf', "
             "'expect': {}}, {'request': '_echo', 'check': 'B-2'}], 'within': 1000},"
             "{'alive': true}"),
        "B-1 held\nA-1 broken: no answer to _deaf: not within 1000 ms\nB-2 unreached: "
        "steps[0] (request): no answer to _deaf: not within 1000 ms\nA-1 unreached: not "
        "reached: steps[0] (request): no answer to _deaf: not within 1000 ms\nstopped: "
        "steps[0] (request): no answer to _deaf: not within 1000 ms\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_initialize),
        cmocka_unit_test(test_prompt),
        cmocka_unit_test(test_text_with_notices),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_substitution),
        cmocka_unit_test(test_after_session),
        cmocka_unit_test(test_session_refused),
        cmocka_unit_test(test_session_expected_to_fail),
        cmocka_unit_test(test_permission_policies),
        cmocka_unit_test(test_other_policies),
        cmocka_unit_test(test_respond),
        cmocka_unit_test(test_respond_to_nobody),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_permission_after_cancel),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_cancel_request),
        cmocka_unit_test(test_request_ids),
        cmocka_unit_test(test_late_answer),
        cmocka_unit_test(test_agent_dies),
        cmocka_unit_test(test_saw_never_count),
        cmocka_unit_test(test_saw_in_vain),
        cmocka_unit_test(test_fence_unanswered),
        cmocka_unit_test(test_send),
        cmocka_unit_test(test_batch),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
