#ifndef AGENT_EXTENSION_LIVE_H
#define AGENT_EXTENSION_LIVE_H

#include "agent/plugin.h"
#include "agent/slash.h"

/*
 * The sidecar of one plugin in one session, as its user sees it: its actions are slash commands,
 * what it publishes is shown, what it asks is asked. Clients that know surfaces (initialize
 * `_meta`, reasonix.io.extensionSurface) get what is published as it is, others as text; questions
 * are forms of the protocol, or permission requests.
 */
struct session;
struct live;

#define LIVE_NOTIFY "_reasonix.io/session/extensionSurface" /* what is published */

/* Adds its actions to the session's commands, and starts it if it is to run from the start. plugin
 * is lent. 0 or E_NOMEM. */
int live_create(struct session *s, const struct plugin *plugin, struct live **ret);
/* Ends it behind the scenes; open questions are withdrawn. No action may be running. Accepts NULL.
 */
void live_destroy(struct live *l);

/* Begins what is to run from the start. */
void live_begin(struct live *l);

#endif
