/* glob and grep: what they find, leave out, and refuse. */
#include "agent/ignore.h"
#include "agent/pattern.h"
#include "agent/search.h"
#include "tool_kit.h"

static void test_globs(void **state)
{
    static const struct {
        const char *glob, *path;
        int want;
    } rows[] = {
        {"*.c", "a.c", 1},
        {"*.c", "deep/er/a.c", 1},
        {"*.c", "a.cc", 0},
        {"*.c", ".c", 1},
        {"/*.c", "a.c", 1},
        {"/*.c", "deep/a.c", 0},
        {"src/*.c", "src/a.c", 1},
        {"src/*.c", "src/x/a.c", 0},
        {"src/*.c", "x/src/a.c", 0},
        {"src/**/*.c", "src/a.c", 1},
        {"src/**/*.c", "src/x/y/a.c", 1},
        {"**/a.c", "a.c", 1},
        {"**/a.c", "x/y/a.c", 1},
        {"**/a.c", "x/ya.c", 0},
        {"src/**", "src/x/y", 1},
        {"src/**", "src", 0},
        {"**", "any/thing", 1},
        {"a**b", "axxb", 1},
        {"a**b/c", "ax/xb/c", 0},
        {"?.c", "ä.c", 1},
        {"?.c", "\xe4.c", 1},
        {"?.c", "ab.c", 0},
        {"a?b", "a/b", 0},
        {"[a-c].h", "b.h", 1},
        {"[!a-c].h", "b.h", 0},
        {"[^a-c].h", "d.h", 1},
        {"x[!a]y", "x/y", 0},
        {"[]x].h", "].h", 1},
        {"[a\\-c].h", "-.h", 1},
        {"[a\\-c].h", "b.h", 0},
        {"[a.h", "[a.h", 1},
        {"{a,b*}.{c,h}", "bcd.h", 1},
        {"{a,b*}.{c,h}", "c.h", 0},
        {"{a,{b,c}d}", "cd", 1},
        {"{a", "{a", 1},
        {"a,b}", "a,b}", 1},
        {"\\*.c", "*.c", 1},
        {"\\*.c", "a.c", 0},
        {"a+(b)|^$.c", "a+(b)|^$.c", 1},
        {"a\\", "a\\", 1},
        {"a\nb", "a\nb", 1},
        {"a", "a\n", 0},
        {"", "a", 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct pattern *p = NULL;
        struct pattern_error err;
        assert_int_equal(pattern_compile_glob(rows[i].glob, true, &p, &err), 0);
        if (pattern_match(p, rows[i].path, strlen(rows[i].path)) != rows[i].want)
            fail_msg("%s and %s", rows[i].glob, rows[i].path);
        pattern_destroy(p);
    }
}

static void test_braces_are_plain_in_gitignore(void **state)
{
    struct pattern *p = NULL;
    struct pattern_error err;
    (void)state;
    assert_int_equal(pattern_compile_glob("{a,b}", false, &p, &err), 0);
    assert_int_equal(pattern_match(p, "a", 1), 0);
    assert_int_equal(pattern_match(p, "{a,b}", 5), 1);
    pattern_destroy(p);
}

static void test_ignore(void **state)
{
    static const char text[] = "# a comment\r\n\n*.o\nbuild/\n/top\nsub/deep\n!keep.o\n\\#odd\n"
                               "\\!odd\nblank  \nquoted\\ \n[z-a]\n!\n*.log\r\n";
    static const struct {
        const char *path;
        bool folder;
        enum ignore_word want;
    } rows[] = {
        {"a.o", false, IGNORE_OUT},
        {"x/y/a.o", false, IGNORE_OUT},
        {"keep.o", false, IGNORE_IN},
        {"x/keep.o", false, IGNORE_IN},
        {"build", true, IGNORE_OUT},
        {"x/build", true, IGNORE_OUT},
        {"build", false, IGNORE_NOTHING},
        {"top", false, IGNORE_OUT},
        {"x/top", false, IGNORE_NOTHING},
        {"sub/deep", false, IGNORE_OUT},
        {"x/sub/deep", false, IGNORE_NOTHING},
        {"#odd", false, IGNORE_OUT},
        {"!odd", false, IGNORE_OUT},
        {"blank", false, IGNORE_OUT},
        {"quoted ", false, IGNORE_OUT},
        {"quoted", false, IGNORE_NOTHING},
        {"a.log", false, IGNORE_OUT},
        {"a comment", false, IGNORE_NOTHING},
        {"z", false, IGNORE_NOTHING},
    };
    struct ignore *g = NULL;
    (void)state;
    assert_int_equal(ignore_parse(text, sizeof text - 1, &g), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (ignore_says(g, rows[i].path, rows[i].folder) != (int)rows[i].want)
            fail_msg("%s", rows[i].path);
    assert_int_equal(ignore_says(NULL, "a.o", false), IGNORE_NOTHING);
    ignore_destroy(g);
}

static void find(struct tool_kit *k, const char *tool, const char *args, const char *want)
{
    assert_int_equal(kit_run(k, tool, args), 0);
    assert_false(k->failed);
    assert_string_equal(k->text, want);
}

static void fill(struct tool_kit *k)
{
    kit_write_text(k, "b.c", "int b;\r\nint main(void)\n{\n}");
    kit_write_text(k, "a.c", "int a;\n");
    kit_write_text(k, "src/x.c", "int x; /* \xc3\xa4 */\n\xff\xfe int y;\n");
    kit_write_text(k, "src/deep/y.h", "int yh;\n");
    kit_write_text(k, "out/z.c", "int z;\n");
    kit_write_text(k, "src/gen/g.c", "int g;\n");
    kit_write_text(k, "src/gen/kept.c", "int kept;\n");
    kit_write_text(k, ".git/config.c", "int git;\n");
    kit_write_text(k, ".gitignore", "out/\n/src/gen/*\n!/src/gen/kept.c\n");
    kit_write_text(k, "src/.gitignore", "deep\n");
    kit_write(k, "bin.c", "int \0 bin;\n", 11);
}

static void link_to(struct tool_kit *k, const char *target, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", k->folder, name);
    assert_int_equal(symlink(target, path), 0);
}

static void test_glob(void **state)
{
    struct tool_kit *k = *state;
    fill(k);
    link_to(k, "/etc", "etc");
    link_to(k, "a.c", "l.c");
    find(k, "glob", "{\"pattern\":\"*.c\"}", "a.c\nb.c\nbin.c\nl.c\nsrc/gen/kept.c\nsrc/x.c\n");
    find(k, "glob", "{\"pattern\":\"src/*.c\"}", "src/x.c\n");
    find(k, "glob", "{\"pattern\":\"./src/*.c\"}", "src/x.c\n");
}

static void refuse(struct tool_kit *k, const char *tool, const char *args, const char *why)
{
    assert_int_equal(kit_run(k, tool, args), E_INVALID);
    if (!strstr(k->text, why))
        fail_msg("%s", k->text);
}

static void test_glob_places(void **state)
{
    struct tool_kit *k = *state;
    fill(k);
    find(k, "glob", "{\"pattern\":\"**/*.c\",\"path\":\"src\"}", "src/gen/kept.c\nsrc/x.c\n");
    find(k, "glob", "{\"pattern\":\"*.c\",\"path\":\"out\"}", "out/z.c\n");
    find(k, "glob", "{\"pattern\":\"*.h\",\"path\":\"src/deep\"}", "src/deep/y.h\n");
    find(k, "glob", "{\"pattern\":\"*\",\"path\":\"a.c\"}", "a.c\n");
    find(k, "glob", "{\"pattern\":\"*.rs\"}", "[No file has such a name.]\n");
    assert_int_equal(kit_run(k, "glob", "{\"pattern\":\"*\",\"path\":\"missing\"}"), 0);
    assert_true(k->failed);
    assert_string_equal(k->text, "not found");
    refuse(k, "glob", "{\"pattern\":\"/etc/*\"}", "counts from the folder");
    refuse(k, "glob", "{\"pattern\":\"../*\"}", "counts from the folder");
    refuse(k, "glob", "{\"pattern\":\"a/../../*\"}", "counts from the folder");
    refuse(k, "glob", "{\"pattern\":\"[z-a]\"}", "arguments.pattern: no valid pattern");
    refuse(k, "glob", "{}", "arguments.pattern: missing");
}

static void test_grep(void **state)
{
    struct tool_kit *k = *state;
    fill(k);
    link_to(k, "b.c", "l.c");
    find(k, "grep", "{\"pattern\":\"^int \\\\w+;$\"}",
         "a.c:1: int a;\nb.c:1: int b;\nsrc/gen/kept.c:1: int kept;\n");
    find(k, "grep", "{\"pattern\":\"int [xy]\",\"glob\":\"src/*.c\"}",
         "src/x.c:1: int x; /* \xc3\xa4 */\nsrc/x.c:2: \xef\xbf\xbd\xef\xbf\xbd int y;\n");
    find(k, "grep", "{\"pattern\":\"(?i)MAIN\",\"path\":\"b.c\"}", "b.c:2: int main(void)\n");
    find(k, "grep", "{\"pattern\":\"^}$\",\"glob\":\"*.{c,h}\"}", "b.c:4: }\n");
    find(k, "grep", "{\"pattern\":\"bin\"}", "[No line matches.]\n");
    assert_string_equal(k->raw, "{\"found\":0,\"truncated\":false}");
    refuse(k, "grep", "{\"pattern\":\"a(b\"}", "missing closing parenthesis, at byte 3");
    refuse(k, "grep", "{\"pattern\":\"a\\\\C\"}", "arguments.pattern");
    refuse(k, "grep", "{\"pattern\":\"a\",\"glob\":\"[z-a]\"}", "arguments.glob");
}

static void test_outside(void **state)
{
    struct tool_kit *k = *state;
    char args[160], want[160];
    char other[] = "/tmp/test_other_XXXXXX";
    assert_non_null(mkdtemp(other));
    struct tool_kit there = {0};
    strcpy(there.folder, other);
    kit_write_text(&there, "a.c", "int a;\n");
    snprintf(args, sizeof args, "{\"pattern\":\"int\",\"path\":\"%s\"}", other);
    snprintf(want, sizeof want, "%s/a.c:1: int a;\n", other);
    assert_int_equal(kit_prepare(k, "grep", args), 0);
    assert_int_equal(tool_locate(&k->call), 0);
    assert_true(k->call.outside); /* so the gate asks */
    tool_call_deinit(&k->call);
    find(k, "grep", args, want);
    snprintf(args, sizeof args, "rm -rf %s", other);
    assert_int_equal(system(args), 0); /* NOLINT(cert-env33-c): a folder of our own */
}

static void test_bounds(void **state)
{
    struct tool_kit *k = *state;
    char name[32], args[] = "{\"pattern\":\"*.txt\"}";
    char line[1001];
    memset(line, 'x', 1000);
    line[1000] = '\0';
    for (unsigned i = 0; i < 1001; i++) {
        snprintf(name, sizeof name, "f%u.txt", i);
        kit_write_text(k, name, "hit\n");
    }
    assert_int_equal(kit_run(k, "glob", args), 0);
    assert_non_null(strstr(k->text, "[There are more: these are the first 1000 files. "));
    assert_string_equal(k->raw, "{\"found\":1000,\"truncated\":true}");
    assert_int_equal(kit_run(k, "grep", "{\"pattern\":\"hit\"}"), 0);
    assert_non_null(strstr(k->text, "these are the first 300 lines. Narrow"));
    kit_write_text(k, "long", line);
    assert_int_equal(kit_run(k, "grep", "{\"pattern\":\"x\",\"path\":\"long\"}"), 0);
    assert_int_equal(strlen(k->text), strlen("long:1: ") + 400 + strlen(" [...]\n"));
}

/* More lines than the bytes of one answer. */
static void test_bytes(void **state)
{
    struct tool_kit *k = *state;
    struct buf text = {0};
    char line[] = "0123456789012345678901234567890123456789012345678901234567890123456789012345678"
                  "9012345678901234567890123456789012345678901234567890123456789012345678901234\n";
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 10; j++)
            assert_int_equal(buf_add(&text, line, sizeof line - 1 - (size_t)(i == 0)), 0);
    kit_write(k, "a", text.p, text.n);
    assert_int_equal(kit_run(k, "grep", "{\"pattern\":\"5\"}"), 0);
    assert_in_range(strlen(k->text), 1, SEARCH_BYTES_MAX + 200);
    buf_deinit(&text);
}

static void test_too_much_work(void **state)
{
    struct tool_kit *k = *state;
    kit_write_text(k, "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
    find(k, "grep", "{\"pattern\":\"^(a|aa)+(?=b)$\"}",
         "[No line matches.]\n[On 1 lines the pattern was too much work: not searched.]\n");
}

static void test_large_files_are_told(void **state)
{
    struct tool_kit *k = *state;
    char path[128];
    kit_write_text(k, "big", "hit\n");
    snprintf(path, sizeof path, "%s/big", k->folder);
    assert_int_equal(truncate(path, 9 << 20), 0);
    find(k, "grep", "{\"pattern\":\"hit\"}",
         "[No line matches.]\n[1 files or folders are too large or cannot be read.]\n");
}

static void test_stop(void **state)
{
    struct tool_kit *k = *state;
    fill(k);
    assert_int_equal(kit_start(k, "grep", "{\"pattern\":\"int\"}"), 0);
    tool_stop(k->run);
    uv_run(&k->loop, UV_RUN_DEFAULT);
    assert_false(k->done);
    tool_call_deinit(&k->call);
}

static int visit_and_stop(void *ctx, const struct walk_entry *e)
{
    (void)e;
    atomic_store((atomic_bool *)ctx, true);
    return 0;
}

static void test_walk_stops(void **state)
{
    struct tool_kit *k = *state;
    atomic_bool stop = false;
    fill(k);
    struct walk w = {.root = k->folder,
                     .start = k->folder,
                     .visit = visit_and_stop,
                     .ctx = &stop,
                     .stop = &stop,
                     .until = UINT64_MAX};
    assert_int_equal(walk_run(&w), E_CANCELLED);
    atomic_store(&stop, false);
    w.until = 0;
    assert_int_equal(walk_run(&w), E_TIMEOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_braces_are_plain_in_gitignore),
        cmocka_unit_test(test_ignore),
        cmocka_unit_test_setup_teardown(test_glob, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_glob_places, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_grep, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_outside, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_bounds, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_bytes, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_too_much_work, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_large_files_are_told, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_stop, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(test_walk_stops, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
