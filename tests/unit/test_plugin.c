/* Plugins on the disk: what is read, what is refused and how it is named, whose count. */
#include "agent/plugin.h"
#include "base/err.h"
#include "plugin_kit.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct plugin_set *load(const struct plugin_kit *k, const char *cwd, const char *trusted)
{
    char user[128];
    const char *const list[] = {trusted, NULL};
    struct plugin_set *set = NULL;
    snprintf(user, sizeof user, "%s/plugins", k->home);
    const struct plugin_search where = {user, cwd, list};
    assert_int_equal(plugin_set_load(&where, &set), 0);
    return set;
}

static void test_whole(void **state)
{
    (void)state;
    struct plugin_kit k;
    kit_begin(&k);
    kit_write(&k, "plugins/notes/plugin.json",
              "{\"name\":\"notes\",\"description\":\"Notes\",\"version\":\"1.2\","
              "\"commands\":[\"commands/fix.md\"],\"skills\":[\"skills/style.md\"],"
              "\"hooks\":{\"beforeTool\":[{\"command\":[\"sh\",\"check.sh\"],\"tools\":[\"bash\"],"
              "\"timeoutSeconds\":3}],\"turnEnd\":[{\"command\":[\"true\"]}]},"
              "\"mcpServers\":[{\"name\":\"m\",\"command\":\"m\",\"args\":[],\"env\":[]}],"
              "\"sidecar\":{\"command\":[\"./side\"],\"atStart\":true},"
              "\"actions\":[{\"name\":\"show\",\"description\":\"Show them\",\"hint\":\"what\"}]}");
    kit_write(&k, "plugins/notes/commands/fix.md",
              "---\ndescription: Fix it\nargument-hint: what\n---\nFix $ARGUMENTS.\n");
    kit_write(&k, "plugins/notes/skills/style.md",
              "---\nname: house-style\ndescription: The style here\n---\nLong text\n");
    struct plugin_set *set = load(&k, NULL, NULL);
    assert_null(set->problems);
    assert_int_equal(set->n, 1);
    const struct plugin *p = plugin_find(set, "notes:show", 5);
    assert_non_null(p);
    assert_string_equal(p->version, "1.2");
    assert_false(p->project);
    const struct plugin_item *it = plugin_find_item(&p->commands, "fix");
    assert_string_equal(it->description, "Fix it");
    assert_string_equal(it->hint, "what");
    assert_string_equal(it->text, "Fix $ARGUMENTS.\n");
    it = plugin_find_item(&p->skills, "house-style");
    assert_null(it->text);
    assert_non_null(strstr(it->path, "/plugins/notes/skills/style.md"));
    assert_int_equal(p->n_hooks, 2);
    assert_int_equal(p->hooks[0].event, HOOK_BEFORE_TOOL);
    assert_string_equal(p->hooks[0].tools[0], "bash");
    assert_string_equal(p->hooks[0].argv[1], "check.sh");
    assert_int_equal(p->hooks[0].limit_ms, 3000);
    assert_int_equal(p->hooks[1].limit_ms, 10000);
    assert_null(p->hooks[1].tools);
    assert_true(p->sidecar_at_start);
    assert_string_equal(p->sidecar[0], "./side");
    assert_string_equal(plugin_find_item(&p->actions, "show")->hint, "what");
    assert_int_equal(cJSON_GetArraySize(p->servers), 1);
    assert_null(plugin_find(set, "note", 4));
    plugin_set_destroy(set);
    kit_end(&k);
}

