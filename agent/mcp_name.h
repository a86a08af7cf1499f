#ifndef AGENT_MCP_NAME_H
#define AGENT_MCP_NAME_H

#include <stdbool.h>

/*
 * What the model calls a tool of an MCP server: mcp__SERVER__TOOL, in the letters that all model
 * APIs take and no longer than they take. Names that are too long, or that another tool has
 * already, are cut and end in a hash of the whole.
 */
#define MCP_NAME_MAX 64

/* hashed: another tool has the plain one. */
void mcp_name_make(const char *server, const char *tool, bool hashed, char ret[MCP_NAME_MAX + 1]);

#endif
