/* Sessions of the store: made, found, changed, deleted, forked; and the file they are in. */
#include "store_kit.h"

#include <errno.h>
#include <sys/stat.h>

static const struct store_session full = {.id = "ses_1",
                                          .cwd = "/home/me/p\xC3\xA4th",
                                          .title = "A title",
                                          .settings = "{\"mode\":\"plan\"}",
                                          .system = "You are helpful.",
                                          .created = 1000,
                                          .updated = 5,
                                          .last = 7};

static void test_found_as_it_was_added(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session got;
    kit_ok(s, store_add_session(s, &full));
    kit_ok(s, store_find_session(s, "ses_1", &got));
    assert_string_equal(got.id, full.id);
    assert_string_equal(got.cwd, full.cwd);
    assert_string_equal(got.title, full.title);
    assert_string_equal(got.settings, full.settings);
    assert_string_equal(got.system, full.system);
    assert_int_equal(got.created, 1000);
    assert_int_equal(got.updated, 1000);
    assert_int_equal(got.last, 0);
}

static void test_absent_is_not_empty(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session got;
    kit_add(s, "bare", 1);
    kit_ok(s, store_add_session(s, &(struct store_session){
                                       .id = "empty", .cwd = "", .title = "", .settings = ""}));
    kit_ok(s, store_find_session(s, "bare", &got));
    assert_null(got.title);
    assert_null(got.settings);
    assert_null(got.system);
    kit_ok(s, store_find_session(s, "empty", &got));
    assert_string_equal(got.cwd, "");
    assert_string_equal(got.title, "");
}

static void test_an_id_is_taken_once(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    kit_add(s, "ses_1", 1);
    kit_fails(s, store_add_session(s, &full), E_EXISTS, "ses_1");
    kit_expect(*state, "SELECT count(*) FROM session", "1");
}

static void test_unknown_sessions(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    const struct store_entry e = {.kind = STORE_USER};
    struct store_reader r = {0};
    kit_fails(s, store_find_session(s, "nope", NULL), E_NOTFOUND, "no session nope");
    kit_fails(s, store_set_title(s, "nope", "t", 1), E_NOTFOUND, "nope");
    kit_fails(s, store_set_settings(s, "nope", "{}"), E_NOTFOUND, "nope");
    kit_fails(s, store_append(s, "nope", &e, 1, NULL), E_NOTFOUND, "nope");
    kit_fails(s, store_cut(s, "nope", 0), E_NOTFOUND, "nope");
    kit_fails(s, store_read_begin(s, "nope", &r), E_NOTFOUND, "nope");
    kit_fails(s, store_fork_session(s, &(struct store_fork){.from = "nope", .id = "new", .now = 1}),
              E_NOTFOUND, "nope");
    kit_ok(s, store_delete_session(s, "nope"));
}

static void test_changes(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session got;
    kit_add(s, "a", 100);
    kit_ok(s, store_set_title(s, "a", "First", 200));
    kit_ok(s, store_set_settings(s, "a", "{\"effort\":\"high\"}"));
    kit_ok(s, store_find_session(s, "a", &got));
    assert_string_equal(got.title, "First");
    assert_string_equal(got.settings, "{\"effort\":\"high\"}");
    assert_int_equal(got.updated, 200);
    kit_ok(s, store_set_title(s, "a", NULL, 150)); /* a clock that went back moves nothing */
    kit_ok(s, store_find_session(s, "a", &got));
    assert_null(got.title);
    assert_int_equal(got.updated, 200);
    assert_int_equal(got.created, 100);
}

/* --- deleting --- */

static bool file_holds(const struct kit *k, const char *suffix, const char *text)
{
    char path[160], bytes[1 << 16];
    snprintf(path, sizeof path, "%s%s", k->path, suffix);
    FILE *f = fopen(path, "rb");
    bool found = false;
    size_t n, length = strlen(text);
    while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        for (size_t i = 0; !found && i + length <= n; i++)
            found = memcmp(bytes + i, text, length) == 0;
    if (f)
        fclose(f);
    return found;
}

static void test_delete_leaves_nothing_behind(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "a", 1);
    kit_add(k->s, "b", 1);
    kit_say(k->s, "a", "a-secret-of-mine");
    kit_say(k->s, "b", "stays");
    assert_true(file_holds(k, "-wal", "a-secret-of-mine"));
    kit_ok(k->s, store_delete_session(k->s, "a"));
    kit_ok(k->s, store_delete_session(k->s, "a"));
    kit_fails(k->s, store_find_session(k->s, "a", NULL), E_NOTFOUND, "a");
    kit_expect(k, "SELECT count(*) FROM entry", "1");
    assert_string_equal(kit_texts(k->s, "b"), "stays");
    assert_false(file_holds(k, "", "a-secret-of-mine"));
    assert_false(file_holds(k, "-wal", "a-secret-of-mine"));
}

