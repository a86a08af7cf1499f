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

/* ---- tools and prompts ---------------------------------------------------------------------- */

static int ask_for_page(struct mcp_client *c, struct mcp_list *l);

static void drop(struct mcp_list *l)
{
    cJSON_Delete(l->items);
    free(l->cursor);
    l->items = NULL;
    l->cursor = NULL;
    l->going = l->again = false;
}

void mcp_client_drop_lists(struct mcp_client *c)
{
    for (int i = 0; i < MCP_LISTS; i++)
        drop(&c->lists[i]);
}

static void tell(struct mcp_client *c, const struct mcp_list *l, const cJSON *items)
{
    if (l == &c->lists[MCP_TOOLS]) {
        c->listed = true;
        uv_timer_stop(&c->timer);
        c->ops->on_tools(c->ctx, items);
    } else {
        c->ops->on_prompts(c->ctx, items);
    }
}

static void end_list(struct mcp_client *c, struct mcp_list *l, bool whole)
{
    cJSON *items = l->items;
    bool again = l->again;
    l->items = NULL;
    drop(l);
    if (again)
        mcp_client_list(c, (int)(l - c->lists));
    else if (whole && c->ops)
        tell(c, l, items);
    cJSON_Delete(items);
}

static int join_page(struct mcp_list *l, const cJSON *page)
{
    const cJSON *item;
    if (!l->items)
        l->items = cJSON_CreateArray();
    cJSON_ArrayForEach(item, page)
    {
        cJSON *copy = cJSON_Duplicate(item, true);
        if (!copy || !cJSON_AddItemToArray(l->items, copy)) {
            cJSON_Delete(copy);
            return E_NOMEM;
        }
    }
    return l->items ? 0 : E_NOMEM;
}

/* True: there is another page. A server that gives the same cursor again would go on for ever. */
static bool move_on(struct mcp_client *c, struct mcp_list *l, const char *next)
{
    bool more = next && ++l->pages < PAGES_MAX && !(l->cursor && strcmp(l->cursor, next) == 0);
    if (next && !more)
        log_warn("MCP server %s: %s does not end, the rest is left out", c->options.config->name,
                 l->method);
    free(l->cursor);
    l->cursor = more ? strdup(next) : NULL;
    return l->cursor != NULL;
}

static void refuse_list(struct mcp_client *c, struct mcp_list *l, const cJSON *error)
{
    if (l == &c->lists[MCP_TOOLS] && !c->listed) {
        give_up_over(c, l->method, error);
        return;
    }
    log_warn("MCP server %s refused %s", c->options.config->name, l->method);
    end_list(c, l, false); /* what was known stays */
}

static void on_page(struct mcp_client *c, struct mcp_list *l, const struct rpc_outcome *o)
{
    if (o->rc < 0 || !c->peer)
        return; /* its end is told elsewhere */
    if (o->error) {
        refuse_list(c, l, o->error);
        return;
    }
    int rc = join_page(l, json_get(o->result, l->member));
    bool more = rc == 0 && move_on(c, l, json_get_str(o->result, "nextCursor"));
    if (more)
        rc = ask_for_page(c, l);
    if (rc < 0)
        mcp_client_give_up(c, "has more to offer than there is memory for");
    else if (!more)
        end_list(c, l, true);
}

static void on_tools_page(void *ctx, const struct rpc_outcome *o)
{
    struct mcp_client *c = ctx;
    on_page(c, &c->lists[MCP_TOOLS], o);
}

static void on_prompts_page(void *ctx, const struct rpc_outcome *o)
{
    struct mcp_client *c = ctx;
    on_page(c, &c->lists[MCP_PROMPTS], o);
}

static int ask_for_page(struct mcp_client *c, struct mcp_list *l)
{
    bool tools = l == &c->lists[MCP_TOOLS];
    struct jsonw *w = peer_call_begin(c->peer, l->method);
    jw_open(w, '{');
    if (l->cursor)
        jw_kstr(w, "cursor", l->cursor);
    jw_close(w);
    return peer_call_end(c->peer, tools ? on_tools_page : on_prompts_page, c, NULL);
}

void mcp_client_list(struct mcp_client *c, int which)
{
    struct mcp_list *l = &c->lists[which];
    if (l->going) {
        l->again = true;
        return;
    }
    drop(l);
    l->pages = 0;
    l->going = true;
    if (ask_for_page(c, l) == E_NOMEM)
        mcp_client_give_up(c, "could not be asked for want of memory");
}

/* ---- the handshake -------------------------------------------------------------------------- */

static void end_handshake(struct mcp_client *c)
{
    mcp_client_drop_lists(c);
    if (c->lists[MCP_PROMPTS].offered)
        mcp_client_list(c, MCP_PROMPTS);
    if (c->peer && c->lists[MCP_TOOLS].offered)
        mcp_client_list(c, MCP_TOOLS);
    else if (c->peer)
        end_list(c, &c->lists[MCP_TOOLS], true);
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
    for (int i = 0; i < MCP_LISTS; i++)
        c->lists[i].offered =
            cJSON_IsObject(json_get(json_get(o->result, "capabilities"), c->lists[i].member));
    struct jsonw *w = peer_notify_begin(c->peer, "notifications/initialized");
    jw_open(w, '{'); /* servers refuse null for params */
    jw_close(w);
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
    if (c->options.forms) {
        jw_kopen(w, "elicitation", '{');
        jw_close(w);
    }
    jw_close(w);
    jw_kopen(w, "clientInfo", '{');
    jw_kstr(w, "name", "acp-agent");
    jw_kstr(w, "version", ACP_VERSION);
    jw_close(w);
    jw_close(w);
    return peer_call_end(c->peer, on_greeted, c, NULL);
}
