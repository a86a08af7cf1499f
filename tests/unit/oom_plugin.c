/* Reading plugins with every allocation refused once. */
#include "agent/plugin.h"
#include "base/err.h"
#include "oom.h"
#include "plugin_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int load(void *ctx)
{
    const struct plugin_kit *k = ctx;
    char user[128], project[128];
    struct plugin_set *set = NULL;
    snprintf(user, sizeof user, "%s/plugins", k->home);
    snprintf(project, sizeof project, "%s/project", k->home);
    const struct plugin_search where = {user, project, NULL};
    int rc = plugin_set_load(&where, &set);
    if (rc == 0) {
        assert_int_equal(set->n, 1);
        assert_int_equal(set->n_broken, 1);
    }
    plugin_set_destroy(set);
    return rc;
}

static void test_load(void **state)
{
    (void)state;
    struct plugin_kit k;
    kit_begin(&k);
    kit_write(&k, "plugins/a/plugin.json",
              "{\"name\":\"a\",\"description\":\"A\",\"version\":\"1\",\"commands\":[\"c.md\"],"
              "\"skills\":[\"c.md\"],\"hooks\":{\"beforeTool\":[{\"command\":[\"sh\",\"x\"],"
              "\"tools\":[\"bash\"]}]},\"mcpServers\":[{\"name\":\"m\",\"command\":\"m\","
              "\"args\":[],\"env\":[]}],\"sidecar\":{\"command\":[\"s\"]},"
              "\"actions\":[{\"name\":\"show\",\"description\":\"d\",\"hint\":\"h\"}]}");
    kit_write(&k, "plugins/a/c.md", "---\ndescription: d\nargument-hint: h\n---\nbody\n");
    kit_write(&k, "plugins/b/plugin.json", "{\"name\":\"c\"}");
    kit_write(&k, "project/.acp-agent/plugins/p/plugin.json", "{\"name\":\"p\"}");
    oom_fail_each(load, &k);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
