#ifndef AGENT_MCP_TOOL_H
#define AGENT_MCP_TOOL_H

#include "agent/mcp_client.h"
#include "agent/mcp_name.h"
#include "agent/tool.h"

/* One tool of an MCP server as a tool of the agent. */
struct mcp_tool {
    struct tool tool;
    char name[MCP_NAME_MAX + 1]; /* for the model */
    char *server, *remote;       /* owned; the server's name, and what it calls the tool */
    char *title;                 /* owned; for people */
    char *description, *schema;  /* owned; schema is one JSON object */
    struct mcp_client **client;  /* lent; NULL behind it: the server is gone */
    bool gone;                   /* the server does not offer it any more */
};

/* From an entry of tools/list. 0, E_NOMEM, or E_INVALID: it cannot be used, *ret_why (static) says
 * why. Destroy it with mcp_tool_destroy. */
int mcp_tool_create(const cJSON *entry, const char *server, struct mcp_client **client,
                    struct mcp_tool **ret, const char **ret_why);
/* Accepts NULL. No call of it may be running. */
void mcp_tool_destroy(struct mcp_tool *t);

/* Is the entry the same tool, told of in the same words? */
bool mcp_tool_is(const struct mcp_tool *t, const cJSON *entry);

#endif
