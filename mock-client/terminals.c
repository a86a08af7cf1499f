#include "mock-client/terminal_int.h"

#include "mock-client/policy.h"
#include "mock-client/response.h"

#include "base/err.h"
#include "uvio/child.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the end -----------------------------------------------------------------------------------
 */

static void terminal_destroy(struct terminal *term)
{
    list_remove(&term->node);
    terminal_drop_waiters(term);
    buf_deinit(&term->out);
    free(term);
}

static bool any_runs(const struct terminals *t)
{
    for (struct list *l = t->list.next; l != &t->list; l = l->next)
        if (CONTAINER_OF(l, struct terminal, node)->child)
            return true;
    return false;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct terminals *t = handle->data;
    const struct terminals_ops *ops = t->ops;
    void *ctx = t->ctx;
    while (!list_empty(&t->list))
        terminal_destroy(CONTAINER_OF(t->list.next, struct terminal, node));
    free(t->used);
    free(t);
    ops->on_closed(ctx);
}

static void on_closer(uv_idle_t *closer)
{
    struct terminals *t = closer->data;
    uv_idle_stop(closer);
    if (!any_runs(t))
        uv_close((uv_handle_t *)closer, on_handle_closed);
}

void terminals_look(struct terminals *t)
{
    if (t->closing)
        uv_idle_start(&t->closer, on_closer);
    else
        t->ops->on_change(t->ctx);
}

static void kill_command(struct terminal *term)
{
    if (term->child)
        child_kill(term->child);
    else if (!term->over)
        terminal_end(term, 0, "SIGKILL");
}

void terminals_close(struct terminals *t)
{
    if (t->closing)
        return;
    t->closing = true;
    for (struct list *l = t->list.next; l != &t->list; l = l->next)
        kill_command(CONTAINER_OF(l, struct terminal, node));
    terminals_look(t);
}

/* ---- requests ----------------------------------------------------------------------------------
 */

static int give(struct terminals *t, const struct trace_event *request, int rc, struct buf *line)
{
    if (rc == 0)
        t->ops->answer(t->ctx, request, line);
    buf_deinit(line);
    return rc;
}

static int refuse(struct terminals *t, const struct trace_event *request,
                  const struct response_error *error)
{
    struct buf line = {0};
    return give(t, request, response_error(request->scan.id, error, &line), &line);
}

static int refuse_params(struct terminals *t, const struct trace_event *request, const char *text)
{
    return refuse(t, request, &(struct response_error){.code = -32602, .message = text});
}

static struct terminal *terminal_add(struct terminals *t, const struct trace_event *request)
{
    struct terminal *term = calloc(1, sizeof *term);
    if (!term)
        return NULL;
    term->all = t;
    term->made = request;
    term->number = ++t->made;
    term->limit = SIZE_MAX;
    list_init(&term->waiters);
    list_append(&t->list, &term->node);
    return term;
}

static int tell_made(struct terminals *t, const struct terminal *term)
{
    struct jsonw w;
    struct buf line = {0};
    char id[32];
    snprintf(id, sizeof id, "term-%u", term->number);
    response_begin(&w, &line, term->made->scan.id);
    jw_kopen(&w, "result", '{');
    jw_kstr(&w, "terminalId", id);
    jw_close(&w);
    return give(t, term->made, response_end(&w), &line);
}

static int create_run(struct terminals *t, struct terminal *term, const cJSON *params)
{
    char err[300];
    int rc = terminal_run(term, params, err, sizeof err);
    if (rc == 0)
        return tell_made(t, term);
    const struct trace_event *request = term->made;
    terminal_destroy(term);
    if (rc == E_NOMEM)
        return rc;
    return refuse(t, request, &(struct response_error){.code = -32603, .message = err});
}

/* It is told first: a command that ends at once ends after its terminal was there. */
static int create_played(struct terminals *t, struct terminal *term, const cJSON *params)
{
    const struct trace_event *request = term->made;
    const cJSON *entry = terminal_entry(t, params), *error = json_get(entry, "error");
    struct buf line = {0};
    if (entry && !error) {
        int rc = tell_made(t, term);
        terminal_play(term, entry);
        return rc;
    }
    terminal_destroy(term);
    if (error)
        return give(t, request, policy_write_error(request->scan.id, error, &line), &line);
    return refuse(t, request,
                  &(struct response_error){.code = -32603,
                                           .message = "the case has no script for this command"});
}

struct create {
    const char *command, *cwd;
    const cJSON *args, *env;
    int64_t limit;
};

static const char *list_fault(const struct create *c)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, c->args) if (!cJSON_IsString(v)) return "params.args: are texts";
    cJSON_ArrayForEach(v, c->env)
    {
        const char *name = json_get_str(v, "name");
        if (!name || !name[0] || strchr(name, '=') || !json_get_str(v, "value"))
            return "params.env: each has a name and a value";
    }
    return c->limit < 0 ? "params.outputByteLimit: is negative" : NULL;
}

