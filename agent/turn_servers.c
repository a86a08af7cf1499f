#include "agent/mcp_set.h"
#include "agent/turn_impl.h"

#include <stdlib.h>

/* The model is told of its tools once, so the first request of a turn waits for servers that are
 * still being connected: they have a bounded time for it. */

static void on_servers(void *ctx)
{
    turn_request_model(ctx);
}

bool turn_await_servers(struct turn *t)
{
    if (t->requests > 0)
        return false;
    if (mcp_set_wait(t->s->servers, on_servers, t))
        return true;
    char *news = mcp_set_take_news(t->s->servers);
    if (news)
        turn_tell_as_thought(t, news);
    free(news);
    return false;
}
