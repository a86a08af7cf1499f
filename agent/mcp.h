#ifndef AGENT_MCP_H
#define AGENT_MCP_H

#include "json/json.h"

/* Checks params.mcpServers. Entries of a transport that is not advertised, and entries that lack
 * something, are refused; env and headers may also be objects, as older clients write them.
 * 0, or E_INVALID with the entry named in err. list may be NULL. */
int mcp_check(const cJSON *list, struct json_error *err);

#endif
