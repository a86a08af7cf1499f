/*
 * Every allocation of the store fails once, its own and SQLite's. The call then fails with
 * E_NOMEM (or did without), nothing of it is in the file, and done again it works.
 */
#include "store_kit.h"

#include "oom.h"

/* --- SQLite's allocations --- */

static struct {
    sqlite3_mem_methods real;
    long seen, fail_at;
    bool for_good; /* all from there on, not only the one */
} heap = {.fail_at = -1};

static bool refused(void)
{
    long n = heap.seen++;
    return heap.fail_at >= 0 && (heap.for_good ? n >= heap.fail_at : n == heap.fail_at);
}

static void *heap_malloc(int n)
{
    return refused() ? NULL : heap.real.xMalloc(n);
}

static void *heap_realloc(void *p, int n)
{
    return refused() ? NULL : heap.real.xRealloc(p, n);
}

static void heap_reset(long fail_at, bool for_good)
{
    heap.seen = 0;
    heap.fail_at = fail_at;
    heap.for_good = for_good;
}

static int heap_install(void **state)
{
    (void)state;
    sqlite3_mem_methods mine;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &heap.real), SQLITE_OK);
    mine = heap.real;
    mine.xMalloc = heap_malloc;
    mine.xRealloc = heap_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
    return 0;
}

/* --- the calls, in an order in which each has something to do --- */

static int do_connect(struct store *s)
{
    return store_connect(s);
}

static int do_add(struct store *s)
{
    const struct store_session session = {
        .id = "a", .cwd = "/x", .title = "T", .settings = "{}", .system = "S", .created = 1};
    return store_add_session(s, &session);
}

