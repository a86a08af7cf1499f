/* What goes wrong with the store's file: each time a code, a sentence that says what to do, and
 * nothing lost that was stored. */
#include "store_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <uv.h>

#define PAGE 4096

/* Appends entries until one is refused; how many were taken. */
static int fill_up(struct store *s, int *ret_code)
{
    char text[3000];
    const struct store_entry e = {.kind = STORE_USER, .time = 1, .text = text};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int n = 0;; n++) {
        *ret_code = store_append(s, "a", &e, 1, NULL);
        if (*ret_code < 0)
            return n;
    }
}

static int count(struct store *s)
{
    struct store_reader r = {0};
    struct store_entry e;
    int n = 0, rc;
    kit_ok(s, store_read_begin(s, "a", &r));
    while ((rc = store_read_next(&r, &e)) == 1)
        n++;
    kit_ok(s, rc);
    store_read_end(&r);
    return n;
}

/* --- no space --- */

static void test_full(void **state)
{
    struct kit *k = *state;
    int code, n;
    store_destroy(k->s);
    k->s = kit_store(k, 40);
    kit_add(k->s, "a", 1);
    n = fill_up(k->s, &code);
    kit_fails(k->s, code, UV_ENOSPC, "disk is full");
    assert_true(strstr(store_error(k->s), k->path) != NULL);
    assert_true(n > 5);
    assert_int_equal(count(k->s), n); /* all that was acknowledged, and it still reads */
    kit_ok(k->s, store_delete_session(k->s, "a"));
    kit_add(k->s, "a", 1);
    assert_int_equal(fill_up(k->s, &code), n); /* room was made */
}

/* Several entries or a fork that do not fit leave nothing of themselves. */
static void test_full_in_the_middle(void **state)
{
    struct kit *k = *state;
    int code;
    store_destroy(k->s);
    k->s = kit_store(k, 40);
    kit_add(k->s, "a", 1);
    int n = fill_up(k->s, &code);
    kit_ok(k->s, store_cut(k->s, "a", n / 2 + 2));
    const struct store_fork fork = {.from = "a", .id = "b", .now = 1};
    kit_fails(k->s, store_fork_session(k->s, &fork), UV_ENOSPC, "disk is full");
    kit_fails(k->s, store_find_session(k->s, "b", NULL), E_NOTFOUND, "b");
    char text[3000] = "";
    memset(text, 'y', sizeof text - 1);
    struct store_entry many[40];
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = (struct store_entry){.kind = STORE_USER, .text = text};
    kit_fails(k->s, store_append(k->s, "a", many, ARRAY_LEN(many), NULL), UV_ENOSPC, "full");
    assert_int_equal(count(k->s), n / 2 + 2);
}

/* A real disk of 1 MB, for those who may mount one. */
static void test_full_disk(void **state)
{
    struct kit *k = *state, small = *k;
    int code;
    snprintf(small.dir, sizeof small.dir, "%s/disk", k->dir);
    snprintf(small.path, sizeof small.path, "%s/sessions.db", small.dir);
    assert_int_equal(mkdir(small.dir, 0700), 0);
    if (mount("none", small.dir, "tmpfs", 0, "size=1m") < 0) {
        print_message("no tmpfs may be mounted here: %s\n", strerror(errno));
        rmdir(small.dir);
        skip();
    }
    small.s = kit_store(&small, 0);
    kit_add(small.s, "a", 1);
    int n = fill_up(small.s, &code);
    kit_fails(small.s, code, UV_ENOSPC, "disk is full");
    assert_int_equal(count(small.s), n);
    store_destroy(small.s); /* a disk as full as that can still be opened */
    small.s = kit_store(&small, 0);
    assert_int_equal(count(small.s), n);
    store_destroy(small.s);
    kit_expect(&small, "PRAGMA integrity_check", "ok");
    assert_int_equal(umount(small.dir), 0);
    rmdir(small.dir);
}