static void test_delete_while_another_reads(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "text");
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "BEGIN; SELECT * FROM entry");
    kit_ok(k->s, store_delete_session(k->s, "a"));
    kit_fails(k->s, store_find_session(k->s, "a", NULL), E_NOTFOUND, "a");
    sqlite3_close(db);
}

static void test_a_number_is_never_given_again(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "a", 1);
    kit_ok(k->s, store_delete_session(k->s, "a"));
    kit_add(k->s, "b", 1);
    kit_expect(k, "SELECT n FROM session WHERE id = 'b'", "2");
}

/* --- forking --- */

/* u1, m1 with two calls and a plan, u2, m2. */
static void fill(struct store *s)
{
    const struct store_entry entries[] = {
        {.kind = STORE_USER, .wire_id = "u1", .text = "one", .shown = "[1]", .time = 1},
        {.kind = STORE_ASSISTANT, .wire_id = "m1", .text = "calls", .calls = "[2]", .time = 2},
        {.kind = STORE_CALL, .wire_id = "c1", .call_id = "x", .time = 3},
        {.kind = STORE_CALL,
         .state = STORE_CALL_FAILED,
         .wire_id = "c2",
         .text = "failed",
         .time = 4},
        {.kind = STORE_UPDATE, .shown = "{\"plan\":1}", .time = 5},
        {.kind = STORE_USER, .wire_id = "u2", .text = "two", .time = 6},
        {.kind = STORE_ASSISTANT, .wire_id = "m2", .text = "end", .time = 7},
    };
    kit_ok(s, store_add_session(s, &full));
    kit_ok(s, store_append(s, "ses_1", entries, ARRAY_LEN(entries), NULL));
}

static void check_fork(struct store *s, const char *until, const char *texts)
{
    const struct store_fork fork = {
        .from = "ses_1", .until = until, .id = "copy", .now = 5000, .cwd = "/else"};
    struct store_session got;
    kit_ok(s, store_fork_session(s, &fork));
    assert_string_equal(kit_texts(s, "copy"), texts);
    kit_ok(s, store_find_session(s, "copy", &got));
    assert_string_equal(got.cwd, "/else");
    assert_string_equal(got.title, full.title);
    assert_string_equal(got.settings, full.settings);
    assert_null(got.system); /* it speaks of the old place */
    assert_int_equal(got.created, 5000);
    assert_int_equal(got.updated, 5000);
    kit_ok(s, store_delete_session(s, "copy"));
}

#define STOPPED                                                                                    \
    "Interrupted: the agent was ended while this ran. Whether it took effect is not known."

static void test_forks(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    fill(s);
    check_fork(s, NULL, "one|calls|" STOPPED "|failed|-|two|end");
    check_fork(s, "m2", "one|calls|" STOPPED "|failed|-|two|end");
    check_fork(s, "u2", "one|calls|" STOPPED "|failed|-|two");
    check_fork(s, "m1", "one|calls|" STOPPED "|failed|-");
    check_fork(s, "c1", "one|calls|" STOPPED "|failed|-");
    check_fork(s, "u1", "one");
    assert_string_equal(kit_texts(s, "ses_1"), "one|calls|" STOPPED "|failed|-|two|end");
}

static void test_a_fork_is_its_own(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session got;
    fill(s);
    kit_ok(s, store_fork_session(
                  s, &(struct store_fork){.from = "ses_1", .until = "u1", .id = "b", .now = 9}));
    kit_ok(s, store_find_session(s, "b", &got));
    assert_string_equal(got.cwd, full.cwd);
    assert_string_equal(got.system, full.system);
    assert_int_equal(kit_say(s, "b", "only here"), 2);
    assert_string_equal(kit_texts(s, "b"), "one|only here");
    kit_ok(s, store_delete_session(s, "ses_1"));
    assert_string_equal(kit_texts(s, "b"), "one|only here");
}

static void test_forks_that_fail(void **state)
{
    struct kit *k = *state;
    fill(k->s);
    struct store_fork fork = {.from = "ses_1", .id = "ses_1", .now = 1};
    kit_fails(k->s, store_fork_session(k->s, &fork), E_EXISTS, "ses_1");
    fork.id = "b";
    fork.until = "m9";
    kit_fails(k->s, store_fork_session(k->s, &fork), E_INVALID, "no message m9");
    kit_expect(k, "SELECT count(*) FROM session", "1");
    kit_expect(k, "SELECT count(*) FROM entry", "7");
}

/* --- the file --- */

