#include "agent/tool_change.h"

#include "agent/client_file.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct job {
    struct client_file *file;
    tool_change_make make;
};

/* text is taken; NULL: out of memory, which the owner finds out. */
static void end(struct tool_run *run, bool failed, char *text)
{
    struct tool_result result = {.failed = failed, .text = text};
    free(run->job);
    result.path = run->call->path;
    if (!failed && run->call->diff.known)
        result.diff = &run->call->diff;
    tool_finish(run, &result);
}

static int read_file(struct tool_run *run, file_job_cb cb)
{
    const struct tool_call *c = run->call;
    struct job *job = run->job;
    struct file_request req = {
        .root = c->cwd, .more = c->more, .only = c->real, .path = c->path, .max = TOOL_CHANGE_MAX};
    return client_file_read(&c->client, &req, cb, run, &job->file);
}

static int begin(struct tool_run *run, tool_change_make make)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return E_NOMEM;
    job->make = make;
    run->job = job;
    return 0;
}

static void on_looked(void *ctx, int rc, struct file_text *text)
{
    struct tool_run *run = ctx;
    struct job *job = run->job;
    char *error = NULL;
    rc = job->make(run->call, rc, text, &error);
    if (error)
        end(run, true, error);
    else
        end(run, rc < 0, strdup(rc < 0 ? err_text(rc) : ""));
}

int tool_change_look(struct tool_run *run, tool_change_make make)
{
    int rc = begin(run, make);
    if (rc == 0)
        rc = read_file(run, on_looked);
    if (rc < 0)
        free(run->job);
    return rc;
}

static char *report(const struct tool_call *c)
{
    struct buf out = {0};
    bool made = c->diff.known && !c->diff.old_text;
    int rc = buf_addf(&out, "%s %s (%zu bytes).", made ? "Created" : "Changed", c->path,
                      strlen(c->diff.new_text));
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}

static void on_written(void *ctx, int rc, struct file_text *text)
{
    struct tool_run *run = ctx;
    if (rc < 0)
        end(run, true, strdup(*text->error ? text->error : err_text(rc)));
    else
        end(run, false, report(run->call));
}

static int write_file(struct tool_run *run)
{
    const struct tool_call *c = run->call;
    struct job *job = run->job;
    struct file_write w = {.path = c->path, .real = c->real, .text = c->diff.new_text};
    return client_file_write(&c->client, &w, on_written, run, &job->file);
}

static bool is_unchanged(const struct tool_diff *d, int rc, const struct file_text *text)
{
    if (!d->old_text)
        return rc < 0;
    return rc == 0 && !text->cut && text->text.n == strlen(d->old_text) &&
           memcmp(text->text.p ? text->text.p : "", d->old_text, text->text.n) == 0;
}

static void on_read_again(void *ctx, int rc, struct file_text *text)
{
    struct tool_run *run = ctx;
    if (!is_unchanged(&run->call->diff, rc, text)) {
        end(run, true,
            strdup("Nothing was written: the file has changed since the user was "
                   "asked. Read it again."));
        return;
    }
    rc = write_file(run);
    if (rc < 0)
        end(run, true, strdup(err_text(rc)));
}

int tool_change_start(struct tool_run *run, struct tool_call *c)
{
    int rc = begin(run, NULL);
    if (rc == 0)
        rc = c->asked && c->diff.known ? read_file(run, on_read_again) : write_file(run);
    if (rc < 0)
        free(run->job);
    return rc;
}

void tool_change_stop(struct tool_run *run)
{
    struct job *job = run->job;
    client_file_abandon(job->file);
    free(job);
}