static void test_no_space_for_the_first_page(void **state)
{
    struct kit *k = *state;
    store_destroy(k->s);
    k->s = kit_store(k, 1);
    kit_fails(k->s, store_connect(k->s), UV_ENOSPC, "disk is full");
    store_destroy(k->s);
    k->s = kit_store(k, 0);
    kit_add(k->s, "a", 1); /* what was left there is no hindrance */
}

/* --- locked --- */

static void test_locked(void **state)
{
    struct kit *k = *state;
    const struct store_entry e = {.kind = STORE_USER, .text = "x"};
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "before");
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "BEGIN IMMEDIATE");
    kit_fails(k->s, store_append(k->s, "a", &e, 1, NULL), UV_EBUSY, "locked by another process");
    kit_fails(k->s, store_delete_session(k->s, "a"), UV_EBUSY, "Try again");
    assert_string_equal(kit_texts(k->s, "a"), "before"); /* reading goes on */
    kit_sql(db, "ROLLBACK");
    kit_say(k->s, "a", "after");
    assert_string_equal(kit_texts(k->s, "a"), "before|after");
    sqlite3_close(db);
}

/* The time that is waited is asked of the store, not measured. */
static void test_a_locked_store_is_waited_for_once(void **state)
{
    struct kit *k = *state;
    const struct store_entry e = {.kind = STORE_USER, .text = "x"};
    store_destroy(k->s);
    assert_int_equal(store_create(&(struct store_options){.path = k->path, .busy_ms = 50}, &k->s),
                     0);
    kit_add(k->s, "a", 1);
    assert_int_equal(store_patience(k->s), 50);
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "BEGIN IMMEDIATE");
    kit_fails(k->s, store_append(k->s, "a", &e, 1, NULL), UV_EBUSY, "locked");
    assert_int_equal(store_patience(k->s), 10);
    kit_ok(k->s, store_find_session(k->s, "a", NULL));
    assert_int_equal(store_patience(k->s), 10);
    kit_sql(db, "ROLLBACK");
    kit_say(k->s, "a", "x");
    assert_int_equal(store_patience(k->s), 50);
    sqlite3_close(db);
}

/* Locked against everybody when it is opened: the next call tries again. */
static void test_locked_when_opened(void **state)
{
    struct kit *k = *state;
    kit_add(k->s, "a", 1);
    store_destroy(k->s);
    k->s = kit_store(k, 0);
    sqlite3 *db = kit_raw(k);
    kit_sql(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO session"
                " (id, cwd, created, updated) VALUES ('b', '/', 1, 1); COMMIT");
    kit_fails(k->s, store_find_session(k->s, "a", NULL), UV_EBUSY, "locked by another process");
    kit_fails(k->s, store_connect(k->s), UV_EBUSY, "locked by another process");
    sqlite3_close(db);
    kit_ok(k->s, store_find_session(k->s, "a", NULL));
}

/* --- damaged --- */

static void overwrite(const struct kit *k, off_t at, const char *bytes, size_t n)
{
    int fd = open(k->path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, at), n);
    close(fd);
}

static void test_no_database(void **state)
{
    struct kit *k = *state;
    char text[2 * PAGE];
    memset(text, '#', sizeof text);
    k->damaged = true;
    overwrite(k, 0, text, sizeof text);
    kit_fails(k->s, store_find_session(k->s, "a", NULL), E_PARSE, "is not a database. Move it");
    kit_fails(k->s, store_connect(k->s), E_PARSE, k->path);
    struct stat st;
    assert_int_equal(stat(k->path, &st), 0);
    assert_int_equal(st.st_size, sizeof text); /* it was left as it was */
}

/* Each page of a store in turn is overwritten: reading ends well or with an error, and never with
 * entries that are not the session's. */
