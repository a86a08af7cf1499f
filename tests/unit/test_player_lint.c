/* What can be said about steps without playing them. */
#include "play.h"

/* want "": it is fine. */
static void check(const char *steps, const char *want)
{
    char err[300] = "";
    cJSON *json = play_parse(steps);
    assert_int_equal(player_check_steps(json, err, sizeof err), want[0] ? E_INVALID : 0);
    assert_string_equal(err, want);
    cJSON_Delete(json);
}

static void test_fine(void **state)
{
    static const char *const rows[] = {
        "[]",
        "[{'initialize': {}}, {'session': 's', 'params': {}, 'check': 'A-1', 'note': 'n', "
        "'within': "
        "1, 'at_most': 'WARN'}]",
        "[{'session': 's'}, {'prompt': 'x', 'session': 's', 'as': 'p', 'wait': false}, {'cancel': "
        "'s'}, {'cancel_request': 'p'}, {'await': 'p', 'expect': [{'match': {}, 'check': 'x', "
        "'note': 'x', 'at_most': 'INFO'}]}]",
        "[{'request': 'x', 'id': null, 'params': 5, 'invalid': true, 'as': 'p'}, {'text': 'agent', "
        "'since': 'p', 'equals': ''}, {'saw': {}, 'count': 2, 'as': 'q'}, {'notify': '${q.message}'"
        "}]",
        "[{'respond': {'x': '${cwd}'}, 'as': 'r', 'result': '${r.message./id}'}]",
        "[{'respond': {}, 'answer': 'manual'}, {'respond': {}, 'error': {}}]",
        "[{'send': 'x', 'chunks': 1}, {'send': 'x', 'chunks': [1, 2]}, {'base64': 'Zg=='},"
        "{'send': '', 'base64': 'Zg==', 'id': 1, 'as': 'x'}, {'await': 'x'}]",
        "[{'batch': [{'session': 's'}, {'request': 'x', 'params': '${s.id}'}]}]",
        "[{'count': {}, 'is': 1}, {'count': {}, 'is': {'max': 1}}, {'model_count': 0}, {'never': "
        "{}}, {'fence': true}, {'alive': true}, {'restart': true}, {'exit': {}}]",
        "[{'order': [{'agent': {}}, {'client': {}}, {'model': {}}, {'model_event': {}}]}]",
        "[{'hold': 'x'}, {'release': 'x'}, {'model_saw': {}, 'nth': 1}, {'model_gone': true}]",
        "[{'write_file': 'a', 'content': ''}, {'file': 'a..b', 'absent': true}, {'close_stdin': "
        "true}, {'signal': 'KILL'}, {'stdout_rest': {'equals': ''}}]",
        "[{'notify': '$${x} ${initialize.result./a} ${provider}'}]",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(rows[i], "");
}

static void test_shape(void **state)
{
    static const char *const rows[][2] = {
        {"{}", "steps: expected a list"},
        {"[5]",
         "steps[0]: a step is an object with one of the verbs of docs/cases.md; this one has "
         "none"},
        {"[{'fence': true}, {'note': 'x'}]",
         "steps[1]: a step is an object with one of the verbs of docs/cases.md; this one has none"},
        {"[{'fence': true, 'alive': true}]",
         "steps[0]: fence: a step has one verb, this one has 2"},
        {"[{'prompt': 'x', 'sesion': 's'}]", "steps[0]: prompt: unknown member \"sesion\""},
        {"[{'prompt': 5}]", "steps[0]: prompt: expected a text or a list"},
        {"[{'fence': false}]", "steps[0]: fence: expected true"},
        {"[{'fence': true, 'within': -1}]", "steps[0]: within: expected a number"},
        {"[{'fence': true, 'at_most': 'FAIL'}]", "steps[0]: at_most: is \"WARN\" or \"INFO\""},
        {"[{'request': 'x', 'wait': 1}]", "steps[0]: wait: expected a boolean"},
        {"[{'prompt': 'x', 'expect': []}]", "steps[0]: expect: is empty"},
        {"[{'prompt': 'x', 'expect': [{}]}]", "steps[0]: expect[0]: needs \"match\""},
        {"[{'prompt': 'x', 'expect': [{'match': 1, 'x': 1}]}]",
         "steps[0]: expect[0]: unknown member \"x\""},
        {"[{'prompt': 'x', 'expect': [{'match': 1, 'check': 1}]}]",
         "steps[0]: expect[0]: check is a text"},
        {"[{'respond': {}}]", "steps[0]: respond: needs one of result, error and answer"},
        {"[{'respond': {}, 'answer': 'x'}]",
         "steps[0]: respond.answer: an answer: unknown answer \"x\""},
        {"[{'send': 'x', 'chunks': 0}]",
         "steps[0]: send.chunks: is a size or a list of sizes, each 1 or more"},
        {"[{'send': 'x', 'repeat': {'text': 'x'}}]",
         "steps[0]: send.repeat: needs a text and a count"},
        {"[{'send': 'x', 'as': 'p'}]", "steps[0]: send: as and id go together"},
        {"[{'base64': 'Z'}]", "steps[0]: send.base64: is no base64"},
        {"[{'send': 'x', 'base64': 'Zg=='}]", "steps[0]: send: with base64 its text must be \"\""},
        {"[{'batch': []}]", "steps[0]: batch: is empty"},
        {"[{'batch': [{'fence': true}]}]",
         "steps[0]: batch: [0]: only steps that send in one piece may stand in a batch"},
        {"[{'batch': [{'send': 'x', 'chunks': 1}]}]",
         "steps[0]: batch: [0]: only steps that send in one piece may stand in a batch"},
        {"[{'batch': [{'prompt': 1}]}]", "steps[0]: batch: [0]: prompt: expected a text or a list"},
        {"[{'count': {}}]", "steps[0]: count: needs \"is\""},
        {"[{'count': {}, 'is': {}}]", "steps[0]: is: expected a number or {\"min\", \"max\"}"},
        {"[{'text': 'x', 'equals': ''}]", "steps[0]: text: is \"agent\", \"thought\" or \"user\""},
        {"[{'text': 'agent'}]", "steps[0]: text: needs equals, contains, match or as"},
        {"[{'order': [{'agent': {}}]}]", "steps[0]: order: needs two events or more"},
        {"[{'order': [{'x': {}}]}]",
         "steps[0]: order[0]: is one of agent, client, model, model_event and answer_to"},
        {"[{'write_file': 'a'}]", "steps[0]: write_file: needs \"content\""},
        {"[{'write_file': '/a', 'content': ''}]",
         "steps[0]: write_file: is a path below the working directory, without \"..\""},
        {"[{'file': 'a/../b', 'absent': true}]",
         "steps[0]: file: is a path below the working directory, without \"..\""},
        {"[{'file': 'a'}]", "steps[0]: file: needs equals, contains, match or absent"},
        {"[{'signal': 'SIGTERM'}]",
         "steps[0]: signal: unknown signal \"SIGTERM\" (write TERM, KILL, INT ...)"},
        {"[{'stdout_rest': {}}]", "steps[0]: stdout_rest: needs equals, contains or match"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(rows[i][0], rows[i][1]);
}

static void test_bad_patterns(void **state)
{
    static const char *const rows[] = {
        "[{'saw': {'$regex': '('}}]",
        "[{'prompt': 'x', 'expect': {'a': {'$foo': 1}}}]",
        "[{'prompt': 'x', 'expect': [{'match': {'$foo': 1}}]}]",
        "[{'order': [{'agent': {'$foo': 1}}, {'agent': {}}]}]",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char err[300] = "";
        cJSON *json = play_parse(rows[i]);
        assert_int_equal(player_check_steps(json, err, sizeof err), E_INVALID);
        assert_true(err[0]);
        cJSON_Delete(json);
    }
}

static void test_names(void **state)
{
    static const char *const rows[][2] = {
        {"[{'await': 'p'}]", "steps[0]: await: no step before is named \"p\""},
        {"[{'await': 'p'}, {'request': 'x', 'as': 'p'}]",
         "steps[0]: await: no step before is named \"p\""},
        {"[{'prompt': 'x', 'session': 's'}]", "steps[0]: session: no step before is named \"s\""},
        {"[{'saw': {'x': '${s}'}}]", "steps[0]: ${s}: no step before is named \"s\""},
        {"[{'session': 's'}, {'saw': {'x': '${s.reslt}'}}]",
         "steps[1]: ${s.reslt}: a step has id, result, error and message"},
        {"[{'saw': {'x': '${}'}}]", "steps[0]: ${} is no name"},
        {"[{'batch': [{'request': 'x', 'params': '${p.id}'}, {'request': 'x', 'as': 'p'}]}]",
         "steps[0]: ${p.id}: no step before is named \"p\""},
        {"[{'batch': [{'cancel': 's'}]}]", "steps[0]: cancel: no step before is named \"s\""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(rows[i][0], rows[i][1]);
}

static void collect(void *ctx, const char *id)
{
    strcat(ctx, id);
    strcat(ctx, ",");
}

static void check_checks(const char *step, const char *want)
{
    char ids[100] = "";
    cJSON *json = play_parse(step);
    player_step_checks(json, "D", collect, ids);
    assert_string_equal(ids, want);
    cJSON_Delete(json);
}

static void test_checks(void **state)
{
    (void)state;
    check_checks("{'prompt': 'x'}", "");
    check_checks("{'prompt': 'x', 'check': 'A'}", "A,");
    check_checks("{'prompt': 'x', 'expect': {}}", "D,");
    check_checks("{'prompt': 'x', 'check': 'A', 'expect': [{'match': {}}, {'match': {}, 'check': "
                 "'B'}]}",
                 "A,B,");
    check_checks("{'never': {}}", "D,");
    check_checks("{'hold': 'x'}", "");
    check_checks("{'batch': [{'prompt': 'x', 'expect': {}}, {'prompt': 'x', 'check': 'B'}], "
                 "'check': 'A'}",
                 "A,B,");
    check_checks("{'x': 1}", "");
}

static void test_verbs(void **state)
{
    size_t n = 0;
    const char *summary;
    (void)state;
    for (; player_verb(n, &summary); n++)
        assert_true(summary[0]);
    assert_null(player_verb(n, NULL));
    assert_string_equal(player_verb(0, NULL), "initialize");
    cJSON *step = play_parse("{'prompt': 'x', 'session': 's'}");
    assert_string_equal(player_step_verb(step), "prompt");
    cJSON_Delete(step);
    assert_null(player_step_verb(NULL));
}

/* The page and the table name the same verbs. */
static void test_documentation(void **state)
{
    static char page[40000];
    const char *name;
    (void)state;
    FILE *file = fopen(SOURCE_DIR "/docs/cases.md", "rb");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; (name = player_verb(i, NULL)) != NULL; i++) {
        char text[64];
        snprintf(text, sizeof text, "`{\"%s\": ", name);
        if (!strstr(page, text))
            fail_msg("docs/cases.md does not explain the verb %s", name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine),          cmocka_unit_test(test_shape),
        cmocka_unit_test(test_bad_patterns),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_checks),        cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_documentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
