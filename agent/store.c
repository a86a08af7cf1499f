#include "agent/store_impl.h"

#include "base/err.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUSY_MS   1000
#define LOCKED_MS 10
#define LOG_KEPT_BYTES                                                                             \
    (8 << 20) /* what may stay of the log; one big transaction makes it longer                     \
               */

static const char *const texts[STORE_SQL_COUNT] = {
#define X(id, text) [STORE_SQL_##id] = (text),
    STORE_STATEMENTS(X)
#undef X
};

int store_create(const struct store_options *options, struct store **ret)
{
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return E_NOMEM;
    s->path = strdup(options->path);
    if (!s->path) {
        store_destroy(s);
        return E_NOMEM;
    }
    s->busy_ms = options->busy_ms ? options->busy_ms : BUSY_MS;
    s->max_pages = options->max_pages;
    *ret = s;
    return 0;
}

static bool log_is_long(const struct store *s)
{
    sqlite3_file *log = NULL;
    sqlite3_int64 bytes = 0;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        log->pMethods->xFileSize(log, &bytes);
    return bytes > LOG_KEPT_BYTES;
}

/* SQLite would move the log into the file each time the last process closes it. That costs several
 * waits for the disk, now and at the first write of the next process, while reading a short log
 * back costs next to nothing. */
static void disconnect(struct store *s)
{
    if (s->db && !log_is_long(s))
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    for (int i = 0; i < STORE_SQL_COUNT; i++) {
        sqlite3_finalize(s->statements[i]);
        s->statements[i] = NULL;
    }
    sqlite3_close(s->db);
    s->db = NULL;
}

void store_destroy(struct store *s)
{
    if (!s)
        return;
    disconnect(s);
    buf_deinit(&s->found);
    free(s->path);
    free(s);
}

/* --- opening --- */

unsigned store_patience(const struct store *s)
{
    return s->locked && s->busy_ms > LOCKED_MS ? LOCKED_MS : s->busy_ms;
}

static int pragma(struct store *s, const char *name, unsigned value)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA %s = %u", name, value);
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : store_fail_sqlite(s, rc);
}

static int configure(struct store *s)
{
    sqlite3_busy_timeout(s->db, (int)store_patience(s));
    sqlite3_extended_result_codes(s->db, 1);
    int rc = s->max_pages ? pragma(s, "max_page_count", s->max_pages) : 0;
    return rc == 0 ? pragma(s, "journal_size_limit", LOG_KEPT_BYTES) : rc;
}

/* Where WAL cannot be had (some network file systems) SQLite stays with its rollback journal, which
 * is slower and as safe. Several processes may find the same new file; SQLite's own time-out does
 * not work here, lest they wait for each other. */
static int use_wal(struct store *s)
{
    int rc = SQLITE_BUSY;
    unsigned most = store_patience(s);
    for (unsigned waited = 0; (rc & 0xff) == SQLITE_BUSY && waited <= most; waited++) {
        rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if ((rc & 0xff) == SQLITE_BUSY)
            sqlite3_sleep(1);
    }
    return rc == SQLITE_OK ? 0 : store_fail_sqlite(s, rc);
}

/* The log of a file that somebody removed is in the way of a new one. SQLite removes it, and is
 * put out if another process does so at the same moment. */
static int first_look(struct store *s, int *ret_version)
{
    int rc, tries = 0;
    do
        rc = store_version(s, ret_version);
    while (rc < 0 && sqlite3_extended_errcode(s->db) == SQLITE_IOERR_DELETE_NOENT && tries++ < 10);
    return rc;
}

/* Before anything of the file is changed: it is empty, or has our tables. (A newer format may have
 * others: store_migrate speaks of that.) */
static int check_owner(struct store *s)
{
    int64_t foreign = 0;
    int rc = store_run_row(s, STORE_SQL_FOREIGN, NULL, &foreign, 1);
    if (rc < 0 || !foreign)
        return rc < 0 ? rc : 0;
    return store_fail(s, E_PARSE,
                      "The session store %s belongs to another program. Move it away (a new one is "
                      "made), or set ACP_AGENT_HOME to a folder elsewhere.",
                      s->path);
}

/* An empty file has nothing to lose yet, so making the tables waits for no disk. */
static int prepare(struct store *s)
{
    int version = 0;
    int rc = first_look(s, &version);
    if (rc == 0 && version <= store_schema.n)
        rc = check_owner(s);
    if (rc == 0)
        rc = pragma(s, "synchronous", version == 0 ? 0 : 1);
    if (rc == 0)
        rc = use_wal(s);
    if (rc == 0)
        rc = store_migrate(s, &store_schema);
    if (rc == 0 && version == 0)
        rc = pragma(s, "synchronous", 1);
    return rc;
}

