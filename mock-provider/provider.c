#include "provider.h"

#include "base/err.h"
#include "internal.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the end --- */

void provider_closed_one(struct provider *p)
{
    if (--p->open > 0)
        return;
    void (*on_closed)(void *) = p->ops.on_closed;
    void *ctx = p->ctx;
    script_destroy(p->script);
    script_destroy(p->side);
    verdict_deinit(&p->verdict);
    mcp_deinit(p);
    buf_deinit(&p->line);
    buf_deinit(&p->journal);
    free(p);
    if (on_closed)
        on_closed(ctx);
}

static void on_httpd_closed(void *ctx)
{
    struct provider *p = ctx;
    p->httpd = NULL;
    provider_closed_one(p);
}

void provider_close(struct provider *p)
{
    if (p->closing)
        return;
    p->closing = true;
    httpd_close(p->httpd);
}

/* --- requests that are no model calls --- */

static void answer_fault(struct httpd_req *req, const struct dialect *d, const struct fault *fault)
{
    struct buf body = {0};
    if (d->write_fault(&body, fault) < 0)
        httpd_cut(req, true);
    else
        httpd_answer(req, &(struct httpd_reply){.status = fault->status,
                                                .content_type = "application/json",
                                                .body = body.p,
                                                .body_n = body.n});
    buf_deinit(&body);
}

static void refuse(struct provider *p, struct httpd_req *req, const struct dialect *d,
                   enum route route)
{
    struct fault fault;
    if (route == ROUTE_WRONG_METHOD)
        fault_set(&fault, 405, "", "%s is not allowed on %.200s: try another HTTP method",
                  httpd_method(req), httpd_path(req));
    else
        fault_set(&fault, 404, "", "there is nothing at %s %.200s", httpd_method(req),
                  httpd_path(req));
    answer_fault(req, d, &fault);
    provider_emit_text(p, PROVIDER_REFUSED, 0, fault.text);
}

static int write_models(struct provider *p, const struct dialect *d, struct buf *out)
{
    const cJSON *models = p->script->models;
    if (models)
        return d->write_models(out, models);
    cJSON *one = cJSON_Parse("[\"mock-model\"]");
    int rc = one ? d->write_models(out, one) : E_NOMEM;
    cJSON_Delete(one);
    return rc;
}

/* Sends what was written, unless that failed. */
static void answer_side(struct provider *p, struct httpd_req *req, int rc, const struct buf *body)
{
    char what[256];
    if (rc < 0)
        httpd_cut(req, true);
    else
        httpd_answer(req, &(struct httpd_reply){.status = 200,
                                                .content_type = "application/json",
                                                .body = body->p,
                                                .body_n = body->n});
    snprintf(what, sizeof what, "%s %.200s", httpd_method(req), httpd_path(req));
    provider_emit_text(p, PROVIDER_SIDE, 0, what);
}

static void list_models(struct provider *p, struct httpd_req *req, const struct dialect *d)
{
    struct buf body = {0};
    answer_side(p, req, write_models(p, d, &body), &body);
    buf_deinit(&body);
}

/* Counts leniently: an estimate is asked for, not an answer. */
static void count_tokens(struct provider *p, struct httpd_req *req, const struct dialect *d)
{
    cJSON *neutral = NULL;
    struct fault fault;
    struct buf body = {0};
    int rc = request_read(d, req, 0, &neutral, &fault);
    if (rc == 0 || rc == E_INVALID)
        rc = d->write_count(&body, finish_count(neutral));
    answer_side(p, req, rc, &body);
    buf_deinit(&body);
    cJSON_Delete(neutral);
}

/* --- the server --- */

