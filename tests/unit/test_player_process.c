/* A play around its steps: files, environment, the process and its end. */
#include "play.h"

#define CASE(steps)          "{'checks': ['A-1'], 'steps': [" steps "]}"
#define CASE_OF(more, steps) "{'checks': ['A-1'], " more ", 'steps': [" steps "]}"
#define SESSION              "{'session': 's'}, "

static void test_files(void **state)
{
    (void)state;
    play_expect_log(
        CASE_OF("'files': {'a/b/c.txt': 'abc', 'd.txt': ''}", SESSION
                "{'file': 'a/b/c.txt', 'equals': 'abc'}, {'file': 'd.txt', 'absent': true},"
                "{'file': 'e.txt', 'absent': true}, {'file': 'e.txt', 'contains': 'x'},"
                "{'write_file': 'f/g.txt', 'content': '${s}'}, {'file': 'f/g.txt', 'match':"
                "'^s[0-9]$'}, {'prompt': 'file'}, {'file': 'made.txt', 'equals': 'new\\n'}"),
        "A-1 held\nA-1 broken: d.txt is there, and should not be\nA-1 held\nA-1 broken: e.txt "
        "cannot be read: No such file or directory\nA-1 held\nA-1 held\nfinished\n");
    play_expect_log(
        CASE_OF("'files': {'a/link': {'link': '../d.txt'}, 'd.txt': 'd'}", SESSION
                "{'file': 'a/link', 'equals': 'd'}, {'prompt': 'file', 'wait': false}, {'file': "
                "'made.txt', 'equals': 'new\\n', 'within': 5000}, {'file': 'made.txt', 'absent': "
                "true, 'within': 1}"),
        "A-1 held\nA-1 held\nA-1 broken: made.txt is there, and should not be\nfinished\n");
    play_expect_log(CASE_OF("'files': {'../x': 'abc'}", "{'alive': true}"),
                    "error: files: cannot write ../x: invalid value\n");
}

static void test_environment(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "mode";
    play_case(&p, CASE_OF("'env': {'GREETING': 'hi ${provider}', 'HOME': null}, 'args': ['${cwd}']",
                          SESSION "{'prompt': 'env'}, {'text': 'agent', 'contains': 'hi "
                                  "http://127.0.0.1:1 mode ${cwd}'}"));
    assert_string_equal(p.log.p, "A-1 held\nfinished\n");
    play_deinit(&p);
}

static void test_exit(void **state)
{
    (void)state;
    play_expect_log(CASE("{'close_stdin': true}, {'exit': {'code': 0}}, {'stdout_rest': {'equals': "
                         "''}}, {'exit': {'code': 1}}"),
                    "A-1 held\nA-1 held\nA-1 broken: /code: expected 1, got 0\nfinished\n");
    play_expect_log(
        CASE("{'signal': 'TERM'}, {'exit': {'signal': 'TERM'}}, {'alive': true}"),
        "A-1 held\nA-1 broken: no answer to _acp.conformance/fence: the agent was ended "
        "by signal 15 before\nstopped: steps[2] (alive): no answer to "
        "_acp.conformance/fence: the agent was ended by signal 15 before\n");
    play_expect_log(
        CASE("{'exit': {}, 'within': 1}"),
        "A-1 broken: did not come: exit: not within 1 ms\nstopped: steps[0] (exit): did "
        "not come: exit: not within 1 ms\n");
}

static void test_rest(void **state)
{
    (void)state;
    play_expect_log(
        CASE(SESSION "{'stdout_rest': {'equals': ''}},"
                     "{'prompt': 'rest', 'wait': false}, {'exit': {}}, {'stdout_rest': "
                     "{'equals': ''}}, {'stdout_rest': {'contains': 'half'}}"),
        "A-1 unreached: its stdout is still open: an exit step belongs before it\n"
        "A-1 held\nA-1 broken: expected \"\", got \"half a line\"\nA-1 held\nfinished\n");
    /* a last message without its line feed is a message all the same */
    play_expect_log(CASE(SESSION "{'prompt': 'last', 'expect': {'result': {}}}"),
                    "A-1 held\nfinished\n");
}

static void test_restart(void **state)
{
    (void)state;
    play_expect_log(CASE(SESSION "{'restart': true}, {'session': 't'}, {'alive': true}, {'count': "
                                 "{'result': {'protocolVersion': 1}}, 'is': 2}, {'prompt': 'hello',"
                                 "'session': 't', 'expect': {'result': {}}}"),
                    "A-1 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_stubborn_agent(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.mode = "slow-end";
    p.eof_ms = p.term_ms = 1;
    play_case(&p, CASE("{'alive': true}"));
    assert_string_equal(p.log.p, "A-1 held\nfinished\n");
    play_deinit(&p);
}

static void test_no_program(void **state)
{
    (void)state;
    static const char *const argv[] = {"/nonexistent/agent", NULL};
    struct play p;
    play_init(&p);
    p.argv = argv;
    play_case(&p, CASE("{'alive': true}"));
    assert_string_equal(p.log.p, "error: cannot start /nonexistent/agent: No such file or "
                                 "directory; is the agent's command right?\n");
    play_deinit(&p);
}

static void test_validation(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.validate = true;
    play_case(&p, CASE("{'notify': '_bad', 'invalid': true}, {'alive': true}, {'notify': '_bad'}, "
                       "{'alive': true}"));
    assert_string_equal(p.log.p, "A-1 held\nerror: steps[2] sends an invalid message (say "
                                 "\"invalid\": true if that is meant): it is bad\n");
    play_deinit(&p);
}

static void abort_on_prompt(void *ctx, const struct trace_event *e)
{
    struct play *p = ctx;
    if (e->side == TRACE_CLIENT && strstr(e->bytes, "hang"))
        player_abort(p->player, "enough");
}

static void test_abort(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.on_event = abort_on_prompt;
    play_case(&p, CASE(SESSION "{'prompt': 'hang'}"));
    assert_string_equal(p.log.p, "error: enough\n");
    play_deinit(&p);
}

/* Until the prompt that no step waits for has been answered. */
static uint64_t until_answered(void *ctx)
{
    const struct play *p = ctx;
    for (size_t i = 0; i < p->trace.n; i++)
        if (p->trace.events[i]->side == TRACE_AGENT &&
            strstr(p->trace.events[i]->bytes, "end_turn"))
            return 0;
    return 30000;
}

static void test_linger(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.linger = until_answered;
    play_case(&p,
              CASE(SESSION "{'prompt': 'ask', 'wait': false}")); /* it needs an answer of ours */
    assert_string_equal(p.log.p, "finished\n");
    assert_int_equal(until_answered(&p), 0);
    play_deinit(&p);
}

static uint64_t once(void *ctx)
{
    struct play *p = ctx;
    return p->lingered++ ? 0 : 1;
}

static void test_linger_in_vain(void **state)
{
    (void)state;
    struct play p;
    play_init(&p);
    p.linger = once;
    play_case(&p, CASE(SESSION "{'prompt': 'hang', 'wait': false}"));
    assert_string_equal(p.log.p, "finished\n");
    assert_true(p.lingered >= 2);
    play_deinit(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),          cmocka_unit_test(test_environment),
        cmocka_unit_test(test_exit),           cmocka_unit_test(test_rest),
        cmocka_unit_test(test_restart),        cmocka_unit_test(test_stubborn_agent),
        cmocka_unit_test(test_no_program),     cmocka_unit_test(test_validation),
        cmocka_unit_test(test_abort),          cmocka_unit_test(test_linger),
        cmocka_unit_test(test_linger_in_vain),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
