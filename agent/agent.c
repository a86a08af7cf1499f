#include "agent/agent_impl.h"
#include "agent/extension.h"

#include "agent/option.h"
#include "agent/restore.h"
#include "agent/turn.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_MS     500u /* for a client that does not read while we end */
#define PERMISSION_S 120u
#define WARM_MS      20u         /* after session/new: the client has its answer and types */
#define READ_STOP    (16u << 20) /* answers that wait before we stop taking requests */

/* --- the end --- */

static void destroy(struct agent *a)
{
    store_destroy(a->env.store);
    config_deinit(&a->env.config);
    buf_deinit(&a->out);
    free(a->local_model);
    free(a);
}

static void part_closed(struct agent *a)
{
    const struct agent_ops *ops = a->ops;
    void *ctx = a->ctx;
    if (--a->open_parts > 0)
        return;
    destroy(a);
    ops->on_closed(ctx);
}

static void on_fetch_closed(void *ctx)
{
    part_closed(ctx);
}

static void on_handle_closed(uv_handle_t *h)
{
    part_closed(h->data);
}

void agent_shutdown(struct agent *a)
{
    if (a->ending)
        return;
    a->ending = true;
    a->ops->on_ending(a->ctx);
    method_serve_waiting(a);
    while (!list_empty(&a->sessions))
        session_destroy(CONTAINER_OF(a->sessions.next, struct session, node));
    store_destroy(a->env.store);
    a->env.store = NULL;
    peer_close(a->env.peer);
    a->env.peer = NULL;
    uv_close((uv_handle_t *)&a->warm, on_handle_closed);
    uv_close((uv_handle_t *)&a->gather, on_handle_closed);
    uv_close((uv_handle_t *)&a->reload, on_handle_closed);
    fetch_close(a->env.fetch, on_fetch_closed, a);
    if (a->stream)
        stream_close_flushed(a->stream, 0, FLUSH_MS);
}

/* --- the wire --- */

static void on_read(void *ctx, const char *bytes, size_t n)
{
    struct agent *a = ctx;
    if (a->ending)
        return;
    wiretap_pass(a->options.wiretap, WIRETAP_CLIENT, bytes, n);
    peer_feed(a->env.peer, bytes, n);
    /* Model text is stopped at its source; answers can only be stopped by not taking requests. */
    if (stream_waiting(a->stream) > READ_STOP)
        stream_pause(a->stream, true);
}

static void on_eof(void *ctx, int rc)
{
    struct agent *a = ctx;
    if (a->ending)
        return;
    if (rc < 0)
        log_warn("standard input: %s", err_text(rc));
    peer_eof(a->env.peer);
    agent_shutdown(a);
}

static void on_output(void *ctx)
{
    struct agent *a = ctx;
    if (!a->stream) { /* closed already: nobody is there to read */
        a->out.n = 0;
        return;
    }
    wiretap_pass(a->options.wiretap, WIRETAP_AGENT, a->out.p, a->out.n);
    int rc = buf_add(stream_out(a->stream), a->out.p, a->out.n);
    a->out.n = 0;
    if (rc < 0)
        stream_close(a->stream, rc); /* a hole in the stream would be worse */
    else
        stream_flush(a->stream);
}

static void for_each_restore(struct agent *a, void (*act)(struct restore *))
{
    struct list *next;
    for (struct list *at = a->sessions.next; at != &a->sessions; at = next) {
        struct session *s = CONTAINER_OF(at, struct session, node);
        next = at->next;
        if (s->restore)
            act(s->restore);
    }
}

static void for_each_turn(struct agent *a, void (*act)(struct turn *))
{
    struct list *next;
    for (struct list *at = a->sessions.next; at != &a->sessions; at = next) {
        struct session *s = CONTAINER_OF(at, struct session, node);
        next = at->next;
        if (s->turn)
            act(s->turn);
    }
}

static void on_pressure(void *ctx, bool high)
{
    struct agent *a = ctx;
    a->env.pressed = high;
    if (a->ending)
        return;
    if (!high)
        stream_pause(a->stream, false);
    for_each_turn(a, turn_pressure);
    if (!high)
        for_each_restore(a, restore_go_on);
}

static void on_gather(uv_check_t *check)
{
    uv_check_stop(check);
    for_each_turn(check->data, turn_give_out);
}

static bool may_gather(struct env *env)
{
    struct agent *a = CONTAINER_OF(env, struct agent, env);
    bool busy = a->stream && stream_waiting(a->stream) > 0;
    if (busy)
        uv_check_start(&a->gather, on_gather);
    return busy;
}

static void on_stream_closed(void *ctx, int why)
{
    struct agent *a = ctx;
    if (!a->ending && why < 0)
        log_info("standard output: %s", err_text(why));
    a->stream = NULL;
    agent_shutdown(a);
    part_closed(a);
}

static const struct stream_ops ops_of_stream = {.on_read = on_read,
                                                .on_eof = on_eof,
                                                .on_pressure = on_pressure,
                                                .on_closed = on_stream_closed};

static const struct peer_ops ops_of_peer = {
    .on_request = method_request, .on_notify = method_notify, .on_output = on_output};

/* --- sessions --- */

struct session *agent_find_session(struct agent *a, const char *id)
{
    for (struct list *at = a->sessions.next; at != &a->sessions; at = at->next) {
        struct session *s = CONTAINER_OF(at, struct session, node);
        if (strcmp(s->id, id) == 0)
            return s;
    }
    return NULL;
}

