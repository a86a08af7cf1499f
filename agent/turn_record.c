#include "agent/entry.h"
#include "agent/record.h"
#include "agent/title.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>

/* --- the prompt --- */

static int record_prompt(struct turn *t, const char *text)
{
    char id[SESSION_WIRE_ID_MAX];
    struct store_entry e = {.kind = STORE_USER,
                            .wire_id = session_wire_id(t->s, "user", ++t->s->prompts, id),
                            .text = text,
                            .shown = t->prompt.shown};
    return record_entries(t->s, &e, 1);
}

static void name_session(struct turn *t)
{
    struct session *s = t->s;
    if (!s->title) {
        s->title = title_make(&t->prompt);
        if (s->title && record_title(s) < 0)
            log_warn("the session's title is not kept: %s", record_error(s->env, E_IO));
    }
    if (s->title && !s->title_told)
        update_session_info(session_updates(s), s->title, s->updated);
    s->title_told = s->title != NULL;
}

int turn_keep_prompt(struct turn *t)
{
    char *text = prompt_render(&t->prompt);
    int rc = text ? record_prompt(t, text) : E_NOMEM;
    if (rc == 0)
        rc = history_add_prompt(&t->s->history, text, t->prompt.shown);
    free(text);
    if (rc == 0)
        name_session(t);
    prompt_deinit(&t->prompt);
    return rc;
}

/* --- a reply --- */

/* A note in place of text is for the model only. */
static int write_runs(struct turn *t, bool noted, struct buf *ret)
{
    bool plain = !noted && entry_runs_are_plain(&t->runs);
    return plain ? 0 : entry_write_runs(ret, &t->runs);
}

/* Between replies the last one counts; restore.c knows it by this id. */
static int fill_usage(struct turn *t, struct store_entry *ret)
{
    *ret = (struct store_entry){
        .kind = STORE_UPDATE, .wire_id = ENTRY_USAGE_ID, .shown = buf_cstr(&t->usage)};
    return ret->shown ? 0 : E_NOMEM;
}

static int fill_calls(struct turn *t, const struct history_call *calls, size_t n,
                      struct store_entry *ret)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct turn_call *c = &t->calls[i];
        rc = buf_cstr(&c->shown) ? 0 : E_NOMEM;
        ret[i] = (struct store_entry){
            .kind = STORE_CALL, .wire_id = c->id, .call_id = calls[i].id, .shown = c->shown.p};
    }
    return rc;
}

/* The reply and, in the same transaction, its calls: none of them may be missing. */
static int append_reply(struct turn *t, const struct store_entry *reply,
                        const struct history_call *calls)
{
    size_t n_calls = calls ? t->n_calls : 0, n = 1 + n_calls + (t->usage.n > 0);
    struct store_entry *entries = calloc(n, sizeof *entries);
    int rc = entries ? fill_calls(t, calls, n_calls, entries + 1) : E_NOMEM;
    if (rc == 0 && t->usage.n > 0)
        rc = fill_usage(t, &entries[n - 1]);
    if (rc == 0) {
        entries[0] = *reply;
        rc = record_entries(t->s, entries, n);
    }
    for (size_t i = 0; rc == 0 && i < n_calls; i++)
        t->calls[i].number = t->s->last - (int64_t)(n - 2 - i);
    free(entries);
    return rc;
}

int turn_record_reply(struct turn *t, const char *text, const struct history_call *calls)
{
    char id[SESSION_WIRE_ID_MAX];
    struct buf runs = {0}, list = {0};
    int rc = write_runs(t, text && t->text.n == 0 && !calls, &runs);
    if (rc == 0 && calls)
        rc = entry_write_calls(&list, calls, t->n_calls);
    if (rc == 0 && (!buf_cstr(&runs) || !buf_cstr(&list) || !buf_cstr(&t->thought)))
        rc = E_NOMEM;
    struct store_entry e = {.kind = STORE_ASSISTANT,
                            .wire_id = session_wire_id(t->s, "msg", t->s->replies, id),
                            .text = text,
                            .thought = t->thought.n > 0 ? t->thought.p : NULL,
                            .calls = list.n > 0 ? list.p : NULL,
                            .shown = runs.n > 0 ? runs.p : NULL};
    if (rc == 0)
        rc = append_reply(t, &e, calls);
    buf_deinit(&runs);
    buf_deinit(&list);
    return rc;
}

void turn_forget_text(struct turn *t)
{
    t->text.n = t->thought.n = t->runs.n = t->usage.n = 0;
}

void turn_tell_usage(struct turn *t, const struct llm_usage *usage)
{
    if (!usage->known)
        return;
    t->s->used = (uint64_t)usage->tokens;
    t->s->used_at = t->s->history.n + 1; /* with the reply, which is not kept yet */
    if (t->context == 0)
        return;
    t->usage.n = 0;
    int rc = update_write_usage(&t->usage, usage->tokens, t->context);
    if (rc == 0)
        rc = update_raw(session_updates(t->s), t->usage.p, t->usage.n);
    t->no_memory = rc == E_NOMEM || t->no_memory;
}

int turn_keep_reply(struct turn *t, const char *note)
{
    struct history *h = &t->s->history;
    bool asked = h->n > 0 && h->messages[h->n - 1].role == HISTORY_USER;
    const char *text = t->text.n > 0 ? buf_cstr(&t->text) : NULL;
    if (!text && asked)
        text = note;
    if (!text && t->thought.n == 0)
        return 0;
    int rc = turn_record_reply(t, text, NULL);
    int kept = text ? history_add_assistant(h, text, NULL, NULL, 0) : 0;
    turn_forget_text(t);
    return rc < 0 ? rc : kept;
}

/* --- a result --- */

int turn_record_result(struct turn *t, const struct turn_call *c, const struct tool_result *result,
                       const char *outcome)
{
    struct store_entry end = {.state = result->failed ? STORE_CALL_FAILED : STORE_CALL_COMPLETED,
                              .text = result->text,
                              .outcome = outcome};
    return record_call_end(t->s, c->number, &end);
}
