#include "conformance/monitors.h"

#include "acp/check.h"
#include "acp/methods.h"
#include "base/err.h"
#include "conformance/official.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/*
 * Everything that is sent satisfies the schema (RPC-26 and the rows of blame.def), and nothing is
 * added to it (EXT-02). Where documents and schema contradict each other, or schemas of different
 * age do, the gentler reading holds (spec/ambiguities).
 */

/* What is looked at: params, result or error of a message. */
struct part {
    const struct wire_msg *m;
    const char *name; /* "/params" */
    const cJSON *value;
    int def;
};

static const struct {
    const char *def, *id;
} blames[] = {
#define BLAME(def, id) {#def, id},
#include "conformance/blame.def"
#undef BLAME
};

static const char *requirement_of(const char *def)
{
    for (size_t i = 0; def && i < ARRAY_LEN(blames); i++)
        if (strcmp(blames[i].def, def) == 0)
            return blames[i].id;
    return NULL;
}

static const char *last_token(const char *pointer)
{
    const char *slash = strrchr(pointer, '/');
    return slash ? slash + 1 : pointer;
}

/* Inside a permission request a tool call is that request's content. */
static const char *inside_permission(const char *def)
{
    if (strcmp(def, "ToolCallContent") == 0 || strcmp(def, "Content") == 0)
        return "PERM-14";
    return strncmp(def, "ToolCall", 8) == 0 ? "PERM-03" : NULL;
}

/* Where the place says more than the definition that was violated. */
static const char *by_place(const struct part *p, const struct acp_fault *f)
{
    static const struct {
        const char *kind, *pointer, *id; /* kind: of the update, or how it ends */
    } places[] = {
        {"compaction_summary_chunk", "/update/content", NULL},
        {"_chunk", "/update/content", "PROMPT-18"},
        {"tool_call_update", "/update/toolCallId", "TOOL-06"},
        {"tool_call", "/update/name", "TOOL-22"},
        {"tool_call_update", "/update/name", "TOOL-22"},
        {"current_mode_update", "/update/currentModeId", "MODE-10"},
    };
    const char *kind = p->m->update_kind;
    size_t n = kind ? strlen(kind) : 0;
    for (size_t i = 0; kind && i < ARRAY_LEN(places); i++) {
        size_t tail = strlen(places[i].kind);
        if (tail <= n && strcmp(kind + n - tail, places[i].kind) == 0 &&
            strcmp(f->pointer, places[i].pointer) == 0)
            return places[i].id;
    }
    return NULL;
}

/* A question that belongs to no session and to no request is whole apart from that. */
static bool has_no_scope(const struct part *p, const struct acp_fault *f)
{
    return p->m->method && strcmp(p->m->method, "elicitation/create") == 0 && !f->pointer[0] &&
           !json_get(p->value, "sessionId") && !json_get(p->value, "requestId");
}

static const char *blamed(const struct part *p, const struct acp_fault *f)
{
    const char *root = acp_def_name(p->def), *id = NULL;
    if (strcmp(p->name, "/params") == 0 && p->value && !cJSON_IsObject(p->value) &&
        !cJSON_IsNull(p->value))
        return "RPC-18";
    if (strcmp(last_token(f->pointer), "_meta") == 0)
        return "EXT-01";
    if (f->def && strcmp(root, "RequestPermissionRequest") == 0)
        id = inside_permission(f->def);
    id = id ? id : by_place(p, f);
    id = id || !has_no_scope(p, f) ? id : "ELIC-06";
    id = id ? id : requirement_of(f->def);
    id = id ? id : requirement_of(root);
    return id ? id : "RPC-26";
}

/* ---- where the gentler reading holds ------------------------------------------------------------
 */

static const cJSON *at(const cJSON *root, const char *pointer)
{
    /* json_pointer only reads */
    return json_pointer((cJSON *)(uintptr_t)root, pointer);
}

static bool is_one_of(const char *text, const char *const *set, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(text, set[i]) == 0)
            return true;
    return false;
}

/* null where readers of the official kind take a default: a member that need not be there, or one
 * of those that must be sent but are read leniently. */
