#include "agent/store_impl.h"

#include "base/err.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * A cursor is the place of a page's last session: `updated`, its number n, and a check sum of the
 * two, in hexadecimal. A place stays right whatever is added, touched or deleted meanwhile.
 */
struct place {
    int64_t updated, n;
};

#define WORD 16u /* hexadecimal digits */
#define SUM  8u
#define BODY ((size_t)2 * WORD)

/* FNV-1a: against typing mistakes and half cursors, not against malice. A made-up place is only a
 * place. */
static uint32_t check_sum(const char *p, size_t n)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)p[i]) * 16777619u;
    return sum;
}

static void write_cursor(const struct place *at, char ret[STORE_CURSOR_SIZE])
{
    snprintf(ret, STORE_CURSOR_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)at->updated,
             (uint64_t)at->n);
    snprintf(ret + BODY, SUM + 1, "%08" PRIx32, check_sum(ret, BODY));
}

static int read_hex(const char *p, unsigned digits, uint64_t *ret)
{
    static const char hex[] = "0123456789abcdef";
    *ret = 0;
    for (unsigned i = 0; i < digits; i++) {
        const char *digit = p[i] ? strchr(hex, p[i]) : NULL;
        if (!digit)
            return E_INVALID;
        *ret = *ret << 4 | (uint64_t)(digit - hex);
    }
    return 0;
}

static int read_cursor(struct store *s, const char *cursor, struct place *ret)
{
    uint64_t updated, n, sum;
    if (strlen(cursor) != STORE_CURSOR_SIZE - 1 || read_hex(cursor, WORD, &updated) < 0 ||
        read_hex(cursor + WORD, WORD, &n) < 0 || read_hex(cursor + BODY, SUM, &sum) < 0 ||
        sum != check_sum(cursor, BODY))
        return store_fail(s, E_INVALID,
                          "This cursor did not come from the list: leave it out to begin anew.");
    *ret = (struct place){(int64_t)updated, (int64_t)n};
    return 0;
}

/* --- */

enum { ID, CWD, TITLE, SETTINGS, CREATED, UPDATED, LAST, SYSTEM, N };

static const char *text(sqlite3_stmt *q, int column)
{
    return (const char *)sqlite3_column_text(q, column);
}

/* The row's texts are lent by the statement. */
static int read_row(struct store *s, sqlite3_stmt *q, struct store_session *ret)
{
    *ret = (struct store_session){.id = text(q, ID),
                                  .cwd = text(q, CWD),
                                  .title = text(q, TITLE),
                                  .settings = text(q, SETTINGS)};
    store_session_numbers(q, ret);
    return ret->id && ret->cwd ? 0 : store_fail(s, E_NOMEM, "Out of memory.");
}

struct page {
    size_t left;
    void (*each)(void *ctx, const struct store_session *session);
    void *ctx;
    struct place end;
};

/* 1: it was one row more than the page takes. */
static int give_rows(struct store *s, sqlite3_stmt *q, struct page *page)
{
    struct store_session session;
    int rc;
    while ((rc = store_step(s, q)) == 1 && page->left > 0) {
        rc = read_row(s, q, &session);
        if (rc < 0)
            break;
        page->left--;
        page->end = (struct place){session.updated, sqlite3_column_int64(q, N)};
        page->each(page->ctx, &session);
    }
    store_reset(q);
    return rc;
}

int store_list_sessions(struct store *s, const struct store_query *query,
                        void (*each)(void *ctx, const struct store_session *session), void *ctx,
                        char ret_next[STORE_CURSOR_SIZE])
{
    struct page page = {.left = query->limit, .each = each, .ctx = ctx};
    struct place after = {INT64_MAX, INT64_MAX};
    sqlite3_stmt *q = NULL;
    assert(query->limit > 0 && query->limit < INT32_MAX);
    int rc = query->cursor ? read_cursor(s, query->cursor, &after) : 0;
    if (rc == 0)
        rc = store_connect(s);
    const struct store_arg args[] = {STORE_INT(after.updated), STORE_INT(after.n),
                                     STORE_INT((int64_t)query->limit + 1), STORE_TEXT(query->cwd)};
    if (rc == 0)
        rc = store_query(s, query->cwd ? STORE_SQL_LIST_CWD : STORE_SQL_LIST, args, &q);
    if (rc == 0)
        rc = give_rows(s, q, &page);
    if (rc < 0)
        return rc;
    ret_next[0] = '\0';
    if (rc == 1)
        write_cursor(&page.end, ret_next);
    return 0;
}
