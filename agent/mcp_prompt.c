#include "agent/mcp_set_impl.h"

#include "agent/session.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prompts of servers as slash commands. What follows the name fills the prompt's arguments word by
 * word, the last one with all that is left. */

struct mcp_prompt {
    struct mcp_server *v;
    char *name;            /* owned; as the server calls it */
    cJSON *args;           /* owned; its arguments, as the server told of them */
    struct mcp_call *call; /* that runs, or NULL */
};

static void source_of(const struct mcp_server *v, char ret[160])
{
    snprintf(ret, 160, "mcp:%.150s", v->config.name);
}

/* ---- a call --------------------------------------------------------------------------------- */

static bool add_text(cJSON *to, const char *name, const char *text, size_t n)
{
    char *copy = strndup(text, n);
    bool good = copy && cJSON_AddStringToObject(to, name, copy);
    free(copy);
    return good;
}

static cJSON *fill_arguments(const struct mcp_prompt *p, const char *text)
{
    const cJSON *arg;
    cJSON *filled = cJSON_CreateObject();
    bool good = filled != NULL;
    cJSON_ArrayForEach(arg, p->args)
    {
        const char *name = json_get_str(arg, "name");
        size_t all = strcspn(text, "\r\n"), n = arg->next ? strcspn(text, " \t\r\n") : all;
        if (!name || n == 0)
            continue;
        good = good && add_text(filled, name, text, n);
        text += n;
        text += strspn(text, " \t");
    }
    if (good)
        return filled;
    cJSON_Delete(filled);
    return NULL;
}

/* What the server's messages say, joined. */
static int join_texts(const cJSON *result, struct buf *out)
{
    const cJSON *message;
    int rc = 0;
    cJSON_ArrayForEach(message, json_get(result, "messages"))
    {
        const cJSON *content = json_get(message, "content");
        const char *text = json_get_str(content, "text");
        if (!text)
            text = json_get_str(json_get(content, "resource"), "text");
        if (rc == 0 && text)
            rc = buf_addf(out, "%s%s", out->n > 0 ? "\n\n" : "", text);
    }
    return rc == 0 && !buf_cstr(out) ? E_NOMEM : rc;
}

static void on_prompt(void *ctx, const cJSON *result, const char *why)
{
    struct slash_call *call = ctx;
    struct mcp_prompt *p = call->job;
    struct buf text = {0};
    p->call = NULL;
    if (!result)
        slash_end(call, SLASH_FAIL, why);
    else if (join_texts(result, &text) < 0)
        slash_end(call, SLASH_FAIL, "Out of memory.");
    else if (text.n == 0)
        slash_end(call, SLASH_FAIL, "The MCP server's prompt holds no text.");
    else
        slash_end(call, SLASH_ASK, text.p);
    buf_deinit(&text);
}

static void stop_prompt(struct slash_call *call)
{
    struct mcp_prompt *p = call->job;
    mcp_call_cancel(p->call);
    p->call = NULL;
}

static void run_prompt(void *owner, struct slash_call *call)
{
    struct mcp_prompt *p = owner;
    cJSON *args = fill_arguments(p, call->args);
    const struct mcp_call_options o = {
        .prompt = true, .name = p->name, .args = args, .cb = on_prompt, .ctx = call};
    int rc = !args           ? E_NOMEM
             : !p->v->client ? E_CLOSED
                             : mcp_client_call(p->v->client, &o, &p->call);
    cJSON_Delete(args);
    if (rc < 0) {
        slash_end(call, SLASH_FAIL,
                  rc == E_NOMEM ? "Out of memory." : "The MCP server of this prompt has ended.");
        return;
    }
    call->job = p;
    call->stop = stop_prompt;
}

/* ---- the commands --------------------------------------------------------------------------- */

static void destroy(struct mcp_prompt *p)
{
    if (!p)
        return;
    free(p->name);
    cJSON_Delete(p->args);
    free(p);
}

static struct mcp_prompt *create(struct mcp_server *v, const cJSON *entry)
{
    struct mcp_prompt *p = calloc(1, sizeof *p);
    const cJSON *args = json_get(entry, "arguments");
    if (!p)
        return NULL;
    p->v = v;
    p->name = strdup(json_get_str(entry, "name"));
    p->args = cJSON_IsArray(args) ? cJSON_Duplicate(args, true) : cJSON_CreateArray();
    if (p->name && p->args)
        return p;
    destroy(p);
    return NULL;
}

static void write_hint(const cJSON *args, char *ret, size_t n)
{
    const cJSON *arg;
    size_t at = 0;
    ret[0] = '\0';
    cJSON_ArrayForEach(arg, args)
    {
        const char *name = json_get_str(arg, "name");
        if (name && at < n)
            at += (size_t)snprintf(ret + at, n - at, "%s%.60s", at > 0 ? " " : "", name);
    }
}

static int announce(struct mcp_prompt *p, const cJSON *entry)
{
    char name[128], source[160], hint[256], plain[160];
    const char *said = json_get_str(entry, "description");
    snprintf(name, sizeof name, "%.50s:%.70s", p->v->config.name, p->name);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ')
            *c = '_';
    source_of(p->v, source);
    write_hint(p->args, hint, sizeof hint);
    snprintf(plain, sizeof plain, "A prompt of the MCP server %.100s.", p->v->config.name);
    const struct slash_command c = {.name = name,
                                    .description = said && *said ? said : plain,
                                    .hint = *hint ? hint : NULL,
                                    .source = source,
                                    .run = run_prompt,
                                    .owner = p};
    int rc = slash_add(&p->v->s->commands, &c);
    if (rc < 0 && rc != E_NOMEM)
        log_warn("/%s is not used: %s", name, err_text(rc));
    return rc == E_NOMEM ? rc : 0;
}

static int add_prompt(struct mcp_server *v, const cJSON *entry)
{
    const char *name = json_get_str(entry, "name");
    if (!name || !*name)
        return 0; /* nobody could call it */
    struct mcp_prompt **list = realloc(v->prompts, (v->n_prompts + 1) * sizeof *list);
    if (!list)
        return E_NOMEM;
    v->prompts = list;
    struct mcp_prompt *p = create(v, entry);
    if (!p)
        return E_NOMEM;
    v->prompts[v->n_prompts++] = p;
    return announce(p, entry);
}

static void remove_commands(struct mcp_server *v)
{
    char source[160];
    source_of(v, source);
    slash_remove(&v->s->commands, source);
}

void mcp_server_prompts(void *ctx, const cJSON *prompts)
{
    struct mcp_server *v = ctx;
    const cJSON *entry;
    int rc = 0;
    remove_commands(v);
    cJSON_ArrayForEach(entry, prompts)
    {
        if (rc == 0)
            rc = add_prompt(v, entry);
    }
    if (rc == 0)
        rc = slash_tell(v->s);
    if (rc < 0)
        log_warn("out of memory: not all prompts of MCP server %s are commands", v->config.name);
}

void mcp_server_end_prompts(struct mcp_server *v)
{
    remove_commands(v);
    for (size_t i = 0; i < v->n_prompts; i++)
        destroy(v->prompts[i]);
    free(v->prompts);
    v->prompts = NULL;
    v->n_prompts = 0;
}
