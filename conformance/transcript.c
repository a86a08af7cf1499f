#include "conformance/transcript.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/style.h"
#include "json/json.h"

#include <string.h>

enum { TEXT_MAX = 160 };

/* ---- one event ----------------------------------------------------------------------------------
 */

static int add_id(const struct trace_event *e, struct buf *out)
{
    struct json_slice id = e->scan.id;
    int rc = id.kind == JSON_KIND_NONE ? 0 : buf_adds(out, "#");
    if (rc == 0 && id.kind != JSON_KIND_NONE)
        rc = style_add_line(out, id.p, id.n, 40);
    return rc == 0 && id.kind != JSON_KIND_NONE ? buf_adds(out, " ") : rc;
}

static int add_call(const struct trace_event *e, size_t max, struct buf *out)
{
    const char *method = json_get_str(e->json, "method");
    const cJSON *params = json_get(e->json, "params"), *update = json_get(params, "update");
    int rc = style_add_line(out, method, strlen(method), 80);
    if (rc < 0 || !params)
        return rc;
    rc = buf_adds(out, " ");
    /* what an update says is more telling than whose it is */
    return rc < 0 ? rc : style_add_json(out, update ? update : params, max);
}

static int add_response(const struct trace_event *e, size_t max, struct buf *out)
{
    const cJSON *error = json_get(e->json, "error"), *result = json_get(e->json, "result");
    int rc = buf_adds(out, error ? "error " : result ? "result " : "");
    return rc < 0 ? rc : style_add_json(out, error ? error : result ? result : e->json, max);
}

static int add_message(const struct trace_event *e, size_t max, struct buf *out)
{
    if (strcmp(e->kind, "line") != 0 && buf_addf(out, "(%s) ", e->kind) < 0)
        return E_NOMEM;
    if (!cJSON_IsObject(e->json))
        return style_add_line(out, e->bytes, e->n, max);
    int rc = add_id(e, out);
    if (rc < 0)
        return rc;
    return json_get_str(e->json, "method") ? add_call(e, max, out) : add_response(e, max, out);
}

static int add_model_request(const struct trace_event *e, size_t max, struct buf *out)
{
    const cJSON *last = json_get(e->json, "last");
    const char *role = json_get_str(last, "role"), *text = json_get_str(last, "text");
    int rc = buf_addf(out, "request %lld, %s: ", (long long)json_get_int(e->json, "n", 0),
                      role ? role : "?");
    return rc < 0 ? rc : style_add_line(out, text ? text : "", text ? strlen(text) : 0, max);
}

static int add_model_event(const struct trace_event *e, size_t max, struct buf *out)
{
    const char *action = json_get_str(e->json, "action"), *text = json_get_str(e->json, "text");
    int rc = buf_addf(out, "%s%s", action ? action : e->kind, text ? " " : "");
    return rc < 0 || !text ? rc : style_add_line(out, text, strlen(text), max);
}

int transcript_summary(const struct trace_event *e, size_t max, struct buf *out)
{
    switch (e->side) {
    case TRACE_AGENT:
    case TRACE_CLIENT:
        return add_message(e, max, out);
    case TRACE_MODEL:
        return add_model_request(e, max, out);
    case TRACE_MODEL_EVENT:
        return add_model_event(e, max, out);
    case TRACE_STDERR:
        return style_add_line(out, e->bytes, e->n, max);
    case TRACE_PROCESS:
    case TRACE_NOTE:
        break;
    }
    int rc = buf_addf(out, "%s%s", e->kind, e->n ? " " : "");
    return rc < 0 ? rc : style_add_line(out, e->bytes, e->n, max);
}

/* ---- the window ---------------------------------------------------------------------------------
 */

static const char *arrow(const struct trace_event *e)
{
    switch (e->side) {
    case TRACE_CLIENT:
        return "client --> agent           ";
    case TRACE_AGENT:
        return "client <-- agent           ";
    case TRACE_MODEL:
        return "           agent --> model ";
    case TRACE_MODEL_EVENT:
        return "           agent <-- model ";
    case TRACE_STDERR:
        return "           agent stderr    ";
    case TRACE_PROCESS:
        return "           agent process   ";
    case TRACE_NOTE:
        break;
    }
    return "------";
}

static int add_line(const struct trace_event *e, const struct transcript_window *w, struct buf *out)
{
    bool marked = w->focus && e->seq == w->focus->seq;
    enum style style = marked ? STYLE_BOLD : e->side == TRACE_NOTE ? STYLE_DIM : STYLE_PLAIN;
    int rc = buf_addf(out, "%s  %s%9.1f  %s ", style_begin(w->colour, style), marked ? ">" : " ",
                      (double)e->t_us / 1000, arrow(e));
    if (rc == 0 && e->agent)
        rc = buf_addf(out, "[%s] ", e->agent);
    rc = rc < 0 ? rc : transcript_summary(e, TEXT_MAX, out);
    return rc < 0 ? rc : buf_addf(out, "%s\n", style_end(w->colour));
}

/* Texts on stderr are shown by themselves. */
static bool is_shown(const struct trace_event *e)
{
    return e->side != TRACE_STDERR;
}

static size_t step_back(const struct trace *t, size_t from, size_t n)
{
    while (from > 0 && n > 0)
        n -= is_shown(t->events[--from]);
    return from;
}

static size_t step_on(const struct trace *t, size_t from, size_t n)
{
    while (from < t->n && n > 0)
        n -= is_shown(t->events[from++]);
    return from;
}

int transcript_write(const struct trace *t, const struct transcript_window *w, struct buf *out)
{
    size_t focus = w->focus ? w->focus->seq : t->n;
    size_t from = step_back(t, focus, w->before);
    size_t to = step_on(t, focus, w->after + 1);
    int rc = from > 0 ? buf_addf(out, "      ... %zu events before\n", from) : 0;
    for (size_t i = from; i < to && rc == 0; i++)
        if (is_shown(t->events[i]))
            rc = add_line(t->events[i], w, out);
    return rc == 0 && to < t->n ? buf_addf(out, "      ... %zu events after\n", t->n - to) : rc;
}
