#include "conformance/excerpt.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/result.h"
#include "conformance/style.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* How much is kept. A case that passed is there to be compared with: less of it will do. */
static const struct limits {
    size_t head, tail, around; /* rows at the beginning, at the end, on both sides of a mark */
    size_t text, marked_text;  /* bytes of a row */
} limits_passed = {24, 8, 0, 80, 80}, limits_told = {40, 40, 12, 400, 4096};

/* Requests are looked for this far back to name what a response answers. */
enum { LOOK_BACK = 2000 };

/* Rows before their texts are made. */
struct group {
    const struct trace_event *first, *last;
    unsigned times;
    bool mark, kept;
};

struct groups {
    struct group *all; /* owned */
    size_t n;
};

/* ---- which events ------------------------------------------------------------------------------
 */

static const char *update_kind(const struct trace_event *e)
{
    return json_get_str(json_get(json_get(e->json, "params"), "update"), "sessionUpdate");
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_notification(const struct trace_event *e)
{
    return json_get_str(e->json, "method") && e->scan.id.kind == JSON_KIND_NONE;
}

/* Two events of which the second says nothing new in a diagram. */
static bool alike(const struct trace_event *a, const struct trace_event *b)
{
    if (a->side != b->side || a->agent != b->agent || strcmp(a->kind, b->kind) != 0)
        return false;
    if (a->side == TRACE_MODEL_EVENT)
        return same_text(json_get_str(a->json, "action"), json_get_str(b->json, "action"));
    if (a->side != TRACE_AGENT && a->side != TRACE_CLIENT)
        return false;
    if (!a->json && !b->json)
        return true;
    return is_notification(a) && is_notification(b) &&
           same_text(json_get_str(a->json, "method"), json_get_str(b->json, "method")) &&
           same_text(update_kind(a), update_kind(b));
}

/* Monitors see events of a trace of their own. */
static bool is_at(const struct check_result *c, const struct trace_event *e)
{
    return c->event && c->event->seq == e->seq;
}

static bool is_marked(const struct case_result *r, const struct trace_event *e)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->checks[i].verdict != VERDICT_PASS && is_at(&r->checks[i], e))
            return true;
    return false;
}

/* The worst first; of more than there is room for the rest is left out. */
static void fill_marks(const struct case_result *r, const struct trace_event *e,
                       struct excerpt_row *row)
{
    for (int v = VERDICT_FAIL; v > VERDICT_PASS; v--)
        for (size_t i = 0; i < r->n && row->n_marks < EXCERPT_MARKS; i++)
            if (r->checks[i].verdict == (enum verdict)v && is_at(&r->checks[i], e))
                row->marks[row->n_marks++] =
                    (struct excerpt_mark){r->checks[i].id, (enum verdict)v};
}

static int group_events(const struct case_result *r, struct groups *ret)
{
    ret->all = calloc(r->trace.n + 1, sizeof *ret->all);
    if (!ret->all)
        return E_NOMEM;
    for (size_t i = 0; i < r->trace.n; i++) {
        const struct trace_event *e = r->trace.events[i];
        bool mark = is_marked(r, e);
        struct group *last = ret->n ? &ret->all[ret->n - 1] : NULL;
        if (e->side == TRACE_STDERR)
            continue; /* told by itself */
        if (last && !mark && !last->mark && alike(last->first, e))
            *last = (struct group){last->first, e, last->times + 1, false, false};
        else
            ret->all[ret->n++] = (struct group){e, e, 1, mark, false};
    }
    return 0;
}

static void keep(struct groups *g, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < g->n; i++)
        g->all[i].kept = true;
}

static void choose(struct groups *g, const struct limits *l)
{
    keep(g, 0, l->head);
    keep(g, g->n > l->tail ? g->n - l->tail : 0, g->n);
    for (size_t i = 0; i < g->n; i++)
        if (g->all[i].mark)
            keep(g, i > l->around ? i - l->around : 0, i + l->around + 1);
}

/* ---- what they say ------------------------------------------------------------------------------
 */

/* The request that the response answers; NULL if it is not near. */
static const char *answered(const struct trace *t, const struct trace_event *e)
{
    enum trace_side asker = e->side == TRACE_AGENT ? TRACE_CLIENT : TRACE_AGENT;
    size_t lowest = e->seq > LOOK_BACK ? e->seq - LOOK_BACK : 0;
    for (size_t i = e->seq; i-- > lowest;) {
        const struct trace_event *q = t->events[i];
        const char *method = q->side == asker ? json_get_str(q->json, "method") : NULL;
        if (method && q->scan.id.n == e->scan.id.n && e->scan.id.n > 0 &&
            memcmp(q->scan.id.p, e->scan.id.p, e->scan.id.n) == 0)
            return method;
    }
    return NULL;
}

static int add_message_label(const struct trace *t, const struct trace_event *e, struct buf *out)
{
    const char *method = json_get_str(e->json, "method"), *update = update_kind(e);
    const char *to = method ? NULL : answered(t, e);
    int rc = 0;
    if (!cJSON_IsObject(e->json))
        return buf_adds(out, strcmp(e->kind, "line") == 0 ? "no message" : e->kind);
    if (!method)
        rc = buf_adds(out, json_get(e->json, "error") ? "error" : "result");
    if (rc == 0 && to)
        rc = buf_adds(out, " of ");
    if (rc == 0 && (method || to))
        rc = style_add_line(out, method ? method : to, strlen(method ? method : to), 80);
    if (rc == 0 && update)
        rc = buf_addc(out, ' ');
    if (rc == 0 && update)
        rc = style_add_line(out, update, strlen(update), 80);
    if (rc == 0 && e->scan.id.n > 0)
        rc = buf_adds(out, " #");
    return rc < 0 ? rc : style_add_line(out, e->scan.id.p, e->scan.id.n, 40);
}

