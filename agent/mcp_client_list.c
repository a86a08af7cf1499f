#include "agent/mcp_client_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGES_MAX      100u
#define HANDSHAKES_MAX 5u /* of one connection: a server may forget its sessions for ever */

static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

const char *mcp_client_agree(const char *answered)
{
    for (size_t i = 0; i < ARRAY_LEN(versions); i++)
        if (answered && strcmp(versions[i], answered) == 0)
            return versions[i];
    return NULL;
}

static void give_up_over(struct mcp_client *c, const char *what, const cJSON *error)
{
    char why[240];
    const char *message = json_get_str(error, "message");
    snprintf(why, sizeof why, "refused %s: %.180s", what, message ? message : "no reason given");
    mcp_client_give_up(c, why);
}

/* ---- the tools ------------------------------------------------------------------------------ */

static int ask_for_page(struct mcp_client *c);

static void end_list(struct mcp_client *c, bool whole)
{
    cJSON *tools = c->tools;
    c->tools = NULL;
    c->listing = false;
    uv_timer_stop(&c->timer);
    if (c->list_again) {
        cJSON_Delete(tools);
        c->list_again = false;
        mcp_client_list(c);
        return;
    }
    c->listed = true;
    if (whole && c->ops)
        c->ops->on_tools(c->ctx, tools);
    cJSON_Delete(tools);
}

static int join_page(struct mcp_client *c, const cJSON *page)
{
    const cJSON *tool;
    if (!c->tools)
        c->tools = cJSON_CreateArray();
    cJSON_ArrayForEach(tool, page)
    {
        cJSON *copy = cJSON_Duplicate(tool, true);
        if (!copy || !cJSON_AddItemToArray(c->tools, copy)) {
            cJSON_Delete(copy);
            return E_NOMEM;
        }
    }
    return c->tools ? 0 : E_NOMEM;
}

/* True: there is another page. A server that gives the same cursor again would go on for ever. */
static bool move_on(struct mcp_client *c, const char *next)
{
    bool more = next && ++c->pages < PAGES_MAX && !(c->cursor && strcmp(c->cursor, next) == 0);
    if (next && !more)
        log_warn("MCP server %s: its list of tools does not end, the rest is left out",
                 c->options.config->name);
    free(c->cursor);
    c->cursor = more ? strdup(next) : NULL;
    return c->cursor != NULL;
}

static void on_page(void *ctx, const struct rpc_outcome *o)
{
    struct mcp_client *c = ctx;
    if (o->rc < 0 || !c->peer)
        return; /* its end is told elsewhere */
    if (o->error && !c->listed) {
        give_up_over(c, "tools/list", o->error);
        return;
    }
    if (o->error) { /* what was known stays */
        log_warn("MCP server %s: its tools could not be listed anew", c->options.config->name);
        end_list(c, false);
        return;
    }
    int rc = join_page(c, json_get(o->result, "tools"));
    bool more = rc == 0 && move_on(c, json_get_str(o->result, "nextCursor"));
    if (more)
        rc = ask_for_page(c);
    if (rc < 0)
        mcp_client_give_up(c, "has more tools than there is memory for");
    else if (!more)
        end_list(c, true);
}

static int ask_for_page(struct mcp_client *c)
{
    struct jsonw *w = peer_call_begin(c->peer, "tools/list");
    jw_open(w, '{');
    if (c->cursor)
        jw_kstr(w, "cursor", c->cursor);
    jw_close(w);
    return peer_call_end(c->peer, on_page, c, NULL);
}

void mcp_client_list(struct mcp_client *c)
{
    if (c->listing) {
        c->list_again = true;
        return;
    }
    free(c->cursor);
    c->cursor = NULL;
    c->pages = 0;
    c->listing = true;
    if (ask_for_page(c) == E_NOMEM)
        mcp_client_give_up(c, "could not be asked for want of memory");
}

/* ---- the handshake -------------------------------------------------------------------------- */

static void end_handshake(struct mcp_client *c)
{
    if (c->has_tools) {
        c->listing = c->list_again = false;
        cJSON_Delete(c->tools);
        c->tools = NULL;
        mcp_client_list(c);
    } else {
        c->tools = cJSON_CreateArray();
        end_list(c, true);
    }
}

static void on_greeted(void *ctx, const struct rpc_outcome *o)
{
    struct mcp_client *c = ctx;
    if (o->rc < 0 || !c->peer)
        return;
    if (o->error) {
        give_up_over(c, "initialize", o->error);
        return;
    }
    const char *answered = json_get_str(o->result, "protocolVersion");
    const char *version = mcp_client_agree(answered);
    if (!version) {
        char why[160];
        snprintf(why, sizeof why, "speaks version \"%.40s\" of MCP, which this agent does not",
                 answered ? answered : "");
        mcp_client_give_up(c, why);
        return;
    }
    c->has_tools = cJSON_IsObject(json_get(json_get(o->result, "capabilities"), "tools"));
    jw_null(peer_notify_begin(c->peer, "notifications/initialized"));
    (void)peer_notify_end(c->peer);
    if (!c->peer || !c->link)
        return;
    mcp_link_agreed(c->link, version);
    end_handshake(c);
}

int mcp_client_greet(struct mcp_client *c)
{
    if (c->handshakes++ == HANDSHAKES_MAX) {
        mcp_client_give_up(c, "forgets its sessions again and again");
        return 0;
    }
    struct jsonw *w = peer_call_begin(c->peer, "initialize");
    jw_open(w, '{');
    jw_kstr(w, "protocolVersion", versions[0]);
    jw_kopen(w, "capabilities", '{');
    jw_kopen(w, "roots", '{');
    jw_close(w);
    jw_close(w);
    jw_kopen(w, "clientInfo", '{');
    jw_kstr(w, "name", "acp-agent");
    jw_kstr(w, "version", ACP_VERSION);
    jw_close(w);
    jw_close(w);
    return peer_call_end(c->peer, on_greeted, c, NULL);
}
