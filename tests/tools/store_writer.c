/*
 * acp-store-writer: the session store behind pipes, for tests that kill it.
 *   write FILE              lives through a session, step by step. At each point where a kill could
 *                           matter it prints a line "STEP POINT" and waits for a line on stdin
 *   dump FILE               prints all sessions and entries, one JSON object a line
 *   say FILE SESSION TEXT   appends a user message
 * Exit 1: the store refused, its sentence stands on stderr.
 */
#include "agent/store_impl.h"
#include "base/err.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const struct store *s, int rc)
{
    if (rc < 0)
        fprintf(stderr, "%s\n", store_error(s));
    return rc < 0 ? 1 : 0;
}

/* --- write --- */

/* The hooks of SQLite take no context that outlives one connection. */
static const char *current = "";

static void stop_at(const char *point)
{
    printf("%s %s\n", current, point);
    fflush(stdout);
    int c;
    while ((c = getchar()) != '\n')
        if (c == EOF)
            exit(0);
}

static int in_transaction(void *ctx)
{
    (void)ctx;
    stop_at("written");
    return 0;
}

static int after_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)ctx;
    (void)db;
    (void)name;
    (void)pages;
    stop_at("committed");
    return SQLITE_OK;
}

static int install_hooks(sqlite3 *db, char **ret_error, const void *api)
{
    (void)ret_error;
    (void)api;
    sqlite3_commit_hook(db, in_transaction, NULL);
    return SQLITE_OK;
}

/* SQLite's own log hook is set last of all on opening. */
static int step_open(struct store *s)
{
    int rc = store_connect(s);
    if (rc == 0)
        sqlite3_wal_hook(s->db, after_commit, NULL);
    return rc;
}

static int step_add(struct store *s)
{
    const struct store_session session = {
        .id = "ses", .cwd = "/work", .settings = "{\"mode\":\"normal\"}", .created = 100};
    return store_add_session(s, &session);
}

static int step_user(struct store *s)
{
    const struct store_entry e = {.kind = STORE_USER,
                                  .time = 200,
                                  .wire_id = "u1",
                                  .text = "Read both files.",
                                  .shown = "[{\"type\":\"text\",\"text\":\"Read both files.\"}]"};
    return store_append(s, "ses", &e, 1, NULL);
}

static int step_calls(struct store *s)
{
    const struct store_entry entries[] = {
        {.kind = STORE_ASSISTANT, .time = 300, .wire_id = "m1", .text = "Yes.", .calls = "[1,2]"},
        {.kind = STORE_CALL, .time = 300, .wire_id = "c1", .call_id = "x", .shown = "{\"n\":1}"},
        {.kind = STORE_CALL, .time = 300, .wire_id = "c2", .call_id = "y", .shown = "{\"n\":2}"}};
    return store_append(s, "ses", entries, ARRAY_LEN(entries), NULL);
}

static int step_result_1(struct store *s)
{
    const struct store_entry end = {
        .state = STORE_CALL_COMPLETED, .time = 400, .text = "one", .outcome = "{\"r\":1}"};
    return store_finish_call(s, "ses", 3, &end);
}

static int step_result_2(struct store *s)
{
    const struct store_entry end = {
        .state = STORE_CALL_FAILED, .time = 500, .text = "none", .outcome = "{\"r\":2}"};
    return store_finish_call(s, "ses", 4, &end);
}

static int step_plan(struct store *s)
{
    const struct store_entry e = {.kind = STORE_UPDATE, .time = 600, .shown = "{\"plan\":[]}"};
    return store_append(s, "ses", &e, 1, NULL);
}

/* Long enough to fill many pages of the log. */
static int step_answer(struct store *s)
{
    static char text[100000];
    memset(text, 'z', sizeof text - 1);
    const struct store_entry e = {
        .kind = STORE_ASSISTANT, .time = 700, .wire_id = "m2", .text = text};
    return store_append(s, "ses", &e, 1, NULL);
}

static int step_title(struct store *s)
{
    return store_set_title(s, "ses", "Two files", 800);
}

static int step_settings(struct store *s)
{
    return store_set_settings(s, "ses", "{\"mode\":\"plan\"}");
}

static int step_fork(struct store *s)
{
    return store_fork_session(
        s, &(struct store_fork){.from = "ses", .until = "m1", .id = "fork", .now = 900});
}

static int step_cut(struct store *s)
{
    return store_cut(s, "ses", 1);
}

static int step_delete(struct store *s)
{
    return store_delete_session(s, "ses");
}

