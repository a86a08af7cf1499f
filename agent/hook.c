#include "agent/hook.h"

#include "agent/clip.h"
#include "agent/plugin_env.h"
#include "agent/roots.h"
#include "base/err.h"
#include "base/log.h"
#include "base/utf8.h"
#include "uvio/child.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_MS   300u
#define REASON_MAX 4000u /* bytes of an objection that the model gets */
#define OBJECTS    2     /* exit code */

struct hook_run {
    struct hook_question q;
    char *input;          /* owned; the JSON text */
    size_t plugin, hook;  /* the one that runs */
    struct hook_job *job; /* NULL between two */
    uv_timer_t again;     /* starts the next one; its close callback frees this */
};

/* One program. Outlives its run if that is stopped. */
struct hook_job {
    struct hook_run *run; /* NULL: stopped */
    struct child *child;
    uv_timer_t timer; /* its close callback frees this */
    struct clip out, err;
    bool late;
};

static void job_free(uv_handle_t *h)
{
    struct hook_job *job = CONTAINER_OF(h, struct hook_job, timer);
    clip_deinit(&job->out);
    clip_deinit(&job->err);
    free(job);
}

static void run_free(uv_handle_t *h)
{
    struct hook_run *run = CONTAINER_OF(h, struct hook_run, again);
    free(run->input);
    free(run);
}

static const struct plugin_hook *current(const struct hook_run *run)
{
    return &run->q.set->list[run->plugin].hooks[run->hook];
}

static void complain(const struct hook_run *run, const char *what)
{
    log_warn("hook %s of plugin %s (%s): %s", hook_event_name(run->q.event),
             run->q.set->list[run->plugin].name, current(run)->argv[0], what);
}

/* --- the input --- */

static char *write_input(const struct hook_question *q)
{
    struct buf out = {0};
    struct jsonw w;
    jw_begin(&w, &out);
    jw_open(&w, '{');
    jw_kstr(&w, "event", hook_event_name(q->event));
    jw_kstr(&w, "sessionId", q->session_id);
    jw_kstr(&w, "cwd", q->cwd);
    if (q->tool) {
        jw_kopen(&w, "tool", '{');
        jw_kstr(&w, "name", q->tool);
        if (q->args)
            jw_ktree(&w, "arguments", q->args);
        jw_close(&w);
    }
    if (q->event == HOOK_AFTER_TOOL) {
        jw_kopen(&w, "result", '{');
        jw_kbool(&w, "failed", q->failed);
        jw_kstr(&w, "text", q->result);
        jw_close(&w);
    }
    if (q->event == HOOK_TURN_END)
        jw_kstr(&w, "stopReason", q->stop_reason);
    jw_close(&w);
    char *text = jw_end(&w) == 0 && buf_addc(&out, '\n') == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}

/* --- the end --- */

static void finish(struct hook_run *run, const char *reason)
{
    struct hook_question q = run->q;
    uv_close((uv_handle_t *)&run->again, run_free);
    q.cb(q.ctx, reason);
}

/* Standard error says why, or else standard output. */
static char *reason_of(const struct hook_job *job)
{
    struct buf text = {0};
    char *reason = NULL;
    int rc = clip_render(&job->err, &text);
    if (rc == 0 && text.n == 0)
        rc = clip_render(&job->out, &text);
    if (rc == 0 && text.n == 0)
        rc = buf_adds(&text, "It did not say why.");
    while (rc == 0 && text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]))
        text.n--;
    if (text.n > REASON_MAX)
        text.n = utf8_valid_prefix(text.p, REASON_MAX);
    if (rc == 0)
        reason = buf_take(&text);
    buf_deinit(&text);
    return reason;
}

static void object(struct hook_run *run, const struct hook_job *job)
{
    struct buf text = {0};
    char *why = reason_of(job);
    int rc = buf_addf(&text, "The plugin %s objects: %s", run->q.set->list[run->plugin].name,
                      why ? why : "out of memory");
    free(why);
    finish(run, rc == 0 && buf_cstr(&text) ? text.p : "A plugin objects.");
    buf_deinit(&text);
}

static void explain(const struct hook_run *run, const struct hook_job *job, int64_t code, int sig)
{
    char what[700];
    struct buf err = {0};
    if (clip_render(&job->err, &err) < 0 || !buf_cstr(&err))
        return;
    if (job->late)
        snprintf(what, sizeof what, "stopped after %u s", current(run)->limit_ms / 1000u);
    else if (sig)
        snprintf(what, sizeof what, "ended by signal %d", sig);
    else
        snprintf(what, sizeof what, "exit code %d: %.600s", (int)code, err.p);
    complain(run, what);
    buf_deinit(&err);
}

