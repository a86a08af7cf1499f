#include "conformance/runner.h"

#include "base/err.h"
#include "uvio/loop.h"

#include <signal.h>
#include <stdlib.h>

struct slot {
    struct runner *runner;
    const struct runner_job *job;
    struct run_case *running; /* NULL: free */
};

struct runner {
    uv_loop_t loop;
    const struct runner_options *options;
    const struct runner_ops *ops;
    void *ctx;
    struct slot *slots; /* owned */
    unsigned n, busy;
    bool stopping;
    int rc;
    uv_signal_t signals[2];
};

static void fill_slots(struct runner *r);

static void close_signals(struct runner *r)
{
    for (int i = 0; i < 2; i++)
        if (!uv_is_closing((uv_handle_t *)&r->signals[i]))
            uv_close((uv_handle_t *)&r->signals[i], NULL);
}

static void on_case_done(void *ctx, struct case_result *result, bool applied)
{
    struct slot *slot = ctx;
    struct runner *r = slot->runner;
    slot->running = NULL;
    r->busy--;
    if (!r->ops->on_done(r->ctx, slot->job, result, applied))
        r->stopping = true;
    fill_slots(r);
}

static void start(struct runner *r, struct slot *slot, const struct runner_job *job)
{
    slot->job = job;
    struct run_case_options options = job->options;
    options.cb = on_case_done;
    options.ctx = slot;
    int rc = run_case_start(&r->loop, r->options->setting, &options, &slot->running);
    if (rc < 0) {
        r->rc = rc;
        r->stopping = true;
        return;
    }
    r->busy++;
}

static void fill_slots(struct runner *r)
{
    for (unsigned i = 0; i < r->n && !r->stopping; i++) {
        const struct runner_job *job = r->slots[i].running ? NULL : r->ops->next(r->ctx);
        if (job)
            start(r, &r->slots[i], job);
        else if (!r->slots[i].running)
            break;
    }
    if (r->busy == 0)
        close_signals(r);
}

/* The first signal kills the agents and lets the reports be written; a second one ends us. */
static void on_signal(uv_signal_t *handle, int signum)
{
    struct runner *r = handle->data;
    (void)signum;
    r->stopping = true;
    r->rc = E_CANCELLED;
    uv_signal_stop(&r->signals[0]);
    uv_signal_stop(&r->signals[1]);
    for (unsigned i = 0; i < r->n; i++)
        if (r->slots[i].running)
            run_case_abort(r->slots[i].running);
}

static void open_signals(struct runner *r)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&r->loop, &r->signals[i]);
        r->signals[i].data = r;
        uv_signal_start(&r->signals[i], on_signal, numbers[i]);
        uv_unref((uv_handle_t *)&r->signals[i]);
    }
}

int runner_run(const struct runner_options *options, const struct runner_ops *ops, void *ctx)
{
    struct runner r = {.options = options, .ops = ops, .ctx = ctx};
    r.n = options->parallel ? options->parallel : 1;
    r.slots = calloc(r.n, sizeof *r.slots);
    int rc = r.slots ? uv_loop_init(&r.loop) : E_NOMEM;
    if (rc < 0) {
        free(r.slots);
        return rc;
    }
    for (unsigned i = 0; i < r.n; i++)
        r.slots[i].runner = &r;
    open_signals(&r);
    fill_slots(&r);
    rc = loop_finish(&r.loop);
    free(r.slots);
    return r.rc < 0 ? r.rc : rc;
}
