/* What the client serves by itself: files, terminals, elicitation, and permission by policy. */
#include "play.h"

#define ALL                                                                                        \
    "'capabilities': {'fs': {'readTextFile': true, 'writeTextFile': true}, 'terminal': true, "     \
    "'elicitation': {'form': {}, 'url': {}}}"
#define CLIENT(more, steps)                                                                        \
    "{'checks': ['A-1'], 'client': {" more "}, 'files': {'a.txt': 'one\\ntwo\\nthree\\n'}, "       \
    "'steps': [" steps "]}"

/* The agent asks; the answer is expected to be this. */
#define ASK(method, params, answer)                                                                \
    "{'request': '_ask', 'params': {'method': '" method "', 'params': {'sessionId': 's1'" params   \
    "}}, 'expect': {'result': {'answer': " answer "}}},"
#define ASK_AS(name, method, params)                                                               \
    "{'request': '_ask', 'wait': false, 'as': '" name "', 'params': {'method': '" method           \
    "', 'params': {'sessionId': 's1'" params "}}},"
#define END "{'alive': true}"

static void expect(const char *text, const char *log)
{
    const char *argv[] = {"sh", TEST_DATA "/asker.sh", NULL};
    struct play p;
    play_init(&p);
    p.argv = argv;
    play_case(&p, text);
    assert_string_equal(p.log.p, log);
    play_deinit(&p);
}

#define READ(more, answer) ASK("fs/read_text_file", ", 'path': '${cwd}/a.txt'" more, answer)
#define CONTENT(text)      "{'result': {'content': '" text "'}}"

