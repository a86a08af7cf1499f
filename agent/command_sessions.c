#include "agent/command.h"

#include "agent/file.h"
#include "agent/store.h"
#include "base/err.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 100

struct work {
    const struct command *c;
    struct store *store;
    const char *id;
    struct jsonw w; /* of the line or text being written */
    struct buf out;
    int rc; /* of writing it */
};

static int fail(const struct work *k, int rc)
{
    if (rc == E_NOTFOUND && k->id)
        fprintf(stderr, "acp-agent: there is no session %s: see acp-agent sessions list.\n", k->id);
    else
        fprintf(stderr, "acp-agent: %s\n", rc == E_NOMEM ? err_text(rc) : store_error(k->store));
    return 1;
}

static void write_session(struct jsonw *w, const struct store_session *s)
{
    char created[STORE_TIME_SIZE], updated[STORE_TIME_SIZE];
    jw_kstr(w, "sessionId", s->id);
    jw_kstr(w, "cwd", s->cwd);
    if (s->title)
        jw_kstr(w, "title", s->title);
    jw_kstr(w, "createdAt", store_format_time(s->created, created));
    jw_kstr(w, "updatedAt", store_format_time(s->updated, updated));
}

/* --- list --- */

static void each_session(void *ctx, const struct store_session *s)
{
    struct work *k = ctx;
    char updated[STORE_TIME_SIZE];
    int rc = 0;
    if (k->c->flags->json) {
        struct jsonw w;
        jw_begin(&w, &k->out);
        jw_open(&w, '{');
        write_session(&w, s);
        jw_close(&w);
        rc = jw_end(&w);
        if (rc == 0)
            rc = buf_addc(&k->out, '\n');
    } else {
        rc = buf_addf(&k->out, "%-36s  %s  %-32s  %s\n", s->id,
                      store_format_time(s->updated, updated), s->title ? s->title : "", s->cwd);
    }
    if (k->rc == 0)
        k->rc = rc;
}

static int print_page(struct work *k, struct store_query *query, char next[STORE_CURSOR_SIZE])
{
    int rc = store_list_sessions(k->store, query, each_session, k, next);
    if (rc < 0)
        return fail(k, rc);
    return command_print(k->c, &k->out, k->rc);
}

/* One JSON object a line with --json: lists may be long. */
static int list(struct work *k)
{
    char next[STORE_CURSOR_SIZE] = "", cursor[STORE_CURSOR_SIZE];
    char *here = realpath(".", NULL);
    char *cwd = k->c->flags->cwd ? file_join(here ? here : "/", k->c->flags->cwd) : NULL;
    struct store_query query = {.cwd = cwd, .limit = PAGE};
    int status = 0;
    do {
        memcpy(cursor, next, sizeof cursor);
        query.cursor = *cursor ? cursor : NULL;
        status = print_page(k, &query, next);
    } while (status == 0 && *next);
    free(here);
    free(cwd);
    return status;
}

/* --- show, export --- */

static void write_json_member(struct jsonw *w, const char *name, const char *json)
{
    if (!json)
        return;
    jw_key(w, name);
    jw_raw(w, json, strlen(json));
}

static void write_text_member(struct jsonw *w, const char *name, const char *text)
{
    if (text)
        jw_kstr(w, name, text);
}

static int write_entry(struct buf *out, const struct store_entry *e)
{
    static const char *const kinds[] = {[STORE_USER] = "user",
                                        [STORE_ASSISTANT] = "assistant",
                                        [STORE_CALL] = "tool_call",
                                        [STORE_UPDATE] = "update"};
    char time[STORE_TIME_SIZE];
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "kind", kinds[e->kind]);
    jw_kstr(&w, "time", store_format_time(e->time, time));
    write_text_member(&w, "id", e->wire_id);
    write_text_member(&w, "callId", e->call_id);
    write_text_member(&w, "thought", e->thought);
    write_text_member(&w, "text", e->text);
    write_json_member(&w, "calls", e->calls);
    write_json_member(&w, "shown", e->shown);
    write_json_member(&w, "outcome", e->outcome);
    jw_close(&w);
    return jw_end(&w);
}

