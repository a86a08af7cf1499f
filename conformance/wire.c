#include "conformance/wire.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "conformance/wire_internal.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

void wire_deinit(struct wire *w)
{
    for (size_t i = 0; i < w->n_calls; i++)
        free(w->calls[i]);
    for (size_t i = 0; i < w->n_sessions; i++) {
        free(w->sessions[i]->id);
        free(w->sessions[i]);
    }
    for (size_t i = 0; i < w->n_parsed; i++)
        cJSON_Delete(w->parsed[i]);
    free(w->calls);
    free(w->sessions);
    free(w->parsed);
    buf_deinit(&w->sent);
    *w = (struct wire){0};
}

enum trace_side wire_other_side(enum trace_side side)
{
    return side == TRACE_AGENT ? TRACE_CLIENT : TRACE_AGENT;
}

/* ---- one message ------------------------------------------------------------------------------
 */

static void classify(struct wire_msg *m)
{
    m->method = json_get_str(m->json, "method");
    m->id = json_get(m->json, "id");
    m->params = json_get(m->json, "params");
    m->result = json_get(m->json, "result");
    m->error = json_get(m->json, "error");
    if (m->method)
        m->kind = m->id ? WIRE_REQUEST : WIRE_NOTIFICATION;
    else if (cJSON_IsObject(m->json) && !json_get(m->json, "method") &&
             (m->id || m->result || m->error))
        m->kind = WIRE_RESPONSE;
    else
        m->kind = WIRE_STRANGE;
    if (m->method && strcmp(m->method, "session/update") == 0) {
        m->update = json_get(m->params, "update");
        m->update_kind = json_get_str(m->update, "sessionUpdate");
    }
}

static struct wire_msg message(struct wire *w, const struct trace_event *e, const cJSON *json)
{
    struct wire_msg m = {.e = e, .json = json};
    if (!json)
        return m;
    classify(&m);
    if (e->side == TRACE_AGENT)
        w->heard_us = e->t_us;
    if (e->side == TRACE_CLIENT) {
        w->junk_sent |= e->invalid_ok || m.kind == WIRE_STRANGE;
        w->arrays_sent |= cJSON_IsArray(json);
        w->notifications_sent += m.kind == WIRE_NOTIFICATION;
    }
    wire_note(w, &m);
    return m;
}

/* ---- the client's bytes ------------------------------------------------------------------------
 * Messages of the client are whole lines as a rule, but cases also send them as raw bytes: several
 * in one write, or one in many. */

static const cJSON *keep_parsed(struct wire *w, const char *p, size_t n)
{
    cJSON *json = NULL;
    struct buf line = {0};
    int rc = grow_pointers(&w->parsed, w->n_parsed, &w->cap_parsed);
    rc = rc < 0 ? rc : buf_add(&line, p, n);
    if (rc == 0)
        rc = buf_cstr(&line) ? json_parse(line.p, line.n, &json, NULL) : E_NOMEM;
    if (rc == 0)
        w->parsed[w->n_parsed++] = json;
    if (rc == E_NOMEM)
        w->rc = E_NOMEM;
    buf_deinit(&line);
    return json;
}

static bool is_blank(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr(" \t\r", p[i]) || p[i] == '\0')
            return false;
    return true;
}

struct sink {
    void (*cb)(void *ctx, const struct wire_msg *m);
    void *ctx;
};

static void tell(const struct sink *out, struct wire_msg m)
{
    out->cb(out->ctx, &m);
}

static void feed_sent_line(struct wire *w, const struct trace_event *e, size_t n,
                           const struct sink *out)
{
    bool blank = is_blank(w->sent.p, n);
    const cJSON *json = blank ? NULL : keep_parsed(w, w->sent.p, n);
    w->junk_sent |= !json && !blank;
    buf_consume(&w->sent, n + 1);
    tell(out, message(w, e, json));
}

static void feed_sent_lines(struct wire *w, const struct trace_event *e, const struct sink *out)
{
    const char *lf;
    bool told = false;
    while (w->sent.n > 0 && (lf = memchr(w->sent.p, '\n', w->sent.n))) {
        feed_sent_line(w, e, (size_t)(lf - w->sent.p), out);
        told = true;
    }
    if (!told)
        tell(out, message(w, e, NULL));
}

static void feed_client(struct wire *w, const struct trace_event *e, const struct sink *out)
{
    bool line = strcmp(e->kind, "line") == 0;
    w->sent_by = e;
    if (line && w->sent.n == 0) {
        w->junk_sent |= !e->json;
        tell(out, message(w, e, e->json));
        return;
    }
    if (buf_add(&w->sent, e->bytes, e->n) < 0 || (line && buf_addc(&w->sent, '\n') < 0))
        w->rc = E_NOMEM;
    feed_sent_lines(w, e, out);
}

/* ---- everything else ---------------------------------------------------------------------------
 */

/* What stands behind the client's last LF when it closes its side counts as a line. */
static void finish_sent(struct wire *w, const struct trace_event *e, const struct sink *out)
{
    if (w->sent.n == 0 || strcmp(e->kind, "eof-sent") != 0)
        return;
    bool blank = is_blank(w->sent.p, w->sent.n);
    const cJSON *json = blank ? NULL : keep_parsed(w, w->sent.p, w->sent.n);
    w->junk_sent |= !json && !blank;
    w->sent.n = 0;
    if (json)
        tell(out, message(w, w->sent_by, json));
}

static void feed_process(struct wire *w, const struct trace_event *e)
{
    w->up = false;
    w->junk_sent |= w->sent.n > 0; /* a line that will never be finished */
    if (strcmp(e->kind, "start") != 0)
        return;
    w->connection++;
    w->up = true;
    w->client_caps = NULL;
    w->initialized = w->initialize_odd = w->junk_sent = w->arrays_sent = false;
    w->notifications_sent = 0;
    w->sent.n = 0;
}

static void feed_model(struct wire *w, const struct trace_event *e)
{
    static const char *const ends[] = {"done", "gone", "miss"};
    if (e->side == TRACE_MODEL)
        w->model_open++;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (e->side == TRACE_MODEL_EVENT && strcmp(e->kind, ends[i]) == 0 && w->model_open > 0)
            w->model_open--;
}

void wire_feed(struct wire *w, const struct trace_event *e,
               void (*cb)(void *ctx, const struct wire_msg *m), void *ctx)
{
    struct sink out = {cb, ctx};
    switch (e->side) {
    case TRACE_CLIENT:
        feed_client(w, e, &out);
        return;
    case TRACE_AGENT:
        tell(&out, message(w, e, strcmp(e->kind, "line") == 0 ? e->json : NULL));
        return;
    case TRACE_PROCESS:
        finish_sent(w, e, &out);
        feed_process(w, e);
        break;
    case TRACE_MODEL:
    case TRACE_MODEL_EVENT:
        feed_model(w, e);
        break;
    case TRACE_STDERR:
    case TRACE_NOTE:
        break;
    }
    tell(&out, message(w, e, NULL));
}
