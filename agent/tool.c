#include "agent/tool.h"

#include "agent/roots.h"
#include "agent/toolset.h"
#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_CHARS 64
#define QUOTE_MAX      200 /* bytes of bad arguments that go into an error */

/* Every tool, once. */
#define TOOLS(X)                                                                                   \
    X(tool_read_file)                                                                              \
    X(tool_write_file)                                                                             \
    X(tool_edit_file)                                                                              \
    X(tool_todo_write)                                                                             \
    X(tool_list_dir)                                                                               \
    X(tool_glob)                                                                                   \
    X(tool_grep)                                                                                   \
    X(tool_bash)                                                                                   \
    X(tool_update_goal)                                                                            \
    X(tool_ask)

static const struct tool *const tools[] = {
#define X(tool) &tool,
    TOOLS(X)
#undef X
};

const struct tool *const *tool_table(size_t *ret_n)
{
    *ret_n = ARRAY_LEN(tools);
    return tools;
}

void tool_call_deinit(struct tool_call *c)
{
    cJSON_Delete(c->args);
    free(c->title);
    free(c->path);
    free(c->error);
    free(c->real);
    free(c->diff.old_text);
    free(c->diff.new_text);
    *c = (struct tool_call){0};
}

unsigned tool_index(const struct tool *tool)
{
    unsigned i = 0;
    while (i < ARRAY_LEN(tools) && tools[i] != tool)
        i++;
    return i < ARRAY_LEN(tools) ? i : tool->number;
}

int tool_refuse(struct tool_call *c, const char *why)
{
    c->error = strdup(why);
    return c->error ? 0 : E_NOMEM;
}

int tool_locate(struct tool_call *c)
{
    char why[160];
    if (!c->path || c->error || c->real)
        return 0;
    int rc = roots_resolve(c->path, &c->real);
    if (rc == 0)
        c->outside = !roots_hold(c->cwd, c->more, c->real);
    if (rc == 0 || rc == E_NOMEM)
        return rc;
    snprintf(why, sizeof why, "The path cannot be used: %s.",
             rc == E_INVALID ? "it is a link that leads nowhere" : err_text(rc));
    return tool_refuse(c, why);
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

int tool_prepare(struct tool_call *ret, const struct toolset *set, const char *cwd,
                 const struct history_call *from)
{
    *ret = (struct tool_call){.tool = toolset_find(set, from->name), .cwd = cwd};
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

struct tool_way {
    uv_loop_t *loop;
    tool_done_cb done;
    void *ctx;
};

static int go(const struct tool_way *way, struct tool_call *c,
              int (*step)(struct tool_run *, struct tool_call *), struct tool_run **ret)
{
    struct tool_run *run = calloc(1, sizeof *run);
    if (!run)
        return E_NOMEM;
    *run = (struct tool_run){
        .tool = c->tool, .call = c, .loop = way->loop, .done = way->done, .ctx = way->ctx};
    int rc = step(run, c);
    if (rc < 0)
        free(run);
    else
        *ret = run;
    return rc;
}

int tool_look(uv_loop_t *loop, struct tool_call *c, tool_done_cb done, void *ctx,
              struct tool_run **ret)
{
    const struct tool_way way = {loop, done, ctx};
    return go(&way, c, c->tool->look, ret);
}

int tool_start(uv_loop_t *loop, struct tool_call *c, tool_done_cb done, void *ctx,
               struct tool_run **ret)
{
    const struct tool_way way = {loop, done, ctx};
    return go(&way, c, c->tool->start, ret);
}

void tool_stop(struct tool_run *run)
{
    if (!run)
        return;
    run->tool->stop(run);
    free(run);
}

void tool_result_deinit(struct tool_result *result)
{
    free(result->text);
    free(result->content);
    free(result->plan);
    cJSON_Delete(result->raw);
}

void tool_finish(struct tool_run *run, struct tool_result *result)
{
    tool_done_cb done = run->done;
    void *ctx = run->ctx;
    free(run);
    done(ctx, result);
    tool_result_deinit(result);
}
