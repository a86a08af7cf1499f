#include "agent/tool_later.h"

#include "base/err.h"

#include <stdlib.h>

struct later {
    uv_timer_t timer;
    struct tool_run *run;
    struct tool_result result;
};

static void on_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct later, timer));
}

static void on_timer(uv_timer_t *timer)
{
    struct later *l = CONTAINER_OF(timer, struct later, timer);
    struct tool_result result = l->result;
    uv_close((uv_handle_t *)timer, on_closed);
    tool_finish(l->run, &result);
}

int tool_later_start(struct tool_run *run, struct tool_result *result)
{
    struct later *l = malloc(sizeof *l);
    if (!l) {
        tool_result_deinit(result);
        return E_NOMEM;
    }
    l->run = run;
    l->result = *result;
    run->job = l;
    uv_timer_init(run->loop, &l->timer);
    uv_timer_start(&l->timer, on_timer, 0, 0);
    return 0;
}

void tool_later_stop(struct tool_run *run)
{
    struct later *l = run->job;
    tool_result_deinit(&l->result);
    uv_close((uv_handle_t *)&l->timer, on_closed);
}
