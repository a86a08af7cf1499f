#ifndef AGENT_MCP_LINK_H
#define AGENT_MCP_LINK_H

#include "agent/mcp_config.h"
#include "http/fetch.h"

#include <uv.h>

/*
 * How messages get to an MCP server and back: one file per transport (mcp_stdio.c, mcp_http.c,
 * mcp_sse.c). Whole JSON texts both ways, nothing of what they say.
 */
struct mcp_link;

struct mcp_link_ops {
    /* One JSON text without its line feed; lent, with a NUL behind it. */
    void (*on_message)(void *ctx, const char *text, size_t n);
    /* The server has forgotten the session: the handshake is due again, and what it did not take is
     * sent once more after mcp_link_agreed. */
    void (*on_expired)(void *ctx);
    /* The connection is over; the last call. why: half a sentence ("ended with exit code 1"); lent.
     */
    void (*on_gone)(void *ctx, const char *why);
};

/* All lent for the call, but loop and fetch. */
struct mcp_link_options {
    uv_loop_t *loop;
    struct fetch *fetch;
    const struct mcp_config *config;
    const char *cwd;
};

/* One per transport. */
struct mcp_link_kind {
    int (*open)(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                struct mcp_link **ret);
    void (*send)(struct mcp_link *link, const char *text, size_t n);
    void (*agreed)(struct mcp_link *link, const char *version);
    void (*close)(struct mcp_link *link);
};
extern const struct mcp_link_kind mcp_link_stdio, mcp_link_http, mcp_link_sse;

/* What each transport's struct begins with. */
struct mcp_link {
    const struct mcp_link_kind *kind;
    const struct mcp_link_ops *ops; /* NULL: nobody is told anything any more */
    void *ctx;
};

/* No callback comes from inside. 0 or a negative code (UV_ENOENT: no such program). */
int mcp_link_open(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                  struct mcp_link **ret);
/* Sends one message; text is lent. What cannot be delivered is answered in the server's place, if
 * it is a request. on_gone may come from inside. */
void mcp_link_send(struct mcp_link *link, const char *text, size_t n);
/* The handshake is done, with this version of MCP. */
void mcp_link_agreed(struct mcp_link *link, const char *version);
/* Ends it behind the scenes, the server with it; no callback comes any more. Not after on_gone. */
void mcp_link_close(struct mcp_link *link);

#endif
