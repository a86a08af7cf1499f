#include "agent/file_job.h"

#include "agent/roots.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct file_job {
    uv_work_t work;
    struct file_request req;
    char *root, *path, **more, *only; /* owned */
    struct file_write write;
    char *real, *new_text; /* owned; real: it is a writing */
    atomic_bool stop;
    struct file_text text;
    int rc;
    file_job_cb cb; /* NULL: abandoned */
    void *ctx;
};

static void destroy(struct file_job *job)
{
    file_text_deinit(&job->text);
    free(job->root);
    free(job->path);
    free(job->only);
    free(job->real);
    free(job->new_text);
    roots_free(job->more);
    free(job);
}

static void on_work(uv_work_t *work)
{
    struct file_job *job = CONTAINER_OF(work, struct file_job, work);
    if (job->real)
        job->rc = file_write_text(&job->write, job->text.error);
    else
        job->rc = file_read_text(&job->req, &job->text);
}

static void on_worked(uv_work_t *work, int status)
{
    struct file_job *job = CONTAINER_OF(work, struct file_job, work);
    (void)status; /* UV_ECANCELED comes only after file_job_abandon */
    if (job->cb)
        job->cb(job->ctx, job->rc, &job->text);
    destroy(job);
}

/* Takes a job that is made; rc: how that went. */
static int run(uv_loop_t *loop, struct file_job *job, int rc, struct file_job **ret)
{
    if (rc == 0)
        rc = uv_queue_work(loop, &job->work, on_work, on_worked);
    if (rc < 0)
        destroy(job);
    else
        *ret = job;
    return rc;
}

int file_job_start(uv_loop_t *loop, const struct file_request *req, file_job_cb cb, void *ctx,
                   struct file_job **ret)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (!job)
        return E_NOMEM;
    job->cb = cb;
    job->ctx = ctx;
    job->root = strdup(req->root);
    job->path = strdup(req->path);
    job->only = req->only ? strdup(req->only) : NULL;
    job->req = *req;
    job->more = roots_copy(req->more);
    job->req.root = job->root;
    job->req.more = (const char *const *)job->more;
    job->req.path = job->path;
    job->req.only = job->only;
    job->req.stop = &job->stop;
    bool whole = job->root && job->path && (job->more || !req->more) && (job->only || !req->only);
    return run(loop, job, whole ? 0 : E_NOMEM, ret);
}

int file_job_write(uv_loop_t *loop, const struct file_write *w, file_job_cb cb, void *ctx,
                   struct file_job **ret)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (!job)
        return E_NOMEM;
    job->cb = cb;
    job->ctx = ctx;
    job->real = strdup(w->real);
    job->path = strdup(w->path);
    job->new_text = strdup(w->text);
    job->write = (struct file_write){
        .real = job->real, .path = job->path, .text = job->new_text, .stop = &job->stop};
    return run(loop, job, job->real && job->path && job->new_text ? 0 : E_NOMEM, ret);
}

void file_job_abandon(struct file_job *job)
{
    if (!job)
        return;
    job->cb = NULL;
    atomic_store(&job->stop, true);
    uv_cancel((uv_req_t *)&job->work);
}
