#ifndef AGENT_STORE_H
#define AGENT_STORE_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Sessions that last: one SQLite file (WAL) that several agent processes share. It keeps each
 * session's row and one ordered list of entries, which is both what the model is sent and what the
 * client was shown. Texts are opaque here: JSON in `settings`, `calls`, `shown` and `outcome` is
 * its writer's business.
 *
 * A call that writes returns 0 only after its transaction is committed: from then on it survives
 * kill -9 (a power cut may take the last moments, whole transactions only). A call that fails has
 * changed nothing. All calls block, for as long as a file access takes; a locked store for
 * `busy_ms` once, and for a moment in later calls until it is free again.
 *
 * Nothing is opened before the first call that needs the file; one that failed to open is tried
 * again by the next call. One thread; one struct store per file and process.
 *
 * Failures beside E_NOMEM: UV_ENOSPC (disk full), UV_EBUSY (locked by another process), UV_EROFS,
 * UV_EACCES and the like, E_PARSE (damaged, or no database), E_UNSUPPORTED (made by a newer
 * version), E_IO (anything else). store_error() has the sentence for people.
 */
struct store;

struct store_options {
    const char *path;   /* copied; missing folders are made (0700), and the file (0600) */
    unsigned busy_ms;   /* 0: 1000, longer than it takes another process to fork 100 MB */
    unsigned max_pages; /* how many 4 KiB pages the file may have; 0: no limit */
};

/* Appends the path: below $ACP_AGENT_HOME, else $XDG_DATA_HOME, else $HOME. 0, E_NOMEM, or
 * E_NOTFOUND: there is no home to keep it in. env looks up a variable, NULL if it is not set. */
int store_locate(const char *(*env)(const char *name), struct buf *out);

/* No I/O. 0 or E_NOMEM. */
int store_create(const struct store_options *options, struct store **ret);
/* Closes the file, too. Accepts NULL. */
void store_destroy(struct store *s);

/* Opens the file now, making or upgrading it if need be. */
int store_connect(struct store *s);

/* What was wrong with the call that failed last, where, and what to do: one line. Lent until the
 * next call. */
const char *store_error(const struct store *s);

/* --- sessions --- */

/* Times are milliseconds since 1970, UTC; the caller brings them. */
struct store_session {
    const char *id, *cwd;
    const char *title;    /* NULL: none yet */
    const char *settings; /* NULL: none yet */
    const char *system;   /* the system prompt, so that a prefix stays what it was; or NULL */
    int64_t created, updated;
    int64_t last; /* number of its last entry, 0: none; never used again, not even after a cut */
};

/* `updated` and `last` do not count. E_EXISTS: that id is taken. */
int store_add_session(struct store *s, const struct store_session *session);

/* Fills *ret (NULL: the caller only wants to know); its texts are lent until the next
 * store_find_session. E_NOTFOUND. */
int store_find_session(struct store *s, const char *id, struct store_session *ret);

/* E_NOTFOUND, also after another process deleted it. A title moves `updated`, settings do not. */
int store_set_title(struct store *s, const char *id, const char *title, int64_t now);
int store_set_settings(struct store *s, const char *id, const char *settings);

/* Removes the session and all its entries; 0 also if there is none. */
int store_delete_session(struct store *s, const char *id);

struct store_fork {
    const char *from;
    const char *until; /* the last message to take, by its wire_id, with the calls it made; NULL:
                          all of them */
    const char *id;    /* of the new session */
    const char *cwd;   /* NULL: as it was */
    int64_t now;
};
/* A copy under a new id: title, settings, entries, and the system prompt, which is left out if cwd
 * is another one. E_NOTFOUND: no session `from`;
 * E_INVALID: no message `until` in it; E_EXISTS. */
int store_fork_session(struct store *s, const struct store_fork *fork);

/* --- the list --- */

#define STORE_CURSOR_SIZE 41

struct store_query {
    const char *cwd;    /* NULL: all */
    const char *cursor; /* where the page before ended; NULL: the first page */
    size_t limit;       /* at least 1 */
};

/* One page, newest `updated` first. `each` gets the sessions one by one, lent, without `system`; it
 * must not call the store. ret_next is "" if there is no more, else the cursor of the next page.
 * E_INVALID: no cursor of ours. A session that changes during a walk over the pages comes at most
 * once, all others exactly once. */
int store_list_sessions(struct store *s, const struct store_query *query,
                        void (*each)(void *ctx, const struct store_session *session), void *ctx,
                        char ret_next[STORE_CURSOR_SIZE]);

/* --- entries --- */

enum store_kind {
    STORE_USER = 1,  /* text: what the model is sent; shown: the client's own blocks */
    STORE_ASSISTANT, /* one whole reply: text, thought, calls */
    STORE_CALL,      /* one tool call; text: the result for the model */
    STORE_UPDATE     /* shown to the client, no business of the model's: a plan, a mode */
};

enum store_call_state {
    STORE_CALL_OPEN, /* announced, no result yet; never read */
    STORE_CALL_COMPLETED,
    STORE_CALL_FAILED,
    STORE_CALL_INTERRUPTED /* only read: its process ended before it did. `text` says so */
};

/* Any text may be NULL. */
struct store_entry {
    int64_t number; /* when read: place in the session; grows, may have gaps */
    enum store_kind kind;
    enum store_call_state state; /* of a call */
    int64_t time;
    const char *wire_id; /* messageId or toolCallId */
    const char *call_id; /* of a call: what the model calls it */
    const char *text, *thought, *calls;
    const char *shown;   /* what the client is shown on replay, NULL: what text and thought say */
    const char *outcome; /* of a call that ended: what the client was shown then */
};

/* Appends n entries in one transaction and moves `updated`. ret_last (may be NULL): the number of
 * the last; they are consecutive. E_NOTFOUND: the session is gone. */
int store_append(struct store *s, const char *session, const struct store_entry *entries, size_t n,
                 int64_t *ret_last);

/* The end of an open call: state, text, outcome and time of `end` count. E_NOTFOUND: no such call;
 * E_STATE: it has ended before. */
int store_finish_call(struct store *s, const char *session, int64_t number,
                      const struct store_entry *end);

/* Removes the entries after `number`: what was refused is not asked again. E_NOTFOUND: the session
 * is gone. */
int store_cut(struct store *s, const char *session, int64_t number);

/* Reads the entries a session had when reading began, in order. It holds one entry at a time and,
 * between two calls, no lock: it may be paused for as long as the client does not read. A zeroed
 * struct is valid and empty. */
struct store_reader {
    struct store *store; /* lent */
    int64_t session, number, last;
    unsigned opening;
    struct buf texts; /* of the current entry */
};

/* E_NOTFOUND. */
int store_read_begin(struct store *s, const char *session, struct store_reader *ret);
/* 1: *ret is the next entry, lent until the next call. 0: that was the last one. E_NOTFOUND: the
 * session has been deleted meanwhile. */
int store_read_next(struct store_reader *r, struct store_entry *ret);
void store_read_end(struct store_reader *r);

/* --- */

#define STORE_TIME_SIZE 32

/* "2026-01-31T12:00:00.000Z" */
const char *store_format_time(int64_t ms, char ret[STORE_TIME_SIZE]);

#endif
