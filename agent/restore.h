#ifndef AGENT_RESTORE_H
#define AGENT_RESTORE_H

#include "agent/session.h"

/*
 * Reads a stored session: its entries become the history again and, if wanted, are shown to the
 * client just as they were shown live, a tool call that never ended as failed. It goes entry by
 * entry, waits while the client does not read, and lets other work in between.
 */
struct restore;

/* rc 0: the session is whole. E_CANCELLED: the client cancelled the request. E_CLOSED: the session
 * is being destroyed. E_PROTOCOL: an entry makes no sense. Else what store.h says, or E_NOMEM. */
typedef void (*restore_cb)(struct session *s, struct rpc_request *req, int rc);

/* Starts on a session of session_reopen. done comes exactly once, perhaps inside this call, and
 * answers req. */
void restore_start(struct session *s, bool show, struct rpc_request *req, restore_cb done);

/* The client reads again. */
void restore_go_on(struct restore *r);

/* Ends it with E_CLOSED. Accepts NULL. */
void restore_abort(struct restore *r);

#endif
