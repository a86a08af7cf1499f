#ifndef AGENT_MCP_CLIENT_H
#define AGENT_MCP_CLIENT_H

#include "agent/mcp_link.h"
#include "rpc/peer.h"

#include <stdbool.h>

/*
 * One MCP server, over whichever transport: handshake, tools, prompts, calls. It speaks the
 * versions from 2024-11-05 to 2025-11-25. Whatever the server does wrong ends at most this
 * connection.
 */
struct mcp_client;

struct mcp_client_ops {
    /* All its tools, once the handshake is done and whenever they change: a list as tools/list
     * gives it, pages joined; lent. */
    void (*on_tools)(void *ctx, const cJSON *tools);
    /* Its prompts, in the same way; none if it has none. */
    void (*on_prompts)(void *ctx, const cJSON *prompts);
    /* It asks the user: params of elicitation/create, lent for the call. Answered now or later with
     * mcp_client_answer. Comes only if options.forms. */
    void (*on_ask)(void *ctx, struct rpc_request *req, const cJSON *params);
    /* It is over, the last call. why: half a sentence; lent. */
    void (*on_gone)(void *ctx, const char *why);
};

/* config and roots are lent until on_gone or mcp_client_close, the rest for the call. */
struct mcp_client_options {
    uv_loop_t *loop;
    struct fetch *fetch;
    const struct mcp_config *config;
    const char *cwd;          /* of the session: where a server is started */
    const char *const *roots; /* its further folders, or NULL */
    bool forms;               /* its user can be asked by forms */
    uint64_t ready_ms;        /* for the handshake and the first list; 0: 10 s */
    uint64_t idle_ms;         /* for a call without news of it; 0: 120 s */
};

/* 0, or a negative code: then no callback ever comes. */
int mcp_client_open(const struct mcp_client_options *o, const struct mcp_client_ops *ops, void *ctx,
                    struct mcp_client **ret);
/* Ends it behind the scenes; calls are forgotten. Accepts NULL; not after on_gone. */
void mcp_client_close(struct mcp_client *c);

/* One call of a tool. All lent for the call, but ctx. */
struct mcp_call;
struct mcp_call_options {
    bool prompt;       /* prompts/get instead of tools/call */
    const char *name;  /* as the server calls it */
    const cJSON *args; /* an object */
    /* Once, on a later turn of the loop, unless cancelled. result: of that method, or NULL: then
     * why says what went wrong. Lent. */
    void (*cb)(void *ctx, const cJSON *result, const char *why);
    /* May be NULL. How far it is: params of notifications/progress, lent. */
    void (*on_progress)(void *ctx, const cJSON *progress);
    void *ctx;
};
/* 0 or a negative code (E_CLOSED: the server is gone). */
int mcp_client_call(struct mcp_client *c, const struct mcp_call_options *o, struct mcp_call **ret);
/* The server is told, and cb never comes. */
void mcp_call_cancel(struct mcp_call *call);

/* The answer to a question: a result of elicitation/create, lent; NULL: "cancel". c may be NULL
 * (the server is gone, nobody hears it). */
void mcp_client_answer(struct mcp_client *c, struct rpc_request *req, const cJSON *result);

/* The version of MCP to go on with after the server's answer to initialize; NULL: none that is
 * spoken here. Static. */
const char *mcp_client_agree(const char *answered);

#endif
