#include "agent/mcp_link.h"

static const struct mcp_link_kind *const kinds[] = {
    [MCP_STDIO] = &mcp_link_stdio, [MCP_HTTP] = &mcp_link_http, [MCP_SSE] = &mcp_link_sse};

int mcp_link_open(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                  struct mcp_link **ret)
{
    return kinds[o->config->transport]->open(o, ops, ctx, ret);
}

void mcp_link_send(struct mcp_link *link, const char *text, size_t n)
{
    link->kind->send(link, text, n);
}

void mcp_link_agreed(struct mcp_link *link, const char *version)
{
    link->kind->agreed(link, version);
}

void mcp_link_close(struct mcp_link *link)
{
    link->kind->close(link);
}
