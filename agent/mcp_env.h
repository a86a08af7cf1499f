#ifndef AGENT_MCP_ENV_H
#define AGENT_MCP_ENV_H

/* The environment of a server that is started here: ours without the keys of model providers, and
 * `added` ("NAME=value", NULL-ended; may be NULL) on top. For roots_free; NULL: out of memory. */
char **mcp_env_make(const char *const *ours, const char *const *added);

#endif
