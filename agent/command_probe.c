#include "agent/command.h"

#include "agent/llm_call.h"
#include "base/err.h"
#include "uvio/loop.h"

#include <stdlib.h>
#include <string.h>

#define PROBE_MS 30000u

struct probe {
    uv_loop_t loop;
    uv_timer_t deadline;
    struct fetch *fetch;
    struct llm_call *call;
    char *error;
    bool over;
};

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    (void)ctx;
    (void)kind;
    (void)p;
    (void)n;
}

static void on_burst(void *ctx)
{
    (void)ctx;
}

static void end(struct probe *p, const char *error)
{
    if (p->over)
        return;
    p->over = true;
    p->error = error ? strdup(error) : NULL;
    uv_close((uv_handle_t *)&p->deadline, NULL);
    fetch_close(p->fetch, NULL, NULL);
}

static void on_done(void *ctx, struct llm_reply *reply)
{
    struct probe *p = ctx;
    bool failed = reply->finish == LLM_FINISH_FAILED || reply->finish == LLM_FINISH_NONE;
    p->call = NULL;
    end(p, failed ? reply->error.text : NULL);
}

static void on_deadline(uv_timer_t *timer)
{
    struct probe *p = timer->data;
    llm_call_abandon(p->call);
    end(p, "no answer within 30 seconds");
}

static int start(struct probe *p, const struct llm_target *to)
{
    static const struct llm_call_ops ops = {
        .on_text = on_text, .on_burst = on_burst, .on_done = on_done};
    struct history history = {0};
    const struct llm_request req = {
        .to = to, .system = "Answer with one word.", .history = &history, .idle_ms = PROBE_MS};
    int rc = history_add_user(&history, "Hello");
    if (rc == 0)
        rc = llm_call_start(p->fetch, &req, &ops, p, &p->call);
    history_deinit(&history);
    return rc;
}

char *command_probe(const struct config *c, const char *model)
{
    struct probe p = {.fetch = NULL};
    struct llm_target to;
    if (config_resolve(c, model, &to) < 0)
        return strdup("there is no key for it");
    loop_setup_process();
    if (uv_loop_init(&p.loop) < 0 || fetch_create(&p.loop, &p.fetch) < 0)
        return strdup("out of memory");
    uv_timer_init(&p.loop, &p.deadline);
    p.deadline.data = &p;
    uv_timer_start(&p.deadline, on_deadline, PROBE_MS, 0);
    int rc = start(&p, &to);
    if (rc < 0)
        end(&p,
            rc == E_INVALID ? "the base URL must begin with http:// or https://" : err_text(rc));
    loop_finish(&p.loop);
    return p.error;
}
