/* The tools of a session: the table and what was added. */
#include "agent/gate.h"
#include "agent/toolset.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const lean_without[] = {"todo_write"};

static size_t table_size(void)
{
    size_t n;
    tool_table(&n);
    return n;
}

static bool told_of(struct toolset *ts, const char *name)
{
    struct toolset_specs specs;
    assert_int_equal(toolset_specs(ts, false, &specs), 0);
    for (size_t i = 0; i < specs.n; i++)
        if (strcmp(specs.list[i]->name, name) == 0)
            return true;
    return false;
}

static struct tool tool_called(const char *name)
{
    return (struct tool){.spec = {.name = name, .description = "", .schema = "{}"}};
}

static void test_table_only(void **state)
{
    (void)state;
    struct toolset ts = {0};
    assert_ptr_equal(toolset_find(&ts, "read_file"), &tool_read_file);
    assert_null(toolset_find(&ts, "read"));
    assert_null(toolset_find(&ts, ""));
    assert_true(told_of(&ts, "read_file"));
    assert_true(told_of(&ts, lean_without[0]));
    toolset_deinit(&ts);
}

static void test_lean(void **state)
{
    (void)state;
    struct toolset ts = {0};
    struct toolset_specs specs;
    assert_int_equal(toolset_specs(&ts, true, &specs), 0);
    assert_true(specs.n < table_size());
    assert_false(told_of(&ts, lean_without[0])); /* another wish comes too late */
    assert_non_null(toolset_find(&ts, lean_without[0]));
    toolset_deinit(&ts);
}

static void test_added_and_removed(void **state)
{
    (void)state;
    struct toolset ts = {0};
    struct toolset_specs specs;
    struct tool a = tool_called("mcp__x__a"), b = tool_called("mcp__x__b");
    struct tool c = tool_called("mcp__x__c"), own = tool_called("read_file");
    assert_int_equal(toolset_add(&ts, &a), 0);
    assert_int_equal(toolset_add(&ts, &own), E_EXISTS);
    assert_int_equal(toolset_specs(&ts, false, &specs), 0);
    size_t n = specs.n;
    assert_int_equal(n, table_size() + 1);
    assert_int_equal(toolset_add(&ts, &b), 0);
    assert_int_equal(toolset_add(&ts, &c), 0);
    toolset_remove(&ts, &b);
    assert_int_equal(toolset_specs(&ts, false, &specs), 0);
    assert_int_equal(specs.n, n + 1);
    assert_ptr_equal(specs.list[n - 1], &a.spec);
    assert_ptr_equal(specs.list[n], &c.spec);
    assert_null(toolset_find(&ts, "mcp__x__b"));
    assert_ptr_equal(toolset_find(&ts, "mcp__x__c"), &c);
    assert_int_equal(toolset_add(&ts, &b), 0); /* with a number nobody had */
    assert_true(b.number > c.number && c.number > a.number);
    toolset_deinit(&ts);
}

static void test_no_end_of_tools(void **state)
{
    (void)state;
    static char names[TOOLSET_MAX + 1][24];
    struct tool *list = calloc(TOOLSET_MAX + 1, sizeof *list);
    struct toolset ts = {0};
    struct gate_rules rules = {{0}, {0}};
    assert_non_null(list);
    assert_in_range(table_size(), 1, TOOL_NUMBERS - TOOLSET_MAX);
    for (unsigned i = 0; i <= TOOLSET_MAX; i++) {
        snprintf(names[i], sizeof names[i], "mcp__s__%u", i);
        list[i] = tool_called(names[i]);
        assert_int_equal(toolset_add(&ts, &list[i]), i < TOOLSET_MAX ? 0 : E_TOOBIG);
    }
    struct tool_call last = {.tool = &list[TOOLSET_MAX - 1]},
                     before = {.tool = &list[TOOLSET_MAX - 2]};
    list[TOOLSET_MAX - 1].kind = list[TOOLSET_MAX - 2].kind = ACP_KIND_OTHER;
    gate_allow_always(&rules, &last);
    assert_false(gate_must_ask(&rules, APPROVAL_ASK, &last));
    assert_true(gate_must_ask(&rules, APPROVAL_ASK, &before));
    toolset_deinit(&ts);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_only),
        cmocka_unit_test(test_lean),
        cmocka_unit_test(test_added_and_removed),
        cmocka_unit_test(test_no_end_of_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
