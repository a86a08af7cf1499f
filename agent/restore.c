#include "agent/restore.h"

#include "agent/entry.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_BYTES  (256u << 10) /* read before other work gets its turn */
#define CHUNK_BYTES (64u << 10)  /* of text in one message */

/* For the model only, where the process ended before the answer did. */
#define NO_ANSWER "[Interrupted.]"

struct restore {
    struct session *s;
    struct store_reader reader;
    bool show;
    struct buf usage; /* the last update about it */
    struct rpc_request *req;
    restore_cb done;
    uv_timer_t timer; /* the next step; its close callback frees the job */
};

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct restore, timer));
}

/* The job is gone afterwards, and so may be the session. */
static void finish(struct restore *r, int rc)
{
    struct session *s = r->s;
    struct rpc_request *req = r->req;
    restore_cb done = r->done;
    s->restore = NULL;
    store_read_end(&r->reader);
    buf_deinit(&r->usage);
    uv_close((uv_handle_t *)&r->timer, on_timer_closed);
    done(s, req, rc);
}

/* --- for the model --- */

/* A question without an answer comes from a process that was ended; see turn_keep_reply. */
static int close_question(struct history *h)
{
    if (h->n == 0 || h->messages[h->n - 1].role != HISTORY_USER)
        return 0;
    return history_add_assistant(h, NO_ANSWER, NULL, NULL, 0);
}

static int add_reply(struct history *h, const struct store_entry *e)
{
    struct history_call *calls = NULL;
    size_t n = 0;
    if (!e->text) /* it was not the model's to see */
        return 0;
    int rc = e->calls ? entry_read_calls(e->calls, &calls, &n) : 0;
    return rc == 0 ? history_add_assistant(h, e->text, e->thought, calls, n) : rc;
}

static bool is_compaction(const struct store_entry *e)
{
    return e->kind == STORE_USER && e->call_id &&
           strncmp(e->wire_id, SESSION_COMPACTION "_", sizeof SESSION_COMPACTION) == 0;
}

/* As turn_compact.c did it. */
static int compact(struct history *h, const struct store_entry *e)
{
    char *end;
    unsigned long long kept = strtoull(e->call_id, &end, 10);
    return *end ? E_PARSE : history_compact(h, e->text, (size_t)kept);
}

/* Guidance and notes go with the message before them, see turn_steer.c. */
static bool joins(const struct store_entry *e)
{
    return strncmp(e->wire_id, SESSION_STEER "_", sizeof SESSION_STEER) == 0 ||
           strncmp(e->wire_id, SESSION_NOTE "_", sizeof SESSION_NOTE) == 0;
}

static int remember(struct history *h, const struct store_entry *e)
{
    int rc = 0;
    switch (e->kind) {
    case STORE_USER:
        if (!e->text) /* a command that the model had no part in */
            return 0;
        if (is_compaction(e))
            return compact(h, e);
        if (joins(e))
            return history_join_user(h, e->text);
        rc = close_question(h);
        return rc == 0 ? history_add_prompt(h, e->text, e->shown) : rc;
    case STORE_ASSISTANT:
        return add_reply(h, e);
    case STORE_CALL:
        return history_add_tool(h, e->call_id ? e->call_id : "", e->text ? e->text : "");
    case STORE_UPDATE:
        return 0;
    }
    return 0;
}

/* --- for the client --- */

static int show_prompt(struct update_to to, const struct store_entry *e)
{
    cJSON *blocks = NULL;
    const cJSON *block;
    int rc = e->shown ? json_parse(e->shown, strlen(e->shown), &blocks, NULL) : 0;
    cJSON_ArrayForEach(block, blocks)
    {
        if (rc == 0)
            rc = update_user_block(to, e->wire_id, block);
    }
    cJSON_Delete(blocks);
    return rc;
}

struct shower {
    struct update_to to;
    const char *message_id, *thought_id;
    int rc;
};

static void show_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct shower *to = ctx;
    while (n > 0 && to->rc == 0) {
        size_t piece = n <= CHUNK_BYTES ? n : utf8_valid_prefix(p, CHUNK_BYTES);
        if (piece == 0)
            piece = n; /* cannot be: what is stored is UTF-8 */
        struct update_text text = {.kind = kind,
                                   .message_id = kind == LLM_TEXT ? to->message_id : to->thought_id,
                                   .p = p,
                                   .n = piece};
        to->rc = update_text(to->to, &text);
        p += piece;
        n -= piece;
    }
}

static int show_reply(struct update_to to, const struct store_entry *e)
{
    char thought_id[SESSION_WIRE_ID_MAX];
    struct entry_texts texts = {e->text ? e->text : "", e->thought ? e->thought : ""};
    struct shower shower = {.to = to, .message_id = e->wire_id, .thought_id = thought_id};
    session_thought_id(e->wire_id, thought_id);
    int rc = 0;
    if (e->shown) {
        rc = entry_show_runs(e->shown, &texts, show_text, &shower);
    } else {
        show_text(&shower, LLM_THOUGHT, texts.thought, strlen(texts.thought));
        show_text(&shower, LLM_TEXT, texts.text, strlen(texts.text));
    }
    return rc < 0 ? rc : shower.rc;
}

