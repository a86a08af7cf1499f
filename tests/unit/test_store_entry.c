/* Entries of the store: appended, ended, cut, read back in bounded memory. */
#include "store_kit.h"

#define INTERRUPTED "Interrupted: the agent was ended while this ran."

/* --- writing and reading --- */

static void test_read_as_written(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    const struct store_entry in[] = {
        {.kind = STORE_USER, .time = 11, .wire_id = "u", .text = "t\xE2\x82\xAC\n", .shown = "[]"},
        {.kind = STORE_ASSISTANT,
         .time = 12,
         .wire_id = "m",
         .text = "",
         .thought = "hm",
         .calls = "[{}]",
         .shown = "[1]"},
        {.kind = STORE_CALL,
         .state = STORE_CALL_COMPLETED,
         .time = 13,
         .wire_id = "c",
         .call_id = "call_x",
         .text = "result",
         .shown = "{\"a\":1}",
         .outcome = "{\"b\":2}"},
        {.kind = STORE_UPDATE, .time = 14, .shown = "{}"},
    };
    struct store_reader r = {0};
    struct store_entry e;
    int64_t last = 0;
    kit_add(s, "a", 1);
    kit_ok(s, store_append(s, "a", in, ARRAY_LEN(in), &last));
    assert_int_equal(last, 4);
    kit_ok(s, store_read_begin(s, "a", &r));
    for (size_t i = 0; i < ARRAY_LEN(in); i++) {
        assert_int_equal(store_read_next(&r, &e), 1);
        assert_int_equal(e.number, i + 1);
        assert_int_equal(e.kind, in[i].kind);
        assert_int_equal(e.state, in[i].state);
        assert_int_equal(e.time, in[i].time);
        const char *const got[] = {e.wire_id, e.call_id, e.text,   e.thought,
                                   e.calls,   e.shown,   e.outcome};
        const char *const want[] = {in[i].wire_id, in[i].call_id, in[i].text,   in[i].thought,
                                    in[i].calls,   in[i].shown,   in[i].outcome};
        for (size_t t = 0; t < ARRAY_LEN(got); t++)
            if (want[t])
                assert_string_equal(got[t], want[t]);
            else
                assert_null(got[t]);
    }
    assert_int_equal(store_read_next(&r, &e), 0);
    assert_int_equal(store_read_next(&r, &e), 0);
    store_read_end(&r);
    store_read_end(&r);
}

static void test_nothing_to_read(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_reader none = {0};
    struct store_entry e;
    kit_add(s, "a", 1);
    assert_string_equal(kit_texts(s, "a"), "");
    assert_int_equal(store_read_next(&none, &e), 0);
    store_read_end(&none);
}

static void test_an_append_moves_the_session(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session got;
    kit_add(s, "a", 5);
    assert_int_equal(kit_say(s, "a", "x"), 1);
    assert_int_equal(kit_say(s, "a", "y"), 2);
    kit_ok(s, store_find_session(s, "a", &got));
    assert_int_equal(got.updated, 10);
    assert_int_equal(got.last, 2);
}

/* --- tool calls --- */

/* A call that was announced; its number. */
static int64_t announce(struct store *s)
{
    const struct store_entry entries[] = {
        {.kind = STORE_USER, .time = 1, .text = "do"},
        {.kind = STORE_ASSISTANT, .time = 2, .calls = "[]"},
        {.kind = STORE_CALL, .time = 3, .wire_id = "call_1", .shown = "{\"title\":\"T\"}"}};
    int64_t number = 0;
    kit_add(s, "a", 1);
    kit_ok(s, store_append(s, "a", entries, ARRAY_LEN(entries), &number));
    return number;
}

static void read_last(struct store *s, struct store_reader *r, struct store_entry *ret)
{
    kit_ok(s, store_read_begin(s, "a", r));
    while (store_read_next(r, ret) == 1)
        ;
}

