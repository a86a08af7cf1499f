#include "agent/store_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>

/*
 * Steps are only ever added: files in every version are out there. The large columns stand last, so
 * that reading the small ones touches one page. AUTOINCREMENT: the number of a deleted session is
 * not given to another one, under which an old reader would find its entries.
 */
static const char *const steps[] = {
    "CREATE TABLE session ("
    "  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, cwd TEXT NOT NULL,"
    "  created INTEGER NOT NULL, updated INTEGER NOT NULL, last INTEGER NOT NULL DEFAULT 0,"
    "  title TEXT, settings TEXT);"
    "CREATE INDEX session_by_time ON session (updated);"
    "CREATE TABLE entry ("
    "  session INTEGER NOT NULL REFERENCES session (n), number INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL, state INTEGER NOT NULL, time INTEGER NOT NULL,"
    "  wire_id TEXT, call_id TEXT,"
    "  text TEXT, thought TEXT, calls TEXT, shown TEXT, outcome TEXT,"
    "  UNIQUE (session, number));",

    "ALTER TABLE session ADD COLUMN system TEXT;"
    "CREATE INDEX session_by_cwd ON session (cwd, updated);",
};

const struct store_schema store_schema = {steps, ARRAY_LEN(steps)};

int store_version(struct store *s, int *ret)
{
    int64_t version = 0;
    int rc = store_run_row(s, STORE_SQL_VERSION, NULL, &version, 1);
    if (rc < 0)
        return rc;
    *ret = (int)version;
    return 0;
}

static int run_step(struct store *s, const char *sql, int version)
{
    char mark[48];
    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", version);
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db, mark, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : store_fail_sqlite(s, rc);
}

static int run_steps(struct store *s, const struct store_schema *schema)
{
    int from = 0; /* as it is now: another process may have been quicker */
    int rc = store_version(s, &from);
    for (int i = from; rc == 0 && i < schema->n; i++)
        rc = run_step(s, schema->steps[i], i + 1);
    if (rc == 0 && from > 0 && from < schema->n)
        log_info("%s: upgraded from format %d to %d", s->path, from, schema->n);
    return rc;
}

int store_migrate(struct store *s, const struct store_schema *schema)
{
    int version = 0;
    int rc = store_version(s, &version);
    if (rc < 0 || version == schema->n)
        return rc;
    if (version > schema->n || version < 0)
        return store_fail(s, E_UNSUPPORTED,
                          "The session store %s was made by a newer acp-agent (format %d, this one "
                          "knows up to %d): update acp-agent, or set ACP_AGENT_HOME to another "
                          "folder.",
                          s->path, version, schema->n);
    rc = store_run(s, STORE_SQL_BEGIN, NULL);
    if (rc == 0)
        rc = run_steps(s, schema);
    return store_end(s, rc);
}
