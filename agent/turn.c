#include "agent/entry.h"
#include "agent/turn_impl.h"

#include "base/err.h"
#include "base/log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK_MAX (64u << 10)

static const struct {
    const char *name;
    unsigned next; /* bit set of the states allowed after this one */
} table[TURN_STATES] = {
    [TURN_LINKS] = {"links", 1u << TURN_MODEL | 1u << TURN_HELD | 1u << TURN_OVER},
    [TURN_MODEL] = {"model", 1u << TURN_WAIT | 1u << TURN_TOOL | 1u << TURN_MODEL |
                                 1u << TURN_HELD | 1u << TURN_OVER},
    [TURN_WAIT] = {"wait", 1u << TURN_MODEL | 1u << TURN_HELD | 1u << TURN_OVER},
    [TURN_TOOL] = {"tool", 1u << TURN_TOOL | 1u << TURN_MODEL | 1u << TURN_HELD | 1u << TURN_OVER},
    [TURN_HELD] = {"held", 1u << TURN_MODEL | 1u << TURN_TOOL | 1u << TURN_OVER},
    [TURN_OVER] = {"over", 0},
};

bool turn_may_move(enum turn_state from, enum turn_state to)
{
    return (table[from].next & 1u << to) != 0;
}

void turn_move(struct turn *t, enum turn_state next)
{
    assert(turn_may_move(t->state, next));
    log_debug("turn of %s: %s -> %s", t->s->id, table[t->state].name, table[next].name);
    t->state = next;
}

bool turn_hold(struct turn *t, void (*step)(struct turn *t))
{
    if (!t->env->pressed)
        return false;
    turn_move(t, TURN_HELD);
    t->held = step;
    return true;
}

/* --- text --- */

void turn_flush(struct turn *t)
{
    char id[SESSION_WIRE_ID_MAX], thought_id[SESSION_WIRE_ID_MAX];
    if (t->pending.n == 0)
        return;
    session_wire_id(t->s, "msg", t->s->replies, id);
    session_thought_id(id, thought_id);
    struct update_text text = {.kind = t->pending_kind,
                               .message_id = t->pending_kind == LLM_TEXT ? id : thought_id,
                               .p = t->pending.p,
                               .n = t->pending.n};
    t->no_memory = update_text(session_updates(t->s), &text) == E_NOMEM || t->no_memory;
    t->pending.n = 0;
    t->shown = t->shown_now = true;
}

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct turn *t = ctx;
    if (kind != t->pending_kind)
        turn_flush(t);
    t->pending_kind = kind;
    struct buf *whole = kind == LLM_TEXT ? &t->text : &t->thought;
    if (buf_add(whole, p, n) < 0 || buf_add(&t->pending, p, n) < 0 ||
        entry_add_run(&t->runs, kind, n) < 0)
        t->no_memory = true;
}

/* Text leaves at once while nothing else is on its way; what comes meanwhile leaves together. While
 * the client does not read, it waits, and the model is paused. */
static void on_burst(void *ctx)
{
    struct turn *t = ctx;
    if (!t->env->pressed && !t->env->may_gather(t->env))
        turn_flush(t);
    if (t->no_memory)
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "Out of memory.");
}

/* --- the model's reply --- */

static void go_on(struct turn *t)
{
    int rc = turn_keep_reply(t, "[No text.]");
    if (rc < 0) {
        turn_fail_kept(t, rc);
        return;
    }
    t->tries = 0;
    turn_request_model(t);
}

/* The turn would be over, but the user has said more. */
static void go_on_guided(struct turn *t)
{
    t->guided = true;
    go_on(t);
}

/* The model has stopped without a word about the goal. */
static void go_on_to_goal(struct turn *t)
{
    if (t->rounds++ == TURN_MAX_ROUNDS) {
        turn_end(t, ACP_STOP_MAX_TURN_REQUESTS);
        return;
    }
    t->pushed = true;
    go_on(t);
}

static void go_on_to_a_check(struct turn *t)
{
    t->reminded = t->remind = true;
    go_on(t);
}

static bool wants_a_check(const struct turn *t)
{
    return t->s->settings.work == WORK_DELIVERY && t->unchecked && !t->reminded && t->shown;
}

static void on_stopped(struct turn *t, struct llm_reply *reply)
{
    struct llm_error empty = {0};
    if (reply->n_calls > 0) {
        turn_run_tools(t, reply);
    } else if (!list_empty(&t->steers)) {
        go_on_guided(t);
    } else if (wants_a_check(t)) {
        go_on_to_a_check(t);
    } else if (t->shown && t->s->settings.mode == MODE_GOAL && !t->goal_over) {
        go_on_to_goal(t);
    } else if (t->s->settings.mode == MODE_PLAN && t->text.n > 0) {
        turn_ask_about_plan(t);
    } else if (t->shown) {
        turn_end_well(t);
    } else {
        llm_error_set(&empty, "the answer is empty");
        turn_fail(t, &empty);
    }
}

static void on_cut(struct turn *t)
{
    if (!list_empty(&t->steers)) {
        go_on_guided(t);
        return;
    }
    if (t->env->notices)
        update_notice(session_updates(t->s), "info",
                      "The answer is cut: it reached the limit of tokens for one answer.");
    turn_end(t, ACP_STOP_MAX_TOKENS);
}

static void on_done(void *ctx, struct llm_reply *reply)
{
    struct turn *t = ctx;
    t->call = NULL;
    turn_flush(t);
    turn_tell_usage(t, &reply->usage);
    if (t->no_memory) {
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "Out of memory.");
        return;
    }
    switch (reply->finish) {
    case LLM_FINISH_STOP:
        on_stopped(t, reply);
        break;
    case LLM_FINISH_LENGTH:
        on_cut(t);
        break;
    case LLM_FINISH_REFUSAL:
        turn_end(t, ACP_STOP_REFUSAL);
        break;
    case LLM_FINISH_NONE:
    case LLM_FINISH_FAILED:
        turn_try_again(t, &reply->error);
        break;
    }
}

