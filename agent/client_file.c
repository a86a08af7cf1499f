#include "agent/client_file.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 60000u

struct client_file {
    struct file_job *job;     /* the disk's, or */
    struct client_call *call; /* the client's */
    char *path;               /* owned; for messages */
    uint32_t line;
    size_t max;
    file_job_cb cb;
    void *ctx;
};

static void destroy(struct client_file *f)
{
    if (f)
        free(f->path);
    free(f);
}

static void finish(struct client_file *f, int rc, struct file_text *text)
{
    f->cb(f->ctx, rc, text);
    destroy(f);
}

static void on_job(void *ctx, int rc, struct file_text *text)
{
    finish(ctx, rc, text);
}

/* ACP_RESOURCE_NOT_FOUND: there is no such file. */
static int failure(const struct rpc_outcome *o)
{
    if (o->rc < 0)
        return o->rc;
    return json_get_int(o->error, "code", 0) == ACP_RESOURCE_NOT_FOUND ? E_NOTFOUND : E_IO;
}

static void count_lines(struct file_text *t)
{
    t->last = t->first - 1;
    for (size_t i = 0; i < t->text.n; i++)
        t->last += t->text.p[i] == '\n';
    if (t->text.n > 0 && t->text.p[t->text.n - 1] != '\n')
        t->last++;
}

static int take_content(const struct client_file *f, const char *content, struct file_text *ret)
{
    size_t n = strlen(content);
    if (n > f->max) {
        n = utf8_valid_prefix(content, f->max);
        ret->cut = ret->more = true;
    }
    int rc = buf_add(&ret->text, content, n);
    if (rc == 0 && !buf_cstr(&ret->text))
        rc = E_NOMEM;
    if (rc == 0)
        count_lines(ret);
    else
        snprintf(ret->error, sizeof ret->error, "%s", err_text(rc));
    return rc;
}

static void on_content(void *ctx, const struct rpc_outcome *o)
{
    struct client_file *f = ctx;
    struct file_text text = {.first = f->line ? f->line : 1};
    const char *content = json_get_str(o->result, "content");
    int rc = 0;
    if (client_call_failed(o, f->path, text.error, sizeof text.error)) {
        rc = failure(o);
    } else if (!content) {
        rc = E_PROTOCOL;
        snprintf(text.error, sizeof text.error, "The client sent no text for this file.");
    } else {
        rc = take_content(f, content, &text);
    }
    finish(f, rc, &text);
    file_text_deinit(&text);
}

static void on_written(void *ctx, const struct rpc_outcome *o)
{
    struct client_file *f = ctx;
    struct file_text text = {.first = 1};
    bool failed = client_call_failed(o, f->path, text.error, sizeof text.error);
    finish(f, failed ? failure(o) : 0, &text);
}

static struct client_file *create(const char *path, file_job_cb cb, void *ctx)
{
    struct client_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->cb = cb;
    f->ctx = ctx;
    f->path = strdup(path);
    if (f->path)
        return f;
    destroy(f);
    return NULL;
}

static int ask_content(const struct client_to *to, const struct file_request *req,
                       struct client_file *f)
{
    struct client_wait wait = {.ms = WAIT_MS, .cb = on_content, .ctx = f};
    struct jsonw *w = client_call_begin(to, ACP_FS_READ_TEXT_FILE);
    jw_kstr(w, "path", req->path);
    if (req->line > 0)
        jw_kint(w, "line", req->line);
    if (req->limit > 0)
        jw_kint(w, "limit", req->limit);
    f->line = req->line;
    f->max = req->max;
    return client_call_end(to, w, &wait, &f->call);
}

int client_file_read(const struct client_to *to, const struct file_request *req, file_job_cb cb,
                     void *ctx, struct client_file **ret)
{
    struct client_file *f = create(req->path, cb, ctx);
    if (!f)
        return E_NOMEM;
    int rc =
        to->reads ? ask_content(to, req, f) : file_job_start(to->loop, req, on_job, f, &f->job);
    if (rc < 0)
        destroy(f);
    else
        *ret = f;
    return rc;
}

static int send_content(const struct client_to *to, const struct file_write *w,
                        struct client_file *f)
{
    struct client_wait wait = {.ms = WAIT_MS, .cb = on_written, .ctx = f};
    struct jsonw *out = client_call_begin(to, ACP_FS_WRITE_TEXT_FILE);
    jw_kstr(out, "path", w->path);
    jw_kstr(out, "content", w->text);
    return client_call_end(to, out, &wait, &f->call);
}

int client_file_write(const struct client_to *to, const struct file_write *w, file_job_cb cb,
                      void *ctx, struct client_file **ret)
{
    struct client_file *f = create(w->path, cb, ctx);
    if (!f)
        return E_NOMEM;
    int rc = to->writes ? send_content(to, w, f) : file_job_write(to->loop, w, on_job, f, &f->job);
    if (rc < 0)
        destroy(f);
    else
        *ret = f;
    return rc;
}

void client_file_abandon(struct client_file *f)
{
    if (!f)
        return;
    file_job_abandon(f->job);
    client_call_drop(f->call);
    destroy(f);
}
