/* The store's formats: made, upgraded, refused. */
#include "store_kit.h"

/* A file as version 1 wrote it, with rows in it. */
static const char version_1[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE session ("
    "  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, cwd TEXT NOT NULL,"
    "  created INTEGER NOT NULL, updated INTEGER NOT NULL, last INTEGER NOT NULL DEFAULT 0,"
    "  title TEXT, settings TEXT);"
    "CREATE INDEX session_by_time ON session (updated);"
    "CREATE TABLE entry ("
    "  session INTEGER NOT NULL REFERENCES session (n), number INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL, state INTEGER NOT NULL, time INTEGER NOT NULL,"
    "  wire_id TEXT, call_id TEXT,"
    "  text TEXT, thought TEXT, calls TEXT, shown TEXT, outcome TEXT,"
    "  UNIQUE (session, number));"
    "INSERT INTO session (id, cwd, created, updated, last, title) VALUES"
    " ('old', '/old', 1, 2, 1, 'Old one');"
    "INSERT INTO entry (session, number, kind, state, time, text) VALUES (1, 1, 1, 0, 2, 'hello');"
    "PRAGMA user_version = 1;";

static void make(const struct kit *k, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    kit_sql(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void expect_newest(const struct kit *k)
{
    char version[16];
    snprintf(version, sizeof version, "%d", store_schema.n);
    kit_expect(k, "PRAGMA user_version", version);
}

static void test_a_new_file(void **state)
{
    struct kit *k = *state;
    kit_ok(k->s, store_connect(k->s));
    expect_newest(k);
    kit_expect(k, "PRAGMA journal_mode", "wal");
}

static void test_version_1_is_upgraded(void **state)
{
    struct kit *k = *state;
    struct store_session got;
    make(k, version_1);
    kit_ok(k->s, store_find_session(k->s, "old", &got));
    assert_string_equal(got.title, "Old one");
    assert_null(got.system);
    assert_string_equal(kit_texts(k->s, "old"), "hello");
    assert_int_equal(kit_say(k->s, "old", "again"), 2);
    kit_ok(k->s, store_add_session(
                     k->s, &(struct store_session){.id = "new", .cwd = "/new", .system = "S"}));
    expect_newest(k);
}

static void test_an_upgraded_file_is_as_a_new_one(void **state)
{
    struct kit *k = *state;
    const char schema[] = "SELECT group_concat(type || name || coalesce(sql, ''), ';') FROM"
                          " (SELECT * FROM sqlite_schema ORDER BY type, name)";
    struct buf fresh = {0};
    kit_ok(k->s, store_connect(k->s));
    sqlite3_stmt *q = NULL;
    assert_int_equal(sqlite3_prepare_v2(k->s->db, schema, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_int_equal(buf_adds(&fresh, (const char *)sqlite3_column_text(q, 0)), 0);
    sqlite3_finalize(q);
    store_destroy(k->s);
    kit_remove(k, "");
    make(k, version_1);
    k->s = kit_store(k, 0);
    kit_ok(k->s, store_connect(k->s));
    kit_expect(k, schema, buf_cstr(&fresh));
    buf_deinit(&fresh);
}

static void test_a_newer_file_is_refused(void **state)
{
    struct kit *k = *state;
    make(k, "CREATE TABLE future (x); PRAGMA user_version = 99");
    kit_fails(k->s, store_find_session(k->s, "a", NULL), E_UNSUPPORTED, "newer acp-agent");
    kit_fails(k->s, store_find_session(k->s, "a", NULL), E_UNSUPPORTED, "format 99");
    kit_fails(k->s, store_delete_session(k->s, "a"), E_UNSUPPORTED, "update acp-agent");
    kit_expect(k, "SELECT group_concat(name) FROM sqlite_schema", "future");
    kit_expect(k, "PRAGMA user_version", "99");
}

/* Processes of two versions on one file: the older one stops writing what the newer does not know.
 */
static void test_upgraded_by_another_process_meanwhile(void **state)
{
    struct kit *k = *state;
    char back[48];
    const struct store_entry e = {.kind = STORE_USER, .text = "x"};
    kit_add(k->s, "a", 1);
    make(k, "PRAGMA user_version = 99");
    kit_fails(k->s, store_append(k->s, "a", &e, 1, NULL), E_UNSUPPORTED, "restart this agent");
    snprintf(back, sizeof back, "PRAGMA user_version = %d", store_schema.n);
    make(k, back);
    kit_say(k->s, "a", "works again");
    assert_string_equal(kit_texts(k->s, "a"), "works again");
}

static void test_a_failing_step_changes_nothing(void **state)
{
    struct kit *k = *state;
    static const char *const steps[] = {"", "", "CREATE TABLE good (x)",
                                        "CREATE TABLE session (x)"};
    const struct store_schema broken = {steps, ARRAY_LEN(steps)};
    kit_add(k->s, "a", 1);
    kit_fails(k->s, store_migrate(k->s, &broken), E_IO, "already exists");
    expect_newest(k);
    kit_expect(k, "SELECT count(*) FROM sqlite_schema WHERE name = 'good'", "0");
    kit_say(k->s, "a", "goes on");
}

static void test_steps_run_once_and_in_order(void **state)
{
    struct kit *k = *state;
    static const char *const steps[] = {"not run again", "not run again",
                                        "CREATE TABLE t (v); INSERT INTO t VALUES (3)",
                                        "UPDATE t SET v = v * 10 + 4"};
    const struct store_schema longer = {steps, ARRAY_LEN(steps)};
    kit_ok(k->s, store_connect(k->s));
    for (int i = 0; i < 2; i++)
        kit_ok(k->s, store_migrate(k->s, &longer));
    kit_expect(k, "SELECT v FROM t", "34");
    kit_expect(k, "PRAGMA user_version", "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_a_new_file),
        KIT_TEST(test_version_1_is_upgraded),
        KIT_TEST(test_an_upgraded_file_is_as_a_new_one),
        KIT_TEST(test_a_newer_file_is_refused),
        KIT_TEST(test_upgraded_by_another_process_meanwhile),
        KIT_TEST(test_a_failing_step_changes_nothing),
        KIT_TEST(test_steps_run_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