static void check_damage(struct kit *k, off_t page)
{
    char noise[PAGE], was[PAGE];
    struct store_reader r = {0};
    struct store_entry e;
    FILE *f = fopen(k->path, "rb");
    assert_non_null(f);
    assert_int_equal(fseeko(f, page * PAGE, SEEK_SET), 0);
    assert_int_equal(fread(was, 1, PAGE, f), PAGE);
    fclose(f);
    memset(noise, 0xA5, sizeof noise);
    overwrite(k, page * PAGE, noise, PAGE);
    k->s = kit_store(k, 0);
    int rc = store_read_begin(k->s, "a", &r);
    while (rc >= 0 && (rc = store_read_next(&r, &e)) == 1)
        assert_true(e.text && e.text[0] == 'x');
    if (rc < 0 && rc != E_PARSE && rc != E_NOTFOUND)
        fail_msg("page %d: %d (%s) %s", (int)page, rc, err_text(rc), store_error(k->s));
    store_read_end(&r);
    store_destroy(k->s);
    k->s = NULL;
    overwrite(k, page * PAGE, was, PAGE);
}

static void test_damaged_pages(void **state)
{
    struct kit *k = *state;
    struct stat st;
    store_destroy(k->s);
    k->s = kit_store(k, 30);
    kit_add(k->s, "a", 1);
    int code;
    fill_up(k->s, &code);
    sqlite3_wal_checkpoint_v2(k->s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    store_destroy(k->s);
    assert_int_equal(stat(k->path, &st), 0);
    for (off_t page = 0; page < st.st_size / PAGE; page++)
        check_damage(k, page);
}

/* kill -9 while a transaction is being written leaves a log with half a transaction at its end. */
static void test_log_cut_anywhere(void **state)
{
    struct kit *k = *state;
    struct stat st;
    char log[160];
    kit_add(k->s, "a", 1);
    for (int i = 0; i < 5; i++)
        kit_say(k->s, "a", "x");
    store_destroy(k->s);
    snprintf(log, sizeof log, "%s-wal", k->path);
    assert_int_equal(stat(log, &st), 0);
    int before = 5;
    for (off_t n = st.st_size; n > 0; n -= 512) {
        assert_int_equal(truncate(log, n), 0);
        sqlite3 *db = kit_raw(k);
        sqlite3_stmt *q = NULL;
        int found = 0;
        if (sqlite3_prepare_v2(db, "SELECT count(*) FROM entry", -1, &q, NULL) == SQLITE_OK &&
            sqlite3_step(q) == SQLITE_ROW)
            found = sqlite3_column_int(q, 0);
        assert_in_range(found, before > 0 ? before - 1 : 0, before); /* whole transactions */
        before = found;
        sqlite3_finalize(q);
        sqlite3_close(db);
    }
    k->s = kit_store(k, 0);
    kit_add(k->s, "a", 1);
}

/* --- not allowed --- */

static void test_a_folder_that_cannot_be_made(void **state)
{
    struct kit *k = *state, bad = *k;
    overwrite(k, 0, "", 0);
    snprintf(bad.path, sizeof bad.path, "%s/sessions.db/deeper/sessions.db", k->dir);
    bad.s = kit_store(&bad, 0);
    kit_fails(bad.s, store_connect(bad.s), UV_ENOTDIR, "set ACP_AGENT_HOME");
    store_destroy(bad.s);
    snprintf(bad.path, sizeof bad.path, "/proc/no/sessions.db");
    bad.s = kit_store(&bad, 0);
    kit_fails(bad.s, store_connect(bad.s), UV_ENOENT, "/proc/no");
    store_destroy(bad.s);
}

static void test_a_folder_in_its_place(void **state)
{
    struct kit *k = *state;
    assert_int_equal(mkdir(k->path, 0700), 0);
    kit_fails(k->s, store_connect(k->s), E_IO, "set ACP_AGENT_HOME");
    assert_int_equal(rmdir(k->path), 0);
}

#define NOBODY 65534

/* One append with these rights on folder and file, by a user who is not root. */
static int append_with(struct kit *k, mode_t dir, mode_t file)
{
    const struct store_entry e = {.kind = STORE_USER, .text = "x"};
    bool root = geteuid() == 0;
    assert_int_equal(chmod(k->path, file), 0);
    assert_int_equal(chmod(k->dir, dir), 0);
    assert_int_equal(root ? seteuid(NOBODY) : 0, 0);
    int rc = store_append(k->s, "a", &e, 1, NULL);
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(chmod(k->dir, 0700), 0);
    assert_int_equal(chmod(k->path, 0600), 0);
    return rc;
}

static void test_rights_that_are_missing(void **state)
{
    struct kit *k = *state;
    static const mode_t rights[][2] = {
        {0555, 0444}, {0555, 0000}, {0700, 0444}, {0000, 0600}}; /* folder, file */
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "x");
    for (size_t i = 0; i < ARRAY_LEN(rights); i++) {
        store_destroy(k->s);
        k->s = kit_store(k, 0);
        int rc = append_with(k, rights[i][0], rights[i][1]);
        assert_true(rc == UV_EACCES || rc == UV_EROFS);
        assert_non_null(strstr(store_error(k->s), "set ACP_AGENT_HOME"));
    }
    assert_string_equal(kit_texts(k->s, "a"), "x");
}

