#include "mock-client/player_int.h"

#include "mock-client/env.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 5000
#define AGAIN_MS           10
#define DEFAULT_END_MS     4000 /* both rungs of the ladder, as client.h has them */

/* ---- waking ------------------------------------------------------------------------------------
 */

static void on_tick(uv_idle_t *handle);

void play_wake(struct player *p)
{
    if (!p->ending)
        uv_idle_start(&p->tick, on_tick);
}

static void on_again(uv_timer_t *timer)
{
    play_wake(timer->data);
}

void play_wake_later(struct player *p)
{
    uv_timer_start(&p->again, on_again, AGAIN_MS, 0);
}

/* Acting here would re-enter whoever added the event, so it is only remembered. */
static void on_trace(void *ctx, const struct trace_event *e)
{
    struct player *p = ctx;
    if (p->options.on_event)
        p->options.on_event(p->ctx, e);
    play_wake(p);
}

static void on_deadline(uv_timer_t *timer);

static size_t unsent(const struct player *p)
{
    return p->now.agent && p->now.agent->client ? client_unsent(p->now.agent->client) : 0;
}

static void start_deadline(struct player *p)
{
    p->unsent = unsent(p);
    uv_timer_start(&p->deadline, on_deadline, play_deadline(p, &p->now), 0);
}

/* A deadline is the agent's, and as long as a cut send goes on it has not been asked yet: a piece
 * leaves with each turn of the loop, and a loaded machine may need seconds for a line's bytes. */
static void on_deadline(uv_timer_t *timer)
{
    struct player *p = timer->data;
    if (unsent(p) < p->unsent) {
        start_deadline(p);
        return;
    }
    p->overdue = 1;
    play_wake(p);
}

