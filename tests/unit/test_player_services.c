/* What the client serves by itself: files and terminals. */
#include "asker.h"

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
    expect(
        CLIENT(
            ALL,
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
                                                       ASK("fs/read_text_file", ", 'path': 'a.txt'",
                                                           REFUSED) ASK("fs/read_text_file",
                                                                        ", 'path': 7", REFUSED)
                                                           ASK("fs/read_text_file",
                                                               ", 'path': '/dev/zero'",
                                                               "{'error': {'code': -32603}}") END),
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
                    1, "{'output': 'hi there\\n/\\nerr\\n', 'truncated': false, "
                       "'exitStatus': {'exitCode': 3}}") "{'terminals': {'open': 1, 'running': "
                                                         "0}}," RELEASE(1) ASK(
                                                             "terminal/output", TERM(1),
                                                             "{'error': {'code': -32002}}")
                                                             ASK("terminal/release", TERM(9),
                                                                 "{'error': {'code': -32002}}")
                                                                 ASK("terminal/kill", "",
                                                                     REFUSED) "{'terminals': "
                                                                              "{'open': 0}}," END),
        "A-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\nA-1 held\n"
        "A-1 held\nfinished\n");
}

/* NOLINTNEXTLINE(readability-function-size): one conversation, told in its order */
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
                                                                                   "," OUTPUT(
                                                                                       1,
                                                                                       "{"
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
                                                                                       "}") CREATE(2,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_writing),        cmocka_unit_test(test_writing_through_a_link),
        cmocka_unit_test(test_not_announced),  cmocka_unit_test(test_commands),
        cmocka_unit_test(test_killed_command), cmocka_unit_test(test_left_running),
        cmocka_unit_test(test_bad_commands),   cmocka_unit_test(test_limit),
        cmocka_unit_test(test_script),         cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
