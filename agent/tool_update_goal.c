#include "agent/tool.h"

#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct goal_args {
    const char *status, *note;
};

static int prepare(struct tool_call *c)
{
    static const struct json_field fields[] = {
        {"status", JSON_STR, JSON_REQUIRED, offsetof(struct goal_args, status)},
        {"note", JSON_STR, JSON_NULLABLE, offsetof(struct goal_args, note)},
    };
    struct goal_args a = {NULL, NULL};
    struct json_error err;
    if (json_read(c->args, "arguments", fields, ARRAY_LEN(fields), &a, &err) < 0) {
        c->error = strdup(err.text);
        return c->error ? 0 : E_NOMEM;
    }
    bool complete = strcmp(a.status, "complete") == 0;
    if (!complete && strcmp(a.status, "blocked") != 0) {
        c->error = strdup("arguments.status: must be complete or blocked");
        return c->error ? 0 : E_NOMEM;
    }
    c->title = strdup(complete ? "The goal is reached" : "The goal cannot be reached");
    return c->title ? 0 : E_NOMEM;
}

struct job {
    uv_timer_t timer;
    struct tool_run *run;
};

static void on_job_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct job, timer));
}

static void on_timer(uv_timer_t *timer)
{
    struct job *job = CONTAINER_OF(timer, struct job, timer);
    struct tool_run *run = job->run;
    struct tool_result result = {.goal_over = true, .text = strdup("Noted.")};
    uv_close((uv_handle_t *)timer, on_job_closed);
    tool_finish(run, &result);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct job *job = malloc(sizeof *job);
    (void)c;
    if (!job)
        return E_NOMEM;
    job->run = run;
    run->job = job;
    uv_timer_init(run->loop, &job->timer);
    uv_timer_start(&job->timer, on_timer, 0, 0);
    return 0;
}

static void stop(struct tool_run *run)
{
    struct job *job = run->job;
    uv_close((uv_handle_t *)&job->timer, on_job_closed);
}

const struct tool tool_update_goal = {
    .spec = {.name = "update_goal",
             .description =
                 "In the mode goal: says that the user's goal is reached (complete), checked and "
                 "not only expected, or that you cannot reach it (blocked). Nothing else ends the "
                 "work on it.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"status\":{\"type\":\"string\",\"enum\":[\"complete\",\"blocked\"]},"
                       "\"note\":{\"type\":\"string\",\"description\":\"What was done, or what is "
                       "in the way\"}},"
                       "\"required\":[\"status\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_THINK,
    .prepare = prepare,
    .start = start,
    .stop = stop,
};
