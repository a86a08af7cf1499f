#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include "agent/env.h"
#include "agent/history.h"
#include "agent/update.h"
#include "base/list.h"

#define SESSION_ID_MAX 40

struct turn;

/* One conversation. */
struct session {
    struct list node;
    struct env *env; /* lent */
    char id[SESSION_ID_MAX];
    char *cwd;    /* owned; absolute */
    char *system; /* owned; made once, so that every request begins with the same bytes */
    struct history history;
    struct turn *turn; /* the running one, or NULL */
    unsigned replies;  /* model replies so far: numbers messages */
    unsigned calls;    /* tool calls so far: numbers them */
};

/* cwd is an absolute directory; append (may be NULL) joins the system prompt. 0 or a negative code.
 */
int session_create(struct env *env, const char *cwd, const char *append, struct session **ret);

/* Cancels a running turn (which is answered) and frees everything. Accepts NULL. */
void session_destroy(struct session *s);

struct update_to session_updates(const struct session *s);

#endif