static bool was_moved(struct store *s)
{
    int moved = 0;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

int store_connect(struct store *s)
{
    if (s->db && !was_moved(s))
        return 0;
    disconnect(s);
    int rc = store_make_file(s);
    if (rc < 0)
        return rc;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int opened = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    rc = opened == SQLITE_OK ? configure(s) : store_fail_sqlite(s, opened);
    if (rc == 0)
        rc = prepare(s);
    if (rc < 0)
        disconnect(s);
    else
        s->opening++;
    return rc;
}

/* --- statements --- */

static int bind(sqlite3_stmt *q, int i, const struct store_arg *arg)
{
    if (arg->is_number)
        return sqlite3_bind_int64(q, i, arg->number);
    if (!arg->text)
        return sqlite3_bind_null(q, i);
    return sqlite3_bind_text64(q, i, arg->text, strlen(arg->text), SQLITE_STATIC, SQLITE_UTF8);
}

int store_query(struct store *s, enum store_sql sql, const struct store_arg *args,
                sqlite3_stmt **ret)
{
    sqlite3_stmt **q = &s->statements[sql];
    int rc = SQLITE_OK;
    if (!*q)
        rc = sqlite3_prepare_v3(s->db, texts[sql], -1, SQLITE_PREPARE_PERSISTENT, q, NULL);
    int n = rc == SQLITE_OK ? sqlite3_bind_parameter_count(*q) : 0;
    assert(n == 0 || args);
    for (int i = 0; rc == SQLITE_OK && i < n; i++)
        rc = bind(*q, i + 1, &args[i]);
    if (rc != SQLITE_OK) {
        store_reset(*q);
        return store_fail_sqlite(s, rc);
    }
    *ret = *q;
    return 0;
}

void store_reset(sqlite3_stmt *q)
{
    sqlite3_reset(q);
    if (q)
        sqlite3_clear_bindings(q); /* they are lent */
}

int store_step(struct store *s, sqlite3_stmt *q)
{
    int rc = sqlite3_step(q);
    if (rc == SQLITE_ROW)
        return 1;
    rc = rc == SQLITE_DONE ? 0 : store_fail_sqlite(s, rc);
    store_reset(q);
    return rc;
}

int store_run(struct store *s, enum store_sql sql, const struct store_arg *args)
{
    sqlite3_stmt *q = NULL;
    int rc = store_query(s, sql, args, &q);
    return rc == 0 ? store_step(s, q) : rc;
}

int store_run_row(struct store *s, enum store_sql sql, const struct store_arg *args, int64_t *ret,
                  int n)
{
    sqlite3_stmt *q = NULL;
    int rc = store_query(s, sql, args, &q);
    if (rc == 0)
        rc = store_step(s, q);
    for (int i = 0; rc == 1 && i < n; i++)
        ret[i] = sqlite3_column_int64(q, i);
    if (rc == 1)
        store_reset(q);
    return rc;
}

static size_t column_bytes(sqlite3_stmt *q, int column)
{
    bool null = sqlite3_column_type(q, column) == SQLITE_NULL;
    return null ? 0 : (size_t)sqlite3_column_bytes(q, column) + 1;
}

int store_copy_texts(struct store *s, sqlite3_stmt *q, struct store_columns columns,
                     struct buf *into, const char **ret)
{
    size_t size = 0;
    for (int i = 0; i < columns.n; i++)
        size += column_bytes(q, columns.first + i);
    into->n = 0;
    if (buf_reserve(into, size) < 0) /* all of it at once: the pointers must hold */
        return store_fail(s, E_NOMEM, "Out of memory.");
    for (int i = 0; i < columns.n; i++) {
        size_t n = column_bytes(q, columns.first + i);
        const void *text = n ? sqlite3_column_text(q, columns.first + i) : NULL;
        if (n && !text)
            return store_fail(s, E_NOMEM, "Out of memory.");
        ret[i] = n ? into->p + into->n : NULL;
        buf_add(into, text, n);
    }
    return 0;
}

int store_know_session(struct store *s, const char *id, int64_t *ret_n, int64_t *ret_last)
{
    int64_t row[2] = {0};
    int rc =
        store_run_row(s, STORE_SQL_KNOWS_SESSION, (struct store_arg[]){STORE_TEXT(id)}, row, 2);
    if (rc <= 0)
        return rc < 0 ? rc : store_fail_session(s, id);
    *ret_n = row[0];
    if (ret_last)
        *ret_last = row[1];
    return 0;
}

/* --- transactions --- */

/* Another process may have upgraded the file since this one opened it. */
static int check_version(struct store *s)
{
    int version = 0;
    int rc = store_version(s, &version);
    if (rc < 0 || version == store_schema.n)
        return rc;
    return store_fail(
        s, E_UNSUPPORTED,
        "The session store %s was changed by another version of acp-agent (format %d, "
        "this one uses %d): restart this agent.",
        s->path, version, store_schema.n);
}

int store_begin(struct store *s)
{
    int rc = store_connect(s);
    if (rc < 0)
        return rc;
    sqlite3_busy_timeout(s->db, (int)store_patience(s));
    rc = store_run(s, STORE_SQL_BEGIN, NULL);
    if (rc < 0)
        return rc;
    s->locked = false;
    return check_version(s);
}

int store_end(struct store *s, int rc)
{
    if (rc >= 0)
        rc = store_run(s, STORE_SQL_COMMIT, NULL);
    /* Some failures have taken the transaction back already, some commits have to be. */
    if (s->db && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    if (s->db && !sqlite3_get_autocommit(s->db))
        disconnect(s); /* no memory even for that: closing takes it back, too */
    return rc;
}

/* --- */

const char *store_format_time(int64_t ms, char ret[STORE_TIME_SIZE])
{
    int64_t rest = ms % 1000;
    if (rest < 0)
        rest += 1000;
    time_t seconds = (time_t)((ms - rest) / 1000);
    struct tm tm;
    char date[STORE_TIME_SIZE - 8];
    if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(date, sizeof date, "1970-01-01T00:00:00");
    snprintf(ret, STORE_TIME_SIZE, "%s.%03dZ", date, (int)rest);
    return ret;
}
