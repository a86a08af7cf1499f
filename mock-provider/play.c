/* Plays the actions of a turn into a reply. */
#include "internal.h"

#include "base/err.h"
#include "base/log.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <string.h>

#define PART_SIZE (64u << 10) /* bytes handed to the server at once */

enum step {
    STEP_NEXT,  /* the action is done */
    STEP_AGAIN, /* it has more to send */
    STEP_WAIT,  /* something else goes on later: r->state says what */
    STEP_END,   /* of the reply: nothing more is sent */
    STEP_FAILED /* out of memory */
};

static enum step wait_as(struct reply *r, enum reply_state state)
{
    reply_flush(r);
    r->state = state;
    return STEP_WAIT;
}

static enum step next_if(int rc)
{
    return rc < 0 ? STEP_FAILED : STEP_NEXT;
}

/* A part is told of when it begins to be sent, so that nothing it causes can come before it. */
static void emit_part(struct reply *r, const struct action *a, const char *text)
{
    const struct provider_event event = {
        .kind = PROVIDER_PART,
        .n = r->n,
        .request = r->neutral,
        .text = text,
        .check = r->turn->check,
        .action = action_name(a->kind),
    };
    provider_emit(r->p, &event);
}

/* --- text and thought --- */

static const cJSON *element(const struct action *a, size_t i)
{
    if (cJSON_IsString(a->value))
        return i == 0 ? a->value : NULL;
    return cJSON_GetArrayItem(a->value, (int)i);
}

static int say(struct reply *r, enum action_kind kind, const char *text, size_t n)
{
    r->output_n += n;
    if (kind == ACTION_THOUGHT)
        r->thought_n += n;
    if (!r->streamed)
        return buf_add(kind == ACTION_THOUGHT ? &r->whole.thought : &r->whole.text, text, n);
    return kind == ACTION_THOUGHT ? r->dialect->thought(&r->writer, text, n)
                                  : r->dialect->text(&r->writer, text, n);
}

/* One round of a repetition: written like everything else in the first two rounds (the very first
 * one opens the stream), kept from the second one on, and then copied. */
static int say_round(struct reply *r, const struct action *a)
{
    const cJSON *e;
    size_t from = r->out.n;
    int rc = 0;
    /* thoughts are signed, one by one */
    bool copied = r->streamed && a->kind == ACTION_TEXT && !r->dialect->counted;
    if (copied && r->round > 1)
        return buf_add(&r->out, r->cycle.p, r->cycle.n);
    for (size_t i = 0; rc == 0 && (e = element(a, i)) != NULL; i++)
        rc = say(r, a->kind, e->valuestring, strlen(e->valuestring));
    if (rc == 0 && copied && r->round == 1) {
        r->cycle.n = 0;
        rc = buf_add(&r->cycle, r->out.p + from, r->out.n - from);
    }
    return rc;
}

static enum step play_text(struct reply *r, const struct action *a)
{
    while (r->round < a->repeat) {
        if (say_round(r, a) < 0)
            return STEP_FAILED;
        r->round++;
        if (r->streamed && r->out.n >= PART_SIZE) {
            reply_flush(r);
            return send_is_full(r) ? wait_as(r, REPLY_FULL) : STEP_AGAIN;
        }
    }
    return STEP_NEXT;
}

/* --- tools --- */

static bool is_declared(const struct reply *r, const char *name)
{
    const cJSON *tool;
    cJSON_ArrayForEach(tool, json_get(r->neutral, "tools"))
    {
        if (strcmp(tool->valuestring, name) == 0)
            return true;
    }
    return false;
}

static int keep_call(struct reply *r, const struct call *c)
{
    if (!r->calls && !(r->calls = cJSON_CreateArray()))
        return E_NOMEM;
    cJSON *call = cJSON_CreateObject();
    if (!call || !cJSON_AddStringToObject(call, "id", c->id) ||
        !cJSON_AddStringToObject(call, "name", c->name) ||
        !cJSON_AddStringToObject(call, "args", c->args) || !cJSON_AddItemToArray(r->calls, call)) {
        cJSON_Delete(call);
        return E_NOMEM;
    }
    return 0;
}

