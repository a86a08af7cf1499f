#include "agent/compact.h"
#include "agent/entry.h"
#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * When the model's window fills, or its user says so, older messages become a summary. The store
 * keeps all of them for the client; the model goes on with the summary and the last ones. Until the
 * summary is stored nothing changes, so a compaction that fails costs nothing.
 */

#define BY_HAND_TOKENS 250u /* that stay as they are where the user asks for it */

struct turn_compaction {
    char id[SESSION_WIRE_ID_MAX];
    size_t kept;
    bool by_hand;
    bool no_memory;
    struct buf summary;
};

static void dispose(struct turn *t)
{
    if (t->compaction)
        buf_deinit(&t->compaction->summary);
    free(t->compaction);
    t->compaction = NULL;
}

/* --- what the client is told --- */

struct report {
    const char *status;
    const char *summary, *error; /* NULL: none */
};

static int write_report(const struct turn_compaction *c, const struct report *r, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "sessionUpdate", acp_session_update_name(ACP_UPDATE_COMPACTION_UPDATE));
    jw_kstr(&w, "compactionId", c->id);
    jw_kstr(&w, "status", r->status);
    if (r->summary) {
        jw_kopen(&w, "summary", '[');
        jw_open(&w, '{');
        jw_kstr(&w, "type", acp_content_name(ACP_CONTENT_TEXT));
        jw_kstr(&w, "text", r->summary);
        jw_close(&w);
        jw_close(&w);
    }
    if (r->error)
        jw_kstr(&w, "error", r->error);
    jw_close(&w);
    return jw_end(&w);
}

/* Only to clients that know what it is. */
static void tell(struct turn *t, const struct report *r)
{
    struct buf out = {0};
    if (t->env->compactions && write_report(t->compaction, r, &out) == 0)
        update_raw(session_updates(t->s), out.p, out.n);
    buf_deinit(&out);
}

static void tell_others(struct turn *t, const char *text)
{
    log_info("%s", text);
    if (!t->env->compactions && t->env->notices)
        update_notice(session_updates(t->s), "info", text);
}

void turn_drop_compaction(struct turn *t)
{
    if (t->compaction)
        tell(t, &(struct report){.status = "cancelled"});
    dispose(t);
}

/* --- the end --- */

/* The summary for the model, and what the client is shown of it. */
static int record(struct turn *t, const char *wrapped)
{
    const struct turn_compaction *c = t->compaction;
    char kept[24];
    struct buf shown = {0};
    const struct report r = {.status = "completed", .summary = c->summary.p};
    int rc = write_report(c, &r, &shown);
    if (rc == 0 && !buf_cstr(&shown))
        rc = E_NOMEM;
    snprintf(kept, sizeof kept, "%zu", c->kept);
    struct store_entry entries[] = {
        {.kind = STORE_USER, .wire_id = c->id, .call_id = kept, .text = wrapped},
        {.kind = STORE_UPDATE, .wire_id = ENTRY_COMPACTION_ID, .shown = shown.p}};
    if (rc == 0)
        rc = record_entries(t->s, entries, ARRAY_LEN(entries));
    buf_deinit(&shown);
    return rc;
}

/* Where a turn that has to be forgotten is cut off. One whose beginning is in the summary cannot
 * be: then only what follows is. */
static void move_mark(struct turn *t, size_t before)
{
    size_t after = t->s->history.n, gone = before - t->compaction->kept;
    if (t->mark >= gone) {
        t->mark = after - (before - t->mark);
    } else {
        t->mark = after;
        t->stored = t->s->last;
    }
}

/* What the model was told on the way is in no message any more. */
static int forget_told(struct turn *t)
{
    struct session *s = t->s;
    s->used = 0;
    s->settings.told_mode = t->told_mode = MODE_NORMAL;
    s->settings.told_work = t->told_work = WORK_BALANCED;
    int rc = record_settings(s);
    return rc == 0 ? session_tell_again(s) : rc;
}

static int apply(struct turn *t)
{
    struct history *h = &t->s->history;
    size_t before = h->n;
    char *wrapped =
        buf_cstr(&t->compaction->summary) ? compact_wrap(t->compaction->summary.p) : NULL;
    int rc = wrapped ? record(t, wrapped) : E_NOMEM;
    if (rc == 0)
        rc = history_compact(h, wrapped, t->compaction->kept);
    free(wrapped);
    if (rc < 0)
        return rc;
    move_mark(t, before);
    return forget_told(t);
}

static void end_by_hand(struct turn *t, const char *text)
{
    int rc = turn_show_aside(t, text);
    if (rc < 0)
        turn_fail_kept(t, rc);
    else
        turn_end(t, ACP_STOP_END_TURN);
}