/* --- one after the other --- */

static void run_next(struct hook_run *run);

static void on_again(uv_timer_t *timer)
{
    run_next(CONTAINER_OF(timer, struct hook_run, again));
}

static void move_on(struct hook_run *run)
{
    run->hook++;
    uv_timer_start(&run->again, on_again, 0, 0);
}

static void on_hook_exit(void *ctx, int64_t code, int sig)
{
    struct hook_job *job = ctx;
    struct hook_run *run = job->run;
    if (run) {
        run->job = NULL;
        if (!job->late && sig == 0 && code == OBJECTS) {
            object(run, job);
        } else {
            if (job->late || sig || code)
                explain(run, job, code, sig);
            move_on(run);
        }
    }
    uv_close((uv_handle_t *)&job->timer, job_free);
}

/* Without memory for it the output is cut: nobody is stopped for that. */
static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct hook_job *job = ctx;
    if (clip_add(&job->out, bytes, n) < 0)
        log_warn("out of memory: the output of a hook is cut");
}

static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    struct hook_job *job = ctx;
    if (clip_add(&job->err, bytes, n) < 0)
        log_warn("out of memory: the output of a hook is cut");
}

static void on_late(uv_timer_t *timer)
{
    struct hook_job *job = CONTAINER_OF(timer, struct hook_job, timer);
    job->late = true;
    child_stop(job->child);
}

static int spawn(struct hook_run *run, struct hook_job *job)
{
    static const struct child_ops ops = {
        .on_stdout = on_stdout, .on_stderr = on_stderr, .on_exit = on_hook_exit};
    const struct plugin *p = &run->q.set->list[run->plugin];
    char **env = plugin_env_make(run->q.env, p, run->q.cwd);
    const struct child_options options = {.argv = (const char *const *)current(run)->argv,
                                          .env = (const char *const *)env,
                                          .cwd = p->folder,
                                          .grace_ms = GRACE_MS};
    int rc = env ? child_spawn(run->q.loop, &options, &ops, job, &job->child) : E_NOMEM;
    roots_free(env);
    return rc;
}

static int start_job(struct hook_run *run)
{
    struct hook_job *job = calloc(1, sizeof *job);
    int rc = job ? spawn(run, job) : E_NOMEM;
    if (rc < 0) {
        free(job);
        return rc;
    }
    job->run = run;
    run->job = job;
    uv_timer_init(run->q.loop, &job->timer);
    uv_timer_start(&job->timer, on_late, current(run)->limit_ms, 0);
    if (buf_adds(child_in(job->child), run->input) < 0)
        complain(run, "out of memory: it gets no input");
    child_flush(job->child);
    child_close_stdin(job->child);
    return 0;
}

static bool is_for(const struct plugin_hook *h, const struct hook_question *q)
{
    char *const *name = h->tools;
    if (h->event != q->event)
        return false;
    while (name && *name && (!q->tool || strcmp(*name, q->tool) != 0))
        name++;
    return !name || *name;
}

/* Moves to the next one that is meant, from where it stands. False: there is none. */
static bool find_next(struct hook_run *run)
{
    const struct plugin_set *set = run->q.set;
    for (; run->plugin < set->n; run->plugin++, run->hook = 0)
        for (; run->hook < set->list[run->plugin].n_hooks; run->hook++)
            if (is_for(current(run), &run->q))
                return true;
    return false;
}

static void run_next(struct hook_run *run)
{
    if (!find_next(run)) {
        finish(run, NULL);
        return;
    }
    int rc = start_job(run);
    if (rc < 0) {
        complain(run, err_text(rc));
        move_on(run);
    }
}

int hook_start(const struct hook_question *q, struct hook_run **ret)
{
    struct hook_run probe = {.q = *q};
    if (!q->set || !find_next(&probe))
        return 0;
    struct hook_run *run = calloc(1, sizeof *run);
    if (!run)
        return E_NOMEM;
    *run = probe;
    run->input = write_input(q);
    if (!run->input) {
        free(run);
        return E_NOMEM;
    }
    run->q.args = NULL; /* only lent for the call */
    run->q.result = NULL;
    uv_timer_init(q->loop, &run->again);
    uv_timer_start(&run->again, on_again, 0, 0);
    *ret = run;
    return 1;
}

void hook_stop(struct hook_run *run)
{
    if (!run)
        return;
    if (run->job) {
        run->job->run = NULL;
        uv_timer_stop(&run->job->timer);
        child_stop(run->job->child);
    }
    uv_close((uv_handle_t *)&run->again, run_free);
}
