/* The list of stored sessions: order, pages, cursors, and many of them. */
#include "store_kit.h"

#include <time.h>

#define MANY 100000

/* What a walk over the pages brought. */
struct walk {
    char ids[512];
    size_t n, pages;
};

static void take(void *ctx, const struct store_session *session)
{
    struct walk *w = ctx;
    size_t used = strlen(w->ids);
    snprintf(w->ids + used, sizeof w->ids - used, "%s%s", used ? " " : "", session->id);
    w->n++;
}

/* One page of at most n; cursor is replaced by the next one. */
static void page(struct store *s, const char *cwd, size_t n, char *cursor, struct walk *w)
{
    const struct store_query query = {.cwd = cwd, .cursor = cursor[0] ? cursor : NULL, .limit = n};
    char next[STORE_CURSOR_SIZE];
    kit_ok(s, store_list_sessions(s, &query, take, w, next));
    strcpy(cursor, next);
    w->pages++;
}

static void check_walk(struct store *s, const char *cwd, size_t n, const char *want)
{
    struct walk w = {0};
    char cursor[STORE_CURSOR_SIZE] = "";
    do
        page(s, cwd, n, cursor, &w);
    while (cursor[0]);
    assert_string_equal(w.ids, want);
    assert_int_equal(w.pages, w.n == 0 ? 1 : (w.n + n - 1) / n); /* no empty last page */
}

static void add_in(struct store *s, const char *id, const char *cwd, int64_t created)
{
    kit_ok(s,
           store_add_session(s, &(struct store_session){.id = id, .cwd = cwd, .created = created}));
}

static void fill(struct store *s)
{
    add_in(s, "a", "/x", 30);
    add_in(s, "b", "/y", 10);
    add_in(s, "c", "/x", 20);
    add_in(s, "d", "/y", 20); /* same time as c, added later */
    add_in(s, "e", "/x", 20);
}

static void test_newest_first_in_any_page_size(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    check_walk(s, NULL, 3, "");
    fill(s);
    for (size_t n = 1; n <= 6; n++) {
        check_walk(s, NULL, n, "a e d c b");
        check_walk(s, "/x", n, "a e c");
        check_walk(s, "/y", n, "d b");
        check_walk(s, "/z", n, "");
        check_walk(s, "/X", n, "");
    }
    kit_ok(s, store_set_title(s, "b", "t", 40));
    kit_say(s, "c", "moves only forward: time 10");
    check_walk(s, NULL, 2, "b a e d c");
}

static void keep(void *ctx, const struct store_session *session)
{
    const struct store_session *want = ctx;
    assert_string_equal(session->id, want->id);
    assert_string_equal(session->cwd, want->cwd);
    assert_string_equal(session->title, want->title);
    assert_string_equal(session->settings, want->settings);
    assert_null(session->system);
    assert_int_equal(session->created, 5);
    assert_int_equal(session->updated, 10);
    assert_int_equal(session->last, 1);
}

static void test_what_a_row_tells(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct store_session in = {
        .id = "a", .cwd = "/x", .title = "T", .settings = "{}", .system = "long", .created = 5};
    char next[STORE_CURSOR_SIZE];
    kit_ok(s, store_add_session(s, &in));
    kit_say(s, "a", "hello");
    kit_ok(s, store_list_sessions(s, &(struct store_query){.limit = 9}, keep, &in, next));
    assert_string_equal(next, "");
}

/* --- while others change the sessions --- */

static void test_pages_stay_right_while_sessions_change(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    struct walk w = {0};
    char cursor[STORE_CURSOR_SIZE] = "";
    fill(s); /* a e d c b */
    page(s, NULL, 2, cursor, &w);
    kit_ok(s, store_set_title(s, "a", "seen, touched: not again", 100));
    kit_ok(s, store_delete_session(s, "e")); /* the very place the cursor names */
    add_in(s, "new", "/x", 90);
    page(s, NULL, 1, cursor, &w);
    kit_ok(s, store_set_title(s, "c", "not seen, touched: in the next walk", 110));
    page(s, NULL, 5, cursor, &w);
    assert_string_equal(cursor, "");
    assert_string_equal(w.ids, "a e d b");
    check_walk(s, NULL, 2, "c a new d b");
}

static void test_a_cursor_may_be_used_again(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    char first[STORE_CURSOR_SIZE] = "", cursor[STORE_CURSOR_SIZE];
    fill(s);
    page(s, NULL, 2, first, &(struct walk){0});
    for (int i = 0; i < 2; i++) {
        struct walk w = {0};
        strcpy(cursor, first);
        page(s, NULL, 2, cursor, &w);
        assert_string_equal(w.ids, "d c");
    }
}

/* --- cursors that are none --- */