static bool is_lenient_null(const struct part *p, const struct acp_fault *f)
{
    static const char *const sent_but_lenient[] = {
        "args",           "env",      "headers", "mcpServers",       "options", "configOptions",
        "availableModes", "sessions", "entries", "availableCommands"};
    const char *name = last_token(f->pointer);
    if (!cJSON_IsNull(at(p->value, f->pointer)))
        return false;
    if (is_one_of(name, sent_but_lenient, ARRAY_LEN(sent_but_lenient)))
        return true;
    cJSON *without = cJSON_Duplicate(p->value, true);
    char parent[sizeof f->pointer];
    struct acp_fault again;
    snprintf(parent, sizeof parent, "%.*s", (int)(name - f->pointer) - 1, f->pointer);
    cJSON_DeleteItemFromObjectCaseSensitive(json_pointer(without, parent), name);
    bool missing =
        acp_check_value(p->def, without, &again) < 0 && strcmp(again.pointer, f->pointer) == 0;
    cJSON_Delete(without);
    return !missing;
}

/* The documentation's own example of a tool call holds a bare content block. */
static bool is_bare_block(const struct part *p, const struct acp_fault *f)
{
    static const char *const blocks[] = {"text", "image", "audio", "resource_link", "resource"};
    return f->def && strcmp(f->def, "ToolCallContent") == 0 &&
           is_one_of(cJSON_GetStringValue(at(p->value, f->pointer)), blocks, ARRAY_LEN(blocks));
}

/* The documentation's own example of a mode update has another name for the member. */
static bool is_documented_mode_update(const struct part *p, const struct acp_fault *f)
{
    return strcmp(last_token(f->pointer), "currentModeId") == 0 &&
           json_get_str(p->m->update, "modeId");
}

/* An example of a draft has groups without a name. */
static bool is_unnamed_group(const struct part *p, const struct acp_fault *f)
{
    const cJSON *group, *list = at(p->value, f->pointer);
    if (f->def && strcmp(f->def, "SessionConfigSelectGroup") == 0)
        return strcmp(last_token(f->pointer), "name") == 0;
    if (!f->def || strcmp(f->def, "SessionConfigSelectOptions") != 0 ||
        cJSON_GetArraySize(list) == 0)
        return false;
    cJSON_ArrayForEach(group, list)
    {
        if (!json_get_str(group, "group") || !cJSON_IsArray(json_get(group, "options")) ||
            json_get(group, "name"))
            return false;
    }
    return true;
}

static enum verdict cap(const struct part *p, const struct acp_fault *f)
{
    const char *kind = p->m->update_kind;
    if (kind && official_update(kind) && strcmp(last_token(f->pointer), "sessionUpdate") == 0)
        return VERDICT_INFO;
    if (is_lenient_null(p, f) || is_bare_block(p, f) || is_documented_mode_update(p, f))
        return VERDICT_WARN;
    if (f->def && strcmp(f->def, "StringFormat") == 0)
        return VERDICT_WARN;
    if (is_unnamed_group(p, f))
        return VERDICT_WARN;
    return VERDICT_FAIL;
}

/* ---- members nobody knows
 * ------------------------------------------------------------------------ */

struct extra {
    struct watch *w;
    const struct part *part;
};

/* Offering an unstable method is how a client learns of it: nothing to hold against anybody. */
static bool is_offer(const char *name, const char *def)
{
    static const char tail[] = "Capabilities";
    size_t n = def ? strlen(def) : 0;
    return n >= sizeof tail - 1 && strcmp(def + n - (sizeof tail - 1), tail) == 0 &&
           official_member(name);
}

static void blame_extra(void *ctx, const char *pointer, const char *def)
{
    struct extra *x = ctx;
    char whole[192];
    const char *name = last_token(pointer);
    if (is_offer(name, def))
        return;
    struct blame b = blame_of(x->part->m, "EXT-02");
    snprintf(whole, sizeof whole, "%s%s", x->part->name, pointer);
    b.pointer = whole;
    if (official_member(name)) {
        b.at_most = VERDICT_INFO;
        watch_blame(x->w, &b, "%s has a member \"%.60s\", which stable v1 does not have there",
                    def ? def : "it", name);
    } else {
        watch_blame(
            x->w, &b,
            "%s has a member \"%.60s\", which no official schema has; custom data belongs in _meta",
            def ? def : "it", name);
    }
}

/* ---- messages
 * ------------------------------------------------------------------------------------ */

