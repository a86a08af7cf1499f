/* Who decides that a tool runs. */
#include "agent/gate.h"
#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static enum gate_answer answer_of(const char *json, bool once_only)
{
    cJSON *result = NULL;
    assert_int_equal(json_parse(json, strlen(json), &result, NULL), 0);
    enum gate_answer answer = gate_read(result, once_only);
    cJSON_Delete(result);
    return answer;
}

static void test_yes(void **state)
{
    (void)state;
    const char *once = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once\"}}";
    const char *always = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_always\"}}";
    assert_int_equal(answer_of(once, false), GATE_ALLOWED);
    assert_int_equal(answer_of(once, true), GATE_ALLOWED);
    assert_int_equal(answer_of(always, false), GATE_ALLOWED_ALWAYS);
    assert_int_equal(answer_of(always, true), GATE_DENIED);
}

static const char *const noes[] = {
    "null",
    "true",
    "\"allow_once\"",
    "[]",
    "{}",
    "{\"outcome\":null}",
    "{\"outcome\":\"selected\"}",
    "{\"outcome\":\"allow_once\"}",
    "{\"outcome\":[\"selected\",\"allow_once\"]}",
    "{\"outcome\":{}}",
    "{\"outcome\":{\"outcome\":\"cancelled\"}}",
    "{\"outcome\":{\"outcome\":\"cancelled\",\"optionId\":\"allow_once\"}}",
    "{\"outcome\":{\"outcome\":\"selected\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":null}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":0}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":true}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":[\"allow_once\"]}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject_once\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject_always\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"Allow\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"ALLOW_ONCE\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once \"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once\\u0000\"}}",
    "{\"outcome\":{\"outcome\":\"Selected\",\"optionId\":\"allow_once\"}}",
    "{\"outcome\":{\"outcome\":true,\"optionId\":\"allow_once\"}}",
    "{\"outcome\":{\"optionId\":\"allow_once\"}}",
    "{\"Outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once\"}}",
    "{\"outcome\":{\"outcome\":\"selected\",\"optionid\":\"allow_once\"}}",
    "{\"outcome\":\"selected\",\"optionId\":\"allow_once\"}",
};

static void test_no(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(noes); i++)
        assert_int_equal(answer_of(noes[i], false), GATE_DENIED);
}

static void test_who_asks(void **state)
{
    (void)state;
    struct gate_rules rules = {{0}, {0}};
    struct tool_call reads = {.tool = &tool_read_file}, writes = {.tool = &tool_write_file};
    struct tool_call edits = {.tool = &tool_edit_file};
    struct tool_call leaves = {.tool = &tool_write_file, .outside = true};
    struct tool_call peeks = {.tool = &tool_read_file, .outside = true};
    assert_false(gate_must_ask(&rules, APPROVAL_ASK, &reads));
    assert_true(gate_must_ask(&rules, APPROVAL_ASK, &writes));
    assert_false(gate_must_ask(&rules, APPROVAL_AUTO, &writes));
    assert_true(gate_must_ask(&rules, APPROVAL_AUTO, &leaves));
    assert_true(gate_must_ask(&rules, APPROVAL_AUTO, &peeks));
    assert_false(gate_must_ask(&rules, APPROVAL_YOLO, &leaves));
    gate_allow_always(&rules, &writes);
    assert_false(gate_must_ask(&rules, APPROVAL_ASK, &writes));
    assert_true(gate_must_ask(&rules, APPROVAL_ASK, &edits));
    assert_true(gate_must_ask(&rules, APPROVAL_ASK, &leaves));
    gate_allow_always(&rules, &leaves);
    assert_false(gate_must_ask(&rules, APPROVAL_AUTO, &leaves));
    assert_true(gate_must_ask(&rules, APPROVAL_AUTO, &peeks));
}

static void test_foreign(void **state)
{
    (void)state;
    struct gate_rules rules = {{0}, {0}};
    struct tool strange = {.kind = ACP_KIND_READ, .foreign = true, .number = 100};
    struct tool_call c = {.tool = &strange};
    assert_true(gate_must_ask(&rules, APPROVAL_ASK, &c)); /* "read only" is only what it says */
    assert_false(gate_must_ask(&rules, APPROVAL_AUTO, &c));
    strange.kind = ACP_KIND_EDIT;
    assert_true(gate_must_ask(&rules, APPROVAL_AUTO, &c));
    strange.kind = ACP_KIND_OTHER;
    assert_true(gate_must_ask(&rules, APPROVAL_AUTO, &c));
    assert_false(gate_must_ask(&rules, APPROVAL_YOLO, &c));
    gate_allow_always(&rules, &c);
    assert_false(gate_must_ask(&rules, APPROVAL_ASK, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yes),
        cmocka_unit_test(test_no),
        cmocka_unit_test(test_who_asks),
        cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
