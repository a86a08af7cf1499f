/* Several processes on one store: they open, make and fill it at the same moment. */
#include "store_kit.h"

#include <sys/wait.h>

#define PROCESSES 8
#define ROUNDS    50

struct crew {
    const struct kit *k;
    int start[2]; /* closed by the parent: all begin at once */
    int (*work)(struct store *s, int who);
};

/* Nothing of cmocka's in a child: it says what was wrong and exits. */
static _Noreturn void be_child(const struct crew *c, int who)
{
    struct store *s = NULL;
    char byte;
    const struct store_options options = {.path = c->k->path, .busy_ms = 60000};
    close(c->start[1]);
    if (read(c->start[0], &byte, 1) != 0)
        _exit(2);
    int rc = store_create(&options, &s);
    if (rc == 0)
        rc = c->work(s, who);
    if (rc < 0)
        fprintf(stderr, "process %d: %d %s\n", who, rc, s ? store_error(s) : "");
    store_destroy(s);
    _exit(rc < 0 ? 1 : 0);
}

static void run_crew(const struct kit *k, int (*work)(struct store *s, int who))
{
    struct crew c = {.k = k, .work = work};
    pid_t pids[PROCESSES];
    assert_int_equal(pipe(c.start), 0);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            be_child(&c, i);
    }
    close(c.start[0]);
    close(c.start[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
}

/* --- */

static int just_open(struct store *s, int who)
{
    char id[32];
    snprintf(id, sizeof id, "ses_%d", who);
    const struct store_session session = {.id = id, .cwd = "/", .created = who};
    return store_add_session(s, &session);
}

/* All find no file, or an empty one, or one that another is just making. */
static void test_all_make_the_file(void **state)
{
    struct kit *k = *state;
    for (int round = 0; round < 20; round++) {
        run_crew(k, just_open);
        kit_expect(k, "SELECT count(*) FROM session", "8");
        kit_remove(k, "");
        if (round % 2) { /* and sometimes a log of the file before is still there */
            kit_remove(k, "-wal");
            kit_remove(k, "-shm");
        }
    }
}

/* Everybody writes to one session and to an own one, ends calls and cuts. */
static int write_rounds(struct store *s, int who)
{
    char id[32], text[64];
    const struct store_entry end = {.state = STORE_CALL_COMPLETED, .text = "done"};
    int rc = just_open(s, who);
    snprintf(id, sizeof id, "ses_%d", who);
    for (int i = 0; rc == 0 && i < ROUNDS; i++) {
        int64_t number = 0;
        snprintf(text, sizeof text, "%d-%d", who, i);
        const struct store_entry pair[] = {{.kind = STORE_ASSISTANT, .text = text},
                                           {.kind = STORE_CALL, .call_id = text}};
        rc = store_append(s, "all", pair, 2, &number);
        if (rc == 0)
            rc = store_finish_call(s, "all", number, &end);
        if (rc == 0)
            rc = store_append(s, id, pair, 1, NULL);
        if (rc == 0)
            rc = store_set_title(s, "all", text, i);
    }
    return rc;
}

static void test_all_write(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e, call;
    int next[PROCESSES] = {0};
    kit_add(k->s, "all", 1);
    run_crew(k, write_rounds);
    kit_ok(k->s, store_read_begin(k->s, "all", &r));
    while (store_read_next(&r, &e) == 1) {
        int who = -1, i = -1;
        char text[64];
        snprintf(text, sizeof text, "%s", e.text);
        assert_int_equal(sscanf(text, "%d-%d", &who, &i), 2);
        assert_in_range(who, 0, PROCESSES - 1);
        assert_int_equal(i, next[who]++); /* each process's own, in its order */
        assert_int_equal(store_read_next(&r, &call), 1);
        assert_string_equal(call.call_id, text); /* a pair is never torn apart */
        assert_int_equal(call.state, STORE_CALL_COMPLETED);
    }
    store_read_end(&r);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(next[i], ROUNDS);
    kit_expect(k, "SELECT count(*) FROM entry", "1200");
    kit_expect(k, "SELECT last FROM session WHERE id = 'all'", "800");
}

static int open_old(struct store *s, int who)
{
    (void)who;
    return store_find_session(s, "old", NULL);
}

/* One of them upgrades, the others wait for it and use what it made. */
static void test_all_upgrade(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "old", 1);
    store_destroy(k->s);
    k->s = NULL;
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "DROP INDEX session_by_cwd; ALTER TABLE session DROP COLUMN system;"
                "PRAGMA user_version = 1");
    sqlite3_close(db);
    run_crew(k, open_old);
    kit_expect(k, "SELECT count(*) FROM sqlite_schema WHERE name = 'session_by_cwd'", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_all_make_the_file),
        KIT_TEST(test_all_write),
        KIT_TEST(test_all_upgrade),
    };
    alarm(240);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
