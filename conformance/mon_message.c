#include "conformance/monitors.h"

#include "json/json.h"

#include <math.h>
#include <string.h>

/* Each message has the form JSON-RPC gives it. Ids of answers are mon_answer.c's business. */

static void judge_version(struct watch *w, const struct wire_msg *m)
{
    const char *version = json_get_str(m->json, "jsonrpc");
    struct blame b = blame_of(m, "RPC-01");
    b.pointer = "/jsonrpc";
    if (!version || strcmp(version, "2.0") != 0)
        watch_blame(w, &b, "the message has no \"jsonrpc\": \"2.0\"");
}

/* Ids that the sender makes up for its own requests. */
static void judge_own_id(struct watch *w, const struct wire_msg *m)
{
    struct blame b = blame_of(m, "RPC-11");
    b.pointer = "/id";
    if (cJSON_IsNull(m->id)) {
        b.id = "RPC-12";
        watch_blame(w, &b, "the request's id is null");
    } else if (cJSON_IsNumber(m->id) && m->id->valuedouble > floor(m->id->valuedouble)) {
        b.id = "RPC-13";
        watch_blame(w, &b, "the request's id has a fraction");
    } else if (cJSON_IsNumber(m->id) ? fabs(m->id->valuedouble) > 9223372036854775807.0
                                     : !cJSON_IsString(m->id)) {
        watch_blame(w, &b,
                    "the request's id is neither a string nor an integer of 64 bits nor null");
    }
}

static void judge_outcome(struct watch *w, const struct wire_msg *m)
{
    struct blame b = blame_of(m, "RPC-03");
    if (!m->result && !m->error) {
        watch_blame(w, &b, "the response has neither result nor error");
    } else if (m->result && m->error) {
        /* the schema lets null beside the other one pass, JSON-RPC does not */
        bool lenient = cJSON_IsNull(m->result) || cJSON_IsNull(m->error);
        b.at_most = lenient ? VERDICT_WARN : VERDICT_FAIL;
        watch_blame(w, &b, "the response has both result and error");
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (!cJSON_IsObject(m->json))
        return;
    judge_version(w, m);
    if (m->kind == WIRE_REQUEST)
        judge_own_id(w, m);
    else if (m->kind == WIRE_RESPONSE)
        judge_outcome(w, m);
    else if (m->kind == WIRE_STRANGE) {
        struct blame b = blame_of(m, "RPC-26");
        watch_blame(w, &b, "the object is no request, no notification and no response");
    }
}

static const char *const ids[] = {"RPC-01", "RPC-03", "RPC-11", "RPC-12", "RPC-13", NULL};

const struct monitor monitor_message = {
    .ids = ids,
    .title = "every message is a JSON-RPC 2.0 request, notification or response",
    .feed = feed,
};