static void on_request(void *ctx, struct httpd_req *req)
{
    struct provider *p = ctx;
    const char *path = httpd_path(req);
    if (p->control && control_owns(path)) {
        control_request(p, req);
        return;
    }
    if (mcp_owns(path)) {
        mcp_request(p, req);
        return;
    }
    const struct dialect *d = dialect_for(req);
    enum route route = d->route(httpd_method(req), path);
    if (route == ROUTE_REPLY)
        reply_start(p, d, req);
    else if (route == ROUTE_MODELS)
        list_models(p, req, d);
    else if (route == ROUTE_COUNT)
        count_tokens(p, req, d);
    else
        refuse(p, req, d, route);
}

static void on_over(void *ctx, struct httpd_req *req, bool complete)
{
    struct exchange *x = httpd_user(req);
    (void)ctx;
    if (x)
        x->on_over(x, complete);
}

static void on_drain(void *ctx, struct httpd_req *req)
{
    struct exchange *x = httpd_user(req);
    (void)ctx;
    if (x && x->on_drain)
        x->on_drain(x);
}

static const struct httpd_ops server_ops = {on_request, on_over, on_drain, on_httpd_closed};

/* --- public --- */

int provider_check_script(const cJSON *script, char *err, size_t err_n)
{
    struct script *s;
    int rc = script_create(script, NULL, &s, err, err_n);
    if (rc == 0)
        script_destroy(s);
    return rc;
}

static int open_side(struct provider *p)
{
    char err[256];
    cJSON *json = NULL;
    int rc = json_parse(script_side(), strlen(script_side()), &json, NULL);
    rc = rc == 0 ? script_create(json, NULL, &p->side, err, sizeof err) : rc;
    cJSON_Delete(json);
    return rc;
}

int provider_open(uv_loop_t *loop, const struct provider_options *options,
                  const struct provider_ops *ops, void *ctx, struct provider **ret)
{
    char err[256];
    struct provider *p = calloc(1, sizeof *p);
    if (!p)
        return E_NOMEM;
    p->loop = loop;
    p->ops = *ops;
    p->ctx = ctx;
    p->seed = options->seed;
    p->started_at = uv_now(loop);
    p->control = options->control;
    list_init(&p->replies);
    list_init(&p->waiters);
    int rc = script_create(options->script, options->intents, &p->script, err, sizeof err);
    if (rc == 0)
        rc = mcp_init(p);
    if (rc == 0 && options->side)
        rc = open_side(p);
    if (rc == 0 && options->verdict)
        rc = verdict_init(&p->verdict);
    if (rc == 0)
        rc = httpd_open(loop, options->port, &server_ops, p, &p->httpd);
    if (rc < 0) {
        script_destroy(p->script);
        script_destroy(p->side);
        verdict_deinit(&p->verdict);
        mcp_deinit(p);
        free(p);
        return rc;
    }
    p->open = 1;
    *ret = p;
    return 0;
}

int provider_port(const struct provider *p)
{
    return httpd_port(p->httpd);
}

unsigned provider_requests(const struct provider *p)
{
    return p->requests;
}

int provider_release(struct provider *p, const char *name)
{
    struct hold *hold = script_hold(p->script, name);
    if (!hold)
        return E_NOTFOUND;
    hold->released = true;
    for (struct list *at = p->replies.next; at != &p->replies; at = at->next) {
        struct reply *r = CONTAINER_OF(at, struct reply, node);
        if (r->state == REPLY_HELD && &p->script->holds[r->turn->actions[r->action].hold] == hold)
            reply_release(r);
    }
    return 0;
}

/* A turn with a condition may stay unused, one that is next in line may not. */
static void judge_turns(struct provider *p)
{
    for (size_t i = 0; i < p->script->turn_n; i++) {
        const struct turn *t = &p->script->turns[i];
        if (!t->when && t->left > 0)
            verdict_add(&p->verdict, "unused", 0, "turns[%zu] was not asked for%s", i,
                        t->left > 1 ? " as often as it could be" : "");
    }
}

const cJSON *provider_verdict(struct provider *p)
{
    verdict_close(&p->verdict);
    judge_turns(p);
    return p->verdict.findings;
}
