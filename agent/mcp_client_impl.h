#ifndef AGENT_MCP_CLIENT_IMPL_H
#define AGENT_MCP_CLIENT_IMPL_H

#include "agent/mcp_client.h"
#include "base/buf.h"
#include "base/list.h"
#include "rpc/peer.h"

/* Private to mcp_client*.c: mcp_client.c is the connection, mcp_client_list.c the handshake and the
 * list of tools, mcp_client_call.c the calls. */

enum { MCP_TOOLS, MCP_PROMPTS, MCP_LISTS };

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
    struct mcp_list {
        const char *method, *member; /* "tools/list", "tools" */
        cJSON *items;                /* owned; the pages so far */
        char *cursor;                /* owned; of the page that is under way; NULL: the first */
        unsigned pages;
        bool offered;      /* the server says that it has some */
        bool going, again; /* is being asked for; and is to be asked for once more */
    } lists[MCP_LISTS];
    bool listed;     /* its tools, at least once */
    unsigned asking; /* questions to the user that are open */
    unsigned handshakes;
};

/* Tells the owner that it is over, and why. Nothing may be touched after it. */
void mcp_client_give_up(struct mcp_client *c, const char *why);
/* Starts the handshake. 0 or E_NOMEM. */
int mcp_client_greet(struct mcp_client *c);
/* Asks for the tools or prompts, now or after the list that is under way. */
void mcp_client_list(struct mcp_client *c, int which);
void mcp_client_drop_lists(struct mcp_client *c);
/* The user is, or is not any more, being asked: calls have their time for as long. */
void mcp_client_watch_calls(struct mcp_client *c);
/* Cancels all of them. */
void mcp_client_forget_calls(struct mcp_client *c);
/* notifications/progress. */
void mcp_client_progress(struct mcp_client *c, const cJSON *params);

#endif
