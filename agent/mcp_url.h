#ifndef AGENT_MCP_URL_H
#define AGENT_MCP_URL_H

/* The endpoint that an MCP server of 2024-11-05 names: a whole URL, a path from the root, or one
 * beside the base's. Only the base's own origin will do: credentials go there. 0: the caller frees
 * *ret. E_INVALID: another origin, or no URL. E_NOMEM. */
int mcp_url_resolve(const char *base, const char *reference, char **ret);

#endif