static int add_label(const struct trace *t, const struct trace_event *e, struct buf *out)
{
    const char *action = json_get_str(e->json, "action");
    if (e->agent && buf_addf(out, "[%s] ", e->agent) < 0)
        return E_NOMEM;
    switch (e->side) {
    case TRACE_AGENT:
    case TRACE_CLIENT:
        return add_message_label(t, e, out);
    case TRACE_MODEL:
        return buf_addf(out, "request %lld", (long long)json_get_int(e->json, "n", 0));
    case TRACE_MODEL_EVENT:
        return buf_adds(out, action ? action : e->kind);
    case TRACE_NOTE:
        return e->step < 0 ? buf_adds(out, e->kind) : buf_addf(out, "%s %d", e->kind, e->step);
    case TRACE_PROCESS:
    case TRACE_STDERR:
        break;
    }
    return buf_adds(out, e->kind);
}

static int add_message_text(const struct trace_event *e, size_t max, struct buf *out)
{
    const cJSON *params = json_get(e->json, "params"), *update = json_get(params, "update");
    const cJSON *error = json_get(e->json, "error"), *result = json_get(e->json, "result");
    const cJSON *telling = update ? update : params ? params : error ? error : result;
    if (!cJSON_IsObject(e->json))
        return style_add_line(out, e->bytes, e->n, max);
    return telling ? style_add_json(out, telling, max) : 0;
}

/* The text of a streamed part; NULL if it is none. */
static const char *part_text(const struct trace_event *e)
{
    const cJSON *update = json_get(json_get(e->json, "params"), "update");
    if (e->side == TRACE_MODEL_EVENT)
        return json_get_str(e->json, "text");
    return json_get_str(json_get(update, "content"), "text");
}

/* What a folded row streamed, joined. */
static int add_parts(const struct trace *t, const struct group *g, size_t max, struct buf *out)
{
    struct buf text = {0};
    int rc = 0;
    for (size_t i = g->first->seq; i <= g->last->seq && text.n <= max && rc == 0; i++) {
        const struct trace_event *e = t->events[i];
        const char *part = e->side == g->first->side ? part_text(e) : NULL;
        rc = part ? buf_adds(&text, part) : 0;
    }
    rc = rc < 0 ? rc : style_add_line(out, text.p, text.n, max);
    buf_deinit(&text);
    return rc;
}

static int add_text(const struct trace_event *e, size_t max, struct buf *out)
{
    const cJSON *last = json_get(e->json, "last");
    const char *text = json_get_str(last ? last : e->json, "text"), *role;
    switch (e->side) {
    case TRACE_AGENT:
    case TRACE_CLIENT:
        return add_message_text(e, max, out);
    case TRACE_MODEL:
        role = json_get_str(last, "role");
        if (role && (style_add_line(out, role, strlen(role), 40) < 0 || buf_adds(out, ": ") < 0))
            return E_NOMEM;
        break;
    case TRACE_MODEL_EVENT:
        break;
    case TRACE_PROCESS:
    case TRACE_NOTE:
    case TRACE_STDERR:
        return style_add_line(out, e->bytes, e->n, max);
    }
    return text ? style_add_line(out, text, strlen(text), max) : 0;
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static int fill_row(const struct case_result *r, const struct group *g, size_t max,
                    struct excerpt_row *row)
{
    const struct trace *t = &r->trace;
    const struct trace_event *e = g->first;
    bool wire = e->side == TRACE_AGENT || e->side == TRACE_CLIENT;
    struct buf label = {0}, text = {0};
    int rc = add_label(t, e, &label);
    if (rc == 0 && g->times > 1 && part_text(e))
        rc = add_parts(t, g, max, &text);
    else if (rc == 0)
        rc = add_text(e, max, &text);
    row->t_us = e->t_us;
    row->side = e->side;
    row->times = g->times;
    if (g->mark)
        fill_marks(r, e, row);
    row->answer = wire && cJSON_IsObject(e->json) && !json_get_str(e->json, "method");
    row->error = wire && (!e->json || (row->answer && json_get(e->json, "error")));
    row->label = rc == 0 ? buf_take(&label) : NULL;
    row->text = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&label);
    buf_deinit(&text);
    return row->label && row->text ? 0 : E_NOMEM;
}

static size_t count_kept(const struct groups *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += g->all[i].kept;
    return n;
}

static int fill(const struct case_result *r, const struct groups *g, const struct limits *l,
                struct excerpt *ret)
{
    int rc = 0;
    size_t left_out = 0;
    ret->rows = calloc(count_kept(g) + 1, sizeof *ret->rows);
    if (!ret->rows)
        return E_NOMEM;
    for (size_t i = 0; i < g->n && rc == 0; i++) {
        if (!g->all[i].kept) {
            left_out += g->all[i].times;
            continue;
        }
        struct excerpt_row *row = &ret->rows[ret->n++];
        row->left_out = left_out;
        left_out = 0;
        rc = fill_row(r, &g->all[i], g->all[i].mark ? l->marked_text : l->text, row);
    }
    return rc;
}

int excerpt_take(const struct case_result *r, struct excerpt *ret)
{
    struct groups g = {0};
    const struct limits *l = r->verdict == VERDICT_PASS ? &limits_passed : &limits_told;
    *ret = (struct excerpt){0};
    int rc = group_events(r, &g);
    if (rc == 0) {
        choose(&g, l);
        rc = fill(r, &g, l, ret);
    }
    free(g.all);
    if (rc < 0)
        excerpt_deinit(ret);
    return rc;
}

void excerpt_deinit(struct excerpt *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->rows[i].label);
        free(e->rows[i].text);
    }
    free(e->rows);
    *e = (struct excerpt){0};
}
