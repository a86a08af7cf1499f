#include "agent/store_impl.h"

#include "base/err.h"

#include <string.h>

static int must_be_new(struct store *s, const char *id)
{
    int64_t n;
    int rc = store_run_row(s, STORE_SQL_KNOWS_SESSION, (struct store_arg[]){STORE_TEXT(id)}, &n, 1);
    if (rc <= 0)
        return rc;
    return store_fail(s, E_EXISTS, "The session store has a session %s already.", id);
}

int store_add_session(struct store *s, const struct store_session *session)
{
    const struct store_arg args[] = {STORE_TEXT(session->id),     STORE_TEXT(session->cwd),
                                     STORE_TEXT(session->title),  STORE_TEXT(session->settings),
                                     STORE_TEXT(session->system), STORE_INT(session->created)};
    int rc = store_begin(s);
    if (rc == 0)
        rc = must_be_new(s, session->id);
    if (rc == 0)
        rc = store_run(s, STORE_SQL_ADD_SESSION, args);
    return store_end(s, rc);
}

/* --- finding --- */

enum { ID, CWD, TITLE, SETTINGS, CREATED, UPDATED, LAST, SYSTEM }; /* columns, in their order */

void store_session_numbers(sqlite3_stmt *q, struct store_session *ret)
{
    ret->created = sqlite3_column_int64(q, CREATED);
    ret->updated = sqlite3_column_int64(q, UPDATED);
    ret->last = sqlite3_column_int64(q, LAST);
}

static int copy_session(struct store *s, sqlite3_stmt *q, struct store_session *ret)
{
    const char *texts[SYSTEM + 1];
    int rc = store_copy_texts(s, q, (struct store_columns){ID, SYSTEM + 1}, &s->found, texts);
    if (rc < 0)
        return rc;
    *ret = (struct store_session){.id = texts[ID],
                                  .cwd = texts[CWD],
                                  .title = texts[TITLE],
                                  .settings = texts[SETTINGS],
                                  .system = texts[SYSTEM]};
    store_session_numbers(q, ret);
    return 0;
}

int store_find_session(struct store *s, const char *id, struct store_session *ret)
{
    sqlite3_stmt *q = NULL;
    int rc = store_connect(s);
    if (rc == 0)
        rc = store_query(s, STORE_SQL_FIND_SESSION, (struct store_arg[]){STORE_TEXT(id)}, &q);
    if (rc == 0)
        rc = store_step(s, q);
    if (rc <= 0)
        return rc < 0 ? rc : store_fail_session(s, id);
    rc = ret ? copy_session(s, q, ret) : 0;
    store_reset(q);
    return rc;
}

/* --- changing --- */

/* A statement that changes the one session it names. */
static int change(struct store *s, enum store_sql sql, const struct store_arg *args, const char *id)
{
    int rc = store_begin(s);
    if (rc == 0)
        rc = store_run(s, sql, args);
    if (rc == 0 && sqlite3_changes(s->db) == 0)
        rc = store_fail_session(s, id);
    return store_end(s, rc);
}

int store_set_title(struct store *s, const char *id, const char *title, int64_t now)
{
    return change(s, STORE_SQL_SET_TITLE,
                  (struct store_arg[]){STORE_TEXT(id), STORE_TEXT(title), STORE_INT(now)}, id);
}

int store_set_settings(struct store *s, const char *id, const char *settings)
{
    return change(s, STORE_SQL_SET_SETTINGS,
                  (struct store_arg[]){STORE_TEXT(id), STORE_TEXT(settings)}, id);
}

/* --- deleting --- */

/* What was deleted is overwritten in the file, but the log still has it: the log is emptied, unless
 * another process is reading right now; then the next checkpoint does it. */
static void forget(struct store *s)
{
    sqlite3_busy_timeout(s->db, 0);
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(s->db, (int)store_patience(s));
}

int store_delete_session(struct store *s, const char *id)
{
    int64_t n = 0;
    int rc = store_begin(s);
    if (rc == 0)
        rc = store_run_row(s, STORE_SQL_KNOWS_SESSION, (struct store_arg[]){STORE_TEXT(id)}, &n, 1);
    if (rc == 1)
        rc = store_run(s, STORE_SQL_DELETE_ENTRIES,
                       (struct store_arg[]){STORE_INT(n), STORE_INT(0)});
    if (rc == 0)
        rc = store_run(s, STORE_SQL_DELETE_SESSION, (struct store_arg[]){STORE_INT(n)});
    rc = store_end(s, rc);
    if (rc == 0 && n > 0)
        forget(s);
    return rc;
}

/* --- forking --- */

struct fork {
    int64_t from, last; /* the session's number, the last entry to take */
};

/* Up to the message and the calls it made: before the next message. */
static int find_end(struct store *s, const struct store_fork *fork, struct fork *ret)
{
    int64_t at = 0, next = 0;
    int rc =
        store_run_row(s, STORE_SQL_FIND_MESSAGE,
                      (struct store_arg[]){STORE_INT(ret->from), STORE_TEXT(fork->until)}, &at, 1);
    if (rc >= 0 && at == 0)
        return store_fail(s, E_INVALID, "There is no message %s in session %s.", fork->until,
                          fork->from);
    if (rc >= 0)
        rc = store_run_row(s, STORE_SQL_NEXT_MESSAGE,
                           (struct store_arg[]){STORE_INT(ret->from), STORE_INT(at)}, &next, 1);
    if (next > 0)
        ret->last = next - 1;
    return rc < 0 ? rc : 0;
}

static int copy(struct store *s, const struct store_fork *fork)
{
    struct fork f;
    int rc = store_know_session(s, fork->from, &f.from, &f.last);
    if (rc == 0 && fork->until)
        rc = find_end(s, fork, &f);
    if (rc == 0)
        rc = must_be_new(s, fork->id);
    if (rc == 0)
        rc = store_run(s, STORE_SQL_FORK_SESSION,
                       (struct store_arg[]){STORE_INT(f.from), STORE_TEXT(fork->id),
                                            STORE_TEXT(fork->cwd), STORE_INT(fork->now),
                                            STORE_INT(f.last)});
    int64_t to = sqlite3_last_insert_rowid(s->db);
    if (rc == 0)
        rc = store_run(s, STORE_SQL_FORK_ENTRIES,
                       (struct store_arg[]){STORE_INT(f.from), STORE_INT(to), STORE_INT(f.last)});
    return rc;
}

int store_fork_session(struct store *s, const struct store_fork *fork)
{
    int rc = store_begin(s);
    if (rc == 0)
        rc = copy(s, fork);
    return store_end(s, rc);
}
