/* /_control/: what a test in another process needs to steer the script and to wait for events. */
#include "internal.h"

#include "base/err.h"
#include "base/log.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "/_control/"

bool control_owns(const char *path)
{
    return strncmp(path, PREFIX, sizeof PREFIX - 1) == 0;
}

/* A control request that waits for something. */
struct waiter {
    struct exchange exchange;
    struct list node;
    struct provider *p;
    struct httpd_req *req; /* NULL: answered, or gone */
    char hold[128];        /* until a reply waits there; or "" and ... */
    int kind;              /* ... until `count` such events have come */
    unsigned count;
    uv_timer_t timer;
};

/* --- answers --- */

static void answer(struct httpd_req *req, int status, const struct buf *body)
{
    httpd_answer(req, &(struct httpd_reply){.status = status,
                                            .content_type = "application/json",
                                            .body = body->p,
                                            .body_n = body->n});
}

static void answer_error(struct httpd_req *req, int status, const char *text)
{
    struct buf body = {0};
    struct jsonw w;
    jw_begin(&w, &body);
    jw_open(&w, '{');
    jw_kstr(&w, "error", text);
    jw_close(&w);
    if (jw_end(&w) < 0)
        httpd_cut(req, true);
    else
        answer(req, status, &body);
    buf_deinit(&body);
}

static const char *held_at(const struct reply *r)
{
    if (r->state != REPLY_HELD)
        return NULL;
    return r->turn->actions[r->action].value->valuestring;
}

