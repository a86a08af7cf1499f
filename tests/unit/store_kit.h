#ifndef UNIT_STORE_KIT_H
#define UNIT_STORE_KIT_H

/* A store in a folder of its own for each test; include after cmocka's needs. */
#include "agent/store_impl.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct kit {
    char dir[64], path[128];
    struct store *s;
    bool damaged; /* the test breaks the file on purpose */
};

static inline struct store *kit_store(const struct kit *k, unsigned max_pages)
{
    struct store *s = NULL;
    const struct store_options options = {.path = k->path, .busy_ms = 1, .max_pages = max_pages};
    assert_int_equal(store_create(&options, &s), 0);
    return s;
}

static inline int kit_setup(void **state)
{
    struct kit *k = calloc(1, sizeof *k);
    assert_non_null(k);
    snprintf(k->dir, sizeof k->dir, "/tmp/acp-store-XXXXXX");
    assert_non_null(mkdtemp(k->dir));
    snprintf(k->path, sizeof k->path, "%s/sessions.db", k->dir);
    k->s = kit_store(k, 0);
    *state = k;
    return 0;
}

/* --- the file, past the module --- */

static inline sqlite3 *kit_raw(const struct kit *k)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(k->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_busy_timeout(db, 10000);
    return db;
}

static inline void kit_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* The only value of the only row, as text. */
static inline void kit_expect(const struct kit *k, const char *sql, const char *want)
{
    sqlite3 *db = kit_raw(k);
    sqlite3_stmt *q = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    const char *got = (const char *)sqlite3_column_text(q, 0);
    assert_string_equal(got ? got : "NULL", want);
    sqlite3_finalize(q);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline void kit_remove(const struct kit *k, const char *suffix)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s", k->path, suffix);
    remove(path);
}

static inline int kit_teardown(void **state)
{
    struct kit *k = *state;
    store_destroy(k->s);
    if (!k->damaged && access(k->path, F_OK) == 0)
        kit_expect(k, "PRAGMA integrity_check", "ok");
    kit_remove(k, "");
    kit_remove(k, "-wal");
    kit_remove(k, "-shm");
    assert_int_equal(rmdir(k->dir), 0);
    free(k);
    return 0;
}

/* --- sessions and entries --- */

static inline void kit_ok(const struct store *s, int rc)
{
    if (rc < 0)
        fail_msg("%d (%s): %s", rc, err_text(rc), store_error(s));
}

/* The call failed with this code and a sentence that has these words. */
static inline void kit_fails(const struct store *s, int rc, int code, const char *words)
{
    if (rc != code)
        fail_msg("got %d (%s), wanted %d (%s)", rc, err_text(rc), code, err_text(code));
    if (!strstr(store_error(s), words))
        fail_msg("\"%s\" does not say \"%s\"", store_error(s), words);
}

static inline void kit_add(struct store *s, const char *id, int64_t created)
{
    kit_ok(s, store_add_session(
                  s, &(struct store_session){.id = id, .cwd = "/home/me", .created = created}));
}

/* Appends one user message. */
static inline int64_t kit_say(struct store *s, const char *id, const char *text)
{
    int64_t number = 0;
    const struct store_entry e = {.kind = STORE_USER, .time = 10, .text = text};
    kit_ok(s, store_append(s, id, &e, 1, &number));
    return number;
}

/* The texts of all entries, "a|b|c"; lent until the next call. */
static inline const char *kit_texts(struct store *s, const char *id)
{
    static char all[4096];
    struct store_reader r = {0};
    struct store_entry e;
    size_t n = 0;
    int rc = store_read_begin(s, id, &r);
    kit_ok(s, rc);
    all[0] = '\0';
    while ((rc = store_read_next(&r, &e)) == 1)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? "|" : "", e.text ? e.text : "-");
    kit_ok(s, rc);
    store_read_end(&r);
    return all;
}

#define KIT_TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)

#endif