static const struct {
    const char *manifest, *says;
} broken[] = {
    {"{", "plugin.json: line 1, column 2"},
    {"[]", "expected an object"},
    {"{}", "plugin.name: missing"},
    {"{\"name\":\"other\"}", "name: must be the name of the plugin's folder"},
    {"{\"name\":\"bad\",\"colour\":1}", "plugin.colour: no such setting"},
    {"{\"name\":\"bad\",\"description\":1}", "plugin.description: expected string"},
    {"{\"name\":\"bad\",\"commands\":[\"none.md\"]}", "commands[0]:"},
    {"{\"name\":\"bad\",\"commands\":[\"../good/plugin.json\"]}", "commands[0]:"},
    {"{\"name\":\"bad\",\"commands\":[\"/etc/passwd\"]}", "commands[0]: must be the path"},
    {"{\"name\":\"bad\",\"commands\":[7]}", "commands[0]: must be the path"},
    {"{\"name\":\"bad\",\"commands\":[\"plain.md\"]}", "commands[0]: its head has no description"},
    {"{\"name\":\"bad\",\"commands\":[\"open.md\"]}", "commands[0]: its head has no end"},
    {"{\"name\":\"bad\",\"skills\":[\"Upper.md\"]}", "skills[0]: its name must be"},
    {"{\"name\":\"bad\",\"skills\":[\"ok.md\",\"ok.md\"]}", "skills[1]: its name is there twice"},
    {"{\"name\":\"bad\",\"skills\":[\"link.md\"]}", "skills[0]:"},
    {"{\"name\":\"bad\",\"hooks\":{\"before\":[]}}", "hooks.before: no such setting"},
    {"{\"name\":\"bad\",\"hooks\":{\"turnEnd\":[1]}}", "hooks.turnEnd[0]: expected an object"},
    {"{\"name\":\"bad\",\"hooks\":{\"turnEnd\":[{}]}}", "hooks.turnEnd[0].command: missing"},
    {"{\"name\":\"bad\",\"hooks\":{\"turnEnd\":[{\"command\":[]}]}}",
     "hooks.turnEnd[0].command: is empty"},
    {"{\"name\":\"bad\",\"hooks\":{\"turnEnd\":[{\"command\":[\"\"]}]}}",
     "hooks.turnEnd[0].command: must be a list"},
    {"{\"name\":\"bad\",\"hooks\":{\"turnEnd\":[{\"command\":[\"x\"],\"tools\":[\"bash\"]}]}}",
     "hooks.turnEnd[0].tools: only"},
    {"{\"name\":\"bad\",\"hooks\":{\"afterTool\":[{\"command\":[\"x\"],\"timeoutSeconds\":0}]}}",
     "hooks.afterTool[0].timeoutSeconds: must be 1 to 600"},
    {"{\"name\":\"bad\",\"sidecar\":{}}", "sidecar.command: missing"},
    {"{\"name\":\"bad\",\"sidecar\":{\"command\":[\"x\"],\"cwd\":\"y\"}}", "sidecar.cwd: no such"},
    {"{\"name\":\"bad\",\"actions\":[{\"name\":\"a\",\"description\":\"b\"}]}",
     "actions: there is no sidecar"},
    {"{\"name\":\"bad\",\"sidecar\":{\"command\":[\"x\"]},\"actions\":[{\"name\":\"a\"}]}",
     "actions[0].description: missing"},
    {"{\"name\":\"bad\",\"sidecar\":{\"command\":[\"x\"]},\"actions\":[{\"name\":\"A b\","
     "\"description\":\"b\"}]}",
     "actions[0]: its name must be"},
    {"{\"name\":\"bad\",\"sidecar\":{\"command\":[\"x\"]},\"commands\":[\"ok.md\"],\"actions\":"
     "[{\"name\":\"ok\",\"description\":\"b\"}]}",
     "actions: a command has the same name"},
    {"{\"name\":\"bad\",\"mcpServers\":[{\"name\":\"m\"}]}", "mcpServers[0].command: missing"},
};

/* Each is named, and the good one beside it is there. */
static void test_broken(void **state)
{
    (void)state;
    struct plugin_kit k;
    char target[128], from[128];
    kit_begin(&k);
    kit_write(&k, "plugins/good/plugin.json", "{\"name\":\"good\"}");
    kit_write(&k, "plugins/bad/plain.md", "no head");
    kit_write(&k, "plugins/bad/open.md", "---\ndescription: x\n");
    kit_write(&k, "plugins/bad/Upper.md", "---\ndescription: x\n---\n");
    kit_write(&k, "plugins/bad/ok.md", "---\ndescription: x\n---\n");
    kit_write(&k, "outside.md", "---\ndescription: x\n---\n");
    kit_write(&k, "plugins/.hidden/plugin.json", "{");
    kit_write(&k, "plugins/README", "no folder");
    snprintf(target, sizeof target, "%s/outside.md", k.home);
    snprintf(from, sizeof from, "%s/plugins/bad/link.md", k.home);
    assert_int_equal(symlink(target, from), 0);
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        kit_write(&k, "plugins/bad/plugin.json", broken[i].manifest);
        struct plugin_set *set = load(&k, NULL, NULL);
        assert_int_equal(set->n, 1);
        assert_string_equal(set->list[0].name, "good");
        assert_int_equal(set->n_broken, 1);
        if (!strstr(set->problems[0], broken[i].says))
            print_error("%s\nsays %s\n", broken[i].manifest, set->problems[0]);
        assert_non_null(strstr(set->problems[0], broken[i].says));
        assert_non_null(strstr(set->problems[0], "/plugins/bad/plugin.json"));
        assert_null(set->problems[1]);
        plugin_set_destroy(set);
    }
    kit_end(&k);
}