static void test_an_open_call_reads_as_interrupted(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e = {0};
    announce(k->s);
    read_last(k->s, &r, &e);
    assert_int_equal(e.state, STORE_CALL_INTERRUPTED);
    assert_int_equal(strncmp(e.text, INTERRUPTED, strlen(INTERRUPTED)), 0);
    assert_string_equal(e.shown, "{\"title\":\"T\"}");
    assert_null(e.outcome);
    store_read_end(&r);
    kit_expect(k, "SELECT state FROM entry WHERE kind = 3", "0"); /* reading changed nothing */
}

static void test_a_call_ends_once(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    const struct store_entry done = {.state = STORE_CALL_COMPLETED,
                                     .time = 50,
                                     .text = "result",
                                     .outcome = "{\"status\":\"completed\"}"};
    const struct store_entry failed = {.state = STORE_CALL_FAILED, .text = "late"};
    struct store_reader r = {0};
    struct store_entry e = {0};
    struct store_session session;
    int64_t number = announce(s);
    kit_ok(s, store_finish_call(s, "a", number, &done));
    kit_fails(s, store_finish_call(s, "a", number, &failed), E_STATE, "ended before");
    read_last(s, &r, &e);
    assert_int_equal(e.state, STORE_CALL_COMPLETED);
    assert_string_equal(e.text, "result");
    assert_string_equal(e.shown, "{\"title\":\"T\"}");
    assert_string_equal(e.outcome, "{\"status\":\"completed\"}");
    assert_string_equal(e.wire_id, "call_1");
    store_read_end(&r);
    kit_ok(s, store_find_session(s, "a", &session));
    assert_int_equal(session.updated, 50);
}

static void test_only_calls_end(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    const struct store_entry end = {.state = STORE_CALL_FAILED};
    int64_t number = announce(s);
    kit_fails(s, store_finish_call(s, "a", number - 1, &end), E_NOTFOUND, "gone");
    kit_fails(s, store_finish_call(s, "a", number + 1, &end), E_NOTFOUND, "gone");
    kit_fails(s, store_finish_call(s, "b", number, &end), E_NOTFOUND, "no session b");
}

/* --- cutting --- */

static void test_cut(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    kit_add(s, "a", 1);
    kit_add(s, "b", 1);
    kit_say(s, "b", "other");
    kit_say(s, "a", "one");
    int64_t mark = kit_say(s, "a", "two");
    kit_say(s, "a", "refused");
    kit_say(s, "a", "too");
    kit_ok(s, store_cut(s, "a", mark));
    assert_string_equal(kit_texts(s, "a"), "one|two");
    kit_ok(s, store_cut(s, "a", mark));
    assert_int_equal(kit_say(s, "a", "three"), 5); /* numbers are not used again */
    assert_string_equal(kit_texts(s, "a"), "one|two|three");
    kit_ok(s, store_cut(s, "a", 0));
    assert_string_equal(kit_texts(s, "a"), "");
    assert_string_equal(kit_texts(s, "b"), "other");
}

/* --- a reader that is paused --- */

static void test_a_paused_reader_sees_what_was_there(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e;
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "one");
    kit_say(k->s, "a", "two");
    kit_ok(k->s, store_read_begin(k->s, "a", &r));
    assert_int_equal(store_read_next(&r, &e), 1);
    kit_say(k->s, "a", "later");
    assert_string_equal(e.text, "one"); /* its own copy */
    assert_int_equal(store_read_next(&r, &e), 1);
    assert_string_equal(e.text, "two");
    assert_int_equal(store_read_next(&r, &e), 0);
    store_read_end(&r);
}

/* A statement left open would keep its snapshot: this process could then not write after another
 * one did, and the log could not be emptied. */
static void test_a_paused_reader_holds_nothing(void **state)
{
    struct kit *k = *state;
    struct store *other = kit_store(k, 0);
    struct store_reader r = {0};
    struct store_entry e;
    int log = -1, done = -1;
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "one");
    kit_say(k->s, "a", "two");
    kit_ok(k->s, store_read_begin(k->s, "a", &r));
    assert_int_equal(store_read_next(&r, &e), 1);
    kit_say(other, "a", "three");
    kit_say(k->s, "a", "four");
    assert_int_equal(
        sqlite3_wal_checkpoint_v2(other->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &log, &done),
        SQLITE_OK);
    assert_int_equal(log, 0);
    assert_int_equal(store_read_next(&r, &e), 1);
    assert_string_equal(e.text, "two");
    store_read_end(&r);
    store_destroy(other);
}