uint64_t play_deadline(const struct player *p, const struct play_step *s)
{
    int64_t ms = json_get_int(p->options.play, "timeout", DEFAULT_TIMEOUT_MS);
    ms = json_get_int(s->raw, "within", ms);
    if (s->verb == &play_start && ms < DEFAULT_TIMEOUT_MS)
        ms = DEFAULT_TIMEOUT_MS; /* a case may be in a hurry, an agent's start is not */
    double scale = p->options.timeout_scale > 0 ? p->options.timeout_scale : 1;
    uint64_t scaled = (uint64_t)((double)(ms > 0 ? ms : 1) * scale);
    if (s->verb->begin != play_restart_begin)
        return scaled;
    uint64_t end = p->options.eof_ms + p->options.term_ms;
    return scaled + (end ? end : DEFAULT_END_MS); /* a slow end is not what a restart is about */
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static void forget_batch(struct player *p)
{
    for (size_t i = 0; i < p->n_batch; i++)
        play_step_deinit(&p->batch[i]);
    free(p->batch);
    p->batch = NULL;
    p->n_batch = 0;
}

static void player_destroy(struct player *p)
{
    if (!p)
        return;
    forget_batch(p);
    play_step_deinit(&p->now);
    play_asks_deinit(p);
    play_refs_deinit(p);
    play_services_deinit(p);
    play_agents_deinit(p);
    cJSON_Delete(p->client_side);
    env_free(p->argv);
    env_free(p->env);
    free(p->cwd);
    free(p->provider_url);
    free(p);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct player *p = handle->data;
    if (--p->open_handles > 0)
        return;
    p->options.trace->on_add = NULL;
    p->ops->on_done(p->ctx, p->why, p->why_text);
    player_destroy(p);
}

static void close_handles(struct player *p)
{
    p->open_handles = 3;
    uv_close((uv_handle_t *)&p->again, on_handle_closed);
    uv_close((uv_handle_t *)&p->tick, on_handle_closed);
    uv_close((uv_handle_t *)&p->deadline, on_handle_closed);
}

static bool all_gone(const struct player *p)
{
    for (struct list *l = p->agents.next; l != &p->agents; l = l->next)
        if (CONTAINER_OF(l, struct play_agent, node)->client)
            return false;
    return !p->terminals && !p->login;
}

void play_part_gone(struct player *p)
{
    if (!p->ending)
        play_wake(p);
    else if (all_gone(p) && p->open_handles == 0)
        close_handles(p);
}

static void tell_not_reached(struct player *p)
{
    char text[sizeof p->why_text + 32];
    snprintf(text, sizeof text, "not reached: %s", p->why_text);
    for (int i = p->now.index + 1; i < cJSON_GetArraySize(p->steps); i++) {
        struct play_step s;
        if (play_step_init(p, &s, cJSON_GetArrayItem(p->steps, i), i) == 0)
            play_unreached(p, &s, text);
        play_step_deinit(&s);
    }
}

static void end_now(struct player *p)
{
    p->ending = true;
    uv_idle_stop(&p->tick);
    uv_timer_stop(&p->deadline);
    if (p->ops->on_ending)
        p->ops->on_ending(p->ctx, p->why, p->why_text);
    for (struct list *l = p->agents.next; l != &p->agents; l = l->next)
        client_close(CONTAINER_OF(l, struct play_agent, node)->client);
    play_services_close(p);
    play_login_close(p);
    play_part_gone(p);
}

/* The steps are over; the owner may want to see whether something else still comes. */
static void end_unless_awaited(struct player *p)
{
    uint64_t ms = p->ops->linger ? p->ops->linger(p->ctx) : 0;
    if (ms > 0) {
        p->overdue = 0;
        uv_timer_start(&p->deadline, on_deadline, ms, 0);
    } else if (p->overdue == 1) { /* as in give_up: what was written in time is read first */
        p->overdue = 2;
        play_wake(p);
    } else {
        end_now(p);
    }
}

void play_end(struct player *p, enum player_why why, const char *text)
{
    if (p->ending || (p->over && why != PLAYER_ERROR))
        return;
    p->why = why;
    if (text != p->why_text)
        snprintf(p->why_text, sizeof p->why_text, "%s", text);
    if (why == PLAYER_STOPPED || why == PLAYER_NO_HANDSHAKE)
        tell_not_reached(p);
    p->over = true;
    p->overdue = 0;
    uv_timer_stop(&p->deadline);
    if (why == PLAYER_ERROR)
        end_now(p);
    else
        end_unless_awaited(p);
}

int play_error(struct player *p, const struct play_step *s, const char *fmt, ...)
{
    va_list args;
    int n = s->index < 0 ? 0
                         : snprintf(p->why_text, sizeof p->why_text, "steps[%d] (%s): ", s->index,
                                    s->verb->name);
    va_start(args, fmt);
    vsnprintf(p->why_text + n, sizeof p->why_text - (size_t)n, fmt, args);
    va_end(args);
    return E_INVALID;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

int play_step_init(struct player *p, struct play_step *s, const cJSON *raw, int index)
{
    *s = (struct play_step){.raw = raw, .index = index};
    s->verb = play_verb_find(raw);
    s->agent = play_agent_find(p, json_get_str(raw, "agent"));
    s->check = p->options.default_check;
    if (!s->check) {
        const cJSON *first = cJSON_GetArrayItem(json_get(p->options.play, "checks"), 0);
        s->check = cJSON_IsString(first) ? first->valuestring : "";
    }
    return s->verb ? 0 : E_INVALID;
}

void play_step_deinit(struct play_step *s)
{
    cJSON_Delete(s->step);
    s->step = NULL;
}

static int fill_lazily(struct player *p, struct play_step *s, struct json_error *err)
{
    const char *name = s->verb->name;
    cJSON *value = NULL, *copy = cJSON_Duplicate(s->raw, true);
    int rc = copy ? 0 : E_NOMEM;
    if (rc == 0 && !(s->verb->flags & PLAY_BATCH))
        rc = play_fill(p, json_get(s->raw, name), &value, err);
    if (rc == 0 && value && !cJSON_ReplaceItemInObjectCaseSensitive(copy, name, value)) {
        cJSON_Delete(value);
        rc = E_NOMEM;
    }
    if (rc < 0)
        cJSON_Delete(copy);
    else
        s->step = copy;
    return rc;
}

int play_step_begin(struct player *p, struct play_step *s)
{
    struct json_error err;
    if (!s->agent)
        return play_error(p, s, "no process of the agent is named \"%s\"",
                          json_get_str(s->raw, "agent"));
    int rc = s->verb->flags & (PLAY_LAZY | PLAY_BATCH) ? fill_lazily(p, s, &err)
                                                       : play_fill(p, s->raw, &s->step, &err);
    if (rc == E_NOTFOUND) {
        play_error(p, s, "%s", err.text);
        play_unreached(p, s, p->why_text);
        return PLAY_STOP;
    }
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    s->value = json_get(s->step, s->verb->name);
    p->options.trace->invalid_ok = json_get_bool(s->step, "invalid");
    rc = s->verb->begin(p, s);
    p->options.trace->invalid_ok = false;
    return rc;
}

static int begin_next(struct player *p)
{
    int index = p->now.index + 1;
    const cJSON *raw = cJSON_GetArrayItem(p->steps, index);
    forget_batch(p);
    play_step_deinit(&p->now);
    if (!raw) {
        play_end(p, PLAYER_FINISHED, "");
        return PLAY_STOP;
    }
    if (play_step_init(p, &p->now, raw, index) < 0) {
        snprintf(p->why_text, sizeof p->why_text, "steps[%d] has no verb: see docs/cases.md",
                 index);
        return E_INVALID;
    }
    p->options.trace->step = index;
    trace_note(p->options.trace, TRACE_NOTE, "step", p->now.verb->name, uv_hrtime());
    if (p->ops->on_step)
        p->ops->on_step(p->ctx, index, raw);
    return play_step_begin(p, &p->now);
}

static void start_waiting(struct player *p)
{
    p->began = true;
    p->overdue = 0;
    uv_update_time(p->loop);
    start_deadline(p);
}

/* What agents have written may still wait in the pipe when the deadline passes in a loaded process:
 * one more turn of the loop is granted before it counts. */
static int give_up(struct player *p)
{
    char why[160];
    const struct client *c = p->now.agent ? p->now.agent->client : NULL;
    if (p->now.verb->flags & PLAY_AGENT && c && !client_running(c)) {
        if (client_exit_signal(c))
            snprintf(why, sizeof why, "the agent was ended by signal %d before",
                     client_exit_signal(c));
        else
            snprintf(why, sizeof why, "the agent ended (exit code %lld) before",
                     (long long)client_exit_code(c));
        return p->now.verb->late(p, &p->now, why);
    }
    if (p->overdue == 0)
        return PLAY_WAIT;
    play_wake(p);
    if (p->overdue++ < 2)
        return PLAY_WAIT;
    snprintf(why, sizeof why, "not within %llu ms", (unsigned long long)play_deadline(p, &p->now));
    return p->now.verb->late(p, &p->now, why);
}

static int advance(struct player *p)
{
    int rc;
    if (!p->began) {
        rc = p->now.verb ? begin_next(p) : play_start.begin(p, &p->now);
        if (rc == PLAY_WAIT)
            start_waiting(p);
        return rc == PLAY_WAIT ? PLAY_NEXT : rc;
    }
    rc = p->now.verb->poll(p, &p->now);
    if (rc == PLAY_WAIT)
        rc = give_up(p);
    if (rc != PLAY_WAIT) {
        p->began = false;
        uv_timer_stop(&p->deadline);
    }
    return rc;
}

/* What was lost of a trace leaves nothing to judge. */
static int error_of_parts(const struct player *p)
{
    int rc = 0;
    for (struct list *l = p->agents.next; l != &p->agents && rc == 0; l = l->next) {
        const struct client *c = CONTAINER_OF(l, struct play_agent, node)->client;
        rc = c ? client_error(c) : 0;
    }
    return rc < 0 || !p->terminals ? rc : terminals_error(p->terminals);
}

/* One pass: what is new is noted, then steps are played until one has to wait. */
static void on_tick(uv_idle_t *handle)
{
    struct player *p = handle->data;
    int rc = PLAY_NEXT;
    uv_idle_stop(&p->tick);
    if (error_of_parts(p) < 0)
        rc = play_error(p, &p->now, "%s", err_text(error_of_parts(p)));
    if (p->over && rc == PLAY_NEXT) {
        play_book(p);
        if (!p->ending)
            end_unless_awaited(p);
        return;
    }
    while (rc == PLAY_NEXT && !p->over) {
        play_book(p);
        if (!p->over)
            rc = advance(p);
    }
    if (rc == PLAY_STOP)
        play_end(p, p->now.index < 0 ? PLAYER_NO_HANDSHAKE : PLAYER_STOPPED, p->why_text);
    else if (rc < 0)
        play_end(p, PLAYER_ERROR, p->why_text);
}

/* ---- the beginning -----------------------------------------------------------------------------
 */

extern char **environ;

/* The strings of the options are copied, the rest of them is lent. */
static int copy_options(struct player *p, const struct player_options *options)
{
    const char *url = options->provider_url;
    p->options = *options;
    p->argv = env_copy(options->argv);
    p->env = env_copy(options->env ? options->env : (const char *const *)environ);
    p->cwd = strdup(options->cwd);
    p->provider_url = url ? strdup(url) : NULL;
    if (!p->argv || !p->env || !p->cwd || (url && !p->provider_url))
        return E_NOMEM;
    p->options.cwd = p->cwd;
    p->options.provider_url = p->provider_url;
    return 0;
}

static void init_handles(struct player *p, uv_loop_t *loop)
{
    p->loop = loop;
    uv_idle_init(loop, &p->tick);
    uv_timer_init(loop, &p->deadline);
    uv_timer_init(loop, &p->again);
    p->tick.data = p->deadline.data = p->again.data = p;
}

int player_open(uv_loop_t *loop, const struct player_options *options, const struct player_ops *ops,
                void *ctx, struct player **ret)
{
    if (!cJSON_IsArray(json_get(options->play, "steps")))
        return E_INVALID;
    struct player *p = calloc(1, sizeof *p);
    if (!p)
        return E_NOMEM;
    list_init(&p->refs);
    list_init(&p->asks);
    list_init(&p->agents);
    p->ops = ops;
    p->ctx = ctx;
    p->steps = json_get(options->play, "steps");
    p->now.index = -1;
    int rc = copy_options(p, options);
    if (rc < 0) {
        player_destroy(p);
        return rc;
    }
    init_handles(p, loop);
    p->booked = options->trace->n;
    options->trace->on_add = on_trace;
    options->trace->ctx = p;
    play_wake(p);
    *ret = p;
    return 0;
}

void player_abort(struct player *p, const char *text)
{
    for (struct list *l = p->agents.next; l != &p->agents; l = l->next) {
        struct client *c = CONTAINER_OF(l, struct play_agent, node)->client;
        if (c)
            client_kill(c);
    }
    play_end(p, PLAYER_ERROR, text);
}

const char *player_stderr_tail(const struct player *p)
{
    const char *tail = "";
    for (struct list *l = p->agents.next; l != &p->agents && !tail[0]; l = l->next) {
        const struct play_agent *a = CONTAINER_OF(l, struct play_agent, node);
        tail = a->client ? client_stderr_tail(a->client) : a->stderr_tail;
    }
    return tail;
}
