#ifndef AGENT_STORE_IMPL_H
#define AGENT_STORE_IMPL_H

#include "agent/store.h"

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Private to store*.c and their tests: store.c opens and runs statements, store_schema.c makes and
 * upgrades the tables, store_session.c, store_entry.c, store_list.c are the calls, store_path.c the
 * file, store_error.c the sentences.
 */

#define STORE_SESSION_COLUMNS "id, cwd, title, settings, created, updated, last"
#define STORE_ENTRY_COLUMNS                                                                        \
    "number, kind, state, time, wire_id, call_id, text, thought, calls, shown, outcome"

/* Every statement, once; they are prepared at their first use. */
#define STORE_STATEMENTS(X)                                                                        \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                    \
    X(COMMIT, "COMMIT")                                                                            \
    X(VERSION, "PRAGMA user_version")                                                              \
    X(FOREIGN, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE user_version = 0 OR name = "      \
               "'session') = (user_version = 0) FROM pragma_user_version")                         \
    X(ADD_SESSION, "INSERT INTO session (id, cwd, title, settings, system, created, updated)"      \
                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)")                                         \
    X(FIND_SESSION, "SELECT " STORE_SESSION_COLUMNS ", system, n FROM session WHERE id = ?1")      \
    X(KNOWS_SESSION, "SELECT n, last FROM session WHERE id = ?1")                                  \
    X(KNOWS_NUMBER, "SELECT 1 FROM session WHERE n = ?1")                                          \
    X(SET_TITLE, "UPDATE session SET title = ?2, updated = max(updated, ?3) WHERE id = ?1")        \
    X(SET_SETTINGS, "UPDATE session SET settings = ?2 WHERE id = ?1")                              \
    X(DELETE_ENTRIES, "DELETE FROM entry WHERE session = ?1 AND number > ?2")                      \
    X(DELETE_SESSION, "DELETE FROM session WHERE n = ?1")                                          \
    X(LIST, "SELECT " STORE_SESSION_COLUMNS ", NULL, n FROM session"                               \
            " WHERE (updated, n) < (?1, ?2) ORDER BY updated DESC, n DESC LIMIT ?3")               \
    X(LIST_CWD, "SELECT " STORE_SESSION_COLUMNS ", NULL, n FROM session"                           \
                " WHERE cwd = ?4 AND (updated, n) < (?1, ?2)"                                      \
                " ORDER BY updated DESC, n DESC LIMIT ?3")                                         \
    X(FIND_MESSAGE, "SELECT max(number) FROM entry WHERE session = ?1 AND wire_id = ?2")           \
    X(NEXT_MESSAGE, "SELECT min(number) FROM entry"                                                \
                    " WHERE session = ?1 AND number > ?2 AND kind IN (1, 2)")                      \
    X(FORK_SESSION, "INSERT INTO session"                                                          \
                    " (id, cwd, title, settings, system, created, updated, last)"                  \
                    " SELECT ?2, coalesce(?3, cwd), title, settings,"                              \
                    " CASE WHEN coalesce(?3, cwd) = cwd THEN system END, ?4, ?4, ?5"               \
                    " FROM session WHERE n = ?1")                                                  \
    X(FORK_ENTRIES, "INSERT INTO entry (session, " STORE_ENTRY_COLUMNS ")"                         \
                    " SELECT ?2, " STORE_ENTRY_COLUMNS " FROM entry"                               \
                    " WHERE session = ?1 AND number <= ?3 ORDER BY number")                        \
    X(RESERVE, "UPDATE session SET last = last + ?2, updated = max(updated, ?3)"                   \
               " WHERE id = ?1 RETURNING n, last")                                                 \
    X(APPEND, "INSERT INTO entry (session, " STORE_ENTRY_COLUMNS ")"                               \
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")                       \
    X(TOUCH, "UPDATE session SET updated = max(updated, ?2) WHERE n = ?1")                         \
    X(CALL_STATE, "SELECT state FROM entry WHERE session = ?1 AND number = ?2 AND kind = 3")       \
    X(FINISH_CALL, "UPDATE entry SET state = ?3, time = ?4, text = ?5, outcome = ?6"               \
                   " WHERE session = ?1 AND number = ?2")                                          \
    X(READ, "SELECT " STORE_ENTRY_COLUMNS " FROM entry"                                            \
            " WHERE session = ?1 AND number > ?2 AND number <= ?3 ORDER BY number LIMIT 1")

enum store_sql {
#define X(id, text) STORE_SQL_##id,
    STORE_STATEMENTS(X)
#undef X
        STORE_SQL_COUNT
};

struct store {
    char *path; /* owned */
    unsigned busy_ms, max_pages;
    bool locked; /* it was, when last tried: the next call does not wait long for it */
    sqlite3 *db; /* NULL: not open */
    sqlite3_stmt *statements[STORE_SQL_COUNT];
    unsigned opening; /* counts them: another one may be another file */
    struct buf found; /* the texts of store_find_session */
    char error[1024];
};

/* --- store.c --- */

/* One parameter of a statement; texts are lent until the statement is done. */
struct store_arg {
    const char *text;
    int64_t number;
    bool is_number;
};
#define STORE_TEXT(v) ((struct store_arg){.text = (v)})
#define STORE_INT(v)  ((struct store_arg){.number = (v), .is_number = true})

/* Makes a statement ready to step; args has as many elements as it has parameters. */
int store_query(struct store *s, enum store_sql sql, const struct store_arg *args,
                sqlite3_stmt **ret);
/* 1: a row. 0: done, and reset; so it is after a failure. */
int store_step(struct store *s, sqlite3_stmt *q);
/* Ends a statement before it is done, and with it the snapshot it holds. */
void store_reset(sqlite3_stmt *q);
/* A statement without rows. */
int store_run(struct store *s, enum store_sql sql, const struct store_arg *args);
/* The first row's numbers (0 for NULL). 1, or 0: no row. */
int store_run_row(struct store *s, enum store_sql sql, const struct store_arg *args, int64_t *ret,
                  int n);

/* How many milliseconds to wait for a lock. */
unsigned store_patience(const struct store *s);

/* Opens a transaction that writes. */
int store_begin(struct store *s);
/* Ends it: with rc 0 by committing, else by taking back; gives the result of the whole. */
int store_end(struct store *s, int rc);

/*
 * Copies the text columns [first, first + n) of a row into `into`, so that the row need not be
 * held, and points ret at the copies (NULL for NULL). 0 or E_NOMEM.
 */
struct store_columns {
    int first, n;
};
int store_copy_texts(struct store *s, sqlite3_stmt *q, struct store_columns columns,
                     struct buf *into, const char **ret);

/* The session's own number and that of its last entry (may be NULL). E_NOTFOUND. */
int store_know_session(struct store *s, const char *id, int64_t *ret_n, int64_t *ret_last);

/* --- store_session.c --- */

/* The numbers of a row of STORE_SESSION_COLUMNS; its texts are elsewhere. */
void store_session_numbers(sqlite3_stmt *q, struct store_session *ret);

/* --- store_schema.c --- */

/* The steps that lead from an empty file to the newest version; step i makes version i + 1. */
struct store_schema {
    const char *const *steps;
    int n;
};
extern const struct store_schema store_schema;

int store_version(struct store *s, int *ret);
/* Runs what is missing, all or nothing. E_UNSUPPORTED: the file is newer. */
int store_migrate(struct store *s, const struct store_schema *schema);

/* --- store_path.c --- */

/* Makes the folders and an empty file, unless they are there. */
int store_make_file(struct store *s);

/* --- store_error.c --- */

/* Each writes the sentence and gives the code. */
int store_fail_sqlite(struct store *s, int sqlite_rc);
int store_fail_file(struct store *s, const char *path, int err);
int store_fail_session(struct store *s, const char *id);
int store_fail(struct store *s, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
