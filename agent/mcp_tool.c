#include "agent/mcp_tool.h"

#include "agent/mcp_content.h"
#include "agent/update.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_MAX (256u << 10)
#define ANY_OBJECT "{\"type\":\"object\"}"

static struct mcp_tool *of(const struct tool *tool)
{
    return tool->ctx;
}

/* ---- a call --------------------------------------------------------------------------------- */

static int prepare(struct tool_call *c)
{
    const struct mcp_tool *t = of(c->tool);
    struct buf title = {0};
    if (t->gone)
        return tool_refuse(c, "The MCP server does not offer this tool any more.");
    if (!*t->client)
        return tool_refuse(c, "The MCP server of this tool has ended.");
    if (buf_addf(&title, "%s: %s", t->server, t->title) == 0)
        c->title = buf_take(&title);
    buf_deinit(&title);
    return c->title ? 0 : E_NOMEM;
}

static void on_answer(void *ctx, const cJSON *answer, const char *why)
{
    struct tool_run *run = ctx;
    struct tool_result result = {.failed = true};
    if (!answer)
        result.text = strdup(why);
    else if (mcp_content_read(answer, &result) < 0)
        result.failed = true; /* without a text it counts as out of memory */
    tool_finish(run, &result);
}

/* "3 of 10: copying", "3: copying", "copying" */
static void describe(const cJSON *progress, char *ret, size_t n)
{
    const cJSON *done = json_get(progress, "progress"), *total = json_get(progress, "total");
    const char *message = json_get_str(progress, "message");
    char all[32] = "";
    if (cJSON_IsNumber(total))
        snprintf(all, sizeof all, " of %.15g", total->valuedouble);
    if (cJSON_IsNumber(done))
        snprintf(ret, n, "%.15g%s%s%.200s", done->valuedouble, all, message ? ": " : "",
                 message ? message : "");
    else
        snprintf(ret, n, "%.200s", message ? message : "");
}

static void on_progress(void *ctx, const cJSON *progress)
{
    const struct tool_run *run = ctx;
    const struct client_to *to = &run->call->client;
    char text[300];
    struct buf update = {0};
    describe(progress, text, sizeof text);
    if (update_write_tool_progress(&update, run->call->id, text) == 0)
        update_raw((struct update_to){.peer = to->peer, .session_id = to->session_id}, update.p,
                   update.n);
    buf_deinit(&update);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    const struct mcp_tool *t = of(c->tool);
    struct mcp_call *call = NULL;
    const struct mcp_call_options o = {.name = t->remote,
                                       .args = c->args,
                                       .cb = on_answer,
                                       .on_progress = on_progress,
                                       .ctx = run};
    if (!*t->client)
        return E_CLOSED; /* it ended while the user was asked */
    int rc = mcp_client_call(*t->client, &o, &call);
    run->job = call;
    return rc;
}

static void stop(struct tool_run *run)
{
    mcp_call_cancel(run->job);
}

/* ---- the tool ------------------------------------------------------------------------------- */

static char *copy_text(const cJSON *entry, const char *name, const char *otherwise)
{
    const char *text = json_get_str(entry, name);
    return strdup(text ? text : otherwise);
}

/* A schema that is none makes a tool that takes anything: its server will say what it wants. */
static char *copy_schema(const cJSON *entry)
{
    const cJSON *schema = json_get(entry, "inputSchema");
    const char *type = json_get_str(schema, "type");
    if (!cJSON_IsObject(schema) || !type || strcmp(type, "object") != 0)
        return strdup(ANY_OBJECT);
    return cJSON_PrintUnformatted(schema);
}

static const char *why_not(const cJSON *entry)
{
    const char *name = json_get_str(entry, "name");
    if (!name || !*name)
        return "it has no name";
    return strlen(name) > 256 ? "its name is too long" : NULL;
}

void mcp_tool_destroy(struct mcp_tool *t)
{
    if (!t)
        return;
    free(t->server);
    free(t->remote);
    free(t->title);
    free(t->description);
    free(t->schema);
    free(t);
}

static bool fill(struct mcp_tool *t, const cJSON *entry, const char *server)
{
    const char *remote = json_get_str(entry, "name");
    const cJSON *annotations = json_get(entry, "annotations");
    const char *title = json_get_str(annotations, "title");
    t->server = strdup(server);
    t->remote = strdup(remote);
    t->title = copy_text(entry, "title", title ? title : remote);
    t->description = copy_text(entry, "description", "");
    t->schema = copy_schema(entry);
    t->tool = (struct tool){.spec = {t->name, t->description, t->schema},
                            .kind = json_get_bool(annotations, "readOnlyHint") ? ACP_KIND_READ
                                                                               : ACP_KIND_OTHER,
                            .prepare = prepare,
                            .start = start,
                            .stop = stop,
                            .foreign = true,
                            .ctx = t};
    return t->server && t->remote && t->title && t->description && t->schema;
}

int mcp_tool_create(const cJSON *entry, const char *server, struct mcp_client **client,
                    struct mcp_tool **ret, const char **ret_why)
{
    *ret_why = why_not(entry);
    if (*ret_why)
        return E_INVALID;
    struct mcp_tool *t = calloc(1, sizeof *t);
    if (!t || !fill(t, entry, server)) {
        mcp_tool_destroy(t);
        return E_NOMEM;
    }
    if (strlen(t->schema) > SCHEMA_MAX) {
        mcp_tool_destroy(t);
        *ret_why = "its schema is too long";
        return E_INVALID;
    }
    t->client = client;
    mcp_name_make(server, t->remote, false, t->name);
    *ret = t;
    return 0;
}

bool mcp_tool_is(const struct mcp_tool *t, const cJSON *entry)
{
    const char *name = json_get_str(entry, "name"), *said = json_get_str(entry, "description");
    char *schema = copy_schema(entry);
    bool same = !t->gone && name && strcmp(name, t->remote) == 0 &&
                strcmp(said ? said : "", t->description) == 0 && schema &&
                strcmp(schema, t->schema) == 0;
    free(schema);
    return same;
}
