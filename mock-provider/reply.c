/* The life of a reply: a request comes, its turn is found, it is played, it is over. */
#include "internal.h"

#include "base/err.h"
#include "base/log.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define CHAOS_DRAW 0xC4A05 /* beside the small numbers ids are drawn by */

static void on_timer_closed(uv_handle_t *h)
{
    struct reply *r = h->data;
    struct provider *p = r->p;
    if (--r->handles > 0)
        return;
    cJSON_Delete(r->neutral);
    cJSON_Delete(r->calls);
    buf_deinit(&r->cycle);
    buf_deinit(&r->out);
    buf_deinit(&r->shaped);
    buf_deinit(&r->framed);
    shape_deinit(&r->wire);
    buf_deinit(&r->writer.said);
    buf_deinit(&r->writer.items);
    buf_deinit(&r->writer.prefix);
    buf_deinit(&r->writer.event);
    buf_deinit(&r->whole.text);
    buf_deinit(&r->whole.thought);
    free(r);
    provider_closed_one(p);
}

static void emit(struct reply *r, enum provider_event_kind kind, const char *text)
{
    const struct provider_event event = {
        .kind = kind,
        .n = r->n,
        .request = r->neutral,
        .text = text,
        .check = r->turn ? r->turn->check : NULL,
    };
    provider_emit(r->p, &event);
}

static void on_over(struct exchange *x, bool complete)
{
    struct reply *r = CONTAINER_OF(x, struct reply, exchange);
    bool ended = (r->state == REPLY_ENDED && !send_is_stalled(r)) || send_is_cut(r);
    (void)complete; /* a reply that the script cut was sent to its end, too */
    list_remove(&r->node);
    r->state = REPLY_ENDED;
    uv_close((uv_handle_t *)&r->timer, on_timer_closed);
    uv_close((uv_handle_t *)&r->pace, on_timer_closed);
    if (!ended)
        verdict_gone(&r->p->verdict, r->n);
    if (r->turn)
        emit(r, ended ? PROVIDER_DONE : PROVIDER_GONE, NULL);
}

static void on_drain(struct exchange *x)
{
    struct reply *r = CONTAINER_OF(x, struct reply, exchange);
    if (r->state == REPLY_FULL)
        reply_resume(r);
}

static void on_released(uv_timer_t *t)
{
    struct reply *r = t->data;
    emit(r, PROVIDER_RELEASE, r->turn->actions[r->action].value->valuestring);
    reply_resume_after(r);
}

void reply_release(struct reply *r)
{
    uv_timer_start(&r->timer, on_released, 0, 0);
}

static void refuse(struct reply *r, const struct fault *fault)
{
    r->state = REPLY_ENDED;
    if (finish_fault(r, fault) < 0)
        httpd_cut(r->req, true);
}

static struct reply *reply_create(struct provider *p, const struct dialect *d,
                                  struct httpd_req *req)
{
    struct reply *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->exchange = (struct exchange){on_over, on_drain};
    r->p = p;
    r->req = req;
    r->dialect = d;
    r->n = ++p->requests;
    uv_timer_init(p->loop, &r->timer); /* cannot fail */
    r->timer.data = r;
    uv_timer_init(p->loop, &r->pace);
    r->pace.data = r;
    r->handles = 2;
    p->open++;
    list_append(&p->replies, &r->node);
    httpd_set_user(req, &r->exchange);
    return r;
}

/* What the turn's Retry-After asks for, in ms; -1: nothing, or a date. */
static int64_t asked_wait(const struct turn *turn)
{
    for (size_t i = 0; i < turn->header_n; i++) {
        const struct httpd_header *h = &turn->headers[i];
        bool is_ms = strcasecmp(h->name, "retry-after-ms") == 0;
        char *end;
        double wait = strtod(h->value, &end);
        if (is_ms || strcasecmp(h->name, "retry-after") == 0)
            return end == h->value || *end || !(wait >= 0 && wait < 1e9)
                       ? -1
                       : (int64_t)(is_ms ? wait : wait * 1000);
    }
    return -1;
}

/* A request beside the conversation: as if it had not come. */
static void answer_side(struct reply *r, const struct turn *turn)
{
    char what[256];
    struct provider *p = r->p;
    p->requests--;
    r->n = SIDE_N + ++p->side_requests;
    r->streamed = json_get_bool(r->neutral, "stream");
    r->writer = (struct writer){.out = &r->out, .request = r->neutral, .seed = p->seed, .n = r->n};
    r->turn = turn;
    r->shape = turn->wire;
    r->writer.usage = finish_usage(r);
    snprintf(what, sizeof what, "%s %.200s", httpd_method(r->req), httpd_path(r->req));
    provider_emit_text(p, PROVIDER_SIDE, 0, what);
    play(r);
}

/* The request was read: which turn answers it? */
static void answer(struct reply *r)
{
    struct fault fault;
    char text[800];
    struct provider *p = r->p;
    r->writer = (struct writer){.out = &r->out, .request = r->neutral, .seed = p->seed, .n = r->n};
    struct turn *turn = choose_turn(p->script, r->neutral, text, sizeof text);
    if (!turn) {
        fault_set(&fault, 400, "", "acp-mock-provider: %s", text);
        emit(r, PROVIDER_MISS, text);
        refuse(r, &fault);
        return;
    }
    r->turn = turn;
    r->shape = turn->wire;
    if (turn->chaos != CHAOS_NONE)
        shape_chaos(&r->shape, dialect_hash(p->seed, r->n, CHAOS_DRAW),
                    turn->chaos == CHAOS_HOSTILE);
    r->streamed = json_get_bool(r->neutral, "stream") && !r->shape.whole;
    r->writer.quirks = r->shape.quirks;
    r->writer.usage = finish_usage(r);
    verdict_request(&p->verdict, r->n, r->neutral,
                    &(struct verdict_answer){turn->plain ? turn->status : 200, uv_now(p->loop),
                                             asked_wait(turn)});
    if (!expectation_holds(p->script, turn, r->neutral, text, sizeof text))
        emit(r, PROVIDER_MISMATCH, text);
    play(r);
}

void reply_start(struct provider *p, const struct dialect *d, struct httpd_req *req)
{
    struct fault fault = {0};
    struct reply *r = reply_create(p, d, req);
    int rc = r ? request_read(d, req, r->n, &r->neutral, &fault) : E_NOMEM;
    if (rc < 0 && rc != E_INVALID) {
        log_error("mock-provider: a request is dropped: %s", err_text(rc));
        httpd_cut(req, true);
        return;
    }
    const struct turn *side = rc == 0 ? choose_side(p, r->neutral) : NULL;
    if (side) {
        answer_side(r, side);
        return;
    }
    emit(r, PROVIDER_REQUEST, NULL);
    if (rc == 0) {
        answer(r);
        return;
    }
    emit(r, PROVIDER_REFUSED, fault.text);
    refuse(r, &fault);
}