static void on_warm(uv_timer_t *timer)
{
    struct agent *a = timer->data;
    fetch_warm(a->env.fetch);
}

void agent_add_session(struct agent *a, struct session *s)
{
    list_append(&a->sessions, &s->node);
    uv_timer_start(&a->warm, on_warm, WARM_MS, 0);
}

/* --- configuration --- */

int agent_load_config(struct agent *a)
{
    int rc = config_load(&a->env.config, a->options.env);
    if (rc == 0)
        a->configured = true;
    return rc;
}

bool agent_has_credentials(struct agent *a, bool again)
{
    struct llm_target to;
    if (a->logged_out && !again)
        return false;
    if (!again && a->configured && config_resolve(&a->env.config, a->env.model, &to) == 0)
        return true;
    if (agent_load_config(a) < 0)
        return false;
    a->logged_out = false;
    return config_resolve(&a->env.config, a->env.model, &to) == 0;
}

unsigned agent_default_input(struct agent *a)
{
    struct llm_target to;
    bool known =
        agent_has_credentials(a, false) && config_resolve(&a->env.config, a->env.model, &to) == 0;
    return known ? to.input : 0;
}

void agent_log_out(struct agent *a)
{
    config_deinit(&a->env.config);
    a->configured = false;
    a->logged_out = true;
}

int agent_reload(struct agent *a, struct session *s)
{
    s->reload = false;
    int rc = a->logged_out ? 0 : agent_load_config(a);
    snprintf(a->reload_error, sizeof a->reload_error, "%s",
             *a->env.config.error ? a->env.config.error : "Out of memory.");
    if (rc == 0)
        rc = extension_load(s, a->reload_error, sizeof a->reload_error);
    if (rc == 0)
        rc = slash_load_files(s);
    if (rc == 0)
        rc = session_reload(s);
    if (rc < 0)
        return rc;
    slash_tell(s);
    return option_tell_list(s);
}

static void on_reload(uv_timer_t *timer)
{
    struct agent *a = timer->data;
    for (struct list *at = a->sessions.next; at != &a->sessions; at = at->next) {
        struct session *s = CONTAINER_OF(at, struct session, node);
        if (s->reload && !s->turn && !s->restore && agent_reload(a, s) < 0)
            log_warn("the reload that was asked for failed, all stays as it was: %s",
                     a->reload_error);
    }
}

static void wake(struct env *env)
{
    struct agent *a = CONTAINER_OF(env, struct agent, env);
    if (!a->ending)
        uv_timer_start(&a->reload, on_reload, 0, 0);
}

/* --- the beginning --- */

/* Without a place for it the agent works, and says that sessions do not last. */
static int create_store(struct agent *a)
{
    struct buf path = {0};
    int rc = store_locate(a->options.env, &path);
    if (rc == 0 && !buf_cstr(&path))
        rc = E_NOMEM;
    const struct store_options options = {.path = path.p};
    if (rc == 0)
        rc = store_create(&options, &a->env.store);
    buf_deinit(&path);
    if (rc == E_NOTFOUND)
        log_warn("sessions are not kept: set HOME or ACP_AGENT_HOME");
    return rc == E_NOTFOUND ? 0 : rc;
}

static int open_wire(struct agent *a)
{
    struct peer_options options = {.max_line = a->options.max_line};
    int rc = peer_create(&ops_of_peer, a, &a->out, &options, &a->env.peer);
    if (rc < 0)
        return rc;
    return stream_open(a->env.loop, a->options.in, a->options.out, &ops_of_stream, a, &a->stream);
}

static uint64_t permission_ms(const struct agent_options *options)
{
    return UINT64_C(1000) *
           (options->permission_timeout ? options->permission_timeout : PERMISSION_S);
}

int agent_open(uv_loop_t *loop, const struct agent_options *options, const struct agent_ops *ops,
               void *ctx, struct agent **ret)
{
    struct agent *a = calloc(1, sizeof *a);
    if (!a)
        return E_NOMEM;
    a->options = *options;
    a->ops = ops;
    a->ctx = ctx;
    a->env = (struct env){.loop = loop,
                          .variable = options->env,
                          .model = options->model,
                          .work_mode = options->work_mode,
                          .max_tokens = options->max_tokens,
                          .safe_mode = options->safe_mode,
                          .append = options->append,
                          .title = options->title,
                          .permission_ms = permission_ms(options),
                          .may_gather = may_gather,
                          .wake = wake};
    config_init(&a->env.config);
    list_init(&a->sessions);
    list_init(&a->waiting);
    int rc = create_store(a);
    if (rc == 0)
        rc = fetch_create(loop, &a->env.fetch);
    if (rc == 0)
        rc = open_wire(a);
    if (rc < 0) {
        if (a->env.fetch)
            fetch_close(a->env.fetch, NULL, NULL);
        peer_close(a->env.peer);
        destroy(a);
        return rc;
    }
    uv_timer_init(loop, &a->warm);
    uv_check_init(loop, &a->gather);
    uv_timer_init(loop, &a->reload);
    a->warm.data = a->gather.data = a->reload.data = a;
    a->open_parts = 5; /* the stream, the three handles, fetch */
    *ret = a;
    return 0;
}
