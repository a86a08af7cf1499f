#include "agent/tool.h"

#include "agent/tool_later.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 200

struct todo {
    const char *content, *priority, *status; /* lent */
};

static bool fits(const char *word, const char *(*name)(int), int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(word, name(i)) == 0)
            return true;
    return false;
}

static const char *priority_name(int i)
{
    return acp_plan_priority_name((enum acp_plan_priority)i);
}

static const char *status_name(int i)
{
    return acp_plan_status_name((enum acp_plan_status)i);
}

static int read_todo(const cJSON *item, int at, struct todo *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"content", JSON_STR, JSON_REQUIRED, offsetof(struct todo, content)},
        {"priority", JSON_STR, JSON_NULLABLE, offsetof(struct todo, priority)},
        {"status", JSON_STR, JSON_NULLABLE, offsetof(struct todo, status)},
    };
    char where[48];
    snprintf(where, sizeof where, "arguments.entries[%d]", at);
    *ret = (struct todo){.priority = priority_name(ACP_PRIORITY_MEDIUM),
                         .status = status_name(ACP_PLAN_PENDING)};
    int rc = json_read(item, where, fields, ARRAY_LEN(fields), ret, err);
    if (rc < 0)
        return rc;
    const char *wrong = NULL;
    if (!fits(ret->priority, priority_name, ACP_PRIORITY_COUNT))
        wrong = "priority: must be high, medium or low";
    else if (!fits(ret->status, status_name, ACP_PLAN_COUNT))
        wrong = "status: must be pending, in_progress or completed";
    if (wrong)
        snprintf(err->text, sizeof err->text, "%s.%s", where, wrong);
    return wrong ? E_INVALID : 0;
}

static int read_entries(const struct tool_call *c, const cJSON **ret, struct json_error *err)
{
    struct args {
        const cJSON *entries;
    } a = {NULL};
    static const struct json_field field = {"entries", JSON_ARR, JSON_REQUIRED,
                                            offsetof(struct args, entries)};
    int rc = json_read(c->args, "arguments", &field, 1, &a, err);
    *ret = a.entries;
    return rc;
}

static int prepare(struct tool_call *c)
{
    struct json_error err;
    struct todo todo;
    const cJSON *entries, *item;
    int rc = read_entries(c, &entries, &err), n = 0, done = 0;
    cJSON_ArrayForEach(item, entries)
    {
        rc = read_todo(item, n++, &todo, &err);
        if (rc < 0)
            break;
        done += strcmp(todo.status, status_name(ACP_PLAN_COMPLETED)) == 0;
    }
    if (rc < 0)
        return tool_refuse(c, err.text);
    if (n > ENTRIES_MAX)
        return tool_refuse(c, "arguments.entries: more than 200 steps; join some of them");
    char title[64];
    snprintf(title, sizeof title, "Plan: %d of %d steps done", done, n);
    c->title = strdup(title);
    return c->title ? 0 : E_NOMEM;
}

/* The whole plan each time: the client replaces what it has. */
static int write_plan(const cJSON *entries, struct buf *out)
{
    struct jsonw w;
    struct json_error err;
    const cJSON *item;
    int n = 0;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "sessionUpdate", acp_session_update_name(ACP_UPDATE_PLAN));
    jw_kopen(&w, "entries", '[');
    cJSON_ArrayForEach(item, entries)
    {
        struct todo todo;
        if (read_todo(item, n++, &todo, &err) < 0)
            continue; /* cannot be: prepare has read it */
        jw_open(&w, '{');
        jw_kstr(&w, "content", todo.content);
        jw_kstr(&w, "priority", todo.priority);
        jw_kstr(&w, "status", todo.status);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

static int start(struct tool_run *run, struct tool_call *c)
{
    struct json_error err;
    struct buf plan = {0};
    const cJSON *entries;
    struct tool_result result = {0};
    int rc = read_entries(c, &entries, &err);
    if (rc == 0)
        rc = write_plan(entries, &plan);
    if (rc == 0 && buf_cstr(&plan)) {
        result.text = strdup("The user sees the plan.");
        result.plan = buf_take(&plan);
    }
    buf_deinit(&plan);
    return rc < 0 ? rc : tool_later_start(run, &result);
}

const struct tool tool_todo_write = {
    .spec = {.name = "todo_write",
             .description =
                 "Show the user the plan for the task at hand, and how far it is. Give the whole "
                 "list each time: it replaces the one before.",
             .schema = "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":\"array\","
                       "\"maxItems\":200,\"items\":{\"type\":\"object\",\"properties\":{"
                       "\"content\":{\"type\":\"string\",\"description\":\"the step\"},"
                       "\"priority\":{\"type\":\"string\",\"enum\":[\"high\",\"medium\",\"low\"]},"
                       "\"status\":{\"type\":\"string\","
                       "\"enum\":[\"pending\",\"in_progress\",\"completed\"]}},"
                       "\"required\":[\"content\",\"status\"],\"additionalProperties\":false}}},"
                       "\"required\":[\"entries\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_THINK,
    .prepare = prepare,
    .start = start,
    .stop = tool_later_stop,
    .extra = true,
};
