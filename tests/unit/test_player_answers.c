/* What the client answers by itself: elicitation, and permission by policy. */
#include "asker.h"

#define FORM                                                                                       \
    ", 'mode': 'form', 'message': 'm', 'requestedSchema': {'type': 'object', 'required': ['n', "   \
    "'s'], 'properties': {'n': {'type': 'integer', 'minimum': 3}, 's': {'type': 'string', "        \
    "'enum': "                                                                                     \
    "['x', 'y']}, 'd': {'type': 'boolean', 'default': true}, 'o': {'type': 'string'}}}"
#define URL                    ", 'mode': 'url', 'message': 'm', 'elicitationId': 'e', 'url': 'https://example.org/'"
#define ELICIT(params, answer) ASK("elicitation/create", params, answer)

static void test_elicitation(void **state)
{
    (void)state;
    expect(CLIENT(ALL, ELICIT(FORM, "{'result': {'action': 'decline'}}")
                           ELICIT(", 'mode': 'voice'", "{'error': {'code': -32602}}") END),
           "A-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(CLIENT(ALL ", 'elicitation': ['accept', {'accept': {'n': 1}}, 'cancel', {'hold': 'h', "
                      "'then': 'decline'}]",
                  ELICIT(FORM, "{'result': {'action': 'accept', 'content': {'n': 3, 's': 'x', 'd': "
                               "true, 'o': {'$absent': true}}}}")
                      ELICIT(FORM, "{'result': {'action': 'accept', 'content': {'n': 1}}}")
                          ELICIT(FORM, "{'result': {'action': 'cancel'}}")
                              ASK_AS("e", "elicitation/create",
                                     URL) "{'hold': 'h'}, {'release': 'h'}, {'await': 'e', "
                                          "'expect': {'result': {'answer': "
                                          "{'result': {'action': 'decline'}}}}},"
                                          "{'request': '_tell', 'params': {'method': "
                                          "'elicitation/complete', 'params': "
                                          "{'elicitationId': 'e'}}}," END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(CLIENT("'capabilities': {'elicitation': {'url': {}}}, 'elicitation': 'accept'",
                  ELICIT(URL, "{'result': {'action': 'accept', 'content': {'$absent': true}}}")
                      ELICIT(FORM, "{'error': {'code': -32602}}") END),
           "A-1 held\nA-1 held\nA-1 held\nfinished\n");
}

#define PERMIT(more, outcome)                                                                      \
    ASK("session/request_permission",                                                              \
        ", 'options': [{'optionId': 'y', 'kind': 'allow_once', 'name': 'Y'}, {'optionId': 'n', "   \
        "'kind': 'reject_once', 'name': 'N'}], 'toolCall': {'toolCallId': 't'" more "}",           \
        "{'result': {'outcome': " outcome "}}")
#define PERMIT_AS(name)                                                                            \
    ASK_AS(name, "session/request_permission",                                                     \
           ", 'options': [{'optionId': 'y', 'kind': 'allow_once', 'name': 'Y'}], 'toolCall': "     \
           "{'toolCallId': 't'}")
#define CHOSE(id)      "{'outcome': 'selected', 'optionId': '" id "'}"
#define CANCELLED      "{'outcome': 'cancelled'}"
#define POLICY(answer) "'policy': {'session/request_permission': " answer "}"

static void test_permission(void **state)
{
    (void)state;
    expect(CLIENT(POLICY("['allow_once', {'option': 'n'}, {'option': 'z'}, 'cancelled']"),
                  PERMIT("", CHOSE("y")) PERMIT("", CHOSE("n")) PERMIT("", CANCELLED)
                      PERMIT("", CANCELLED) PERMIT("", CANCELLED) END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(CLIENT(POLICY("{'when': [{'match': {'toolCall': {'title': 'A'}}, 'answer': ["
                         "'allow_once', 'reject_once']}], 'else': 'cancelled'}"),
                  PERMIT(", 'title': 'A'", CHOSE("y")) PERMIT("", CANCELLED)
                      PERMIT(", 'title': 'A'", CHOSE("n")) END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(
        CLIENT(
            POLICY("{'by_kind': {'edit': 'allow_once'}}"),
            PERMIT(", 'kind': 'edit'", CHOSE("y")) PERMIT(
                "",
                CHOSE("n")) "{'request': '_tell', 'params': {'method': 'session/update', 'params': "
                            "{'sessionId': 's1', 'update': {'sessionUpdate': 'tool_call', "
                            "'toolCallId': 't', "
                            "'kind': 'edit'}}}}," PERMIT("", CHOSE("y"))
                                PERMIT(", 'kind': 'read'", CHOSE("n")) END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_held_permission(void **state)
{
    (void)state;
    expect(CLIENT(POLICY("{'hold': 'h', 'then': 'allow_once'}"),
                  PERMIT_AS("p") "{'hold': 'h'}, {'fence': true}, {'never': {'id': '${p.id}'}},"
                                 "{'release': 'h'}, {'await': 'p', 'expect': {'result': {'answer': "
                                 "{'result': {'outcome': " CHOSE("y") "}}}}}," PERMIT(
                                     "", CHOSE("y")) END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(CLIENT(POLICY("{'hold': 'h', 'then': 'allow_once'}"),
                  "{'session': 's'}, {'prompt': 'x', 'as': 't', 'wait': false}," PERMIT_AS(
                      "p") "{'hold': 'h'}, {'cancel': 's'}, {'await': 'p', 'expect': "
                           "{'result': {'answer': {'result': {'outcome': " CANCELLED
                           "}}}}}, {'release': 'h'}, {'await': 't', 'expect': {'result': "
                           "{'stopReason': 'cancelled'}}}," END),
           "A-1 held\nA-1 held\nA-1 held\nfinished\n");
    expect(CLIENT(POLICY("{'hold': 'h', 'then': 'allow_once'}"),
                  "{'hold': 'h', 'within': 1, 'check': 'A-2'}, {'alive': true}"),
           "A-2 unreached: steps[0] (hold): did not come: not within 1 ms\n"
           "A-1 unreached: not reached: steps[0] (hold): did not come: not within 1 ms\n"
           "stopped: steps[0] (hold): did not come: not within 1 ms\n");
}

static void test_policy_before_service(void **state)
{
    (void)state;
    expect(CLIENT(ALL
                  ", 'policy': {'fs/read_text_file': [{'error': {'code': -7, 'message': 'no'}}, "
                  "{'hold': 'h', 'then': 'service'}]}",
                  READ("", "{'error': {'code': -7}}")
                      ASK_AS("r", "fs/read_text_file",
                             ", 'path': '${cwd}/a.txt'") "{'write_file': 'a.txt', 'content': "
                                                         "'later'}, {'release': 'h'},"
                                                         "{'await': 'r', 'expect': {'result': "
                                                         "{'answer': {'result': {'content': "
                                                         "'later'}}}}}," END),
           "A-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void refuse(const char *client, const char *want)
{
    char err[300] = "";
    cJSON *json = play_parse(client);
    assert_int_equal(player_check_client(json, err, sizeof err), want[0] ? E_INVALID : 0);
    assert_string_equal(err, want);
    cJSON_Delete(json);
}

static void test_shapes(void **state)
{
    static const char *const rows[][2] = {
        {"{}", ""},
        {"{'terminal': 'run', 'fs': {}, 'elicitation': 'accept', 'policy': {}}", ""},
        {"{'fs': {'buffers': {'a': 1}}}", "fs: buffers holds a text for each path"},
        {"{'fs': {'errors': {'a': 'x'}}}", "fs: errors holds an error object for each path"},
        {"{'fs': {'outside': 1}}", "fs: outside is true or false"},
        {"{'fs': {'x': 1}}", "fs: unknown member \"x\""},
        {"{'fs': 1}", "fs: expected {\"buffers\", \"errors\", \"outside\"}"},
        {"{'terminal': 'walk'}", "terminal: is \"run\" or a list of what commands print"},
        {"{'terminal': [{'match': {'$regex': '('}}]}", "terminal[0]: /$regex: Unmatched ( or \\("},
        {"{'terminal': [{}, {'out': 1}]}",
         "terminal[1]: a member is unknown (match, output, exitCode, signal, hold and error are)"},
        {"{'terminal': [{'output': 1}]}", "terminal[0]: a member has the wrong type"},
        {"{'terminal': [{'exitCode': 1, 'signal': 'SIGTERM'}]}",
         "terminal[0]: a command ends with exitCode or with signal"},
        {"{'terminal': [1]}", "terminal[0]: an entry is an object"},
        {"{'elicitation': 'allow_once'}", "elicitation/create: \"allow_once\" is an answer to "
                                          "session/request_permission only"},
        {"{'policy': {'x': 'perhaps'}}", "x: unknown answer \"perhaps\""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        refuse(rows[i][0], rows[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elicitation),     cmocka_unit_test(test_permission),
        cmocka_unit_test(test_held_permission), cmocka_unit_test(test_policy_before_service),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