static int show_interrupted(struct update_to to, const struct store_entry *e)
{
    struct buf out = {0};
    char *text = strdup(e->text);
    struct tool_result result = {.failed = true, .text = text};
    int rc = text ? update_write_tool_result(&out, e->wire_id, &result) : E_NOMEM;
    if (rc == 0)
        rc = update_raw(to, out.p, out.n);
    buf_deinit(&out);
    free(text);
    return rc;
}

static int show_call(struct update_to to, const struct store_entry *e)
{
    int rc = update_raw(to, e->shown, strlen(e->shown));
    if (rc < 0)
        return rc;
    return e->outcome ? update_raw(to, e->outcome, strlen(e->outcome)) : show_interrupted(to, e);
}

static bool is_of(const struct store_entry *e, const char *id)
{
    return e->wire_id && strcmp(e->wire_id, id) == 0;
}

static int show_update(struct restore *r, const struct store_entry *e)
{
    if (is_of(e, ENTRY_COMPACTION_ID) && !r->s->env->compactions)
        return 0;
    if (!is_of(e, ENTRY_USAGE_ID))
        return update_raw(session_updates(r->s), e->shown, strlen(e->shown));
    r->usage.n = 0;
    return buf_adds(&r->usage, e->shown);
}

static int show(struct restore *r, const struct store_entry *e)
{
    struct update_to to = session_updates(r->s);
    switch (e->kind) {
    case STORE_USER:
        return show_prompt(to, e);
    case STORE_ASSISTANT:
        return show_reply(to, e);
    case STORE_CALL:
        return show_call(to, e);
    case STORE_UPDATE:
        return show_update(r, e);
    }
    return 0;
}

/* --- step by step --- */

static bool is_whole(const struct store_entry *e)
{
    if (e->kind == STORE_UPDATE)
        return e->shown != NULL;
    return e->wire_id && (e->kind != STORE_CALL || (e->shown && (e->outcome || e->text)));
}

/* What the model's window held last, see turn_tell_usage. */
static int count(struct session *s, const struct store_entry *e)
{
    cJSON *update = NULL;
    if (is_compaction(e))
        s->used = 0;
    if (e->kind != STORE_UPDATE || !is_of(e, ENTRY_USAGE_ID))
        return 0;
    int rc = json_parse(e->shown, strlen(e->shown), &update, NULL);
    int64_t used = json_get_int(update, "used", 0);
    cJSON_Delete(update);
    s->used = used > 0 ? (uint64_t)used : 0;
    s->used_at = s->history.n;
    return rc == E_NOMEM ? rc : 0;
}

static int take(struct restore *r, const struct store_entry *e)
{
    if (!is_whole(e))
        return E_PARSE;
    r->s->last = e->number;
    int rc = remember(&r->s->history, e);
    if (rc == 0)
        rc = history_bound(&r->s->history, HISTORY_MOST);
    if (rc == 0)
        rc = count(r->s, e);
    return rc == 0 && r->show ? show(r, e) : rc;
}

static int end_well(struct restore *r)
{
    struct session *s = r->s;
    if (r->usage.n > 0)
        update_raw(session_updates(s), r->usage.p, r->usage.n);
    if (r->show && s->title) {
        update_session_info(session_updates(s), s->title, s->updated);
        s->title_told = true;
    }
    return close_question(&s->history);
}

/* 1: there may be more. */
static int take_next(struct restore *r, size_t *bytes)
{
    struct store_entry e;
    int rc = store_read_next(&r->reader, &e);
    if (rc <= 0)
        return rc;
    *bytes += r->reader.texts.n;
    rc = take(r, &e);
    if (rc == E_PARSE)
        rc = E_PROTOCOL; /* not the store's own failure: it has no sentence for it */
    return rc < 0 ? rc : 1;
}

static void step(uv_timer_t *timer)
{
    struct restore *r = CONTAINER_OF(timer, struct restore, timer);
    size_t bytes = 0;
    int rc = 1;
    while (rc == 1 && bytes < STEP_BYTES) {
        if (r->show && r->s->env->pressed)
            return; /* restore_go_on comes */
        rc = take_next(r, &bytes);
    }
    if (rc == 1)
        uv_timer_start(&r->timer, step, 0, 0);
    else
        finish(r, rc == 0 ? end_well(r) : rc);
}

void restore_go_on(struct restore *r)
{
    if (!uv_is_active((uv_handle_t *)&r->timer))
        uv_timer_start(&r->timer, step, 0, 0);
}

static void on_cancel(void *ctx, struct rpc_request *req)
{
    (void)req;
    finish(ctx, E_CANCELLED);
}

void restore_start(struct session *s, bool show, struct rpc_request *req, restore_cb done)
{
    struct restore *r = calloc(1, sizeof *r);
    int rc = r ? store_read_begin(s->env->store, s->id, &r->reader) : E_NOMEM;
    if (rc < 0) {
        free(r);
        done(s, req, rc);
        return;
    }
    r->s = s;
    r->show = show;
    r->req = req;
    r->done = done;
    uv_timer_init(s->env->loop, &r->timer);
    s->restore = r;
    if (rpc_request_cancelled(req)) {
        finish(r, E_CANCELLED);
        return;
    }
    rpc_request_on_cancel(req, on_cancel, r);
    step(&r->timer);
}

void restore_abort(struct restore *r)
{
    if (r)
        finish(r, E_CLOSED);
}