static void test_nothing_is_opened_before_it_is_needed(void **state)
{
    struct kit *k = *state;
    assert_int_equal(access(k->path, F_OK), -1);
    kit_ok(k->s, store_connect(k->s));
    assert_int_equal(access(k->path, F_OK), 0);
    kit_ok(k->s, store_connect(k->s));
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void test_only_the_user_may_look(void **state)
{
    struct kit *k = *state, deep = *k;
    char at[128];
    snprintf(deep.path, sizeof deep.path, "%s/.local/share/acp-agent/sessions.db", k->dir);
    deep.s = kit_store(&deep, 0);
    mode_t mask = umask(0);
    kit_add(deep.s, "a", 1);
    umask(mask);
    const char *const files[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        snprintf(at, sizeof at, "%s%s", deep.path, files[i]);
        assert_int_equal(mode_of(at), 0600);
    }
    store_destroy(deep.s);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        kit_remove(&deep, files[i]);
    for (char *slash; (slash = strrchr(deep.path, '/')) && slash > deep.path + strlen(k->dir);) {
        *slash = '\0';
        assert_int_equal(mode_of(deep.path), 0700);
        assert_int_equal(rmdir(deep.path), 0);
    }
}

static void test_reopened_all_is_there(void **state)
{
    struct kit *k = *state;
    struct store_session got;
    fill(k->s);
    for (int i = 0; i < 3; i++) {
        store_destroy(k->s);
        k->s = kit_store(k, 0);
        kit_ok(k->s, store_find_session(k->s, "ses_1", &got));
        assert_int_equal(got.last, 7 + i);
        kit_say(k->s, "ses_1", "more");
    }
    kit_expect(k, "PRAGMA journal_mode", "wal");
}

static off_t log_bytes(const struct kit *k)
{
    char path[160];
    struct stat st;
    snprintf(path, sizeof path, "%s-wal", k->path);
    return stat(path, &st) == 0 ? st.st_size : -1;
}

/* A short log stays for the next process, a long one would cost it time. */
static void test_the_log_that_closing_leaves(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "a", 1);
    store_destroy(k->s);
    k->s = NULL;
    assert_true(log_bytes(k) > 0);
    k->s = kit_store(k, 0);
    char *text = calloc(1, 20 << 20);
    assert_non_null(text);
    memset(text, 'x', (20 << 20) - 1);
    kit_say(k->s, "a", text);
    free(text);
    assert_true(log_bytes(k) > 20 << 20);
    store_destroy(k->s);
    k->s = NULL;
    assert_int_equal(log_bytes(k), -1);
    kit_expect(k, "SELECT length(text) FROM entry", "20971519");
}

/* --- where it is --- */

static const char *home_only(const char *name)
{
    return strcmp(name, "HOME") == 0 ? "/home/me" : NULL;
}

static const char *with_xdg(const char *name)
{
    return strcmp(name, "XDG_DATA_HOME") == 0 ? "/data" : home_only(name);
}

static const char *with_bad_xdg(const char *name)
{
    return strcmp(name, "XDG_DATA_HOME") == 0 ? "data" : home_only(name);
}

static const char *with_own(const char *name)
{
    return strcmp(name, "ACP_AGENT_HOME") == 0 ? "/own" : with_xdg(name);
}

static const char *all_empty(const char *name)
{
    (void)name;
    return "";
}

static void check_located(const char *(*env)(const char *name), const char *want)
{
    struct buf path = {0};
    assert_int_equal(store_locate(env, &path), 0);
    assert_string_equal(buf_cstr(&path), want);
    buf_deinit(&path);
}

static void test_where_it_is(void **state)
{
    struct buf path = {0};
    (void)state;
    check_located(home_only, "/home/me/.local/share/acp-agent/sessions.db");
    check_located(with_xdg, "/data/acp-agent/sessions.db");
    check_located(with_bad_xdg, "/home/me/.local/share/acp-agent/sessions.db");
    check_located(with_own, "/own/sessions.db");
    assert_int_equal(store_locate(all_empty, &path), E_NOTFOUND);
    assert_int_equal(path.n, 0);
}

static void test_times(void **state)
{
    char text[STORE_TIME_SIZE];
    (void)state;
    assert_string_equal(store_format_time(0, text), "1970-01-01T00:00:00.000Z");
    assert_string_equal(store_format_time(1767225599999, text), "2025-12-31T23:59:59.999Z");
    assert_string_equal(store_format_time(1709164800007, text), "2024-02-29T00:00:00.007Z");
    assert_string_equal(store_format_time(-1, text), "1969-12-31T23:59:59.999Z");
    assert_string_equal(store_format_time(INT64_MAX, text), "1970-01-01T00:00:00.807Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_found_as_it_was_added),
        KIT_TEST(test_absent_is_not_empty),
        KIT_TEST(test_an_id_is_taken_once),
        KIT_TEST(test_unknown_sessions),
        KIT_TEST(test_changes),
        KIT_TEST(test_delete_leaves_nothing_behind),
        KIT_TEST(test_delete_while_another_reads),
        KIT_TEST(test_a_number_is_never_given_again),
        KIT_TEST(test_forks),
        KIT_TEST(test_a_fork_is_its_own),
        KIT_TEST(test_forks_that_fail),
        KIT_TEST(test_nothing_is_opened_before_it_is_needed),
        KIT_TEST(test_only_the_user_may_look),
        KIT_TEST(test_reopened_all_is_there),
        KIT_TEST(test_the_log_that_closing_leaves),
        cmocka_unit_test(test_where_it_is),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
