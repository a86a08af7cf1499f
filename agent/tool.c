#include "agent/tool.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_CHARS 64
#define QUOTE_MAX      200 /* bytes of bad arguments that go into an error */

/* Every tool, once. */
#define TOOLS(X)                                                                                   \
    X(tool_read_file)                                                                              \
    X(tool_update_goal)

static const struct tool *const tools[] = {
#define X(tool) &tool,
    TOOLS(X)
#undef X
};

static const struct llm_tool *const specs[] = {
#define X(tool) &tool.spec,
    TOOLS(X)
#undef X
};

const struct llm_tool *const *tool_specs(size_t *ret_n)
{
    *ret_n = ARRAY_LEN(specs);
    return specs;
}

static const struct tool *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (strcmp(tools[i]->spec.name, name) == 0)
            return tools[i];
    return NULL;
}

void tool_call_deinit(struct tool_call *c)
{
    cJSON_Delete(c->args);
    free(c->title);
    free(c->path);
    free(c->error);
    *c = (struct tool_call){0};
}

/* Tells the model what was wrong, with the beginning of what it sent. */
static int refuse(struct tool_call *c, const char *what, const char *sent)
{
    struct buf text = {0};
    size_t n = strlen(sent);
    if (n > QUOTE_MAX)
        n = utf8_valid_prefix(sent, QUOTE_MAX);
    int rc = buf_addf(&text, "%s: %.*s%s", what, (int)n, sent, sent[n] ? "..." : "");
    c->error = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    return c->error ? 0 : E_NOMEM;
}

static int set_title(struct tool_call *c, const char *title)
{
    if (!c->title)
        c->title = strdup(title);
    return c->title ? 0 : E_NOMEM;
}

int tool_prepare(struct tool_call *ret, const char *cwd, const struct history_call *from)
{
    *ret = (struct tool_call){.tool = find(from->name), .cwd = cwd};
    int rc = json_parse(from->args, strlen(from->args), &ret->args, NULL);
    if (rc == E_NOMEM)
        return rc;
    if (!ret->tool)
        rc = refuse(ret, "There is no tool of this name", from->name);
    else if (!cJSON_IsObject(ret->args))
        rc = refuse(ret, "The arguments are no JSON object, so the tool did not run", from->args);
    else
        rc = ret->tool->prepare(ret);
    return rc == 0 ? set_title(ret, *from->name ? from->name : "Unnamed tool") : rc;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static int replace(char **slot, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return E_NOMEM;
    free(*slot);
    *slot = copy;
    return 0;
}

int tool_sanitize(struct history_call *c, const struct tool_call *as, const char *fallback_id)
{
    int rc = 0;
    for (char *p = c->name; *p; p++)
        if (!is_name_char(*p))
            *p = '_';
    if (strlen(c->name) > NAME_MAX_CHARS)
        c->name[NAME_MAX_CHARS] = '\0';
    if (!*c->name)
        rc = replace(&c->name, "unknown_tool");
    if (rc == 0 && !*c->id)
        rc = replace(&c->id, fallback_id);
    if (rc == 0 && !cJSON_IsObject(as->args))
        rc = replace(&c->args, "{}");
    return rc;
}

int tool_start(uv_loop_t *loop, const struct tool_call *c, tool_done_cb done, void *ctx,
               struct tool_run **ret)
{
    struct tool_run *run = calloc(1, sizeof *run);
    if (!run)
        return E_NOMEM;
    *run = (struct tool_run){.tool = c->tool, .loop = loop, .done = done, .ctx = ctx};
    int rc = c->tool->start(run, c);
    if (rc < 0)
        free(run);
    else
        *ret = run;
    return rc;
}

void tool_stop(struct tool_run *run)
{
    if (!run)
        return;
    run->tool->stop(run);
    free(run);
}

void tool_finish(struct tool_run *run, struct tool_result *result)
{
    tool_done_cb done = run->done;
    void *ctx = run->ctx;
    free(run);
    done(ctx, result);
    free(result->text);
    cJSON_Delete(result->raw);
}
