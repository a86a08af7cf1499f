/* Slash commands: the list, what calls them, what they become. */
#include "agent/session.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct slash_command make(const char *name, const char *source, const char *text)
{
    return (struct slash_command){.name = name, .description = "d", .source = source, .text = text};
}

static int add(struct slash_list *l, const char *name, const char *source)
{
    const struct slash_command c = make(name, source, "do it");
    return slash_add(l, &c);
}

static void test_add_and_remove(void **state)
{
    struct slash_list l = {0};
    const char *args;
    (void)state;
    assert_int_equal(add(&l, "a", "plugin:x"), 0);
    assert_int_equal(add(&l, "x:b", "plugin:y"), 0);
    assert_int_equal(add(&l, "c", "plugin:x"), 0);
    assert_int_equal(add(&l, "a", "plugin:y"), E_EXISTS);
    assert_int_equal(add(&l, "help", "plugin:y"), E_EXISTS);
    slash_remove(&l, "plugin:x");
    assert_int_equal(l.n, 1);
    assert_null(slash_find(&l, "/a", &args));
    assert_string_equal(slash_find(&l, "/x:b", &args)->source, "plugin:y");
    assert_string_equal(slash_at(&l, 0)->name, slash_builtin[0].name);
    assert_string_equal(slash_at(&l, slash_builtin_n)->name, "x:b");
    assert_null(slash_at(&l, slash_builtin_n + 1));
    slash_list_deinit(&l);
}

static void test_no_commands(void **state)
{
    struct slash_list l = {0};
    char long_name[200];
    (void)state;
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *const names[] = {"", "/a", "a b", "a\tb", "a\nb", "a\x7f", long_name};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(add(&l, names[i], "user"), E_INVALID);
    struct slash_command c = make("a", "user", NULL);
    assert_int_equal(slash_add(&l, &c), E_INVALID);
    c = make("a", "user", "x");
    c.description = "";
    assert_int_equal(slash_add(&l, &c), E_INVALID);
    c = make("a", NULL, "x");
    assert_int_equal(slash_add(&l, &c), E_INVALID);
    assert_int_equal(l.n, 0);
    slash_list_deinit(&l);
}

static void test_too_many(void **state)
{
    struct slash_list l = {0};
    char name[16];
    int rc = 0, n = 0;
    (void)state;
    for (; rc == 0; n++) {
        snprintf(name, sizeof name, "c%d", n);
        rc = add(&l, name, "mcp:x");
    }
    assert_int_equal(rc, E_TOOBIG);
    assert_int_equal(l.n, n - 1);
    slash_remove(&l, "mcp:x");
    assert_int_equal(add(&l, "again", "mcp:x"), 0);
    slash_list_deinit(&l);
}

static void test_find(void **state)
{
    static const struct {
        const char *text, *args;
    } calls[] = {{"/go", ""}, {" \n/go  a b ", "a b "}, {"/go\na\nb", "a\nb"}, {"/go ", ""}};
    static const char *const others[] = {"",     "go",      "/",        "/g",  "/gone",
                                         "//go", "say /go", "/usr/bin", "/GO", "/ go"};
    struct slash_list l = {0};
    const char *args;
    (void)state;
    assert_int_equal(add(&l, "go", "user"), 0);
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        assert_non_null(slash_find(&l, calls[i].text, &args));
        assert_string_equal(args, calls[i].args);
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_null(slash_find(&l, others[i], &args));
    slash_list_deinit(&l);
}

static void test_expand(void **state)
{
    static const struct {
        const char *text, *args, *want;
    } rows[] = {
        {"do", "", "do"},
        {"do", "x y \n", "do\n\nx y"},
        {"a $ARGUMENTS b", " x ", "a  x b"},
        {"$ARGUMENTS$ARGUMENTS", "1", "11"},
        {"a $ARGUMENTS", "", "a "},
        {"a $ARGUMENTS.", "$ARGUMENTS", "a $ARGUMENTS."},
        {"$ARGUMENT", "x", "$ARGUMENT\n\nx"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct slash_command c = make("a", "user", rows[i].text);
        struct buf out = {0};
        assert_int_equal(slash_expand(&c, rows[i].args, &out), 0);
        assert_string_equal(buf_cstr(&out), rows[i].want);
        buf_deinit(&out);
    }
}

/* --- files --- */

static char home[64];

static const char *variable(const char *name)
{
    return strcmp(name, "ACP_AGENT_HOME") == 0 ? home : NULL;
}

static void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", home, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(home, sizeof home, "/tmp/test_slash_XXXXXX");
    assert_non_null(mkdtemp(home));
    make_folder("commands");
    make_folder("work");
    make_folder("work/deep");
    make_folder("work/.acp-agent");
    make_folder("work/.acp-agent/commands");
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command); /* NOLINT(cert-env33-c): a folder of our own */
}

