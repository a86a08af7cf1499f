#ifndef AGENT_MCP_SET_H
#define AGENT_MCP_SET_H

#include "agent/mcp_config.h"

/*
 * The MCP servers of one session. They are connected side by side, none waits for another, and what
 * they offer joins the session's tools. One that fails is named to the client, and nothing else
 * comes of it.
 */
struct session;
struct mcp_set;

/* Connects them from the next turn of the loop on. servers: checked with mcp_config_check; NULL:
 * none, then *ret is NULL. 0 or E_NOMEM (then none is connected). */
int mcp_set_open(struct session *s, const cJSON *servers, struct mcp_set **ret);

/* Ends all of them behind the scenes. No call of their tools may be running. Accepts NULL. */
void mcp_set_close(struct mcp_set *set);

/* True if some are still being connected: cb then comes once, on a later turn of the loop, unless
 * mcp_set_forget was called before. At most one waits. set may be NULL. */
bool mcp_set_wait(struct mcp_set *set, void (*cb)(void *ctx), void *ctx);
void mcp_set_forget(struct mcp_set *set);

/* What has not been told yet of servers that failed, for clients that take no notices: a text for
 * people, owned by the caller, or NULL. set may be NULL. */
char *mcp_set_take_news(struct mcp_set *set);

#endif
