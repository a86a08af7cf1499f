#ifndef AGENT_SLASH_H
#define AGENT_SLASH_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The slash commands of a session: our own, those of Markdown files (slash_file.c), and what others
 * add: actions of plugins, prompts of MCP servers. A prompt that begins with "/name" carries the
 * command out; what begins with another word goes to the model as it is.
 */
struct session;
struct slash_call;

/* One command. Lent where it is given: slash_add copies the texts. */
struct slash_command {
    const char *name;        /* without the slash; no white space */
    const char *description; /* one line */
    const char *hint;        /* what may follow the name; NULL: nothing is expected */
    const char *source;      /* whose it is: "user", "project", "plugin:NAME", "mcp:NAME" */
    /* What the model is asked in its place: "$ARGUMENTS" stands for what followed the name, which
     * comes at the end if it is not mentioned. NULL: run. */
    const char *text;
    /* Begins the command; ends it with slash_end, now or later. */
    void (*run)(void *owner, struct slash_call *call);
    void *owner; /* lent: outlives the command; before it goes it ends the calls that still run */
};

/* What a command came to. */
enum slash_end {
    SLASH_ASK,  /* the model is asked `text` */
    SLASH_SHOW, /* `text` is shown to the user, and the turn is over; the model never sees it */
    SLASH_FAIL  /* the prompt is answered with an error of these words */
};

/* A command that runs. Owned by its turn. */
struct slash_call {
    struct session *s;
    const char *name; /* lent until run returns */
    const char *args; /* lent; what followed the name, without white space around it */
    /* For commands that end later: the turn is over, the call must not be touched any more. */
    void (*stop)(struct slash_call *call);
    void *job; /* the command's own */
    void (*done)(struct slash_call *call, enum slash_end end, const char *text);
};

/* Ends a call, exactly once; it is gone afterwards, and so may be its session. text is copied. */
void slash_end(struct slash_call *call, enum slash_end end, const char *text);

/* The commands that are not our own. A zeroed struct is a valid empty list. */
struct slash_list {
    struct slash_item {
        struct slash_command command;
        char *texts; /* owned; what it lends */
    } * items;       /* owned */
    size_t n, cap;
};

void slash_list_deinit(struct slash_list *l);

/* 0; E_INVALID: no name for a command, or something is missing; E_EXISTS: there is one of that
 * name, which stays; E_TOOBIG: there are too many; E_NOMEM. */
int slash_add(struct slash_list *l, const struct slash_command *c);
/* Removes all of a source. */
void slash_remove(struct slash_list *l, const char *source);

/* Ours first. NULL: there are no more. Lent until the list changes. */
const struct slash_command *slash_at(const struct slash_list *l, size_t i);
/* The command a prompt's text calls; NULL: none. *ret_args is what follows the name. */
const struct slash_command *slash_find(const struct slash_list *l, const char *text,
                                       const char **ret_args);

/* Appends what the model is asked in place of a command with a text. args need not end where the
 * text does. 0 or E_NOMEM. */
int slash_expand(const struct slash_command *c, const char *args, struct buf *out);

/* The commands of Markdown files anew: of .acp-agent/commands of the session's folder or the
 * nearest one above it that has some (not in safe mode), then of the user's own folder. Files that
 * cannot be taken are named on stderr. 0, or E_NOMEM: nothing changed. */
int slash_load_files(struct session *s);

/* Tells the client all commands: when a session is opened, and after a change. 0 or E_NOMEM. */
int slash_tell(const struct session *s);

/* Private to slash*.c */
extern const struct slash_command slash_builtin[];
extern const size_t slash_builtin_n;

#endif
