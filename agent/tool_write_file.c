#include "agent/tool_change.h"

#include "agent/file.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct write_args {
    const char *path, *content;
};

static int read_args(const struct tool_call *c, struct write_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"path", JSON_STR, JSON_REQUIRED, offsetof(struct write_args, path)},
        {"content", JSON_STR, JSON_REQUIRED, offsetof(struct write_args, content)},
    };
    *ret = (struct write_args){0};
    return json_read(c->args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

static char *make_title(const char *path)
{
    struct buf out = {0};
    char *title = buf_addf(&out, "Write %s", path) == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return title;
}

static int prepare(struct tool_call *c)
{
    struct write_args a;
    struct json_error err;
    if (read_args(c, &a, &err) < 0)
        return tool_refuse(c, err.text);
    c->title = make_title(a.path);
    c->path = file_join(c->cwd, a.path);
    c->diff.new_text = strdup(a.content);
    return c->title && c->path && c->diff.new_text ? 0 : E_NOMEM;
}

/* A file that is there but cannot be shown may be replaced all the same: the user is asked without
 * a diff. */
static int make(struct tool_call *c, int rc, struct file_text *text, char **error)
{
    struct stat st;
    (void)error; /* writing will tell */
    bool missing = rc < 0 && stat(c->real, &st) < 0;
    if (rc < 0 || text->cut || text->repaired) {
        c->diff.known = missing;
        return 0;
    }
    c->diff.old_text = strdup(text->text.p ? text->text.p : "");
    c->diff.known = c->diff.old_text && strlen(c->diff.new_text) <= TOOL_CHANGE_MAX;
    return c->diff.old_text ? 0 : E_NOMEM;
}

static int look(struct tool_run *run, struct tool_call *c)
{
    (void)c;
    return tool_change_look(run, make);
}

const struct tool tool_write_file = {
    .spec = {.name = "write_file",
             .description = "Write a text file of the workspace: a new one, or in place of what "
                            "is there. Missing folders are made. Relative paths start at the "
                            "working directory.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"path\":{\"type\":\"string\",\"description\":\"file to write\"},"
                       "\"content\":{\"type\":\"string\",\"description\":\"its whole text\"}},"
                       "\"required\":[\"path\",\"content\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_EDIT,
    .prepare = prepare,
    .look = look,
    .start = tool_change_start,
    .stop = tool_change_stop,
};