/* A disk that may be read only, for those who may mount one. */
static void test_read_only(void **state)
{
    struct kit *k = *state, ro = *k;
    const struct store_entry e = {.kind = STORE_USER, .text = "x"};
    snprintf(ro.dir, sizeof ro.dir, "%s/disk", k->dir);
    snprintf(ro.path, sizeof ro.path, "%s/sessions.db", ro.dir);
    assert_int_equal(mkdir(ro.dir, 0700), 0);
    if (mount("none", ro.dir, "tmpfs", 0, "size=1m") < 0) {
        print_message("no tmpfs may be mounted here: %s\n", strerror(errno));
        rmdir(ro.dir);
        skip();
    }
    ro.s = kit_store(&ro, 0);
    kit_add(ro.s, "a", 1);
    kit_say(ro.s, "a", "x");
    store_destroy(ro.s);
    assert_int_equal(mount("none", ro.dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m"), 0);
    ro.s = kit_store(&ro, 0);
    kit_fails(ro.s, store_append(ro.s, "a", &e, 1, NULL), UV_EROFS, "cannot be written. Make");
    store_destroy(ro.s);
    assert_int_equal(umount(ro.dir), 0);
    rmdir(ro.dir);
}

/* --- gone --- */

/* Somebody removes the file of a running agent: what is written then must not go to a file that
 * has no name any more. */
static void test_removed_while_open(void **state)
{
    struct kit *k = *state;
    struct store_reader r = {0};
    struct store_entry e;
    kit_add(k->s, "a", 1);
    kit_say(k->s, "a", "lost with the file");
    kit_ok(k->s, store_read_begin(k->s, "a", &r));
    kit_remove(k, "");
    const struct store_entry more = {.kind = STORE_USER, .text = "x"};
    kit_fails(k->s, store_append(k->s, "a", &more, 1, NULL), E_NOTFOUND, "no session a");
    kit_add(k->s, "b", 1);
    kit_say(k->s, "b", "in the new file");
    kit_fails(k->s, store_read_next(&r, &e), E_NOTFOUND, "replaced");
    store_read_end(&r);
    kit_expect(k, "SELECT text FROM entry", "in the new file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(test_full),
        KIT_TEST(test_full_in_the_middle),
        KIT_TEST(test_full_disk),
        KIT_TEST(test_no_space_for_the_first_page),
        KIT_TEST(test_locked),
        KIT_TEST(test_a_locked_store_is_waited_for_once),
        KIT_TEST(test_locked_when_opened),
        KIT_TEST(test_no_database),
        KIT_TEST(test_damaged_pages),
        KIT_TEST(test_log_cut_anywhere),
        KIT_TEST(test_a_folder_that_cannot_be_made),
        KIT_TEST(test_a_folder_in_its_place),
        KIT_TEST(test_rights_that_are_missing),
        KIT_TEST(test_read_only),
        KIT_TEST(test_removed_while_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
