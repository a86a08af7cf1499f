/* glob and grep with every allocation refused once, in both threads. */
#include "agent/ignore.h"
#include "agent/search.h"
#include "oom.h"
#include "tool_kit.h"

struct query {
    struct tool_kit *k;
    const char *tool, *args;
};

/* What failed later is told as text. */
static int run(void *ctx)
{
    const struct query *q = ctx;
    int rc = kit_run(q->k, q->tool, q->args);
    if (rc == 0 && q->k->failed)
        rc = strcmp(q->k->text, err_text(E_NOMEM)) == 0 ? E_NOMEM : E_IO;
    return rc;
}

static int compile_wrong(void *ctx)
{
    const struct query *q = ctx;
    int rc = kit_run(q->k, q->tool, q->args);
    return rc == E_INVALID ? 0 : rc;
}

static void test_tools(void **state)
{
    struct tool_kit *k = *state;
    kit_write_text(k, "a.c", "int a;\n");
    kit_write_text(k, "src/b.c", "int b;\n");
    kit_write_text(k, "src/b.o", "int o;\n");
    kit_write_text(k, ".gitignore", "*.o\n");
    oom_fail_each(compile_wrong, &(struct query){k, "grep", "{\"pattern\":\"(\"}"});
    oom_fail_each(compile_wrong, &(struct query){k, "glob", "{\"pattern\":\"/\"}"});
    oom_fail_each(run, &(struct query){k, "glob", "{\"pattern\":\"{a,b}*.c\"}"});
    oom_fail_each(run, &(struct query){k, "grep",
                                       "{\"pattern\":\"int\",\"glob\":\"*.c\","
                                       "\"path\":\"src\"}"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tools, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