static enum step play_undeclared(struct reply *r, const char *name)
{
    char text[256];
    provider_emit_text(r->p, PROVIDER_UNDECLARED, r->n, name);
    snprintf(text, sizeof text, "(The script calls the tool \"%.100s\", which was not declared.)",
             name);
    if (say(r, ACTION_TEXT, text, strlen(text)) < 0)
        return STEP_FAILED;
    r->action = r->turn->action_n; /* the rest of the reply was about the call */
    return STEP_AGAIN;
}

static int announce_call(struct reply *r, const struct action *a, const struct call *c)
{
    struct buf text = {0};
    int rc = provider_listens(r->p) ? buf_addf(&text, "%s %s", c->name, c->args) : 0;
    if (rc == 0)
        emit_part(r, a, text.p);
    buf_deinit(&text);
    return rc;
}

static enum step send_call(struct reply *r, const struct action *a, const struct call *c)
{
    if (announce_call(r, a, c) < 0)
        return STEP_FAILED;
    int rc = r->streamed ? r->dialect->call(&r->writer, c) : keep_call(r, c);
    r->writer.calls++;
    verdict_call(&r->p->verdict, r->n, c->id);
    r->called = true;
    r->output_n += c->args_n;
    return next_if(rc);
}

static enum step play_tool(struct reply *r, const struct action *a)
{
    struct tool_use use;
    enum step step = STEP_FAILED;
    if (tool_use_init(&use, r->p->script, a, &r->writer) == 0)
        step = is_declared(r, use.call.name) ? send_call(r, a, &use.call)
                                             : play_undeclared(r, use.call.name);
    tool_use_deinit(&use);
    return step;
}

/* --- waiting --- */

static void on_delay_over(uv_timer_t *t)
{
    reply_resume_after(t->data);
}

static enum step play_delay(struct reply *r, const struct action *a)
{
    uv_timer_start(&r->timer, on_delay_over, a->repeat, 0);
    return wait_as(r, REPLY_DELAYED);
}

static enum step play_hold(struct reply *r, const struct action *a)
{
    enum step step = wait_as(r, REPLY_HELD);
    provider_emit_text(r->p, PROVIDER_HOLD, r->n, a->value->valuestring);
    if (r->p->script->holds[a->hold].released)
        reply_release(r);
    return step;
}

static enum step play_stall(struct reply *r, const struct action *a)
{
    (void)a;
    return wait_as(r, REPLY_STALLED);
}

/* --- breaking things --- */

static enum step play_raw(struct reply *r, const struct action *a)
{
    const char *text = a->value->valuestring;
    size_t n = strlen(text);
    r->raw_body = true;
    for (; r->round < a->repeat; r->round++) {
        if (r->streamed && r->out.n >= PART_SIZE) {
            reply_flush(r);
            return send_is_full(r) ? wait_as(r, REPLY_FULL) : STEP_AGAIN;
        }
        if (buf_add(&r->out, text, n) < 0)
            return STEP_FAILED;
    }
    return STEP_NEXT;
}

/* In an answer of one piece, an event's JSON is the body. */
static int send_event(struct reply *r, const char *json, size_t n)
{
    r->raw_body = true;
    return r->streamed ? r->dialect->event(&r->writer, json, n) : buf_add(&r->out, json, n);
}

static enum step play_event(struct reply *r, const struct action *a)
{
    struct buf json = {0};
    struct jsonw w;
    jw_begin(&w, &json);
    jw_tree(&w, a->value);
    int rc = jw_end(&w);
    if (rc == 0)
        rc = send_event(r, json.p, json.n);
    buf_deinit(&json);
    return next_if(rc);
}

static enum step play_malformed(struct reply *r, const struct action *a)
{
    const char *text = r->dialect->malformed;
    (void)a;
    return next_if(send_event(r, text, strlen(text)));
}

static enum step play_error(struct reply *r, const struct action *a)
{
    struct fault f;
    fault_set(&f, 500, "", "%s", json_get_str(a->value, "message"));
    f.type = json_get_str(a->value, "type");
    f.code = json_get_str(a->value, "code");
    r->raw_body = true;
    int rc = r->streamed ? r->dialect->error(&r->writer, &f) : r->dialect->write_fault(&r->out, &f);
    if (rc < 0)
        return STEP_FAILED;
    if (r->streamed)
        reply_end(r);
    else
        rc = finish_whole(r);
    return rc < 0 ? STEP_FAILED : STEP_END;
}