static void judge_part(struct watch *w, const struct part *p)
{
    struct acp_fault f = {0};
    const cJSON *value = cJSON_IsNull(p->value) ? NULL : p->value; /* absent and null are alike */
    if (acp_check_value(p->def, value, &f) < 0) {
        char pointer[192];
        struct blame b = blame_of(p->m, blamed(p, &f));
        snprintf(pointer, sizeof pointer, "%s%.180s", p->name, f.pointer);
        b.pointer = pointer;
        b.at_most = cap(p, &f);
        watch_blame(w, &b, "%s breaks the schema's %s at %s: %s",
                    p->m->method ? p->m->method
                    : p->m->call ? p->m->call->method
                                 : "the message",
                    f.def ? f.def : acp_def_name(p->def), pointer, f.text);
        return;
    }
    struct extra x = {w, p};
    acp_unknown_members(p->def, value, blame_extra, &x);
}

static enum acp_side acp_side_of(enum trace_side side)
{
    return side == TRACE_AGENT ? ACP_AGENT : ACP_CLIENT;
}

/* Results of an agent that chose another protocol version are no matter of this schema. */
static bool is_other_version(const struct wire_msg *m)
{
    const cJSON *version = json_get(m->result, "protocolVersion");
    return strcmp(m->call->method, "initialize") == 0 && cJSON_IsNumber(version) &&
           version->valueint != 1;
}

static void judge_result(struct watch *w, const struct wire_msg *m)
{
    struct part p = {m, "/result", m->result,
                     acp_result_def(acp_side_of(m->e->side), m->call->method)};
    if (p.def >= 0 && !is_other_version(m))
        judge_part(w, &p);
}

static void judge_params(struct watch *w, const struct wire_msg *m)
{
    struct part p = {m, "/params", m->params,
                     acp_params_def(acp_side_of(wire_other_side(m->e->side)), m->method)};
    if (p.def >= 0)
        judge_part(w, &p);
}

/* The schema says int32 in `format`, which validators take for a remark. */
static void judge_code(struct watch *w, const struct wire_msg *m)
{
    const cJSON *code = json_get(m->error, "code");
    struct blame b = blame_of(m, "RPC-06");
    b.pointer = "/error/code";
    if (cJSON_IsNumber(code) && (code->valuedouble > INT32_MAX || code->valuedouble < INT32_MIN))
        watch_blame(w, &b, "the error's code does not fit 32 bits");
}

static void judge_error(struct watch *w, const struct wire_msg *m)
{
    struct part p = {m, "/error", m->error, acp_def("Error")};
    judge_code(w, m);
    if (cJSON_IsNull(m->error)) {
        struct blame b = blame_of(m, "RPC-06");
        b.pointer = "/error";
        b.at_most = m->result ? VERDICT_WARN : VERDICT_FAIL;
        watch_blame(w, &b, "the error is null");
    } else if (p.def >= 0) {
        judge_part(w, &p);
    }
}

/* A notification has no id; whoever gets one with an id answers that there is no such request. */
static void judge_kind(struct watch *w, const struct wire_msg *m)
{
    enum acp_method method = acp_method_find(m->method);
    if (m->kind != WIRE_REQUEST || method == ACP_METHOD_UNKNOWN ||
        !acp_methods[method].is_notification)
        return;
    const char *id = requirement_of(
        acp_def_name(acp_params_def(acp_side_of(wire_other_side(m->e->side)), m->method)));
    struct blame b = blame_of(m, id ? id : "RPC-26");
    b.pointer = "/id";
    watch_blame(w, &b, "%s is a notification, but it was sent with an id", m->method);
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->kind == WIRE_REQUEST)
        judge_kind(w, m);
    if (m->kind == WIRE_REQUEST || m->kind == WIRE_NOTIFICATION)
        judge_params(w, m);
    if (m->kind != WIRE_RESPONSE)
        return;
    if (m->error)
        judge_error(w, m);
    if (m->result && !m->error && m->call)
        judge_result(w, m);
}

static const char *const ids[] = {
#define BLAME(def, id) id,
#include "conformance/blame.def"
#undef BLAME
    "PERM-14", "TOOL-22", "RPC-18", "RPC-26", "EXT-01", "EXT-02", NULL};

const struct monitor monitor_schema = {
    .ids = ids,
    .title = "everything sent satisfies the schema, and nothing is added to it",
    .feed = feed,
};
