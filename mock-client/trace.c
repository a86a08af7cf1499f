#include "mock-client/trace.h"

#include "base/err.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

void trace_init(struct trace *t, uint64_t now_ns)
{
    *t = (struct trace){.t0_ns = now_ns, .step = -1};
}

static void trace_event_destroy(struct trace_event *e)
{
    if (!e)
        return;
    cJSON_Delete(e->json);
    free(e->bytes);
    free(e);
}

void trace_deinit(struct trace *t)
{
    for (size_t i = 0; i < t->n; i++)
        trace_event_destroy(t->events[i]);
    for (size_t i = 0; t->agents && t->agents[i]; i++)
        free(t->agents[i]);
    free(t->agents);
    free(t->events);
    t->agents = NULL;
    t->events = NULL;
    t->n = t->cap = 0;
}

const char *trace_name_agent(struct trace *t, const char *name)
{
    size_t n = 0;
    for (; t->agents && t->agents[n]; n++)
        if (!strcmp(t->agents[n], name))
            return t->agents[n];
    char **more = realloc(t->agents, (n + 2) * sizeof *more);
    if (!more)
        return NULL;
    t->agents = more;
    more[n] = strdup(name);
    more[n + 1] = NULL;
    return more[n];
}

static int trace_grow(struct trace *t)
{
    if (t->n < t->cap)
        return 0;
    size_t cap = t->cap ? t->cap * 2 : 64;
    struct trace_event **events = realloc(t->events, cap * sizeof *events);
    if (!events)
        return E_NOMEM;
    t->events = events;
    t->cap = cap;
    return 0;
}

static bool crossed_the_wire(const struct trace_event *e)
{
    return (e->side == TRACE_AGENT || e->side == TRACE_CLIENT) && strcmp(e->kind, "too-long") != 0;
}

/* A text that is valid but that cJSON cannot hold stays without a tree: nothing matches it. */
static int trace_event_parse(struct trace_event *e)
{
    e->parse_rc = json_scan(e->bytes, e->n, &e->scan);
    if (e->parse_rc < 0)
        return 0;
    return json_parse(e->bytes, e->n, &e->json, NULL) == E_NOMEM ? E_NOMEM : 0;
}

static int trace_event_fill(struct trace_event *e, const char *bytes, size_t n)
{
    e->bytes = malloc(n + 1);
    if (!e->bytes)
        return E_NOMEM;
    if (n)
        memcpy(e->bytes, bytes, n);
    e->bytes[n] = '\0';
    e->n = n;
    e->parse_rc = E_PARSE;
    return e->json || !crossed_the_wire(e) ? 0 : trace_event_parse(e);
}

/* NOLINTNEXTLINE(readability-function-size): an event is what it is made of */
struct trace_event *trace_add(struct trace *t, enum trace_side side, const char *kind,
                              const char *bytes, size_t n, cJSON *json, uint64_t now_ns)
{
    struct trace_event *e = calloc(1, sizeof *e);
    if (!e) {
        cJSON_Delete(json);
        return NULL;
    }
    *e = (struct trace_event){
        .side = side, .kind = kind, .json = json, .step = t->step, .agent = t->agent};
    if (trace_event_fill(e, bytes, n) < 0 || trace_grow(t) < 0) {
        trace_event_destroy(e);
        return NULL;
    }
    e->seq = t->n;
    e->t_us = (now_ns - t->t0_ns) / 1000;
    e->invalid_ok = side == TRACE_CLIENT && t->invalid_ok;
    t->events[t->n++] = e;
    if (t->on_add)
        t->on_add(t->ctx, e);
    return e;
}

struct trace_event *trace_note(struct trace *t, enum trace_side side, const char *kind,
                               const char *text, uint64_t now_ns)
{
    return trace_add(t, side, kind, text, strlen(text), NULL, now_ns);
}

struct trace_event *trace_model_request(struct trace *t, cJSON *request, uint64_t now_ns)
{
    return trace_add(t, TRACE_MODEL, "request", "", 0, request, now_ns);
}

static cJSON *model_event_json(const char *kind, unsigned n, const char *text, const char *check)
{
    cJSON *json = cJSON_CreateObject();
    bool ok = json && cJSON_AddStringToObject(json, "kind", kind) &&
              cJSON_AddNumberToObject(json, "n", n) &&
              (!text || cJSON_AddStringToObject(json, "text", text)) &&
              (!check || cJSON_AddStringToObject(json, "check", check));
    if (!ok) {
        cJSON_Delete(json);
        return NULL;
    }
    return json;
}

/* NOLINTNEXTLINE(readability-function-size): an event is what it is made of */
struct trace_event *trace_model_event(struct trace *t, const char *kind, unsigned n,
                                      const char *text, const char *check, uint64_t now_ns)
{
    cJSON *json = model_event_json(kind, n, text, check);
    const char *bytes = text ? text : "";
    if (!json)
        return NULL;
    return trace_add(t, TRACE_MODEL_EVENT, kind, bytes, strlen(bytes), json, now_ns);
}

const char *trace_side_name(enum trace_side side)
{
    static const char *const names[] = {
        [TRACE_AGENT] = "agent",   [TRACE_CLIENT] = "client",
        [TRACE_MODEL] = "model",   [TRACE_MODEL_EVENT] = "model_event",
        [TRACE_STDERR] = "stderr", [TRACE_PROCESS] = "process",
        [TRACE_NOTE] = "note",
    };
    return names[side];
}