/* Half of what would have come: the caller sees an answer that breaks off. */
static int begin_half(struct reply *r)
{
    bool anything = r->whole.text.n + r->whole.thought.n + r->out.n > 0 || r->calls;
    if (r->streamed || !anything)
        return 0;
    int rc = finish_whole_body(r);
    if (rc == 0) {
        httpd_begin(r->req,
                    &(struct httpd_reply){.status = 200, .content_type = "application/json"});
        httpd_write(r->req, r->out.p, r->out.n / 2);
    }
    return rc;
}

static enum step play_cut(struct reply *r, const struct action *a)
{
    reply_flush(r);
    if (begin_half(r) < 0)
        return STEP_FAILED;
    send_finish(r, a->kind == ACTION_RESET ? SEND_RESET : SEND_CUT);
    return STEP_END;
}

static enum step play_no_done(struct reply *r, const struct action *a)
{
    (void)a;
    r->no_done = true;
    return STEP_NEXT;
}

/* --- the script --- */

static enum step play_action(struct reply *r, const struct action *a)
{
    static enum step (*const players[])(struct reply *, const struct action *) = {
        [ACTION_TEXT] = play_text,       [ACTION_THOUGHT] = play_text,
        [ACTION_TOOL] = play_tool,       [ACTION_HOLD] = play_hold,
        [ACTION_DELAY] = play_delay,     [ACTION_STALL] = play_stall,
        [ACTION_CUT] = play_cut,         [ACTION_RESET] = play_cut,
        [ACTION_RAW] = play_raw,         [ACTION_EVENT] = play_event,
        [ACTION_ERROR] = play_error,     [ACTION_MALFORMED] = play_malformed,
        [ACTION_NO_DONE] = play_no_done,
    };
    return players[a->kind](r, a);
}

/* What a text carries as a whole, so that listeners can compare it with what came out elsewhere. */
static int join(const struct action *a, struct buf *out)
{
    const cJSON *e;
    int rc = 0;
    for (uint64_t round = 0; rc == 0 && round < a->repeat; round++)
        for (size_t i = 0; rc == 0 && (e = element(a, i)) != NULL; i++)
            rc = buf_adds(out, e->valuestring);
    return rc < 0 || !buf_cstr(out) ? E_NOMEM : 0;
}

static bool has_text(enum action_kind kind)
{
    return kind == ACTION_TEXT || kind == ACTION_THOUGHT || kind == ACTION_RAW;
}

/* Tools, holds and delays are told of, if at all, by their players. */
static bool is_part(enum action_kind kind)
{
    return kind != ACTION_TOOL && kind != ACTION_HOLD && kind != ACTION_DELAY &&
           kind != ACTION_NO_DONE;
}

static int announce(struct reply *r, const struct action *a)
{
    struct buf text = {0};
    int rc = 0;
    if (r->announced || !is_part(a->kind))
        return 0;
    r->announced = true;
    if (has_text(a->kind) && provider_listens(r->p))
        rc = join(a, &text);
    if (rc == 0)
        emit_part(r, a, text.p);
    buf_deinit(&text);
    return rc;
}

static void fail(struct reply *r)
{
    log_error("mock-provider: reply %u breaks off: %s", r->n, err_text(E_NOMEM));
    r->state = REPLY_ENDED;
    httpd_cut(r->req, true);
}

static int finish(struct reply *r)
{
    r->state = REPLY_ENDED;
    if (r->turn->plain)
        return finish_plain(r);
    return r->streamed ? finish_stream(r) : finish_whole(r);
}

static void advance(struct reply *r)
{
    r->action++;
    r->announced = false;
    r->round = 0;
}

void reply_resume(struct reply *r)
{
    r->state = REPLY_RUNNING;
    play(r);
}

void reply_resume_after(struct reply *r)
{
    advance(r);
    reply_resume(r);
}

void play(struct reply *r)
{
    while (r->action < r->turn->action_n) {
        if (r->wire.stopped) { /* the shape is through with it: nothing more would leave */
            r->state = send_is_stalled(r) ? REPLY_STALLED : REPLY_ENDED;
            return;
        }
        const struct action *a = &r->turn->actions[r->action];
        enum step step = announce(r, a) < 0 ? STEP_FAILED : play_action(r, a);
        if (step == STEP_NEXT)
            advance(r);
        else if (step == STEP_END)
            r->state = REPLY_ENDED;
        else if (step == STEP_FAILED)
            fail(r);
        if (step != STEP_NEXT && step != STEP_AGAIN)
            return;
    }
    if (finish(r) < 0)
        fail(r);
}