static void test_names(void **state)
{
    (void)state;
    struct plugin_kit k;
    struct plugin_set *set;
    kit_begin(&k);
    set = load(&k, NULL, NULL);
    assert_int_equal(set->n, 0);
    assert_null(set->problems);
    plugin_set_destroy(set);
    kit_write(&k, "plugins/Bad Name/plugin.json", "{\"name\":\"Bad Name\"}");
    kit_write(&k, "plugins/empty/other", "");
    set = load(&k, NULL, NULL);
    assert_int_equal(set->n, 0);
    assert_int_equal(set->n_broken, 2);
    assert_non_null(strstr(set->problems[0], "rename the folder"));
    assert_non_null(strstr(set->problems[1], "/empty/plugin.json: there is no such file"));
    plugin_set_destroy(set);
    kit_end(&k);
}

/* A project's plugins count only where its folder is trusted, and the user's come first. */
static void test_trust(void **state)
{
    (void)state;
    struct plugin_kit k;
    char project[128], deep[160], link[128];
    kit_begin(&k);
    snprintf(project, sizeof project, "%s/project", k.home);
    snprintf(deep, sizeof deep, "%s/project/src/deep", k.home);
    snprintf(link, sizeof link, "%s/link", k.home);
    kit_write(&k, "plugins/mine/plugin.json", "{\"name\":\"mine\"}");
    kit_write(&k, "project/.acp-agent/plugins/theirs/plugin.json", "{\"name\":\"theirs\"}");
    kit_write(&k, "project/.acp-agent/plugins/mine/plugin.json", "{\"name\":\"mine\"}");
    kit_write(&k, "project/src/deep/file", "");
    assert_int_equal(symlink(project, link), 0);

    static const char *const nobody[] = {NULL, "/nowhere", "/"};
    for (size_t i = 0; i < ARRAY_LEN(nobody); i++) {
        struct plugin_set *set = load(&k, deep, nobody[i]);
        assert_int_equal(set->n, 1);
        assert_false(set->list[0].project);
        assert_int_equal(set->n_broken, 0);
        assert_non_null(strstr(set->problems[0], "trustedProjects"));
        assert_non_null(strstr(set->problems[0], project));
        plugin_set_destroy(set);
    }
    const char *const spelled[] = {project, link};
    for (size_t i = 0; i < ARRAY_LEN(spelled); i++) {
        struct plugin_set *set = load(&k, deep, spelled[i]);
        assert_int_equal(set->n, 2);
        assert_true(plugin_find(set, "theirs", 6)->project);
        assert_false(plugin_find(set, "mine", 4)->project);
        assert_non_null(strstr(set->problems[0], "one of this name already"));
        plugin_set_destroy(set);
    }
    /* Trusting a folder says nothing about those above and below it. */
    struct plugin_set *set = load(&k, deep, deep);
    assert_int_equal(set->n, 1);
    plugin_set_destroy(set);
    kit_end(&k);
}

/* The user's own folder may look like a project's. */
static void test_own_folder(void **state)
{
    (void)state;
    struct plugin_kit k;
    char user[128];
    struct plugin_set *set = NULL;
    kit_begin(&k);
    kit_write(&k, ".acp-agent/plugins/mine/plugin.json", "{\"name\":\"mine\"}");
    snprintf(user, sizeof user, "%s/.acp-agent/plugins", k.home);
    const struct plugin_search where = {user, k.home, NULL};
    assert_int_equal(plugin_set_load(&where, &set), 0);
    assert_int_equal(set->n, 1);
    assert_null(set->problems);
    plugin_set_destroy(set);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),      cmocka_unit_test(test_broken),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_trust),
        cmocka_unit_test(test_own_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
