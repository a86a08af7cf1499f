#include "conformance/monitors.h"

#include "acp/methods.h"
#include "base/err.h"
#include "json/json.h"

#include <string.h>

/*
 * What a client has not announced is not asked of it. A capability that the case sent malformed on
 * purpose is not judged: readers may take it as they like (INIT-19).
 */
enum gate { GATE_OPEN, GATE_SHUT, GATE_UNCLEAR };

/* An object marker: an object opens the gate, absent and null keep it shut. */
static enum gate marker(const cJSON *caps, const char *a, const char *b, const char *c)
{
    const cJSON *v = json_get(caps, a);
    v = b ? json_get(v, b) : v;
    v = c ? json_get(v, c) : v;
    return !v || cJSON_IsNull(v) ? GATE_SHUT : cJSON_IsObject(v) ? GATE_OPEN : GATE_UNCLEAR;
}

static enum gate flag(const cJSON *caps, const char *a, const char *b)
{
    const cJSON *v = json_get(caps, a);
    v = b ? json_get(v, b) : v;
    return !v || cJSON_IsNull(v) || cJSON_IsFalse(v) ? GATE_SHUT
           : cJSON_IsTrue(v)                         ? GATE_OPEN
                                                     : GATE_UNCLEAR;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

static enum gate elicitation_gate(const cJSON *caps, const cJSON *params)
{
    const char *mode = json_get_str(params, "mode");
    if (!mode || mode[0] == '_')
        return GATE_UNCLEAR;
    return marker(caps, "elicitation", strcmp(mode, "url") == 0 ? "url" : "form", NULL);
}

static void judge_call(struct watch *w, const struct wire_msg *m)
{
    const cJSON *caps = w->wire.client_caps;
    struct blame b = blame_of(m, NULL);
    enum gate gate = GATE_OPEN;
    b.pointer = "/method";
    if (strcmp(m->method, "fs/read_text_file") == 0) {
        b.id = "FS-02";
        gate = flag(caps, "fs", "readTextFile");
    } else if (strcmp(m->method, "fs/write_text_file") == 0) {
        b.id = "FS-03";
        gate = flag(caps, "fs", "writeTextFile");
    } else if (strncmp(m->method, "terminal/", 9) == 0 &&
               acp_method_find(m->method) != ACP_METHOD_UNKNOWN) {
        b.id = "TERM-02";
        gate = flag(caps, "terminal", NULL);
    } else if (strcmp(m->method, "elicitation/create") == 0) {
        b.id = "ELIC-02";
        gate = elicitation_gate(caps, m->params);
    }
    if (gate == GATE_SHUT)
        watch_blame(w, &b, "%s is called, but the client has not announced that capability",
                    m->method);
}

/* ---- what answers and updates hold -------------------------------------------------------------
 */

static void judge_update(struct watch *w, const struct wire_msg *m)
{
    static const struct {
        const char *kind, *id, *marker;
        enum verdict at_most;
    } rows[] = {
        {"compaction_update", "COMPACT-01", "compaction", VERDICT_FAIL},
        {"compaction_summary_chunk", "COMPACT-01", "compaction", VERDICT_FAIL},
        /* an earlier draft needed no capability for it */
        {"notice", "NOTICE-01", "notices", VERDICT_WARN},
    };
    for (size_t i = 0; m->update_kind && i < ARRAY_LEN(rows); i++) {
        if (strcmp(m->update_kind, rows[i].kind) != 0 ||
            marker(w->wire.client_caps, "session", rows[i].marker, NULL) != GATE_SHUT)
            continue;
        struct blame b = blame_of(m, rows[i].id);
        b.pointer = "/params/update/sessionUpdate";
        b.at_most = rows[i].at_most;
        watch_blame(w, &b, "%s is sent to a client that has not announced session.%s",
                    m->update_kind, rows[i].marker);
    }
}

static void judge_options(struct watch *w, const struct wire_msg *m, const cJSON *options,
                          const char *pointer)
{
    const cJSON *option;
    if (marker(w->wire.client_caps, "session", "configOptions", "boolean") != GATE_SHUT)
        return;
    cJSON_ArrayForEach(option, options)
    {
        const char *type = json_get_str(option, "type");
        if (!type || strcmp(type, "boolean") != 0)
            continue;
        struct blame b = blame_of(m, "CFG-05");
        b.pointer = pointer;
        watch_blame(w, &b,
                    "a boolean option is offered to a client that has not announced "
                    "session.configOptions.boolean");
    }
}

static void judge_logins(struct watch *w, const struct wire_msg *m)
{
    const cJSON *login, *logins = json_get(m->result, "authMethods");
    if (flag(w->wire.client_caps, "auth", "terminal") != GATE_SHUT)
        return;
    cJSON_ArrayForEach(login, logins)
    {
        const char *type = json_get_str(login, "type");
        if (!type || strcmp(type, "terminal") != 0)
            continue;
        struct blame b = blame_of(m, "AUTH-03");
        b.pointer = "/result/authMethods";
        watch_blame(w, &b,
                    "a terminal login is offered to a client that has not announced auth.terminal");
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->e->side != TRACE_AGENT || !w->wire.initialized || w->wire.initialize_odd)
        return;
    if (m->kind == WIRE_REQUEST || m->kind == WIRE_NOTIFICATION)
        judge_call(w, m);
    judge_update(w, m);
    judge_options(w, m, json_get(m->result, "configOptions"), "/result/configOptions");
    judge_options(w, m, json_get(m->update, "configOptions"), "/params/update/configOptions");
    if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "initialize") == 0)
        judge_logins(w, m);
}

static const char *const ids[] = {"FS-02",  "FS-03",      "TERM-02",   "ELIC-02", "AUTH-03",
                                  "CFG-05", "COMPACT-01", "NOTICE-01", NULL};

const struct monitor monitor_gate = {
    .ids = ids,
    .title = "nothing is asked of a client that it has not announced",
    .feed = feed,
};