static void end_well(struct turn *t)
{
    char text[160];
    size_t before = t->s->history.n;
    bool by_hand = t->compaction->by_hand;
    int rc = apply(t);
    if (rc < 0) {
        tell(t, &(struct report){.status = "failed", .error = record_error(t->env, rc)});
        dispose(t);
        turn_fail_kept(t, rc);
        return;
    }
    snprintf(text, sizeof text,
             "The conversation was shortened for the model: of %zu messages %zu are left, one of "
             "them a summary.",
             before, t->s->history.n);
    tell(t, &(struct report){.status = "completed", .summary = t->compaction->summary.p});
    dispose(t);
    if (by_hand) {
        end_by_hand(t, text);
    } else {
        tell_others(t, text);
        turn_request_model(t);
    }
}

/* By itself: the turn goes on with what there is, and does not try that again. */
static void end_badly(struct turn *t, const struct llm_error *e)
{
    bool by_hand = t->compaction->by_hand;
    tell(t, &(struct report){.status = "failed", .error = e->text});
    dispose(t);
    log_warn("the conversation could not be shortened: %s", e->text);
    t->full = true;
    if (by_hand)
        turn_fail(t, e);
    else
        turn_request_model(t);
}

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct turn *t = ctx;
    if (kind == LLM_TEXT && buf_add(&t->compaction->summary, p, n) < 0)
        t->compaction->no_memory = true;
}

static void on_burst(void *ctx)
{
    (void)ctx; /* nothing of it is shown as it comes */
}

static void on_done(void *ctx, struct llm_reply *reply)
{
    struct turn *t = ctx;
    t->call = NULL;
    bool whole = reply->finish == LLM_FINISH_STOP && t->compaction->summary.n > 0;
    if (t->compaction->no_memory) {
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "Out of memory.");
    } else if (whole) {
        end_well(t);
    } else {
        if (reply->finish != LLM_FINISH_FAILED && reply->finish != LLM_FINISH_NONE)
            llm_error_set(&reply->error, "the model wrote no whole summary");
        end_badly(t, &reply->error);
    }
}

/* --- the beginning --- */

static const struct llm_call_ops ops_of_summary = {
    .on_text = on_text, .on_burst = on_burst, .on_done = on_done};

/* The same beginning and the same tools as any other request: providers know it already. */
static int ask(struct turn *t, const char *wishes)
{
    struct llm_target to;
    struct compact_question q;
    if (session_resolve(t->s, &to) < 0)
        return E_NOTFOUND;
    snprintf(t->provider, sizeof t->provider, "%s", to.provider);
    int rc = compact_question_make(&t->s->history, t->compaction->kept, wishes, &q);
    if (rc < 0)
        return rc;
    rc = turn_open_call(t, &to, &q.history, &ops_of_summary);
    compact_question_deinit(&q);
    return rc;
}

/* 0, or a negative code with nothing begun. */
static int begin(struct turn *t, size_t kept, const char *wishes)
{
    t->compaction = calloc(1, sizeof *t->compaction);
    if (!t->compaction)
        return E_NOMEM;
    session_wire_id(t->s, SESSION_COMPACTION, ++t->s->compactions, t->compaction->id);
    t->compaction->kept = kept;
    t->compaction->by_hand = wishes != NULL;
    int rc = ask(t, wishes);
    if (rc < 0) {
        dispose(t);
        return rc;
    }
    turn_move(t, TURN_MODEL);
    tell(t, &(struct report){.status = "in_progress"});
    return 0;
}

static uint64_t used_now(const struct session *s)
{
    const struct history *h = &s->history;
    bool counted = s->used > 0 && s->used_at <= h->n;
    return counted ? s->used + compact_estimate(h, s->used_at) : compact_estimate(h, 0);
}

bool turn_compact_first(struct turn *t)
{
    struct session *s = t->s;
    struct llm_target to;
    if (t->full || t->tries > 0 || !s->settings.auto_compact || session_resolve(s, &to) < 0 ||
        !compact_is_due(used_now(s), to.context))
        return false;
    size_t kept = compact_choose(&s->history, to.context / 4, to.context / 10);
    return kept < s->history.n && begin(t, kept, NULL) == 0;
}

void turn_compact_by_hand(struct slash_call *call)
{
    struct turn *t = CONTAINER_OF(call, struct turn, command);
    size_t kept = compact_choose(&t->s->history, BY_HAND_TOKENS, 0);
    if (kept == t->s->history.n) {
        slash_end(call, SLASH_SHOW, "There is nothing to shorten: the conversation is short.");
        return;
    }
    int rc = turn_keep_typed(t);
    if (rc < 0) {
        turn_fail_kept(t, rc);
        return;
    }
    rc = begin(t, kept, call->args);
    if (rc == E_NOTFOUND)
        turn_fail_plain(t, ACP_AUTH_REQUIRED, "There is no key for the model any more.");
    else if (rc < 0)
        turn_fail_to_open(t, rc);
}
