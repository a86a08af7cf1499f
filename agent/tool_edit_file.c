#include "agent/tool_change.h"

#include "agent/file.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edit_args {
    const char *path, *old_text, *new_text;
    bool all;
};

static int read_args(const struct tool_call *c, struct edit_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"path", JSON_STR, JSON_REQUIRED, offsetof(struct edit_args, path)},
        {"old_text", JSON_STR, JSON_REQUIRED, offsetof(struct edit_args, old_text)},
        {"new_text", JSON_STR, JSON_REQUIRED, offsetof(struct edit_args, new_text)},
        {"all", JSON_BOOL, JSON_NULLABLE, offsetof(struct edit_args, all)},
    };
    *ret = (struct edit_args){0};
    return json_read(c->args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

static char *make_title(const char *path)
{
    struct buf out = {0};
    char *title = buf_addf(&out, "Edit %s", path) == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return title;
}

static int prepare(struct tool_call *c)
{
    struct edit_args a;
    struct json_error err;
    if (read_args(c, &a, &err) < 0)
        return tool_refuse(c, err.text);
    if (!*a.old_text)
        return tool_refuse(c, "arguments.old_text: is empty. write_file writes a new file.");
    if (strcmp(a.old_text, a.new_text) == 0)
        return tool_refuse(c, "arguments.new_text: is the same as old_text, nothing to change.");
    c->title = make_title(a.path);
    c->path = file_join(c->cwd, a.path);
    return c->title && c->path ? 0 : E_NOMEM;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + strlen(part), part))
        n++;
    return n;
}

static uint32_t line_of(const char *text, const char *part)
{
    const char *end = strstr(text, part);
    uint32_t line = 1;
    for (const char *p = text; p < end; p++)
        line += *p == '\n';
    return line;
}

static char *replace(const char *text, const struct edit_args *a)
{
    struct buf out = {0};
    int rc = 0;
    for (const char *p = strstr(text, a->old_text); rc == 0 && p; p = strstr(text, a->old_text)) {
        rc = buf_add(&out, text, (size_t)(p - text));
        if (rc == 0)
            rc = buf_adds(&out, a->new_text);
        text = p + strlen(a->old_text);
    }
    if (rc == 0)
        rc = buf_adds(&out, text);
    char *made = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return made;
}

/* Why the text cannot be edited; NULL: it can. The result may be in `room`. */
static const char *obstacle(const struct file_text *text, const struct edit_args *a, char room[160])
{
    if (text->cut)
        return "The file is too long to be edited.";
    if (text->repaired)
        return "The file is no UTF-8 text and cannot be edited.";
    size_t n = count(text->text.p ? text->text.p : "", a->old_text);
    if (n == 0)
        return "old_text is not in the file. It must be the same to the last space: read the file "
               "again.";
    if (n == 1 || a->all)
        return NULL;
    snprintf(room, 160,
             "old_text is %zu times in the file. Give more of the lines around it, or say all.", n);
    return room;
}

static int make(struct tool_call *c, int rc, struct file_text *text, char **error)
{
    char room[160];
    struct edit_args a;
    struct json_error err;
    const char *why = rc < 0 ? *text->error ? text->error : err_text(rc) : NULL;
    if (!why && read_args(c, &a, &err) < 0)
        why = err.text;
    if (!why)
        why = obstacle(text, &a, room);
    if (why) {
        *error = strdup(why);
        return *error ? 0 : E_NOMEM;
    }
    c->line = line_of(text->text.p, a.old_text);
    c->diff.old_text = strdup(text->text.p);
    c->diff.new_text = replace(text->text.p, &a);
    c->diff.known = c->diff.old_text && c->diff.new_text;
    return c->diff.known ? 0 : E_NOMEM;
}

static int look(struct tool_run *run, struct tool_call *c)
{
    (void)c;
    return tool_change_look(run, make);
}

const struct tool tool_edit_file = {
    .spec = {.name = "edit_file",
             .description =
                 "Replace a part of a text file of the workspace. old_text must be in the file "
                 "once, to the last space; with all, every place is replaced.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"path\":{\"type\":\"string\",\"description\":\"file to change\"},"
                       "\"old_text\":{\"type\":\"string\",\"description\":\"what is there\"},"
                       "\"new_text\":{\"type\":\"string\",\"description\":\"what comes there\"},"
                       "\"all\":{\"type\":\"boolean\",\"description\":\"every place\"}},"
                       "\"required\":[\"path\",\"old_text\",\"new_text\"],"
                       "\"additionalProperties\":false}"},
    .kind = ACP_KIND_EDIT,
    .prepare = prepare,
    .look = look,
    .start = tool_change_start,
    .stop = tool_change_stop,
};
