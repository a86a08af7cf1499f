#ifndef AGENT_MCP_CONFIG_H
#define AGENT_MCP_CONFIG_H

#include "json/json.h"

/*
 * MCP servers as session/new and plugin.json name them. `type` may be left out for stdio; env and
 * headers may be lists of name and value, or objects, as older clients write them.
 */

enum mcp_transport { MCP_STDIO, MCP_HTTP, MCP_SSE };

/* One server, with everything owned; a zeroed struct is empty. */
struct mcp_config {
    enum mcp_transport transport;
    char *name;
    char **argv;    /* stdio: command and args, NULL-ended */
    char **env;     /* stdio: "NAME=value", NULL-ended; NULL: none */
    char *url;      /* else */
    char **headers; /* "Name: value", NULL-ended; NULL: none */
};

/* Checks params.mcpServers: entries that lack something are refused. 0, or E_INVALID with the entry
 * named in err. list may be NULL. */
int mcp_config_check(const cJSON *list, struct json_error *err);

/* One entry that was checked. 0 or E_NOMEM; deinit it in any case. */
int mcp_config_read(const cJSON *entry, struct mcp_config *ret);
void mcp_config_deinit(struct mcp_config *c);

#endif
