#include "agent/tool.h"

#include "agent/client_file.h"
#include "base/err.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define READ_MAX (100u << 10) /* bytes of one answer: some 25,000 tokens */

struct read_args {
    const char *path;
    uint32_t line, limit;
};

static int read_args(const cJSON *args, struct read_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"path", JSON_STR, JSON_REQUIRED, offsetof(struct read_args, path)},
        {"line", JSON_U32, JSON_NULLABLE, offsetof(struct read_args, line)},
        {"limit", JSON_U32, JSON_NULLABLE, offsetof(struct read_args, limit)},
    };
    *ret = (struct read_args){0};
    return json_read(args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

static char *make_title(const struct read_args *a)
{
    struct buf out = {0};
    int rc = buf_addf(&out, "Read %s", a->path);
    if (rc == 0 && a->line > 1)
        rc = buf_addf(&out, " from line %u", a->line);
    char *title = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return title;
}

static int prepare(struct tool_call *c)
{
    struct read_args a;
    struct json_error err;
    if (read_args(c->args, &a, &err) < 0) {
        c->error = strdup(err.text);
        return c->error ? 0 : E_NOMEM;
    }
    c->title = make_title(&a);
    c->path = file_join(c->cwd, a.path);
    c->line = a.line;
    return c->title && c->path ? 0 : E_NOMEM;
}

/* What the model needs to know beside the text. */
static int add_note(struct file_text *t)
{
    if (t->more)
        return buf_addf(&t->text,
                        "\n[The file goes on. Lines %llu to %llu are shown; go on with line %llu.]",
                        (unsigned long long)t->first, (unsigned long long)t->last,
                        (unsigned long long)t->last + 1);
    if (t->text.n > 0)
        return 0;
    return t->first > 1 ? buf_addf(&t->text, "[The file ends before line %llu.]",
                                   (unsigned long long)t->first)
                        : buf_adds(&t->text, "[The file is empty.]");
}

static cJSON *describe(int rc, const struct file_text *t)
{
    cJSON *raw = cJSON_CreateObject();
    if (rc < 0) {
        cJSON_AddStringToObject(raw, "error", t->error);
        return raw;
    }
    if (t->last >= t->first) {
        cJSON_AddNumberToObject(raw, "firstLine", (double)t->first);
        cJSON_AddNumberToObject(raw, "lastLine", (double)t->last);
    }
    cJSON_AddBoolToObject(raw, "truncated", t->more);
    return raw;
}

static void on_read(void *ctx, int rc, struct file_text *t)
{
    struct tool_result result = {.raw = describe(rc, t)};
    if (rc == 0)
        rc = add_note(t);
    result.failed = rc < 0;
    result.text = rc < 0 ? strdup(t->error[0] ? t->error : err_text(rc)) : buf_take(&t->text);
    tool_finish(ctx, &result);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct read_args a;
    struct json_error err;
    struct client_file *job = NULL;
    int rc = read_args(c->args, &a, &err);
    if (rc < 0)
        return rc;
    struct file_request req = {.root = c->cwd,
                               .more = c->more,
                               .only = c->outside ? c->real : NULL,
                               .path = c->path,
                               .line = a.line,
                               .limit = a.limit,
                               .max = READ_MAX};
    rc = client_file_read(&c->client, &req, on_read, run, &job);
    run->job = job;
    return rc;
}

static void stop(struct tool_run *run)
{
    client_file_abandon(run->job);
}

const struct tool tool_read_file = {
    .spec = {.name = "read_file",
             .description =
                 "Read a text file of the workspace. Relative paths start at the working "
                 "directory. Long files come in parts: say with which line to go on.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"path\":{\"type\":\"string\",\"description\":\"file to read\"},"
                       "\"line\":{\"type\":\"integer\",\"minimum\":1,"
                       "\"description\":\"first line, from 1\"},"
                       "\"limit\":{\"type\":\"integer\",\"minimum\":1,"
                       "\"description\":\"number of lines\"}},"
                       "\"required\":[\"path\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_READ,
    .prepare = prepare,
    .start = start,
    .stop = stop,
};
