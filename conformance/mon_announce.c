#include "conformance/monitors.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>

/*
 * What is said fits what was said before: logins can be told apart, custom methods are announced,
 * trace context has its form, and what is cancelled was asked.
 */
struct announced {
    const cJSON *capabilities;       /* lent; of the newest answer to initialize */
    const struct trace_event *first; /* custom method of the agent, or NULL */
};

static void judge_logins(struct watch *w, const struct wire_msg *m)
{
    const cJSON *a, *list = json_get(m->result, "authMethods");
    struct blame b = blame_of(m, "AUTH-29");
    b.pointer = "/result/authMethods";
    b.at_most = VERDICT_WARN;
    cJSON_ArrayForEach(a, list)
    {
        const char *id = json_get_str(a, "id");
        for (const cJSON *c = id ? a->next : NULL; c; c = c->next) {
            const char *other = json_get_str(c, "id");
            if (other && strcmp(id, other) == 0)
                watch_blame(w, &b, "two login methods have the id \"%.60s\"", id);
        }
    }
}

/* ---- trace context ------------------------------------------------------------------------------
 */

static size_t hex(const char *p)
{
    return strspn(p, "0123456789abcdef");
}

/* 2, 32, 16 and 2 digits; later versions may have more behind. */
static bool is_traceparent(const char *p)
{
    static const size_t lengths[] = {2, 32, 16, 2};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        if (hex(p) != lengths[i])
            return false;
        p += lengths[i];
        if (i + 1 < ARRAY_LEN(lengths) && *p++ != '-')
            return false;
    }
    return *p == '\0' || *p == '-';
}

static void judge_meta(struct watch *w, const struct wire_msg *m, const cJSON *holder)
{
    static const char *const names[] = {"traceparent", "tracestate", "baggage"};
    const cJSON *meta = json_get(holder, "_meta");
    struct blame b = blame_of(m, "EXT-09");
    b.at_most = VERDICT_WARN;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const cJSON *v = json_get(meta, names[i]);
        const char *text = cJSON_GetStringValue(v);
        if (v && (!text || (i == 0 && !is_traceparent(text))))
            watch_blame(w, &b, "_meta.%s has not the form of the W3C's trace context", names[i]);
    }
}

/* ---- what is announced --------------------------------------------------------------------------
 */

static bool has_meta(const cJSON *value)
{
    if (!cJSON_IsObject(value))
        return false;
    for (const cJSON *v = value->child; v; v = v->next)
        if ((strcmp(v->string, "_meta") == 0 && cJSON_IsObject(v)) || has_meta(v))
            return true;
    return false;
}

static void judge_cancel(struct watch *w, const struct wire_msg *m)
{
    const cJSON *id = json_get(m->params, "requestId");
    struct blame b = blame_of(m, "CANCEL-15");
    b.pointer = "/params/requestId";
    b.at_most = VERDICT_WARN;
    if ((cJSON_IsString(id) || cJSON_IsNumber(id)) &&
        !wire_call_find(&w->wire, TRACE_AGENT, id, true))
        watch_blame(w, &b, "a request is cancelled that was never made");
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    struct announced *a = state;
    if (m->e->side != TRACE_AGENT)
        return;
    judge_meta(w, m, m->params);
    judge_meta(w, m, m->result);
    judge_meta(w, m, m->update);
    if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "initialize") == 0) {
        a->capabilities = json_get(m->result, "agentCapabilities");
        judge_logins(w, m);
    }
    if (m->method && m->method[0] == '_' && !a->first && !has_meta(a->capabilities))
        a->first = m->e;
    if (m->kind == WIRE_NOTIFICATION && m->method && strcmp(m->method, "$/cancel_request") == 0)
        judge_cancel(w, m);
}

static void end(struct watch *w, void *state)
{
    const struct announced *a = state;
    struct blame b = {.id = "EXT-08",
                      .at_most = VERDICT_WARN,
                      .side = TRACE_AGENT,
                      .event = a->first,
                      .pointer = "/method"};
    if (a->first)
        watch_blame(w, &b,
                    "a method of the agent's own is used, but no capability object has a _meta "
                    "that announces any");
}

static const char *const ids[] = {"AUTH-29", "CANCEL-15", "EXT-08", "EXT-09", NULL};

const struct monitor monitor_announce = {
    .ids = ids,
    .title = "logins can be told apart, methods of one's own are announced",
    .state_n = sizeof(struct announced),
    .feed = feed,
    .end = end,
};