static void answer_waiting(struct provider *p, struct httpd_req *req)
{
    struct buf body = {0};
    struct jsonw w;
    jw_begin(&w, &body);
    jw_open(&w, '{');
    jw_kopen(&w, "waiting", '[');
    for (struct list *at = p->replies.next; at != &p->replies; at = at->next) {
        const struct reply *r = CONTAINER_OF(at, struct reply, node);
        if (!held_at(r))
            continue;
        jw_open(&w, '{');
        jw_kstr(&w, "hold", held_at(r));
        jw_kint(&w, "n", r->n);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    if (jw_end(&w) < 0)
        httpd_cut(req, true);
    else
        answer(req, 200, &body);
    buf_deinit(&body);
}

static void answer_journal(struct provider *p, struct httpd_req *req)
{
    httpd_answer(req, &(struct httpd_reply){.status = 200,
                                            .content_type = "application/x-ndjson",
                                            .body = p->journal.p,
                                            .body_n = p->journal.n});
}

/* --- waiting --- */

static bool is_due(const struct waiter *w)
{
    if (!*w->hold)
        return w->p->counts[w->kind] >= w->count;
    for (struct list *at = w->p->replies.next; at != &w->p->replies; at = at->next) {
        const char *hold = held_at(CONTAINER_OF(at, struct reply, node));
        if (hold && strcmp(hold, w->hold) == 0)
            return true;
    }
    return false;
}

static void wake(struct waiter *w)
{
    struct httpd_req *req = w->req;
    w->req = NULL;
    list_remove(&w->node);
    uv_timer_stop(&w->timer);
    if (*w->hold)
        answer_waiting(w->p, req);
    else
        answer_journal(w->p, req);
}

void control_notice(struct provider *p)
{
    struct list *next;
    for (struct list *at = p->waiters.next; at != &p->waiters; at = next) {
        struct waiter *w = CONTAINER_OF(at, struct waiter, node);
        next = at->next;
        if (is_due(w))
            wake(w);
    }
}

static void on_time_over(uv_timer_t *t)
{
    wake(t->data);
}

static void on_waiter_closed(uv_handle_t *h)
{
    struct waiter *w = h->data;
    struct provider *p = w->p;
    free(w);
    provider_closed_one(p);
}

static void on_waiter_over(struct exchange *x, bool complete)
{
    struct waiter *w = CONTAINER_OF(x, struct waiter, exchange);
    (void)complete;
    list_remove(&w->node);
    uv_close((uv_handle_t *)&w->timer, on_waiter_closed);
}

/* Fills the rest of w, a copy of which waits from now on. */
static void wait_for(struct provider *p, struct httpd_req *req, const struct waiter *what,
                     uint64_t ms)
{
    struct waiter *w = malloc(sizeof *w);
    if (!w) {
        httpd_cut(req, true);
        return;
    }
    *w = *what;
    w->exchange = (struct exchange){.on_over = on_waiter_over};
    w->p = p;
    w->req = req;
    uv_timer_init(p->loop, &w->timer);
    w->timer.data = w;
    p->open++;
    list_append(&p->waiters, &w->node);
    httpd_set_user(req, &w->exchange);
    uv_timer_start(&w->timer, on_time_over, ms, 0);
    if (is_due(w))
        wake(w);
}

/* --- the query --- */

/* The value of a query member, percent-decoding left out: names of holds need none. */
static bool query(const char *path, const char *name, char *ret, size_t size)
{
    size_t name_n = strlen(name);
    const char *p = strchr(path, '?');
    while (p) {
        p++;
        if (strncmp(p, name, name_n) == 0 && p[name_n] == '=') {
            size_t n = strcspn(p + name_n + 1, "&");
            snprintf(ret, size, "%.*s", (int)(n < size ? n : size - 1), p + name_n + 1);
            return true;
        }
        p = strchr(p, '&');
    }
    return false;
}

static unsigned long query_number(const char *path, const char *name, unsigned long fallback)
{
    char text[24];
    return query(path, name, text, sizeof text) ? strtoul(text, NULL, 10) : fallback;
}

static int kind_by_name(const char *name)
{
    for (int kind = 0; kind < PROVIDER_EVENT_KINDS; kind++)
        if (strcmp(provider_event_name((enum provider_event_kind)kind), name) == 0)
            return kind;
    return -1;
}

/* --- the three requests --- */

static void on_waiting(struct provider *p, struct httpd_req *req)
{
    struct waiter w = {0};
    const char *path = httpd_path(req);
    if (!query(path, "hold", w.hold, sizeof w.hold))
        answer_waiting(p, req);
    else if (!script_hold(p->script, w.hold))
        answer_error(req, 404, "the script has no such hold");
    else
        wait_for(p, req, &w, query_number(path, "wait", 0));
}

static void on_journal(struct provider *p, struct httpd_req *req)
{
    char name[32];
    struct waiter w = {0};
    const char *path = httpd_path(req);
    if (!query(path, "event", name, sizeof name)) {
        answer_journal(p, req);
        return;
    }
    w.kind = kind_by_name(name);
    w.count = (unsigned)query_number(path, "count", 1);
    if (w.kind < 0)
        answer_error(req, 404, "there is no such event");
    else
        wait_for(p, req, &w, query_number(path, "wait", 0));
}

static void on_release(struct provider *p, struct httpd_req *req)
{
    size_t n;
    cJSON *json = NULL;
    const char *body = httpd_body(req, &n);
    const char *hold = json_parse(body, n, &json, NULL) == 0 ? json_get_str(json, "hold") : NULL;
    if (!hold)
        answer_error(req, 400, "the body must be {\"hold\": NAME}");
    else if (provider_release(p, hold) < 0)
        answer_error(req, 404, "the script has no such hold");
    else
        answer(req, 200, &(struct buf){.p = (char[]){"{}"}, .n = 2});
    cJSON_Delete(json);
}

void control_request(struct provider *p, struct httpd_req *req)
{
    static const struct {
        const char *method, *name;
        void (*serve)(struct provider *, struct httpd_req *);
    } requests[] = {
        {"GET", "waiting", on_waiting},
        {"GET", "journal", on_journal},
        {"POST", "release", on_release},
    };
    const char *name = httpd_path(req) + sizeof PREFIX - 1;
    size_t n = strcspn(name, "?");
    for (size_t i = 0; i < ARRAY_LEN(requests); i++)
        if (strncmp(name, requests[i].name, n) == 0 && requests[i].name[n] == '\0' &&
            strcmp(httpd_method(req), requests[i].method) == 0) {
            requests[i].serve(p, req);
            return;
        }
    answer_error(req, 404, "only GET waiting, GET journal and POST release are served here");
}
