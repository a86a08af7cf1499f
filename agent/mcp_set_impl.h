#ifndef AGENT_MCP_SET_IMPL_H
#define AGENT_MCP_SET_IMPL_H

#include "agent/client_call.h"
#include "agent/mcp_set.h"
#include "agent/mcp_tool.h"
#include "base/list.h"

/* Private to mcp_set.c (the servers and their tools), mcp_prompt.c and mcp_ask.c. */

struct mcp_set;
struct mcp_prompt;

struct mcp_server {
    struct mcp_set *set;
    struct session *s;
    struct mcp_config config;
    struct mcp_client *client; /* NULL: it has ended, or never began */
    bool pending;              /* its tools are not known yet */
    struct mcp_tool **tools; /* owned; those that are gone, too, since a call may still show one */
    size_t n_tools;
    struct mcp_prompt **prompts; /* owned; those that are gone, too */
    size_t n_prompts;
    struct list asks; /* struct mcp_ask: questions to the user */
};

/* mcp_client_ops: its prompts become the session's slash commands SERVER:PROMPT. */
void mcp_server_prompts(void *ctx, const cJSON *prompts);
/* Removes them. No call of them may be running. */
void mcp_server_end_prompts(struct mcp_server *v);

/* mcp_client_ops: its question goes to the session's user. */
void mcp_server_ask(void *ctx, struct rpc_request *req, const cJSON *params);
/* Withdraws all of them. */
void mcp_server_end_asks(struct mcp_server *v);

#endif