static void load(struct session *s, struct env *env, char *cwd)
{
    *s = (struct session){.env = env, .cwd = cwd};
    assert_int_equal(slash_load_files(s), 0);
}

static void test_files(void **state)
{
    char cwd[128];
    struct env env = {.variable = variable};
    struct session s;
    const char *args;
    (void)state;
    write_file("commands/greet.md",
               "---\ndescription: Says hello.\nargument-hint: whom\n---\nHi $ARGUMENTS");
    write_file("commands/both.md", "user's");
    write_file("commands/empty.md", "---\ndescription: x\n---\n \n");
    write_file("commands/open.md", "---\ndescription: x\n");
    write_file("commands/two words.md", "x");
    write_file("commands/help.md", "x");
    write_file("commands/readme.txt", "x");
    write_file("work/.acp-agent/commands/both.md", "# The project's\n\nmore $ARGUMENTS");
    snprintf(cwd, sizeof cwd, "%s/work/deep", home);
    load(&s, &env, cwd);
    assert_int_equal(s.commands.n, 2);
    const struct slash_command *c = slash_find(&s.commands, "/both", &args);
    assert_string_equal(c->source, "project");
    assert_string_equal(c->description, "The project's");
    assert_string_equal(c->hint, "text");
    c = slash_find(&s.commands, "/greet", &args);
    assert_string_equal(c->source, "user");
    assert_string_equal(c->description, "Says hello.");
    assert_string_equal(c->hint, "whom");
    assert_string_equal(c->text, "Hi $ARGUMENTS");
    slash_list_deinit(&s.commands);
}

static void test_files_again(void **state)
{
    char cwd[128];
    struct env env = {.variable = variable};
    struct session s;
    const char *args;
    (void)state;
    write_file("commands/a.md", "one");
    snprintf(cwd, sizeof cwd, "%s/work", home);
    load(&s, &env, cwd);
    assert_int_equal(add(&s.commands, "p", "plugin:p"), 0);
    assert_int_equal(add(&s.commands, "b", "plugin:p"), 0);
    write_file("commands/a.md", "two");
    write_file("commands/b.md", "now a file's");
    assert_int_equal(slash_load_files(&s), 0);
    assert_string_equal(slash_find(&s.commands, "/a", &args)->text, "two");
    assert_string_equal(slash_find(&s.commands, "/b", &args)->source, "user");
    assert_string_equal(slash_find(&s.commands, "/p", &args)->source, "plugin:p");
    slash_list_deinit(&s.commands);
}

static void test_safe_mode(void **state)
{
    char cwd[128];
    struct env env = {.variable = variable, .safe_mode = true};
    struct session s;
    (void)state;
    write_file("work/.acp-agent/commands/a.md", "one");
    write_file("commands/b.md", "one");
    snprintf(cwd, sizeof cwd, "%s/work", home);
    load(&s, &env, cwd);
    assert_int_equal(s.commands.n, 1);
    assert_string_equal(s.commands.items[0].command.name, "b");
    slash_list_deinit(&s.commands);
}

static void test_links_out(void **state)
{
    char cwd[128], path[128];
    struct env env = {.variable = variable};
    struct session s;
    (void)state;
    write_file("secret", "x");
    snprintf(cwd, sizeof cwd, "%s/work", home);
    snprintf(path, sizeof path, "%s/.acp-agent/commands/leak.md", cwd);
    assert_int_equal(symlink("../../../secret", path), 0);
    load(&s, &env, cwd);
    assert_int_equal(s.commands.n, 0);
    slash_list_deinit(&s.commands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_remove),
        cmocka_unit_test(test_no_commands),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_expand),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_safe_mode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
