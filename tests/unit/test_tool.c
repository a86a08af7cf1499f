/* Tool calls made ready, and the table of turn states. */
#include "agent/toolset.h"
#include "agent/turn.h"
#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct toolset none;

static struct history_call call_of(const char *name, const char *args)
{
    return (struct history_call){.id = strdup(""), .name = strdup(name), .args = strdup(args)};
}

static void free_call(struct history_call *c)
{
    free(c->id);
    free(c->name);
    free(c->args);
}

static void test_ready(void **state)
{
    (void)state;
    struct history_call from = call_of("read_file", "{\"path\":\"a/../b.c\",\"line\":7}");
    struct tool_call c;
    assert_int_equal(tool_prepare(&c, &none, "/w", &from), 0);
    assert_null(c.error);
    assert_ptr_equal(c.tool, &tool_read_file);
    assert_string_equal(c.title, "Read a/../b.c from line 7");
    assert_string_equal(c.path, "/w/b.c");
    assert_int_equal(c.line, 7);
    assert_int_equal(tool_sanitize(&from, &c, "call_1"), 0);
    assert_string_equal(from.id, "call_1");
    assert_string_equal(from.name, "read_file");
    tool_call_deinit(&c);
    free_call(&from);
}

static void refuse(const char *name, const char *args, const char *why, const char *stored)
{
    struct history_call from = call_of(name, args);
    struct tool_call c;
    assert_int_equal(tool_prepare(&c, &none, "/w", &from), 0);
    assert_non_null(c.error);
    assert_non_null(strstr(c.error, why));
    assert_true(*c.title != '\0');
    assert_int_equal(tool_sanitize(&from, &c, "call_1"), 0);
    assert_string_equal(from.name, stored);
    cJSON *kept = NULL;
    assert_int_equal(json_parse(from.args, strlen(from.args), &kept, NULL), 0);
    assert_true(cJSON_IsObject(kept));
    cJSON_Delete(kept);
    tool_call_deinit(&c);
    free_call(&from);
}

static void test_never_run(void **state)
{
    (void)state;
    char args[400] = "{\"path\":\"";
    refuse("no_such", "{}", "no tool of this name", "no_such");
    refuse("", "{}", "no tool", "unknown_tool");
    refuse("read file!", "{}", "no tool", "read_file_");
    refuse("read_file", "{\"path\":", "no JSON object", "read_file");
    refuse("read_file", "[]", "no JSON object", "read_file");
    refuse("read_file", "{}", "arguments.path: missing", "read_file");
    refuse("read_file", "{\"path\":5}", "arguments.path", "read_file");
    refuse("read_file", "{\"path\":\"a\",\"line\":-1}", "arguments.line", "read_file");
    memset(args + strlen(args), 'x', sizeof args - 1 - strlen(args));
    refuse("read_file", args, "...", "read_file");
    memset(args, 'n', sizeof args - 1);
    args[sizeof args - 1] = '\0';
    char cut[65];
    memset(cut, 'n', 64);
    cut[64] = '\0';
    refuse(args, "{}", "no tool", cut);
}

static void refuse_todo(const char *args, const char *why)
{
    refuse("todo_write", args, why, "todo_write");
}

static void test_plans(void **state)
{
    (void)state;
    struct history_call from =
        call_of("todo_write", "{\"entries\":[{\"content\":\"a\",\"status\":\"completed\"},"
                              "{\"content\":\"b\",\"status\":null,\"priority\":\"low\"}]}");
    struct tool_call c;
    assert_int_equal(tool_prepare(&c, &none, "/w", &from), 0);
    assert_null(c.error);
    assert_string_equal(c.title, "Plan: 1 of 2 steps done");
    tool_call_deinit(&c);
    free_call(&from);
    refuse_todo("{}", "arguments.entries: missing");
    refuse_todo("{\"entries\":{}}", "arguments.entries");
    refuse_todo("{\"entries\":[7]}", "arguments.entries[0]");
    refuse_todo("{\"entries\":[{}]}", "arguments.entries[0].content");
    refuse_todo("{\"entries\":[{\"content\":\"a\"},{\"content\":\"b\",\"status\":\"done\"}]}",
                "arguments.entries[1].status: must be");
    refuse_todo("{\"entries\":[{\"content\":\"a\",\"priority\":\"High\"}]}",
                "arguments.entries[0].priority: must be");
}

static void test_specs_are_legal(void **state)
{
    (void)state;
    size_t n;
    const struct tool *const *table = tool_table(&n);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        cJSON *schema = NULL;
        assert_int_equal(
            json_parse(table[i]->spec.schema, strlen(table[i]->spec.schema), &schema, NULL), 0);
        assert_string_equal(json_get_str(schema, "type"), "object");
        cJSON_Delete(schema);
        assert_in_range(strlen(table[i]->spec.name), 1, 64);
    }
}

static void test_turn_table(void **state)
{
    (void)state;
    assert_true(turn_may_move(TURN_LINKS, TURN_MODEL));
    assert_true(turn_may_move(TURN_MODEL, TURN_TOOL));
    assert_true(turn_may_move(TURN_TOOL, TURN_MODEL));
    assert_true(turn_may_move(TURN_MODEL, TURN_WAIT));
    assert_false(turn_may_move(TURN_LINKS, TURN_TOOL));
    assert_false(turn_may_move(TURN_WAIT, TURN_TOOL));
    for (int s = TURN_LINKS; s < TURN_STATES; s++) {
        assert_int_equal(turn_may_move((enum turn_state)s, TURN_OVER), s != TURN_OVER);
        assert_false(turn_may_move(TURN_OVER, (enum turn_state)s));
        assert_false(turn_may_move((enum turn_state)s, TURN_LINKS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready),           cmocka_unit_test(test_never_run),
        cmocka_unit_test(test_specs_are_legal), cmocka_unit_test(test_turn_table),
        cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
