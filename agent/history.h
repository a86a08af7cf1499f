#ifndef AGENT_HISTORY_H
#define AGENT_HISTORY_H

#include "agent/media.h"

#include <stddef.h>

/*
 * The conversation of one session as the model sees it, neutral about dialects. Messages are only
 * ever appended, cut off at a mark, or, all but the last, summarised: what was sent once is sent
 * again byte for byte.
 */

/* One tool call of an assistant message. `args` is always one JSON object as text: what could not
 * be parsed is stored as "{}", because providers refuse a history that holds anything else. */
struct history_call {
    char *id, *name, *args; /* owned */
    char *extra;            /* owned; JSON to send back unchanged, or NULL */
};

enum history_role { HISTORY_USER, HISTORY_ASSISTANT, HISTORY_TOOL };

struct history_message {
    enum history_role role;
    char *text;                 /* owned, never NULL */
    struct media_list media;    /* owned; user only */
    char *thought;              /* owned; assistant only, or NULL */
    struct history_call *calls; /* owned; assistant only */
    size_t n_calls;
    char *call_id; /* owned; tool only: the call this answers */
};

/* A zeroed struct is a valid empty history. */
struct history {
    struct history_message *messages; /* owned */
    size_t n, cap;
    size_t bytes; /* that all messages take, roughly */
};

void history_deinit(struct history *h);

/* Append copies. 0 or E_NOMEM (then nothing changed). */
int history_add_user(struct history *h, const char *text);
/* The same with the images and sounds among its content blocks (media_read; may be NULL). */
int history_add_prompt(struct history *h, const char *text, const char *blocks);
/* Joins the last message if that is the user's, else as history_add_user. */
int history_join_user(struct history *h, const char *text);
int history_add_tool(struct history *h, const char *call_id, const char *text);
/* thought may be NULL. Takes the calls array and all in it, also on failure. */
int history_add_assistant(struct history *h, const char *text, const char *thought,
                          struct history_call *calls, size_t n_calls);

/* Puts a summary in place of all but the last `kept` messages: a message of the user's, and an
 * answer to it where the user's own would follow. Results of tools stay with their calls. 0 or
 * E_NOMEM (then nothing changed). */
int history_compact(struct history *h, const char *summary, size_t kept);

/* More than the window of any model holds. */
#define HISTORY_MOST ((size_t)16 << 20)

/* Where the messages take more than `most` bytes, the oldest are left out until half of that is
 * left, and a note says so in their place. The last message always stays. 0 or E_NOMEM (then
 * nothing changed). */
int history_bound(struct history *h, size_t most);

/* Cuts everything after the first n messages. */
void history_cut(struct history *h, size_t n);

/* Frees an array of calls and itself. Accepts NULL. */
void history_free_calls(struct history_call *calls, size_t n);

#endif
