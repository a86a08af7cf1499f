#include "agent/file.h"
#include "agent/file_write.h"
#include "agent/tool.h"

#include "base/err.h"
#include "base/utf8.h"
#include "json/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_MAX 2000u

static int prepare(struct tool_call *c)
{
    static const struct json_field fields[] = {{"path", JSON_STR, JSON_NULLABLE, 0}};
    const char *path = ".";
    struct json_error err;
    if (json_read(c->args, "arguments", fields, ARRAY_LEN(fields), &path, &err) < 0)
        return tool_refuse(c, err.text);
    struct buf title = {0};
    if (buf_addf(&title, "List %s", path) == 0)
        c->title = buf_take(&title);
    buf_deinit(&title);
    c->path = file_join(c->cwd, path);
    return c->title && c->path ? 0 : E_NOMEM;
}

/* In a worker thread, so that no disk holds the loop. */
struct job {
    uv_work_t work;
    struct tool_run *run; /* NULL: stopped */
    char *real;           /* owned */
    char *names[ENTRIES_MAX];
    size_t n;
    bool more;
    int rc;
};

static void destroy(struct job *job)
{
    for (size_t i = 0; i < job->n; i++)
        free(job->names[i]);
    free(job->real);
    free(job);
}

static int keep(struct job *job, const struct dirent *entry)
{
    struct buf name = {0};
    const char *mark = entry->d_type == DT_DIR ? "/" : entry->d_type == DT_LNK ? "@" : "";
    int rc = utf8_append_repaired(&name, entry->d_name, strlen(entry->d_name));
    if (rc == 0)
        rc = buf_adds(&name, mark);
    job->names[job->n] = rc == 0 ? buf_take(&name) : NULL;
    buf_deinit(&name);
    if (!job->names[job->n])
        return E_NOMEM;
    job->n++;
    return 0;
}

static bool is_self(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int read_names(struct job *job, DIR *dir)
{
    int rc = 0;
    while (rc == 0 && !job->more) {
        errno = 0;
        const struct dirent *entry = readdir(dir); /* NOLINT(concurrency-mt-unsafe): own stream */
        if (!entry)
            return errno ? -errno : 0;
        if (is_self(entry->d_name))
            continue;
        job->more = job->n == ENTRIES_MAX;
        if (!job->more)
            rc = keep(job, entry);
    }
    return rc;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void on_work(uv_work_t *work)
{
    struct job *job = CONTAINER_OF(work, struct job, work);
    int fd = file_open_folder(job->real);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    job->rc = fd < 0 ? fd : dir ? read_names(job, dir) : -errno;
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    qsort(job->names, job->n, sizeof job->names[0], compare);
}

static char *render(const struct job *job)
{
    struct buf out = {0};
    int rc = job->n == 0 ? buf_adds(&out, "[The folder is empty.]") : 0;
    for (size_t i = 0; rc == 0 && i < job->n; i++)
        rc = buf_addf(&out, "%s\n", job->names[i]);
    if (rc == 0 && job->more)
        rc = buf_adds(&out, "[There are more.]");
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}

static void on_worked(uv_work_t *work, int status)
{
    struct job *job = CONTAINER_OF(work, struct job, work);
    (void)status; /* UV_ECANCELED comes only after stop */
    if (job->run) {
        struct tool_result result = {.failed = job->rc < 0};
        result.text = job->rc < 0 ? strdup(err_text(job->rc)) : render(job);
        tool_finish(job->run, &result);
    }
    destroy(job);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return E_NOMEM;
    job->run = run;
    job->real = strdup(c->real);
    int rc = job->real ? uv_queue_work(run->loop, &job->work, on_work, on_worked) : E_NOMEM;
    if (rc < 0)
        destroy(job);
    else
        run->job = job;
    return rc;
}

static void stop(struct tool_run *run)
{
    struct job *job = run->job;
    job->run = NULL;
    uv_cancel((uv_req_t *)&job->work);
}

const struct tool tool_list_dir = {
    .spec = {.name = "list_dir",
             .description = "Name what is in a folder of the workspace. Folders end with /, "
                            "symbolic links with @.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"path\":{\"type\":\"string\",\"description\":\"the working directory by "
                       "default\"}},\"additionalProperties\":false}"},
    .kind = ACP_KIND_READ,
    .prepare = prepare,
    .start = start,
    .stop = stop,
};
