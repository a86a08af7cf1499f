#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include "agent/env.h"
#include "agent/gate.h"
#include "agent/history.h"
#include "agent/settings.h"
#include "agent/slash.h"
#include "agent/toolset.h"
#include "agent/update.h"
#include "base/list.h"

#define SESSION_ID_MAX  40
#define SESSION_TAG_MAX 9

struct turn;
struct restore;
struct mcp_set;
struct extension;

/* One conversation. */
struct session {
    struct list node;
    struct env *env; /* lent */
    char id[SESSION_ID_MAX];
    char tag[SESSION_TAG_MAX]; /* in the ids of messages and calls; another one at each opening, so
                                  that no id ever comes twice in a stored session */
    char *cwd;                 /* owned; absolute */
    char **roots;              /* owned; further folders (roots.h), or NULL */
    char *system;    /* owned; made once, so that every request begins with the same bytes */
    char *title;     /* owned; NULL: none yet */
    bool title_told; /* the client knows it */
    struct settings settings;
    struct toolset tools;
    struct mcp_set *servers;     /* owned, or NULL */
    struct extension *extension; /* owned; what plugins bring, or NULL */
    struct gate_rules rules;
    struct slash_list commands;
    char *told_system; /* owned; the system prompt as it would be now, if the model was told of a
                          change; NULL: it was not */
    char *note;        /* owned; for the model, with the next request; NULL: none */
    bool reload;       /* asked for in a turn: to be done when it is over */
    int64_t last;      /* number of the last entry this process stored or read; 0: none */
    int64_t updated;   /* milliseconds since 1970 */
    struct history history;
    struct turn *turn;       /* the running one, or NULL */
    struct restore *restore; /* it is being read from the store; NULL: it is whole */
    unsigned prompts;        /* so far: numbers the user's messages */
    unsigned replies;        /* model replies so far: numbers messages */
    unsigned calls;          /* tool calls so far: numbers them */
    unsigned compactions;    /* so far: numbers them */
    unsigned asides;         /* so far: numbers what the agent says as a thought */
    uint64_t used;           /* tokens of its last request and reply; 0: unknown */
    size_t used_at;          /* messages that these were */
};

/* The id of a new session. 0 or a negative code. */
int session_make_id(char ret[SESSION_ID_MAX]);

/* Where it works. All lent; absolute directories. */
struct session_place {
    const char *cwd;
    const char *const *roots; /* further folders (roots.h), or NULL */
};

/* A new one. 0 or a negative code. Nothing is stored yet. */
int session_create(struct env *env, const struct session_place *place, struct session **ret);

/* One that is stored, still without its history (restore.h). place may be another one than it had:
 * then its tools work there, and with another cwd the system prompt is made anew. */
int session_reopen(struct env *env, const struct store_session *stored,
                   const struct session_place *place, struct session **ret);

/* Cancels a running turn (which is answered) and frees everything. Accepts NULL. */
void session_destroy(struct session *s);

/* s->roots, as readers want it. */
const char *const *session_roots(const struct session *s);
/* Where its next request goes; see config_resolve. */
int session_resolve(const struct session *s, struct llm_target *ret);
/* Tokens the model may write per answer; 0: its own limit. */
uint32_t session_max_tokens(const struct session *s);

/* Reads the workspace's instructions again. If they changed, the model is told with its next
 * request: what it was sent before stays as it is. 0 or E_NOMEM. */
int session_reload(struct session *s);

/* The model has lost what it was told of a change: it is told again. 0 or E_NOMEM. */
int session_tell_again(struct session *s);

struct client_to session_client(const struct session *s);
struct update_to session_updates(const struct session *s);

/* Ids of messages and calls: "msg_1f2e3d4c_7". That of the thoughts before a message is made from
 * the message's, so that both last. */
#define SESSION_WIRE_ID_MAX 40
#define SESSION_STEER       "steer" /* kinds of messages that join the user's before them */
#define SESSION_NOTE        "note"
#define SESSION_COMPACTION  "compact" /* and of those that stand for what came before */
const char *session_thought_id(const char *message_id, char ret[SESSION_WIRE_ID_MAX]);
const char *session_wire_id(const struct session *s, const char *kind, unsigned n,
                            char ret[SESSION_WIRE_ID_MAX]);

#endif