static void refuse(struct store *s, const char *cursor)
{
    struct walk w = {0};
    char next[STORE_CURSOR_SIZE] = "untouched";
    const struct store_query query = {.cursor = cursor, .limit = 2};
    kit_fails(s, store_list_sessions(s, &query, take, &w, next), E_INVALID, "cursor");
    assert_int_equal(w.n, 0);
    assert_string_equal(next, "untouched");
}

static void test_bad_cursors(void **state)
{
    struct store *s = ((struct kit *)*state)->s;
    char good[STORE_CURSOR_SIZE] = "", bad[STORE_CURSOR_SIZE + 2];
    fill(s);
    page(s, NULL, 2, good, &(struct walk){0});
    assert_int_equal(strlen(good), STORE_CURSOR_SIZE - 1);
    refuse(s, "");
    refuse(s, "garbage");
    for (size_t n = 0; good[n]; n++) {
        snprintf(bad, sizeof bad, "%.*s", (int)n, good); /* cut off */
        refuse(s, bad);
        for (const char *c = "0123456789abcdefgAF /-\xC3"; *c; c++) { /* one digit changed */
            snprintf(bad, sizeof bad, "%s", good);
            bad[n] = *c;
            if (*c != good[n])
                refuse(s, bad);
        }
    }
    snprintf(bad, sizeof bad, "%s0", good);
    refuse(s, bad);
}

/* --- many --- */

/* Past the module: one transaction instead of 100,000. */
static void add_many(const struct kit *k)
{
    char sql[512];
    kit_ok(k->s, store_connect(k->s));
    sqlite3 *db = kit_raw(k);
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE i(v) AS (VALUES(0) UNION ALL SELECT v+1 FROM i WHERE v < %d)"
        "INSERT INTO session (id, cwd, created, updated, title, settings, system)"
        " SELECT printf('ses_%%032x', v * 7919), '/home/me/' || (v %% 50), v, v * 31 %% 1000003,"
        " 'Title ' || v, '{\"mode\":\"normal\"}', zeroblob(1000) FROM i",
        MANY - 1);
    kit_sql(db, sql);
    kit_sql(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(db);
}

static void count(void *ctx, const struct store_session *session)
{
    struct walk *w = ctx;
    assert_non_null(session->id);
    w->n++;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct cost {
    int steps, scans, sorts;
    double ms;
};

static struct cost page_cost(struct store *s, const struct store_query *query, struct walk *w,
                             char next[STORE_CURSOR_SIZE])
{
    double start = now_ms();
    kit_ok(s, store_list_sessions(s, query, count, w, next));
    struct cost c = {.ms = now_ms() - start};
    sqlite3_stmt *q = s->statements[query->cwd ? STORE_SQL_LIST_CWD : STORE_SQL_LIST];
    c.steps = sqlite3_stmt_status(q, SQLITE_STMTSTATUS_VM_STEP, 1);
    c.scans = sqlite3_stmt_status(q, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    c.sorts = sqlite3_stmt_status(q, SQLITE_STMTSTATUS_SORT, 1);
    return c;
}

/* No page may look at more rows than it gives; the clock is only printed. */
static void walk_many(struct store *s, const char *cwd, size_t want)
{
    struct walk w = {0};
    struct store_query query = {.cwd = cwd, .limit = 50};
    char next[STORE_CURSOR_SIZE] = "", cursor[STORE_CURSOR_SIZE];
    struct cost first = page_cost(s, &query, &w, next), last = first;
    for (w.pages = 1; next[0]; w.pages++) {
        strcpy(cursor, next);
        query.cursor = cursor;
        last = page_cost(s, &query, &w, next);
        assert_true(last.steps <= first.steps * 2); /* rows of the same time are looked at again */
        assert_int_equal(last.scans + last.sorts, 0);
    }
    assert_int_equal(w.n, want);
    assert_int_equal(w.pages, want / 50);
    print_message("%s: %zu pages of 50; the first %.2f ms (opening included), the last %.2f ms\n",
                  cwd ? cwd : "all", w.pages, first.ms, last.ms);
}

static void test_100000_sessions(void **state)
{
    struct kit *k = *state;
    add_many(k);
    const char *const cwds[] = {NULL, "/home/me/7"};
    for (size_t i = 0; i < ARRAY_LEN(cwds); i++) {
        store_destroy(k->s); /* nothing is cached in this process */
        k->s = kit_store(k, 0);
        walk_many(k->s, cwds[i], cwds[i] ? MANY / 50 : MANY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_newest_first_in_any_page_size),
        KIT_TEST(test_what_a_row_tells),
        KIT_TEST(test_pages_stay_right_while_sessions_change),
        KIT_TEST(test_a_cursor_may_be_used_again),
        KIT_TEST(test_bad_cursors),
        KIT_TEST(test_100000_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