static void test_cut_or_deleted_under_a_reader(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_reader r = {0};
    struct store_entry e;
    kit_add(s, "a", 1);
    kit_say(s, "a", "one");
    kit_say(s, "a", "two");
    kit_ok(s, store_read_begin(s, "a", &r));
    assert_int_equal(store_read_next(&r, &e), 1);
    kit_ok(s, store_cut(s, "a", 1));
    assert_int_equal(store_read_next(&r, &e), 0);
    kit_ok(s, store_delete_session(s, "a"));
    kit_fails(s, store_read_next(&r, &e), E_NOTFOUND, "deleted while it was read");
    store_read_end(&r);
}

static void test_an_unknown_kind_is_damage(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e;
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "one");
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "UPDATE entry SET kind = 99");
    sqlite3_close(db);
    kit_ok(k->s, store_read_begin(k->s, "a", &r));
    kit_fails(k->s, store_read_next(&r, &e), E_PARSE, "damaged");
    store_read_end(&r);
}

/* --- much --- */

#define BIG_ENTRIES 1600
#define BIG_TEXT    (64 * 1024) /* 100 MB in all */

static void write_big(struct store *s)
{
    char *text = malloc(BIG_TEXT + 1);
    assert_non_null(text);
    memset(text, 'x', BIG_TEXT);
    text[BIG_TEXT] = '\0';
    kit_add(s, "a", 1);
    for (int i = 0; i < BIG_ENTRIES; i++) {
        text[i % BIG_TEXT] = (char)('a' + i % 20);
        kit_say(s, "a", text);
    }
    free(text);
}

/* Steps of SQLite's machine: what reading costs, whatever the clock says. */
static int steps_of_reading(struct store *s)
{
    return sqlite3_stmt_status(s->statements[STORE_SQL_READ], SQLITE_STMTSTATUS_VM_STEP, 1);
}

static void test_100_mb_in_bounded_memory(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e;
    size_t bytes = 0;
    int rc, most = 0;
    write_big(k->s);
    store_destroy(k->s);
    k->s = kit_store(k, 0);
    kit_ok(k->s, store_read_begin(k->s, "a", &r));
    sqlite3_memory_highwater(1);
    for (int i = 0; (rc = store_read_next(&r, &e)) == 1; i++) {
        bytes += strlen(e.text);
        int steps = steps_of_reading(k->s);
        most = steps > most ? steps : most;
    }
    kit_ok(k->s, rc);
    assert_int_equal(bytes, (size_t)BIG_ENTRIES * BIG_TEXT);
    /* The reader's own: one entry; buffers double. SQLite's: its cache of 2 MB and one entry. */
    assert_true(r.texts.cap <= 2 * BIG_TEXT + 64);
    assert_true(sqlite3_memory_highwater(0) < 4 << 20);
    assert_true(most < 100); /* the last entry costs what the first did */
    print_message("%zu bytes read: reader %zu, SQLite at most %lld bytes, %d steps an entry\n",
                  bytes, r.texts.cap, (long long)sqlite3_memory_highwater(0), most);
    store_read_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_read_as_written),
        KIT_TEST(test_nothing_to_read),
        KIT_TEST(test_an_append_moves_the_session),
        KIT_TEST(test_an_open_call_reads_as_interrupted),
        KIT_TEST(test_a_call_ends_once),
        KIT_TEST(test_only_calls_end),
        KIT_TEST(test_cut),
        KIT_TEST(test_a_paused_reader_sees_what_was_there),
        KIT_TEST(test_a_paused_reader_holds_nothing),
        KIT_TEST(test_cut_or_deleted_under_a_reader),
        KIT_TEST(test_an_unknown_kind_is_damage),
        KIT_TEST(test_100_mb_in_bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
