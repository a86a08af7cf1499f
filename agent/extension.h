#ifndef AGENT_EXTENSION_H
#define AGENT_EXTENSION_H

#include "agent/hook.h"
#include "agent/plugin.h"

#include <cjson/cJSON.h>

/*
 * What plugins bring into one session: their commands join its slash commands, their skills are
 * read through the tool `skill`, their hooks are asked by the turn, their MCP servers are connected
 * with the client's.
 */
struct session;
struct extension;

/* Reads the plugins that count for the session's folder (none in safe mode) and puts them in the
 * place of those it had. Broken ones are named on stderr; at a reload they are none, and nothing
 * changes: E_INVALID, error (of error_n bytes; NULL: no reload) says which. 0 or E_NOMEM. */
int extension_load(struct session *s, char *error, size_t error_n);
/* Accepts NULL. */
void extension_destroy(struct extension *e);

/* The servers of plugins behind those of list (may be NULL); the caller deletes it. NULL: none, or
 * out of memory. e may be NULL. */
cJSON *extension_servers(const struct extension *e, const cJSON *list);

/* Fills in what a question to the session's hooks has in common; event, tool and what belongs to
 * them, cb and ctx are the caller's. As hook_start; 0 if the session has no plugins. */
int extension_ask(const struct session *s, struct hook_question *q, struct hook_run **ret);

/* Hooks and sidecars for the beginning of a session, behind the scenes. */
void extension_begin(struct session *s);

#endif
