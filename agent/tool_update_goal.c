#include "agent/tool.h"

#include "agent/tool_later.h"
#include "base/err.h"
#include "json/json.h"

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

static int start(struct tool_run *run, struct tool_call *c)
{
    struct tool_result result = {.goal_over = true, .text = strdup("Noted.")};
    (void)c;
    return tool_later_start(run, &result);
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
    .stop = tool_later_stop,
};