/* For people: who said what. */
static int print_entry(struct buf *out, const struct store_entry *e)
{
    static const char *const who[] = {
        [STORE_USER] = "> ", [STORE_ASSISTANT] = "", [STORE_CALL] = "[tool] ", [STORE_UPDATE] = ""};
    bool note = e->kind == STORE_USER && !e->shown;
    if (!e->text || !*e->text || note || e->kind == STORE_UPDATE)
        return 0;
    return buf_addf(out, "%s%s\n\n", who[e->kind], e->text);
}

static int head(struct work *k, const struct store_session *s)
{
    char updated[STORE_TIME_SIZE];
    if (!k->c->flags->json && strcmp(k->c->flags->words[0], "export") != 0)
        return buf_addf(&k->out, "%s\n%s, %s\n\n", s->title ? s->title : s->id, s->cwd,
                        store_format_time(s->updated, updated));
    struct jsonw w;
    jw_begin(&w, &k->out);
    jw_open(&w, '{');
    write_session(&w, s);
    write_json_member(&w, "settings", s->settings);
    write_text_member(&w, "system", s->system);
    jw_close(&w);
    return jw_end(&w);
}

/* One line (or paragraph) at a time: a session may be larger than memory. */
static int entries(struct work *k, bool json)
{
    struct store_reader reader = {0};
    struct store_entry e;
    int rc = store_read_begin(k->store, k->id, &reader), status = 0;
    while (rc >= 0 && status == 0 && (rc = store_read_next(&reader, &e)) == 1)
        status = command_print(k->c, &k->out,
                               json ? write_entry(&k->out, &e) : print_entry(&k->out, &e));
    store_read_end(&reader);
    return rc < 0 ? fail(k, rc) : status;
}

static int show(struct work *k)
{
    struct store_session s;
    bool json = k->c->flags->json || strcmp(k->c->flags->words[0], "export") == 0;
    int rc = store_find_session(k->store, k->id, &s);
    if (rc < 0)
        return fail(k, rc);
    int status = command_print(k->c, &k->out, head(k, &s));
    return status != 0 ? status : entries(k, json);
}

static int delete (struct work *k)
{
    int rc = store_find_session(k->store, k->id, NULL);
    if (rc == 0)
        rc = store_delete_session(k->store, k->id);
    return rc < 0 ? fail(k, rc) : 0;
}

/* --- */

static const struct {
    const char *name;
    bool needs_id;
    int (*run)(struct work *k);
} verbs[] = {
    {"list", false, list}, {"show", true, show}, {"export", true, show}, {"delete", true, delete}};

static int run(struct work *k)
{
    const char *verb = k->c->flags->words[0] ? k->c->flags->words[0] : "list";
    k->id = k->c->flags->words[1];
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        if (strcmp(verbs[i].name, verb) != 0)
            continue;
        if (verbs[i].needs_id == (k->id != NULL))
            return verbs[i].run(k);
        fprintf(stderr, "acp-agent: sessions %s %s\n", verb,
                k->id ? "takes no id" : "needs the id of a session");
        return 2;
    }
    fprintf(stderr, "acp-agent: sessions %s: it is list, show, export or delete\n", verb);
    return 2;
}

int command_sessions(const struct command *c)
{
    struct buf path = {0};
    struct work k = {.c = c};
    int rc = store_locate(c->env, &path);
    if (rc == 0 && !buf_cstr(&path))
        rc = E_NOMEM;
    const struct store_options options = {.path = path.p};
    if (rc == 0)
        rc = store_create(&options, &k.store);
    if (rc < 0)
        fprintf(stderr, "acp-agent: %s\n",
                rc == E_NOTFOUND ? "sessions are not kept: set HOME or ACP_AGENT_HOME"
                                 : err_text(rc));
    int status = rc < 0 ? 1 : run(&k);
    store_destroy(k.store);
    buf_deinit(&k.out);
    buf_deinit(&path);
    return status;
}
