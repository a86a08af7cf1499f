#include "agent/record.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>

struct steer {
    struct list node;
    struct prompt prompt;
};

int turn_steer(struct turn *t, struct prompt *prompt)
{
    struct steer *s = calloc(1, sizeof *s);
    if (!s)
        return E_NOMEM;
    s->prompt = *prompt;
    *prompt = (struct prompt){0};
    list_append(&t->steers, &s->node);
    return 0;
}

static void drop(struct steer *s)
{
    list_remove(&s->node);
    prompt_deinit(&s->prompt);
    free(s);
}

void turn_drop_steers(struct turn *t)
{
    while (!list_empty(&t->steers))
        drop(CONTAINER_OF(t->steers.next, struct steer, node));
}

/* Two messages of the user's in a row are one to the model: some refuse anything else. restore.c
 * joins them again by their ids. */
static int add(struct turn *t, const char *kind, const char *text, const char *shown)
{
    char id[SESSION_WIRE_ID_MAX];
    struct store_entry e = {.kind = STORE_USER,
                            .wire_id = session_wire_id(t->s, kind, ++t->s->prompts, id),
                            .text = text,
                            .shown = shown};
    int rc = record_entries(t->s, &e, 1);
    return rc == 0 ? history_join_user(&t->s->history, text) : rc;
}

static int add_steer(struct turn *t, const struct steer *s)
{
    char *text = prompt_render(&s->prompt);
    int rc = text ? add(t, SESSION_STEER, text, s->prompt.shown) : E_NOMEM;
    free(text);
    return rc;
}

int turn_add_steers(struct turn *t)
{
    int rc = 0;
    while (rc == 0 && !list_empty(&t->steers)) {
        struct steer *s = CONTAINER_OF(t->steers.next, struct steer, node);
        rc = add_steer(t, s);
        drop(s);
    }
    return rc;
}

static int add_note(struct turn *t, const char *note)
{
    return note ? add(t, SESSION_NOTE, note, NULL) : 0;
}

static int add_mode(struct turn *t)
{
    struct settings *s = &t->s->settings;
    if (s->mode == s->told_mode && s->work == s->told_work)
        return 0;
    int rc = add_note(t, mode_note(s->mode, s->told_mode));
    if (rc == 0)
        rc = add_note(t, work_note(s->work, s->told_work));
    if (rc < 0)
        return rc;
    s->told_mode = s->mode;
    s->told_work = s->work;
    return record_settings(t->s);
}

static int add_instructions(struct turn *t)
{
    int rc = add_note(t, t->s->note);
    if (rc == 0 && t->s->note) {
        free(t->note);
        t->note = t->s->note;
        t->s->note = NULL;
    }
    return rc;
}

static int add_push(struct turn *t)
{
    bool pushed = t->pushed;
    t->pushed = false;
    return pushed ? add_note(t, "[The goal still stands: go on, or say with update_goal that it is "
                                "reached or cannot be.]")
                  : 0;
}

static int add_agreed(struct turn *t)
{
    bool agreed = t->agreed;
    t->agreed = false;
    return agreed ? add_note(t, "[The user agreed to the plan: carry it out now.]") : 0;
}

/* The work mode delivery: once a turn, files that were changed and not checked are no end. */
static int add_reminder(struct turn *t)
{
    bool remind = t->remind;
    t->remind = false;
    return remind ? add_note(t, "[You changed files and checked nothing since: run the tests or "
                                "another check now, or say why there is none.]")
                  : 0;
}

int turn_add_notes(struct turn *t)
{
    int rc = add_push(t);
    if (rc == 0)
        rc = add_reminder(t);
    if (rc == 0)
        rc = add_agreed(t);
    if (rc == 0)
        rc = add_instructions(t);
    return rc == 0 ? add_mode(t) : rc;
}
