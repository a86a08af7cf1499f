#include "agent/store_impl.h"

#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define ELSEWHERE "set ACP_AGENT_HOME to a folder elsewhere"

/* What SQLite's primary codes mean to us. "%s" of `what` is the operating system's reason. */
static const struct {
    int sqlite, code;
    const char *what;
} table[] = {
    {SQLITE_FULL, UV_ENOSPC,
     "cannot grow: the disk is full. Free some space there, then try again. What was stored before "
     "is safe"},
    {SQLITE_BUSY, UV_EBUSY,
     "is locked by another process. Try again; if it stays so, end the other acp-agent processes "
     "or what else holds the file"},
    {SQLITE_LOCKED, UV_EBUSY, "is in use by this process. Try again"},
    {SQLITE_READONLY, UV_EROFS,
     "cannot be written. Make the file and its folder writable, or " ELSEWHERE},
    {SQLITE_PERM, UV_EACCES, "may not be opened by this user. Mend its permissions, or " ELSEWHERE},
    {SQLITE_CORRUPT, E_PARSE,
     "is damaged. Move it away with its -wal and -shm files (a new one is made), or put a backup "
     "in its place"},
    {SQLITE_NOTADB, E_PARSE, "is not a database. Move it away (a new one is made), or " ELSEWHERE},
    {SQLITE_TOOBIG, E_TOOBIG, "cannot hold so long a text (1 GB)"},
};

int store_fail(struct store *s, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->error, sizeof s->error, fmt, args);
    va_end(args);
    return code;
}

const char *store_error(const struct store *s)
{
    return s->error;
}

int store_fail_session(struct store *s, const char *id)
{
    return store_fail(s, E_NOTFOUND, "There is no session %s in the session store.", id);
}

int store_fail_file(struct store *s, const char *path, int err)
{
    return store_fail(
        s, uv_translate_sys_error(err),
        "The session store needs %s, which cannot be made: %s. Mend that, or " ELSEWHERE ".", path,
        strerror(err));
}

/* What the operating system said is more exact than SQLite's "cannot open" and "I/O error". */
static int primary_of(int sqlite_rc, int err)
{
    int primary = sqlite_rc & 0xff;
    if (sqlite_rc == SQLITE_IOERR_NOMEM)
        return SQLITE_NOMEM;
    if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
        return primary;
    if (err == ENOSPC || err == EDQUOT || err == EFBIG)
        return SQLITE_FULL;
    if (err == EACCES || err == EPERM)
        return SQLITE_PERM;
    return err == EROFS ? SQLITE_READONLY : primary;
}

/* SQLite forgets the reason when it takes a transaction back; the log's file has kept it. */
static int system_error(struct store *s)
{
    sqlite3_file *log = NULL;
    int err = s->db ? sqlite3_system_errno(s->db) : 0;
    if (!s->db || err != 0)
        return err;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &err);
    return err;
}

int store_fail_sqlite(struct store *s, int sqlite_rc)
{
    int err = system_error(s);
    int primary = primary_of(sqlite_rc, err);
    if (primary == SQLITE_NOMEM)
        return store_fail(s, E_NOMEM, "Out of memory.");
    s->locked = s->locked || primary == SQLITE_BUSY;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].sqlite == primary)
            return store_fail(s, table[i].code, "The session store %s %s.", s->path, table[i].what);
    const char *why = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(sqlite_rc);
    bool known = (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) && err != 0;
    return store_fail(s, E_IO,
                      "The session store %s failed: %s%s%s. Check the disk and the permissions, "
                      "or " ELSEWHERE ".",
                      s->path, why, known ? ", " : "", known ? strerror(err) : "");
}
