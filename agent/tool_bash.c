#include "agent/shell.h"
#include "agent/tool.h"
#include "agent/update.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_S 120u
#define MAX_S     600u
#define TITLE_MAX 200u

struct bash_args {
    const char *command;
    uint32_t timeout; /* seconds */
};

static int read_args(const struct tool_call *c, struct bash_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"command", JSON_STR, JSON_REQUIRED, offsetof(struct bash_args, command)},
        {"timeout", JSON_U32, JSON_NULLABLE, offsetof(struct bash_args, timeout)},
    };
    *ret = (struct bash_args){.timeout = DEFAULT_S};
    return json_read(c->args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

static char *make_title(const char *command)
{
    struct buf out = {0};
    size_t n = strlen(command);
    if (n > TITLE_MAX)
        n = utf8_valid_prefix(command, TITLE_MAX);
    int rc = buf_addf(&out, "Run %.*s%s", (int)n, command, command[n] ? "..." : "");
    char *title = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return title;
}

static int prepare(struct tool_call *c)
{
    struct bash_args a;
    struct json_error err;
    if (read_args(c, &a, &err) < 0)
        return tool_refuse(c, err.text);
    if (!a.command[strspn(a.command, " \t\r\n")])
        return tool_refuse(c, "arguments.command: is empty");
    if (a.timeout < 1 || a.timeout > MAX_S)
        return tool_refuse(c, "arguments.timeout: must be 1 to 600 seconds");
    c->title = make_title(a.command);
    return c->title ? 0 : E_NOMEM;
}

struct job {
    const struct shell_ops *ops;
    void *shell;
};

/* What is not the command's own words. */
static int add_note(struct buf *out, const struct shell_end *end)
{
    int rc = out->n > 0 && out->p[out->n - 1] != '\n' ? buf_addc(out, '\n') : 0;
    if (rc == 0 && end->cut)
        rc = buf_adds(out, "[The beginning of the output is left out.]\n");
    if (rc < 0)
        return rc;
    if (end->rc == E_TIMEOUT)
        return buf_adds(out, "[The command took too long and was stopped.]");
    if (end->error)
        return buf_addf(out, "[%s]", end->error);
    if (end->signal)
        return buf_addf(out, "[The command was ended by signal %s.]", end->signal);
    if (end->has_code)
        return buf_addf(out, "[Exit code %lld.]", (long long)end->code);
    return buf_adds(out, "[How the command ended is not known.]");
}

static cJSON *describe(const struct shell_end *end)
{
    cJSON *raw = cJSON_CreateObject();
    if (end->has_code)
        cJSON_AddNumberToObject(raw, "exitCode", (double)end->code);
    if (end->signal)
        cJSON_AddStringToObject(raw, "signal", end->signal);
    cJSON_AddBoolToObject(raw, "timedOut", end->rc == E_TIMEOUT);
    return raw;
}

static void on_end(void *ctx, const struct shell_end *end)
{
    struct tool_run *run = ctx;
    bool clean = end->rc == 0 && !end->signal && (!end->has_code || end->code == 0);
    struct tool_result result = {.failed = !clean, .raw = describe(end)};
    free(run->job);
    if (add_note(end->output, end) == 0)
        result.text = buf_take(end->output);
    tool_finish(run, &result);
}

static void on_terminal(void *ctx, const char *id)
{
    const struct tool_run *run = ctx;
    const struct tool_call *c = run->call;
    const struct update_to to = {.peer = c->client.peer, .session_id = c->client.session_id};
    update_tool_terminal(to, c->id, id);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct bash_args a;
    struct json_error err;
    int rc = read_args(c, &a, &err);
    struct job *job = rc == 0 ? calloc(1, sizeof *job) : NULL;
    if (!job)
        return rc < 0 ? rc : E_NOMEM;
    const struct shell_line line = {.cwd = c->cwd,
                                    .text = a.command,
                                    .limit_ms = UINT64_C(1000) * a.timeout,
                                    .on_terminal = on_terminal};
    job->ops = c->client.terminals ? &shell_terminal : &shell_local;
    run->job = job;
    rc = job->ops->start(&c->client, &line, on_end, run, &job->shell);
    if (rc < 0)
        free(job);
    return rc;
}

static void stop(struct tool_run *run)
{
    struct job *job = run->job;
    job->ops->stop(job->shell);
    free(job);
}

const struct tool tool_bash = {
    .spec = {.name = "bash",
             .description =
                 "Run a command line with /bin/sh in the working directory. It gets no input. Of "
                 "long output the middle is left out. Nothing of it goes on in the background.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"command\":{\"type\":\"string\",\"description\":\"command line\"},"
                       "\"timeout\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":600,"
                       "\"description\":\"seconds, 120 by default\"}},"
                       "\"required\":[\"command\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_EXECUTE,
    .prepare = prepare,
    .start = start,
    .stop = stop,
};
