#include "agent/mcp_set_impl.h"

#include "agent/session.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mcp_set {
    struct session *s;
    struct mcp_server *servers; /* owned */
    size_t n;
    struct buf news;
    uv_timer_t timer; /* tells who waits; its close callback frees this */
    void (*cb)(void *ctx);
    void *ctx;
};

/* ---- who waits ------------------------------------------------------------------------------ */

static bool is_pending(const struct mcp_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->servers[i].pending)
            return true;
    return false;
}

static void on_timer(uv_timer_t *timer)
{
    struct mcp_set *set = CONTAINER_OF(timer, struct mcp_set, timer);
    void (*cb)(void *ctx) = set->cb;
    set->cb = NULL;
    if (cb)
        cb(set->ctx);
}

static void settle(struct mcp_server *v)
{
    struct mcp_set *set = v->set;
    v->pending = false;
    if (set->cb && !is_pending(set))
        uv_timer_start(&set->timer, on_timer, 0, 0);
}

bool mcp_set_wait(struct mcp_set *set, void (*cb)(void *ctx), void *ctx)
{
    if (!set || !is_pending(set))
        return false;
    set->cb = cb;
    set->ctx = ctx;
    return true;
}

void mcp_set_forget(struct mcp_set *set)
{
    if (set)
        set->cb = NULL;
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void tell(struct mcp_set *set, const char *text)
{
    log_warn("%s", text);
    if (set->s->env->notices)
        update_notice(session_updates(set->s), "warning", text);
    else if (buf_addf(&set->news, "%s\n", text) < 0)
        log_warn("out of memory: the client is not told of that");
}

static void tell_about(struct mcp_server *v, const char *why)
{
    char text[640];
    snprintf(text, sizeof text, "The MCP server %.100s %s%.400s.", v->config.name,
             v->pending ? "cannot be used: it " : "", why);
    tell(v->set, text);
}

char *mcp_set_take_news(struct mcp_set *set)
{
    if (!set || set->news.n == 0)
        return NULL;
    set->news.n--; /* its last line feed */
    char *news = buf_take(&set->news);
    buf_deinit(&set->news);
    return news;
}

/* ---- its tools ------------------------------------------------------------------------------ */

static struct mcp_tool *find_tool(const struct mcp_server *v, const cJSON *entry)
{
    for (size_t i = 0; i < v->n_tools; i++)
        if (mcp_tool_is(v->tools[i], entry))
            return v->tools[i];
    return NULL;
}

/* Two servers, or two tools of one, may come to the same name. */
static int join(struct mcp_server *v, struct mcp_tool *t)
{
    struct toolset *tools = &v->set->s->tools;
    int rc = toolset_add(tools, &t->tool);
    if (rc == E_EXISTS) {
        mcp_name_make(v->config.name, t->remote, true, t->name);
        rc = toolset_add(tools, &t->tool);
    }
    return rc;
}

static int add_tool(struct mcp_server *v, const cJSON *entry)
{
    struct mcp_tool *t = NULL;
    const char *why = NULL;
    struct mcp_tool **list = realloc(v->tools, (v->n_tools + 1) * sizeof *list);
    if (!list)
        return E_NOMEM;
    v->tools = list;
    int rc = mcp_tool_create(entry, v->config.name, &v->client, &t, &why);
    if (rc == 0)
        rc = join(v, t);
    if (rc == 0) {
        v->tools[v->n_tools++] = t;
        return 0;
    }
    const char *name = json_get_str(entry, "name");
    log_warn("MCP server %s: its tool %.100s is left out: %s", v->config.name, name ? name : "",
             why              ? why
             : rc == E_EXISTS ? "there is one of that name"
                              : err_text(rc));
    mcp_tool_destroy(t);
    return rc == E_NOMEM ? rc : 0;
}

/* Tools that are offered no more, or in other words, go. */
static void drop_others(struct mcp_server *v, const cJSON *tools)
{
    for (size_t i = 0; i < v->n_tools; i++) {
        struct mcp_tool *t = v->tools[i];
        bool kept = false;
        const cJSON *entry;
        cJSON_ArrayForEach(entry, tools)
        {
            kept = kept || mcp_tool_is(t, entry);
        }
        if (!kept && !t->gone)
            toolset_remove(&v->set->s->tools, &t->tool);
        t->gone = !kept;
    }
}

static void on_tools(void *ctx, const cJSON *tools)
{
    struct mcp_server *v = ctx;
    const cJSON *entry;
    int rc = 0;
    drop_others(v, tools);
    cJSON_ArrayForEach(entry, tools)
    {
        if (rc == 0 && !find_tool(v, entry))
            rc = add_tool(v, entry);
    }
    if (rc < 0)
        tell_about(v, "has more tools than there is memory for");
    settle(v);
}

static void on_gone(void *ctx, const char *why)
{
    struct mcp_server *v = ctx;
    v->client = NULL;
    mcp_server_end_asks(v);
    tell_about(v, why);
    settle(v);
}

static const struct mcp_client_ops ops = {on_tools, mcp_server_prompts, mcp_server_ask, on_gone};

/* ---- the beginning and the end -------------------------------------------------------------- */

/* Programs are started on the next turn of the loop: the answer that opens the session goes first.
 */
static void connect_to(struct mcp_server *v)
{
    struct session *s = v->s;
    const struct mcp_client_options o = {.loop = s->env->loop,
                                         .fetch = s->env->fetch,
                                         .config = &v->config,
                                         .cwd = s->cwd,
                                         .roots = session_roots(s),
                                         .forms = s->env->forms,
                                         .ready_ms = s->env->config.mcp_ms,
                                         .idle_ms = s->env->config.mcp_call_ms};
    int rc = mcp_client_open(&o, &ops, v, &v->client);
    if (rc < 0) {
        char why[300];
        snprintf(why, sizeof why, "could not be started (%s)", err_text(rc));
        tell_about(v, why);
        settle(v);
    }
}

static void on_begin(uv_timer_t *timer)
{
    struct mcp_set *set = CONTAINER_OF(timer, struct mcp_set, timer);
    for (size_t i = 0; i < set->n; i++)
        connect_to(&set->servers[i]);
}

static int add_server(struct mcp_set *set, const cJSON *entry)
{
    struct mcp_server *v = &set->servers[set->n++];
    v->set = set;
    v->s = set->s;
    v->pending = true;
    list_init(&v->asks);
    return mcp_config_read(entry, &v->config);
}

int mcp_set_open(struct session *s, const cJSON *servers, struct mcp_set **ret)
{
    const cJSON *entry;
    int rc = 0;
    *ret = NULL;
    if (!servers || !servers->child)
        return 0;
    struct mcp_set *set = calloc(1, sizeof *set);
    if (!set)
        return E_NOMEM;
    set->s = s;
    uv_timer_init(s->env->loop, &set->timer);
    *ret = set;
    set->servers = calloc((size_t)cJSON_GetArraySize(servers), sizeof *set->servers);
    if (!set->servers)
        return E_NOMEM;
    cJSON_ArrayForEach(entry, servers)
    {
        if (rc == 0)
            rc = add_server(set, entry);
    }
    for (size_t i = 0; rc < 0 && i < set->n; i++)
        set->servers[i].pending = false;
    if (rc == 0)
        uv_timer_start(&set->timer, on_begin, 0, 0);
    return rc;
}

static void on_timer_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct mcp_set, timer));
}

static void end_server(struct mcp_server *v)
{
    mcp_server_end_asks(v);
    mcp_server_end_prompts(v);
    mcp_client_close(v->client);
    for (size_t i = 0; i < v->n_tools; i++) {
        if (!v->tools[i]->gone)
            toolset_remove(&v->set->s->tools, &v->tools[i]->tool);
        mcp_tool_destroy(v->tools[i]);
    }
    free(v->tools);
    mcp_config_deinit(&v->config);
}

void mcp_set_close(struct mcp_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        end_server(&set->servers[i]);
    free(set->servers);
    buf_deinit(&set->news);
    uv_close((uv_handle_t *)&set->timer, on_timer_closed);
}
