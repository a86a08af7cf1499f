#ifndef AGENT_MCP_CLIENT_IMPL_H
#define AGENT_MCP_CLIENT_IMPL_H

#include "agent/mcp_client.h"
#include "base/buf.h"
#include "base/list.h"
#include "rpc/peer.h"

/* Private to mcp_client*.c: mcp_client.c is the connection, mcp_client_list.c the handshake and the
 * list of tools, mcp_client_call.c the calls. */

struct mcp_client {
    const struct mcp_client_ops *ops; /* NULL: nobody is told anything any more */
    void *ctx;
    struct mcp_client_options options;
    char *cwd; /* owned */
    struct mcp_link *link;
    struct peer *peer; /* NULL: it is over */
    struct buf out;    /* of the peer */
    uv_timer_t timer;  /* for the handshake and the first list; its close callback frees this */
    struct list calls; /* struct mcp_call */
    cJSON *tools;      /* owned; the pages so far */
    char *cursor;      /* owned; of the page that is under way; NULL: the first */
    unsigned pages;
    bool has_tools; /* the server says so */
    bool listing, list_again;
    bool listed; /* at least once */
    unsigned handshakes;
};

/* Tells the owner that it is over, and why. Nothing may be touched after it. */
void mcp_client_give_up(struct mcp_client *c, const char *why);
/* Starts the handshake. 0 or E_NOMEM. */
int mcp_client_greet(struct mcp_client *c);
/* Asks for the tools, now or after the list that is under way. */
void mcp_client_list(struct mcp_client *c);
/* Cancels all of them. */
void mcp_client_forget_calls(struct mcp_client *c);
/* notifications/progress. */
void mcp_client_progress(struct mcp_client *c, const cJSON *params);

#endif
