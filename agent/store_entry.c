#include "agent/store_impl.h"

#include "base/err.h"

#include <assert.h>

/* Promised to models: the same words each time, so that a prefix stays what it was. */
#define INTERRUPTED_TEXT                                                                           \
    "Interrupted: the agent was ended while this ran. Whether it took effect is not known."

/* --- writing --- */

static int append_one(struct store *s, int64_t session, int64_t number, const struct store_entry *e)
{
    assert(e->kind >= STORE_USER && e->kind <= STORE_UPDATE);
    assert(e->state < STORE_CALL_INTERRUPTED);
    const struct store_arg args[] = {
        STORE_INT(session),     STORE_INT(number),    STORE_INT(e->kind),
        STORE_INT(e->state),    STORE_INT(e->time),   STORE_TEXT(e->wire_id),
        STORE_TEXT(e->call_id), STORE_TEXT(e->text),  STORE_TEXT(e->thought),
        STORE_TEXT(e->calls),   STORE_TEXT(e->shown), STORE_TEXT(e->outcome)};
    return store_run(s, STORE_SQL_APPEND, args);
}

static int append_all(struct store *s, int64_t session, int64_t first,
                      const struct store_entry *entries, size_t n)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = append_one(s, session, first + (int64_t)i, &entries[i]);
    return rc;
}

int store_append(struct store *s, const char *session, const struct store_entry *entries, size_t n,
                 int64_t *ret_last)
{
    int64_t row[2] = {0}; /* the session's number, the last entry's */
    assert(n > 0);
    int rc = store_begin(s);
    if (rc == 0)
        rc = store_run_row(s, STORE_SQL_RESERVE,
                           (struct store_arg[]){STORE_TEXT(session), STORE_INT((int64_t)n),
                                                STORE_INT(entries[n - 1].time)},
                           row, 2);
    if (rc == 0)
        rc = store_fail_session(s, session);
    if (rc == 1)
        rc = append_all(s, row[0], row[1] - (int64_t)n + 1, entries, n);
    rc = store_end(s, rc);
    if (rc == 0 && ret_last)
        *ret_last = row[1];
    return rc;
}

static int must_be_open(struct store *s, int64_t session, int64_t number)
{
    int64_t state = 0;
    int rc = store_run_row(s, STORE_SQL_CALL_STATE,
                           (struct store_arg[]){STORE_INT(session), STORE_INT(number)}, &state, 1);
    if (rc == 0)
        return store_fail(s, E_NOTFOUND, "The tool call is gone from the session store.");
    if (rc == 1 && state != STORE_CALL_OPEN)
        return store_fail(s, E_STATE, "The tool call has ended before.");
    return rc < 0 ? rc : 0;
}

int store_finish_call(struct store *s, const char *session, int64_t number,
                      const struct store_entry *end)
{
    int64_t n = 0;
    assert(end->state == STORE_CALL_COMPLETED || end->state == STORE_CALL_FAILED);
    int rc = store_begin(s);
    if (rc == 0)
        rc = store_know_session(s, session, &n, NULL);
    if (rc == 0)
        rc = must_be_open(s, n, number);
    if (rc == 0)
        rc = store_run(s, STORE_SQL_FINISH_CALL,
                       (struct store_arg[]){STORE_INT(n), STORE_INT(number), STORE_INT(end->state),
                                            STORE_INT(end->time), STORE_TEXT(end->text),
                                            STORE_TEXT(end->outcome)});
    if (rc == 0)
        rc =
            store_run(s, STORE_SQL_TOUCH, (struct store_arg[]){STORE_INT(n), STORE_INT(end->time)});
    return store_end(s, rc);
}

int store_cut(struct store *s, const char *session, int64_t number)
{
    int64_t n = 0;
    int rc = store_begin(s);
    if (rc == 0)
        rc = store_know_session(s, session, &n, NULL);
    if (rc == 0)
        rc = store_run(s, STORE_SQL_DELETE_ENTRIES,
                       (struct store_arg[]){STORE_INT(n), STORE_INT(number)});
    return store_end(s, rc);
}

/* --- reading --- */

int store_read_begin(struct store *s, const char *session, struct store_reader *ret)
{
    struct store_reader r = {.store = s};
    int rc = store_connect(s);
    if (rc == 0)
        rc = store_know_session(s, session, &r.session, &r.last);
    if (rc < 0)
        return rc;
    r.opening = s->opening;
    *ret = r;
    return 0;
}

enum { NUMBER, KIND, STATE, TIME, WIRE_ID, CALL_ID, TEXT, THOUGHT, CALLS, SHOWN, OUTCOME, COLUMNS };

static int read_row(struct store_reader *r, sqlite3_stmt *q, struct store_entry *ret)
{
    const char *texts[COLUMNS];
    int64_t kind = sqlite3_column_int64(q, KIND), state = sqlite3_column_int64(q, STATE);
    if (kind < STORE_USER || kind > STORE_UPDATE || state < 0 || state >= STORE_CALL_INTERRUPTED)
        return store_fail_sqlite(r->store, SQLITE_CORRUPT);
    int rc = store_copy_texts(r->store, q, (struct store_columns){WIRE_ID, COLUMNS - WIRE_ID},
                              &r->texts, texts + WIRE_ID);
    if (rc < 0)
        return rc;
    *ret = (struct store_entry){.number = sqlite3_column_int64(q, NUMBER),
                                .kind = (enum store_kind)kind,
                                .state = (enum store_call_state)state,
                                .time = sqlite3_column_int64(q, TIME),
                                .wire_id = texts[WIRE_ID],
                                .call_id = texts[CALL_ID],
                                .text = texts[TEXT],
                                .thought = texts[THOUGHT],
                                .calls = texts[CALLS],
                                .shown = texts[SHOWN],
                                .outcome = texts[OUTCOME]};
    return 0;
}

static void interrupt_open_call(struct store_entry *e)
{
    if (e->kind != STORE_CALL || e->state != STORE_CALL_OPEN)
        return;
    e->state = STORE_CALL_INTERRUPTED;
    e->text = INTERRUPTED_TEXT;
}

/* Entries may be missing at the end: all that was left has been cut, or the session deleted. */
static int end_early(struct store_reader *r)
{
    int64_t one;
    int rc = store_run_row(r->store, STORE_SQL_KNOWS_NUMBER,
                           (struct store_arg[]){STORE_INT(r->session)}, &one, 1);
    if (rc == 0)
        return store_fail(r->store, E_NOTFOUND, "The session was deleted while it was read.");
    return rc < 0 ? rc : 0;
}

/* One statement per entry instead of one for all: a statement that waits for the client would hold
 * its snapshot, and with it keep the log growing and this process from writing. */
int store_read_next(struct store_reader *r, struct store_entry *ret)
{
    sqlite3_stmt *q = NULL;
    if (r->number >= r->last)
        return 0;
    if (!r->store->db || r->opening != r->store->opening)
        return store_fail(r->store, E_NOTFOUND,
                          "The session store was closed or replaced while it was read.");
    int rc = store_query(
        r->store, STORE_SQL_READ,
        (struct store_arg[]){STORE_INT(r->session), STORE_INT(r->number), STORE_INT(r->last)}, &q);
    if (rc == 0)
        rc = store_step(r->store, q);
    if (rc <= 0)
        return rc < 0 ? rc : end_early(r);
    rc = read_row(r, q, ret);
    store_reset(q);
    if (rc < 0)
        return rc;
    r->number = ret->number;
    interrupt_open_call(ret);
    return 1;
}

void store_read_end(struct store_reader *r)
{
    buf_deinit(&r->texts);
    *r = (struct store_reader){0};
}