static int on_create(struct terminals *t, const struct trace_event *request, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"command", JSON_STR, JSON_REQUIRED, offsetof(struct create, command)},
        {"cwd", JSON_STR, JSON_NULLABLE, offsetof(struct create, cwd)},
        {"args", JSON_ARR, JSON_NULLABLE, offsetof(struct create, args)},
        {"env", JSON_ARR, JSON_NULLABLE, offsetof(struct create, env)},
        {"outputByteLimit", JSON_I64, JSON_NULLABLE, offsetof(struct create, limit)},
    };
    struct create c = {.limit = INT64_MAX};
    struct json_error err;
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), &c, &err);
    if (rc < 0)
        return rc == E_NOMEM ? rc : refuse_params(t, request, err.text);
    if (c.cwd && c.cwd[0] != '/')
        return refuse_params(t, request, "params.cwd: has to be absolute");
    if (list_fault(&c))
        return refuse_params(t, request, list_fault(&c));
    struct terminal *term = terminal_add(t, request);
    if (!term)
        return E_NOMEM;
    term->limit = (size_t)c.limit;
    return cJSON_IsArray(t->options.script) ? create_played(t, term, params)
                                            : create_run(t, term, params);
}

/* Ids are those of one connection. */
static struct terminal *find(const struct terminals *t, const struct trace_event *request,
                             const char *id)
{
    char own[32];
    for (struct list *l = t->list.next; l != &t->list; l = l->next) {
        struct terminal *term = CONTAINER_OF(l, struct terminal, node);
        snprintf(own, sizeof own, "term-%u", term->number);
        if (!term->released && term->made->agent == request->agent && !strcmp(own, id))
            return term;
    }
    return NULL;
}

static int on_output(struct terminals *t, struct terminal *term, const struct trace_event *request)
{
    struct buf line = {0};
    return give(t, request, terminal_write_output(term, request->scan.id, &line), &line);
}

static int on_wait(struct terminals *t, struct terminal *term, const struct trace_event *request)
{
    struct buf line = {0};
    if (!term->over)
        return terminal_add_waiter(term, request);
    return give(t, request, terminal_write_exit(term, request->scan.id, &line), &line);
}

static int on_kill(struct terminals *t, struct terminal *term, const struct trace_event *request)
{
    struct buf line = {0};
    int rc = give(t, request, response_empty(request->scan.id, &line), &line);
    kill_command(term);
    return rc;
}

static int on_release(struct terminals *t, struct terminal *term, const struct trace_event *request)
{
    term->released = true;
    int rc = on_kill(t, term, request);
    terminals_look(t);
    return rc;
}

int terminals_request(struct terminals *t, const struct trace_event *request)
{
    static const struct {
        const char *method;
        int (*serve)(struct terminals *, struct terminal *, const struct trace_event *);
    } rows[] = {
        {"terminal/output", on_output},
        {"terminal/wait_for_exit", on_wait},
        {"terminal/kill", on_kill},
        {"terminal/release", on_release},
    };
    const char *method = json_get_str(request->json, "method");
    const cJSON *params = json_get(request->json, "params");
    const char *id = json_get_str(params, "terminalId");
    if (!strcmp(method, "terminal/create"))
        return on_create(t, request, params);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].method, method) != 0)
            continue;
        if (!id)
            return refuse_params(t, request, "params.terminalId: missing");
        struct terminal *term = find(t, request, id);
        return term ? rows[i].serve(t, term, request)
                    : refuse(t, request,
                             &(struct response_error){.code = -32002,
                                                      .message = "Resource not found",
                                                      .key = "terminalId",
                                                      .value = id});
    }
    return E_NOTFOUND;
}

/* ---- looks and changes --------------------------------------------------------------------------
 */

void terminals_release_hold(struct terminals *t, const char *hold)
{
    for (struct list *l = t->list.next; l != &t->list; l = l->next) {
        struct terminal *term = CONTAINER_OF(l, struct terminal, node);
        const char *own = json_get_str(term->entry, "hold");
        if (!term->over && own && !strcmp(own, hold))
            terminal_play_end(term);
    }
}

void terminals_forget(struct terminals *t, const char *agent)
{
    for (struct list *l = t->list.next; l != &t->list; l = l->next) {
        struct terminal *term = CONTAINER_OF(l, struct terminal, node);
        if (term->made->agent != agent)
            continue;
        terminal_drop_waiters(term);
        term->released = true;
        kill_command(term);
    }
}

void terminals_count(const struct terminals *t, size_t *ret_open, size_t *ret_running)
{
    *ret_open = *ret_running = 0;
    for (struct list *l = t->list.next; l != &t->list; l = l->next) {
        const struct terminal *term = CONTAINER_OF(l, struct terminal, node);
        *ret_open += !term->released;
        *ret_running += !term->over;
    }
}

int terminals_error(const struct terminals *t)
{
    return t->error;
}

int terminals_open(uv_loop_t *loop, const struct terminals_options *options,
                   const struct terminals_ops *ops, void *ctx, struct terminals **ret)
{
    struct terminals *t = calloc(1, sizeof *t);
    if (!t)
        return E_NOMEM;
    *t = (struct terminals){.loop = loop, .options = *options, .ops = ops, .ctx = ctx};
    list_init(&t->list);
    uv_idle_init(loop, &t->closer);
    t->closer.data = t;
    *ret = t;
    return 0;
}