static const struct {
    const char *name;
    int (*run)(struct store *s);
} steps[] = {
    {"open", step_open},         {"add", step_add},           {"user", step_user},
    {"calls", step_calls},       {"result-1", step_result_1}, {"result-2", step_result_2},
    {"plan", step_plan},         {"answer", step_answer},     {"title", step_title},
    {"settings", step_settings}, {"fork", step_fork},         {"cut", step_cut},
    {"delete", step_delete},
};

static int write_all(struct store *s)
{
    int rc = sqlite3_auto_extension((void (*)(void))install_hooks);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(steps); i++) {
        current = steps[i].name;
        rc = steps[i].run(s);
        if (rc == 0)
            stop_at("acknowledged");
    }
    return complain(s, rc);
}

/* --- dump --- */

static void print_line(struct buf *line)
{
    fwrite(line->p, 1, line->n, stdout);
    putchar('\n');
    line->n = 0;
}

static void print_entry(const char *session, const struct store_entry *e, struct buf *line)
{
    struct jsonw w;
    jw_begin(&w, line);
    jw_open(&w, '{');
    jw_kstr(&w, "session", session);
    jw_kint(&w, "number", e->number);
    jw_kint(&w, "kind", e->kind);
    jw_kint(&w, "state", e->state);
    jw_kint(&w, "time", e->time);
    jw_kstr(&w, "wire_id", e->wire_id);
    jw_kstr(&w, "call_id", e->call_id);
    jw_kstr(&w, "text", e->text);
    jw_kstr(&w, "thought", e->thought);
    jw_kstr(&w, "calls", e->calls);
    jw_kstr(&w, "shown", e->shown);
    jw_kstr(&w, "outcome", e->outcome);
    jw_close(&w);
    if (jw_end(&w) == 0)
        print_line(line);
}

static int print_entries(struct store *s, const char *id, struct buf *line)
{
    struct store_reader r = {0};
    struct store_entry e;
    int rc = store_read_begin(s, id, &r);
    while (rc >= 0 && (rc = store_read_next(&r, &e)) == 1)
        print_entry(id, &e, line);
    store_read_end(&r);
    return rc;
}

static void keep_id(void *ctx, const struct store_session *session)
{
    struct buf *ids = ctx;
    buf_add(ids, session->id, strlen(session->id) + 1);
}

static void print_session(const struct store_session *session, struct buf *line)
{
    struct jsonw w;
    jw_begin(&w, line);
    jw_open(&w, '{');
    jw_kstr(&w, "id", session->id);
    jw_kstr(&w, "cwd", session->cwd);
    jw_kstr(&w, "title", session->title);
    jw_kstr(&w, "settings", session->settings);
    jw_kint(&w, "created", session->created);
    jw_kint(&w, "updated", session->updated);
    jw_kint(&w, "last", session->last);
    jw_close(&w);
    if (jw_end(&w) == 0)
        print_line(line);
}

static int dump(struct store *s)
{
    struct buf ids = {0}, line = {0};
    char next[STORE_CURSOR_SIZE];
    int rc = store_list_sessions(s, &(struct store_query){.limit = 1000}, keep_id, &ids, next);
    for (size_t at = 0; rc == 0 && at < ids.n; at += strlen(ids.p + at) + 1) {
        struct store_session session;
        rc = store_find_session(s, ids.p + at, &session);
        if (rc == 0)
            print_session(&session, &line);
        if (rc == 0)
            rc = print_entries(s, ids.p + at, &line);
    }
    buf_deinit(&ids);
    buf_deinit(&line);
    return complain(s, rc);
}

static int say(struct store *s, const char *session, const char *text)
{
    const struct store_entry e = {.kind = STORE_USER, .time = 1000, .text = text};
    return complain(s, store_append(s, session, &e, 1, NULL));
}

int main(int argc, char **argv)
{
    struct store *s = NULL;
    int rc = 2;
    if (argc < 3 || store_create(&(struct store_options){.path = argv[2]}, &s) < 0) {
        fprintf(stderr, "usage: acp-store-writer write|dump|say FILE [SESSION TEXT]\n");
        return rc;
    }
    if (strcmp(argv[1], "write") == 0)
        rc = write_all(s);
    else if (strcmp(argv[1], "dump") == 0)
        rc = dump(s);
    else if (strcmp(argv[1], "say") == 0 && argc == 5)
        rc = say(s, argv[3], argv[4]);
    store_destroy(s);
    return rc;
}