static int do_append(struct store *s)
{
    char text[9000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const struct store_entry entries[] = {
        {.kind = STORE_USER, .wire_id = "u1", .text = text, .time = 2},
        {.kind = STORE_ASSISTANT, .wire_id = "m1", .thought = text, .time = 3},
        {.kind = STORE_CALL, .wire_id = "c1", .shown = text, .time = 4},
        {.kind = STORE_USER, .text = "last", .time = 5},
    };
    return store_append(s, "a", entries, ARRAY_LEN(entries), NULL);
}

static int do_finish(struct store *s)
{
    const struct store_entry end = {
        .state = STORE_CALL_FAILED, .text = "no", .outcome = "{}", .time = 6};
    return store_finish_call(s, "a", 3, &end);
}

static int do_title(struct store *s)
{
    return store_set_title(s, "a", "Other", 7);
}

static int do_settings(struct store *s)
{
    return store_set_settings(s, "a", "{\"mode\":\"plan\"}");
}

static int do_fork(struct store *s)
{
    return store_fork_session(
        s, &(struct store_fork){.from = "a", .until = "m1", .id = "b", .now = 8});
}

static int do_find(struct store *s)
{
    struct store_session got;
    return store_find_session(s, "b", &got);
}

static void ignore(void *ctx, const struct store_session *session)
{
    (void)ctx;
    assert_non_null(session->cwd);
}

static int do_list(struct store *s)
{
    char next[STORE_CURSOR_SIZE];
    struct store_query query = {.limit = 1};
    int rc = store_list_sessions(s, &query, ignore, NULL, next);
    if (rc < 0)
        return rc;
    query.cursor = next;
    query.cwd = "/x";
    return store_list_sessions(s, &query, ignore, NULL, next);
}

static int do_read(struct store *s)
{
    struct store_reader r = {0};
    struct store_entry e;
    int rc = store_read_begin(s, "a", &r), n = 0;
    while (rc >= 0 && (rc = store_read_next(&r, &e)) == 1)
        n++;
    store_read_end(&r);
    if (rc == 0)
        assert_int_equal(n, 4);
    return rc;
}

static int do_cut(struct store *s)
{
    return store_cut(s, "a", 3);
}

static int do_delete(struct store *s)
{
    return store_delete_session(s, "a");
}

static int (*const calls[])(struct store *s) = {do_connect, do_add,      do_append, do_finish,
                                                do_title,   do_settings, do_fork,   do_find,
                                                do_list,    do_read,     do_cut,    do_delete};
#define CALLS ARRAY_LEN(calls)

/* --- */

/* All that is in the file, as one text; the caller frees it. Read past the module. */
static char *fingerprint(const struct kit *k)
{
    static const char sql[] =
        "SELECT coalesce((SELECT group_concat(id || cwd || title || settings || coalesce(system, 0)"
        " || created || updated || last, ';') FROM session), '') || '#' || coalesce((SELECT"
        " group_concat(session || ':' || number || state || time || coalesce(length(text), 0)"
        " || coalesce(outcome, 0)) FROM entry), '')";
    sqlite3 *db = kit_raw(k);
    sqlite3_stmt *q = NULL;
    char *ret = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        ret = sqlite3_mprintf("%s", sqlite3_column_text(q, 0));
    else
        ret = sqlite3_mprintf("#");
    sqlite3_finalize(q);
    sqlite3_close(db);
    return ret;
}

static void begin(struct kit *k)
{
    store_destroy(k->s);
    kit_remove(k, "");
    kit_remove(k, "-wal");
    kit_remove(k, "-shm");
    k->s = kit_store(k, 0);
}

/* A call that must succeed. Nothing here asks what a power cut would leave, so no disk is waited
 * for. */
static void call(struct kit *k, size_t i)
{
    kit_ok(k->s, calls[i](k->s));
    kit_sql(k->s->db, "PRAGMA synchronous = OFF");
}

/* The state after each number of calls. */
static void run_undisturbed(struct kit *k, char *states[CALLS + 1])
{
    begin(k);
    states[0] = sqlite3_mprintf("#");
    for (size_t i = 0; i < CALLS; i++) {
        call(k, i);
        states[i + 1] = fingerprint(k);
    }
}

static void expect_state(const struct kit *k, const char *want)
{
    if (access(k->path, F_OK) < 0) /* refused before there was a file */
        return;
    char *got = fingerprint(k);
    assert_string_equal(got, want);
    sqlite3_free(got);
}

/* Call number `at` with allocation `fail_at` refused. True: it made fewer allocations than that. */
static bool disturb(struct kit *k, size_t at, char *states[CALLS + 1], bool (*arm)(long fail_at),
                    long fail_at)
{
    begin(k);
    for (size_t i = 0; i < at; i++)
        call(k, i);
    arm(fail_at);
    int rc = calls[at](k->s);
    bool over = arm(-1);
    if (rc != 0 && rc != E_NOMEM)
        fail_msg("call %zu, allocation %ld: %d (%s) %s", at, fail_at, rc, err_text(rc),
                 store_error(k->s));
    expect_state(k, states[rc == 0 ? at + 1 : at]);
    if (rc == 0)
        return over;
    assert_string_equal(store_error(k->s), "Out of memory.");
    call(k, at);
    expect_state(k, states[at + 1]);
    return over;
}

static void disturb_all(void **state, bool (*arm)(long fail_at), long stride)
{
    struct kit *k = *state;
    char *states[CALLS + 1];
    long tried = 0;
    run_undisturbed(k, states);
    for (size_t at = 0; at < CALLS; at++)
        for (long i = 0; !disturb(k, at, states, arm, i); i += stride)
            tried++;
    print_message("%ld allocations refused\n", tried);
    assert_true(tried > 0);
    for (size_t i = 0; i <= CALLS; i++)
        sqlite3_free(states[i]);
}

/* Each arms the next call, and after it tells whether it never came to that allocation. */
static bool arm_ours(long fail_at)
{
    static long armed;
    bool over = oom_seen() <= armed;
    oom_reset(fail_at);
    armed = fail_at;
    return over;
}

static bool arm_one(long fail_at)
{
    bool over = heap.seen <= heap.fail_at;
    heap_reset(fail_at, false);
    return over;
}

static bool arm_all(long fail_at)
{
    bool over = heap.seen <= heap.fail_at;
    heap_reset(fail_at, true);
    return over;
}

static void test_our_allocations(void **state)
{
    disturb_all(state, arm_ours, 1);
}

static void test_one_of_sqlites(void **state)
{
    disturb_all(state, arm_one, 1);
}

static void test_all_of_sqlites_from_one_on(void **state)
{
    disturb_all(state, arm_all, 7);
}

static int make(void *ctx)
{
    struct store *s = NULL;
    int rc = store_create(&(struct store_options){.path = ctx}, &s);
    store_destroy(s);
    return rc;
}

static const char *variable(const char *name)
{
    return strcmp(name, "ACP_AGENT_HOME") == 0 ? "/x" : NULL;
}

static int locate(void *ctx)
{
    struct buf path = {0};
    int rc = store_locate(variable, &path);
    (void)ctx;
    buf_deinit(&path);
    return rc;
}

static void test_make_and_locate(void **state)
{
    struct kit *k = *state;
    oom_fail_each(make, k->path);
    oom_fail_each(locate, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_make_and_locate),
        KIT_TEST(test_our_allocations),
        KIT_TEST(test_one_of_sqlites),
        KIT_TEST(test_all_of_sqlites_from_one_on),
    };
    return cmocka_run_group_tests(tests, heap_install, NULL);
}