static void test_reading(void **state)
{
    (void)state;
    expect(CLIENT(ALL, READ("", CONTENT("one\\ntwo\\nthree\\n"))
                           READ(", 'line': 2", CONTENT("two\\nthree\\n"))
                               READ(", 'line': 1, 'limit': 2", CONTENT("one\\ntwo\\n"))
                                   READ(", 'line': null, 'limit': 0", CONTENT(""))
                                       READ(", 'line': 9", CONTENT(""))
                                           READ(", 'line': -1", "{'error': {'code': -32602}}") END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_buffers(void **state)
{
    (void)state;
    expect(
        CLIENT(
            ALL ", 'fs': {'buffers': {'a.txt': 'unsaved'}, 'errors': {'b/../no.txt': {'code': "
                "-32603, 'message': 'locked'}}}",
            READ("", CONTENT("unsaved")) "{'file': 'a.txt', 'contains': 'one'}," ASK(
                "fs/write_text_file", ", 'path': '${cwd}/./x/../a.txt', 'content': 'new'",
                "{'result': {}}")
                READ("",
                     CONTENT(
                         "new")) "{'file': 'a.txt', 'contains': 'one'}, {'buffer': 'a.txt', "
                                 "'equals': 'new'},"
                                 "{'write_buffer': '${cwd}/a.txt', 'content': 'typed'}, {'buffer': "
                                 "'a.txt', 'match': "
                                 "'^t'}," READ("", CONTENT("typed")) ASK(
                                     "fs/read_text_file", ", 'path': '${cwd}/no.txt'",
                                     "{'error': {'message': 'locked'}}")
                                     ASK("fs/write_text_file",
                                         ", 'path': '${cwd}/no.txt', 'content': ''",
                                         "{'error': {'message': 'locked'}}") "{'buffer': 'c.txt', "
                                                                             "'absent': true}, "
                                                                             "{'buffer': 'a.txt', "
                                                                             "'absent': true},"
                                                                             "{'buffer': 'c.txt', "
                                                                             "'equals': 'x'}"),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
        "A-1 held\nA-1 held\nA-1 broken: there is an unsaved text of a.txt, and should not be\n"
        "A-1 broken: there is no unsaved text of c.txt\nfinished\n");
}

#define WRITE(path, answer)                                                                        \
    ASK("fs/write_text_file", ", 'path': '" path "', 'content': 'x'", answer)
#define REFUSED "{'error': {'code': -32602}}"

static void test_writing(void **state)
{
    (void)state;
    expect(CLIENT(ALL,
                  WRITE("${cwd}/n/e/w.txt", "{'result': {}}") WRITE("/nowhere/x", REFUSED)
                      WRITE("${cwd}/../x", REFUSED) WRITE("x", REFUSED) WRITE(
                          "${cwd}",
                          "{'error': {'code': -32603}}") "{'file': 'n/e/w.txt', 'equals': "
                                                         "'x'}," ASK("fs/read_text_file",
                                                                     ", 'path': '${cwd}/go ne.txt'",
                                                                     "{'error': {'code': -32002, "
                                                                     "'data': {'uri': {'$regex': "
                                                                     "'^file:///.*/go%20ne"
                                                                     ".txt$'}}}}")
                                                             ASK("fs/read_text_file",
                                                                 ", 'path': 'a.txt'",
                                                                 REFUSED) ASK("fs/read_text_file",
                                                                              ", 'path': 7",
                                                                              REFUSED)
                                                                 ASK("fs/read_text_file",
                                                                     ", 'path': '/dev/zero'",
                                                                     "{'error': {'code': -32603}}")
                                                                     END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
           "A-1 held\nA-1 held\nA-1 held\nfinished\n");
}

/* A link does not lead out. */
static void test_writing_through_a_link(void **state)
{
    const char *argv[] = {"sh", TEST_DATA "/asker.sh", NULL};
    struct play p;
    char link[100];
    (void)state;
    play_init(&p);
    p.argv = argv;
    snprintf(link, sizeof link, "%s/out", p.cwd);
    assert_int_equal(symlink("/tmp", link), 0);
    play_case(&p, CLIENT(ALL, WRITE("${cwd}/out/acp-never-written", REFUSED) END));
    assert_string_equal(p.log.p, "A-1 held\nA-1 held\nfinished\n");
    play_deinit(&p);
}

static void test_not_announced(void **state)
{
    (void)state;
    expect(CLIENT("'capabilities': {'fs': {'readTextFile': true}}",
                  READ("", "{'result': {}}") WRITE("${cwd}/x", "{'error': {'code': -32601}}")
                      ASK("terminal/create", ", 'command': 'true'", "{'error': {'code': -32601}}")
                          ASK("elicitation/create", ", 'mode': 'form'",
                              "{'error': {'code': -32601}}") END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

#define RUN(program, script) ", 'command': 'sh', 'args': ['-c', '" script "']"
#define CREATE(n, more)      ASK("terminal/create", more, "{'result': {'terminalId': 'term-" #n "'}}")
#define TERM(n)              ", 'terminalId': 'term-" #n "'"
#define WAITED(n, status)    ASK("terminal/wait_for_exit", TERM(n), "{'result': " status "}")
#define OUTPUT(n, result)    ASK("terminal/output", TERM(n), "{'result': " result "}")
#define RELEASE(n)           ASK("terminal/release", TERM(n), "{'result': {}}")

static void test_commands(void **state)
{
    (void)state;
    expect(
        CLIENT(
            ALL,
            CREATE(1,
                   RUN(sh,
                       "echo $GREETING; pwd; cat; echo err >&2; exit 3") ", 'env': [{'name': "
                                                                         "'GREETING', 'value': 'hi "
                                                                         "there'}], 'cwd': '/'")
                WAITED(1, "{'exitCode': 3, 'signal': null}") OUTPUT(
                    1,
                    "{'output': 'hi there\\n/\\nerr\\n', 'truncated': false, "
                    "'exitStatus': {'exitCode': 3}}") "{'terminals': {'open': 1, 'running': "
                                                      "0}}," RELEASE(1)
                                                          ASK("terminal/output", TERM(1),
                                                              "{'error': {'code': -32002}}")
                                                              ASK("terminal/release", TERM(9),
                                                                  "{'error': {'code': -32002}}")
                                                                  ASK("terminal/kill", "",
                                                                      REFUSED) "{'terminals': "
                                                                               "{'open': 0}}," END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
        "A-1 held\nfinished\n");
}

static void test_killed_command(void **state)
{
    (void)state;
    expect(
        CLIENT(
            ALL,
            CREATE(1, RUN(sh, "echo begun; sleep 1000; echo never"))
                ASK_AS("w1", "terminal/wait_for_exit", TERM(1)) ASK_AS(
                    "w2", "terminal/wait_for_exit",
                    TERM(
                        1)) "{'terminals': {'running': 1}}," ASK("terminal/kill", TERM(1),
                                                                 "{'result': {}}") "{'await': "
                                                                                   "'w1', "
                                                                                   "'expect': "
                                                                                   "{'result': "
                                                                                   "{'answer': "
                                                                                   "{'result': "
                                                                                   "{'exitCode': "
                                                                                   "null, "
                                                                                   "'signal': "
                                                                                   "'SIGKILL'}}}}},"
                                                                                   " {'await': "
                                                                                   "'w2', "
                                                                                   "'expect': "
                                                                                   "{'result': "
                                                                                   "{'answer': "
                                                                                   "{'result': "
                                                                                   "{'signal': "
                                                                                   "'SIGKILL'}}}}}"
                                                                                   "," OUTPUT(1, "{"
                                                                                                 "'"
                                                                                                 "e"
                                                                                                 "x"
                                                                                                 "i"
                                                                                                 "t"
                                                                                                 "S"
                                                                                                 "t"
                                                                                                 "a"
                                                                                                 "t"
                                                                                                 "u"
                                                                                                 "s"
                                                                                                 "'"
                                                                                                 ":"
                                                                                                 " "
                                                                                                 "{"
                                                                                                 "'"
                                                                                                 "s"
                                                                                                 "i"
                                                                                                 "g"
                                                                                                 "n"
                                                                                                 "a"
                                                                                                 "l"
                                                                                                 "'"
                                                                                                 ":"
                                                                                                 " "
                                                                                                 "'"
                                                                                                 "S"
                                                                                                 "I"
                                                                                                 "G"
                                                                                                 "K"
                                                                                                 "I"
                                                                                                 "L"
                                                                                                 "L"
                                                                                                 "'"
                                                                                                 "}"
                                                                                                 "}") CREATE(
                                                                                       2,
                                                                                       ", "
                                                                                       "'command': "
                                                                                       "'sleep "
                                                                                       "1000'")
                                                                                       RELEASE(
                                                                                           2) "{'"
                                                                                              "term"
                                                                                              "inal"
                                                                                              "s': "
                                                                                              "{'"
                                                                                              "open"
                                                                                              "': "
                                                                                              "1, "
                                                                                              "'run"
                                                                                              "ning"
                                                                                              "': "
                                                                                              "0}}"
                                                                                              "," END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
        "A-1 held\nA-1 held\nfinished\n");
}

/* Nothing that a case started outlives it: the loop could not close. */
static void test_left_running(void **state)
{
    (void)state;
    expect(CLIENT(ALL, CREATE(1, ", 'command': 'sleep', 'args': ['1000']")
                           ASK_AS("w", "terminal/wait_for_exit", TERM(1)) END),
           "A-1 held\nA-1 held\nfinished\n");
    expect(
        CLIENT(
            ALL,
            CREATE(1,
                   ", 'command': 'sleep', 'args': ['1000']") "{'kill': true}, {'terminals': "
                                                             "{'running': 1}}, {'restart': true},"
                                                             "{'terminals': {'open': 0, 'running': "
                                                             "0}}," END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_bad_commands(void **state)
{
    (void)state;
    expect(CLIENT(ALL,
                  ASK("terminal/create", ", 'command': '/no/such/program'",
                      "{'error': {'code': -32603, 'message': {'$has': '/no/such/program'}}}")
                      ASK("terminal/create", ", 'command': 'true', 'cwd': 'x'", REFUSED) ASK(
                          "terminal/create", ", 'command': 'true', 'args': [1]", REFUSED)
                          ASK("terminal/create", ", 'command': 'true', 'env': [{}]", REFUSED) ASK(
                              "terminal/create", ", 'command': 'true', 'outputByteLimit': -1",
                              REFUSED) ASK("terminal/create", "", REFUSED)
                              ASK("terminal/odd", "",
                                  "{'error': {'code': -32601}}") "{'terminals': {'open': 0}}," END),
           "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
           "A-1 held\nfinished\n");
}

#define PRINTED(limit, text, output)                                                               \
    CLIENT(ALL ", 'terminal': [{'output': '" text "'}]",                                           \
           CREATE(1, ", 'command': 'x', 'outputByteLimit': " limit) OUTPUT(1, output) END)

static void test_limit(void **state)
{
    static const char held[] = "A-1 held\nA-1 held\nA-1 held\nfinished\n";
    (void)state;
    expect(PRINTED("4", "abcdef", "{'output': 'cdef', 'truncated': true}"), held);
    expect(PRINTED("6", "abcdef", "{'output': 'abcdef', 'truncated': false}"), held);
    expect(PRINTED("5", "a\xc3\xa4\xe2\x82\xac",
                   "{'output': '\xc3\xa4\xe2\x82\xac', 'truncated': "
                   "true}"),
           held);
    expect(PRINTED("4", "a\xc3\xa4\xe2\x82\xac", "{'output': '\xe2\x82\xac', 'truncated': true}"),
           held);
    expect(PRINTED("2", "a\xe2\x82\xac", "{'output': '', 'truncated': true}"), held);
    expect(PRINTED("0", "a", "{'output': '', 'truncated': true}"), held);
    expect(PRINTED("null", "abc", "{'output': 'abc', 'truncated': false}"), held);
    /* over the watermark, where the start is dropped while it prints */
    expect(PRINTED("3", "abcdefghijklmnopqrst\xe2\x82\xac",
                   "{'output': '\xe2\x82\xac', 'truncated': true}"),
           held);
}

static void test_script(void **state)
{
    (void)state;
    expect(
        CLIENT(ALL ", 'terminal': [{'match': {'command': 'make'}, 'output': 'first', 'hold': 'h'}, "
                   "{'match': {'command': 'make'}, 'exitCode': 2}, {'match': {'command': 'no'}, "
                   "'error': {'code': -1, 'message': 'busy'}}, {'match': {'command': 'dies'}, "
                   "'signal': 'SIGSEGV'}]",
               CREATE(1, ", 'command': 'make'") "{'hold': 'h'}," ASK_AS(
                   "w", "terminal/wait_for_exit",
                   TERM(1)) OUTPUT(1, "{'output': 'first', 'exitStatus': {'$absent': true}}")
                   CREATE(2, ", 'command': 'make'") WAITED(2, "{'exitCode': 2}")
                       CREATE(3, ", 'command': 'make'") WAITED(
                           3, "{'exitCode': 2}") "{'never': {'id': '${w.id}'}}, {'release': 'h'},"
                                                 "{'await': 'w', 'expect': {'result': {'answer': "
                                                 "{'result': {'exitCode': 0}}}}}," ASK(
                                                     "terminal/create", ", 'command': 'no'",
                                                     "{'error': {'message': 'busy'}}")
                                                     ASK("terminal/create", ", 'command': 'what'",
                                                         "{'error': {'code': -32603}}")
                                                         CREATE(6, ", 'command': 'dies'") WAITED(
                                                             6, "{'signal': 'SIGSEGV'}") END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_counts(void **state)
{
    (void)state;
    expect(CLIENT(ALL,
                  "{'terminals': {'open': 1}, 'within': 1}, {'terminals': {'open': {'max': 0}, "
                  "'running': 2}, 'within': 1}"),
           "A-1 broken: expected 1 open, any number running, got 0 open, 0 running\n"
           "A-1 broken: expected 0 to 0 open, 2 running, got 0 open, 0 running\nfinished\n");
}

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
        cmocka_unit_test(test_reading),         cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_writing),         cmocka_unit_test(test_writing_through_a_link),
        cmocka_unit_test(test_not_announced),   cmocka_unit_test(test_commands),
        cmocka_unit_test(test_killed_command),  cmocka_unit_test(test_left_running),
        cmocka_unit_test(test_bad_commands),    cmocka_unit_test(test_limit),
        cmocka_unit_test(test_script),          cmocka_unit_test(test_counts),
        cmocka_unit_test(test_elicitation),     cmocka_unit_test(test_permission),
        cmocka_unit_test(test_held_permission), cmocka_unit_test(test_policy_before_service),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
