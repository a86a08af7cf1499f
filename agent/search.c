#include "agent/search.h"

#include "agent/file.h"
#include "agent/roots.h"
#include "base/err.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 30u

static void destroy(struct search *s)
{
    pattern_destroy(s->pattern);
    pattern_destroy(s->only);
    buf_deinit(&s->line);
    buf_deinit(&s->out);
    buf_deinit(&s->file);
    free(s->cwd);
    roots_free(s->folders);
    free(s->real);
    free(s);
}

int search_add(struct search *s, const struct walk_entry *e)
{
    size_t was = s->out.n;
    s->more = s->lines == s->kind->lines_max;
    if (s->more)
        return 1;
    int rc = s->prefix ? buf_addf(&s->out, "%s/", s->prefix) : 0;
    if (rc == 0)
        rc = utf8_append_repaired(&s->out, e->path, strlen(e->path));
    if (rc == 0)
        rc = buf_add(&s->out, s->line.p, s->line.n);
    if (rc == 0)
        rc = buf_addc(&s->out, '\n');
    if (rc < 0)
        return rc;
    s->more = s->out.n > SEARCH_BYTES_MAX;
    if (s->more)
        s->out.n = was;
    else
        s->lines++;
    return s->more;
}

static int visit(void *ctx, const struct walk_entry *e)
{
    struct search *s = ctx;
    int rc = s->only ? pattern_match(s->only, e->below, strlen(e->below)) : 1;
    s->line.n = s->file.n = 0;
    return rc == 1 ? s->kind->visit(s, e) : rc == E_NOMEM ? rc : 0;
}

/* If the folder of the session's holds what is searched. prefix: for the names in there. */
static bool walk_below(struct search *s, const char *folder, const char *prefix)
{
    char *real = realpath(folder, NULL);
    bool holds = real && roots_lies_below(real, s->real);
    if (holds) {
        s->prefix = prefix;
        s->walk.root = real;
        s->rc = walk_run(&s->walk);
    }
    free(real);
    return holds;
}

/* Outside of all of them, allowed by the user. */
static void walk_outside(struct search *s)
{
    char *last = strrchr(s->real, '/');
    char *folder = strndup(s->real, last == s->real ? 1 : (size_t)(last - s->real));
    s->prefix = folder && folder[1] ? folder : "";
    s->walk.root = folder;
    s->rc = folder ? walk_run(&s->walk) : E_NOMEM;
    free(folder);
}

static void on_work(uv_work_t *work)
{
    struct search *s = CONTAINER_OF(work, struct search, work);
    s->walk.until = uv_hrtime() + (uint64_t)SECONDS_MAX * 1000000000u;
    bool found = walk_below(s, s->cwd, NULL);
    for (char **f = s->folders; !found && f && *f; f++)
        found = walk_below(s, *f, *f);
    if (!found)
        walk_outside(s);
}

static int add_notes(struct search *s)
{
    int rc = s->lines == 0 && s->rc >= 0 && !s->more ? buf_adds(&s->out, s->kind->none) : 0;
    if (rc == 0 && s->more)
        rc = buf_addf(&s->out, "[There are more: these are the first %zu %s. Narrow the search.]\n",
                      s->lines, s->kind->what);
    if (rc == 0 && s->rc == E_TIMEOUT)
        rc = buf_addf(&s->out, "[The search was ended after %u s: there may be more.]\n",
                      SECONDS_MAX);
    if (rc == 0 && s->given_up > 0)
        rc = buf_addf(&s->out, "[On %u lines the pattern was too much work: not searched.]\n",
                      s->given_up);
    if (rc == 0 && s->walk.passed_over > 0)
        rc = buf_addf(&s->out, "[%u files or folders are too large or cannot be read.]\n",
                      s->walk.passed_over);
    return rc;
}

static cJSON *describe(const struct search *s)
{
    cJSON *raw = cJSON_CreateObject();
    if (cJSON_AddNumberToObject(raw, "found", (double)s->lines) &&
        cJSON_AddBoolToObject(raw, "truncated", s->more || s->rc == E_TIMEOUT))
        return raw;
    cJSON_Delete(raw);
    return NULL;
}

static void finish(struct search *s)
{
    bool failed = s->rc < 0 && s->rc != E_TIMEOUT;
    struct tool_result result = {.failed = failed};
    if (failed)
        result.text = strdup(err_text(s->rc));
    else if (add_notes(s) == 0 && (result.raw = describe(s)))
        result.text = buf_take(&s->out);
    tool_finish(s->run, &result);
}

static void on_worked(uv_work_t *work, int status)
{
    struct search *s = CONTAINER_OF(work, struct search, work);
    (void)status; /* UV_ECANCELED comes only after stop */
    if (s->run)
        finish(s);
    destroy(s);
}

static int copy_place(struct search *s, const struct tool_call *c)
{
    s->cwd = strdup(c->cwd);
    s->real = strdup(c->real);
    s->folders = roots_copy(c->more);
    s->walk.start = s->real;
    return s->cwd && s->real && (s->folders || !c->more) ? 0 : E_NOMEM;
}

int search_start(struct tool_run *run, const struct search_kind *kind, struct pattern *pattern,
                 struct pattern *only)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s) {
        pattern_destroy(pattern);
        pattern_destroy(only);
        return E_NOMEM;
    }
    s->kind = kind;
    s->pattern = pattern;
    s->only = only;
    s->run = run;
    s->walk.visit = visit;
    s->walk.ctx = s;
    s->walk.stop = &s->stop;
    int rc = copy_place(s, run->call);
    if (rc == 0)
        rc = uv_queue_work(run->loop, &s->work, on_work, on_worked);
    if (rc < 0)
        destroy(s);
    else
        run->job = s;
    return rc;
}

void search_stop(struct tool_run *run)
{
    struct search *s = run->job;
    s->run = NULL;
    atomic_store(&s->stop, true);
    uv_cancel((uv_req_t *)&s->work);
}

int search_name(struct tool_call *c, const char *what, const char *pattern, const char *path)
{
    struct buf title = {0};
    int rc = buf_addf(&title, "%s %s", what, pattern);
    if (rc == 0 && strcmp(path, ".") != 0)
        rc = buf_addf(&title, " in %s", path);
    c->title = rc == 0 ? buf_take(&title) : NULL;
    buf_deinit(&title);
    c->path = file_join(c->cwd, path);
    return c->title && c->path ? 0 : E_NOMEM;
}

int search_refuse(struct tool_call *c, const char *member, const struct pattern_error *err)
{
    struct buf why = {0};
    int rc = buf_addf(&why, "arguments.%s: no valid pattern: %s, at byte %zu", member, err->text,
                      err->at);
    c->error = rc == 0 ? buf_take(&why) : NULL;
    buf_deinit(&why);
    return c->error ? 0 : E_NOMEM;
}