static const struct llm_call_ops ops_of_model = {
    .on_text = on_text, .on_burst = on_burst, .on_done = on_done};

int turn_open_call(struct turn *t, const struct llm_target *to, const struct history *history,
                   const struct llm_call_ops *ops)
{
    struct llm_request req = {.to = to,
                              .system = t->s->system,
                              .history = history,
                              .max_tokens = session_max_tokens(t->s),
                              .idle_ms = t->env->config.idle_ms};
    struct toolset_specs specs = {NULL, 0};
    int rc = toolset_specs(&t->s->tools, t->s->settings.work == WORK_ECONOMY, &specs);
    if (rc < 0)
        return rc;
    req.tools = specs.list;
    req.n_tools = specs.n;
    return llm_call_start(t->env->fetch, &req, ops, t, &t->call);
}

void turn_fail_to_open(struct turn *t, int rc)
{
    if (rc == E_INVALID)
        turn_fail_plain(t, RPC_INTERNAL_ERROR,
                        "The provider's base URL must start with http:// or https://.");
    else if (rc == E_UNSUPPORTED)
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "The agent needs libcurl to ask a model.");
    else
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "The request to the model could not be made.");
}

/* A try that is not the first sends the same again. False: the turn is over. */
static bool prepare_request(struct turn *t)
{
    if (t->tries > 0)
        return true;
    if (!t->guided && t->requests++ >= TURN_MAX_REQUESTS) {
        turn_end(t, ACP_STOP_MAX_TURN_REQUESTS);
        return false;
    }
    t->guided = false;
    t->s->replies++;
    int rc = turn_add_notes(t);
    if (rc == 0)
        rc = turn_add_steers(t);
    if (rc < 0)
        turn_fail_kept(t, rc);
    return rc == 0;
}

void turn_request_model(struct turn *t)
{
    struct llm_target to;
    if (turn_hold(t, turn_request_model) || turn_await_servers(t) || turn_compact_first(t) ||
        !prepare_request(t))
        return;
    turn_move(t, TURN_MODEL);
    turn_forget_text(t);
    t->shown_now = false;
    if (session_resolve(t->s, &to) < 0) {
        turn_fail_plain(t, ACP_AUTH_REQUIRED, "There is no key for the model any more.");
        return;
    }
    t->context = to.context;
    snprintf(t->provider, sizeof t->provider, "%s", to.provider);
    int rc = turn_open_call(t, &to, &t->s->history, &ops_of_model);
    if (rc < 0)
        turn_fail_to_open(t, rc);
}

/* --- the prompt --- */

static void begin(struct turn *t)
{
    int rc = turn_keep_prompt(t);
    if (rc < 0)
        turn_fail_kept(t, rc);
    else
        turn_request_model(t);
}

/* A file that cannot be read is only named to the model, with the reason. */
static void on_link(void *ctx, int rc, struct file_text *text)
{
    struct turn *t = ctx;
    struct prompt_part *part = &t->prompt.parts[t->link++];
    t->job = NULL;
    if (rc == 0)
        part->text = buf_take(&text->text);
    if (rc < 0 || text->more)
        part->note = strdup(rc < 0 ? text->error : "the file goes on");
    turn_read_links(t);
}

void turn_read_links(struct turn *t)
{
    while (t->link < t->prompt.n && !t->prompt.parts[t->link].path)
        t->link++;
    if (t->link == t->prompt.n) {
        begin(t);
        return;
    }
    struct file_request req = {.root = t->s->cwd,
                               .more = session_roots(t->s),
                               .path = t->prompt.parts[t->link].path,
                               .max = LINK_MAX};
    int rc = file_job_start(t->env->loop, &req, on_link, t, &t->job);
    if (rc < 0)
        turn_fail_plain(t, RPC_INTERNAL_ERROR, "A linked file could not be read.");
}

static void on_cancel_request(void *ctx, struct rpc_request *req)
{
    (void)req;
    turn_end_cancelled(ctx, true);
}

void turn_start(struct session *s, struct rpc_request *req, struct prompt *prompt)
{
    struct turn *t = calloc(1, sizeof *t);
    if (!t || history_bound(&s->history, HISTORY_MOST) < 0) {
        free(t);
        prompt_deinit(prompt);
        rpc_fail(req, RPC_INTERNAL_ERROR, "Out of memory.", NULL);
        return;
    }
    t->s = s;
    t->env = s->env;
    t->req = req;
    t->mark = s->history.n;
    t->stored = s->last;
    t->told_mode = s->settings.told_mode;
    t->told_work = s->settings.told_work;
    list_init(&t->steers);
    t->prompt = *prompt;
    *prompt = (struct prompt){0};
    uv_timer_init(t->env->loop, &t->timer);
    s->turn = t;
    rpc_request_on_cancel(req, on_cancel_request, t);
    turn_begin(t);
}

void turn_cancel(struct turn *t)
{
    turn_end_cancelled(t, false);
}

void turn_give_out(struct turn *t)
{
    if (!t->env->pressed)
        turn_flush(t);
}

void turn_pressure(struct turn *t)
{
    void (*step)(struct turn *) = t->held;
    if (t->call)
        llm_call_pause(t->call, t->env->pressed);
    if (t->env->pressed)
        return;
    turn_flush(t);
    t->held = NULL;
    if (step)
        step(t);
}
