#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/*
 * A prompt that is a slash command.
 */

int turn_keep_typed(struct turn *t)
{
    char id[SESSION_WIRE_ID_MAX];
    struct store_entry e = {.kind = STORE_USER,
                            .wire_id = session_wire_id(t->s, "user", ++t->s->prompts, id),
                            .shown = t->prompt.shown};
    return record_entries(t->s, &e, 1);
}

int turn_show_aside(struct turn *t, const char *text)
{
    char id[SESSION_WIRE_ID_MAX];
    struct buf out = {0};
    const struct update_text chunk = {.kind = LLM_TEXT,
                                      .message_id =
                                          session_wire_id(t->s, "msg", ++t->s->replies, id),
                                      .p = text,
                                      .n = strlen(text)};
    int rc = update_write_text(&out, &chunk);
    if (rc == 0)
        rc = buf_cstr(&out) ? update_raw(session_updates(t->s), out.p, out.n) : E_NOMEM;
    struct store_entry e = {.kind = STORE_UPDATE, .shown = out.p};
    if (rc == 0)
        rc = record_entries(t->s, &e, 1);
    buf_deinit(&out);
    return rc;
}

static void show(struct turn *t, const char *text)
{
    int rc = turn_keep_typed(t);
    if (rc == 0 && *text)
        rc = turn_show_aside(t, text);
    if (rc < 0)
        turn_fail_kept(t, rc);
    else
        turn_end(t, ACP_STOP_END_TURN);
}

static void ask(struct turn *t, const char *text)
{
    if (prompt_replace(&t->prompt, text) < 0)
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "Out of memory.");
    else
        turn_read_links(t);
}

static void on_done(struct slash_call *call, enum slash_end end, const char *text)
{
    struct turn *t = CONTAINER_OF(call, struct turn, command);
    switch (end) {
    case SLASH_ASK:
        ask(t, text);
        break;
    case SLASH_SHOW:
        show(t, text);
        break;
    case SLASH_FAIL:
        turn_fail_plain(t, RPC_INTERNAL_ERROR, text);
        break;
    }
}

static void expand(struct turn *t, const struct slash_command *c, const char *args)
{
    struct buf text = {0};
    int rc = slash_expand(c, args, &text);
    char *copy = rc == 0 && buf_cstr(&text) ? buf_take(&text) : NULL;
    buf_deinit(&text);
    if (copy)
        ask(t, copy);
    else
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "Out of memory.");
    free(copy);
}

void turn_begin(struct turn *t)
{
    const struct prompt *p = &t->prompt;
    const char *typed = p->n > 0 && p->parts[0].kind == PROMPT_TEXT ? p->parts[0].text : NULL;
    const char *args = "";
    const struct slash_command *c = typed ? slash_find(&t->s->commands, typed, &args) : NULL;
    if (!c) {
        turn_read_links(t);
    } else if (c->text) {
        expand(t, c, args);
    } else {
        t->command = (struct slash_call){.s = t->s, .name = c->name, .args = args, .done = on_done};
        c->run(c->owner, &t->command);
    }
}

void turn_stop_command(struct turn *t)
{
    if (t->command.stop)
        t->command.stop(&t->command);
    t->command.stop = NULL;
}
