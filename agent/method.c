#include "agent/method.h"

#include "agent/extension_live.h"

#include "acp/methods.h"
#include "agent/media.h"
#include "base/err.h"
#include "base/log.h"

#include <string.h>

#define PROTOCOL_VERSION 1

static const struct {
    enum acp_method id; /* ACP_METHOD_UNKNOWN: `name` counts */
    const char *name, *alias;
    void (*fn)(struct agent *, struct rpc_request *, const cJSON *);
} requests[] = {
#define X(id, alias, fn) {ACP_##id, NULL, alias, fn},
    METHOD_REQUESTS(X)
#undef X
#define X(name, alias, fn) {ACP_METHOD_UNKNOWN, name, alias, fn},
        METHOD_MORE_REQUESTS(X)
#undef X
};

static const struct {
    enum acp_method id;
    const char *alias;
    void (*fn)(struct agent *, const cJSON *);
} notifications[] = {
#define X(id, alias, fn) {ACP_##id, alias, fn},
    METHOD_NOTIFICATIONS(X)
#undef X
};

static bool is_called(const char *method, const char *name, const char *alias)
{
    return strcmp(method, name) == 0 || (alias && strcmp(method, alias) == 0);
}

static const char *name_of_request(size_t i)
{
    return requests[i].name ? requests[i].name : acp_methods[requests[i].id].name;
}

int method_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct agent *a = ctx;
    if (!a->initialized && strcmp(method, acp_methods[ACP_INITIALIZE].name) != 0) {
        rpc_fail_kv(req, RPC_INVALID_REQUEST,
                    "The connection is not initialized: call initialize "
                    "first.",
                    "method", method);
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        if (is_called(method, name_of_request(i), requests[i].alias)) {
            requests[i].fn(a, req, params);
            return 0;
        }
    }
    return E_NOTFOUND;
}

void method_notify(void *ctx, const char *method, const cJSON *params)
{
    struct agent *a = ctx;
    if (!a->initialized)
        return;
    for (size_t i = 0; i < ARRAY_LEN(notifications); i++)
        if (is_called(method, acp_methods[notifications[i].id].name, notifications[i].alias))
            notifications[i].fn(a, params);
}

void method_fail_params(struct rpc_request *req, const struct json_error *err)
{
    rpc_fail_kv(req, RPC_INVALID_PARAMS, err->text, "path", err->path);
}

struct initialize {
    uint32_t version;
    const cJSON *capabilities, *info;
};

static void write_session_capabilities(struct jsonw *w, bool lasting)
{
    static const char *const names[] = {
        "close", "additionalDirectories", "list", "resume", "delete", "fork"};
    jw_kbool(w, "loadSession", lasting);
    jw_kopen(w, "sessionCapabilities", '{');
    for (size_t i = 0; i < (lasting ? ARRAY_LEN(names) : 2); i++) {
        jw_kopen(w, names[i], '{');
        jw_close(w);
    }
    jw_close(w);
}

static void write_extension(struct jsonw *w, const char *name, const char *method)
{
    jw_kopen(w, name, '{');
    jw_kstr(w, "method", method);
    jw_close(w);
}

static void write_extensions(struct jsonw *w)
{
    jw_kopen(w, "_meta", '{');
    jw_kopen(w, "reasonix.io", '{');
    write_extension(w, "sessionSteer", METHOD_STEER);
    write_extension(w, "sessionReloadExtensions", METHOD_RELOAD);
    jw_kopen(w, "extensionSurface", '{');
    jw_kstr(w, "notification", LIVE_NOTIFY);
    jw_close(w);
    jw_close(w);
    jw_close(w);
}

static void write_capabilities(struct jsonw *w, bool lasting, unsigned input)
{
    jw_kopen(w, "agentCapabilities", '{');
    write_session_capabilities(w, lasting);
    jw_kopen(w, "promptCapabilities", '{');
    jw_kbool(w, "image", input & MEDIA_IMAGE);
    jw_kbool(w, "audio", input & MEDIA_AUDIO);
    jw_kbool(w, "embeddedContext", true);
    jw_close(w);
    jw_kopen(w, "mcpCapabilities", '{');
    jw_kbool(w, "http", true);
    jw_kbool(w, "sse", true);
    jw_close(w);
    jw_kopen(w, "auth", '{');
    jw_kopen(w, "logout", '{');
    jw_close(w);
    jw_close(w);
    write_extensions(w);
    jw_close(w);
}

static void write_info(struct jsonw *w)
{
    jw_kopen(w, "agentInfo", '{');
    jw_kstr(w, "name", "acp-agent");
    jw_kstr(w, "title", "ACP reference agent");
    jw_kstr(w, "version", ACP_VERSION);
    jw_close(w);
}

static void take_session_services(struct env *env, const cJSON *session)
{
    env->notices = cJSON_IsObject(json_get(session, "notices"));
    env->compactions = cJSON_IsObject(json_get(session, "compaction"));
    env->booleans = cJSON_IsObject(json_get(json_get(session, "configOptions"), "boolean"));
}

/* What the client does for us, if asked. */
static void take_services(struct env *env, const cJSON *capabilities)
{
    const cJSON *fs = json_get(capabilities, "fs");
    env->reads_files = json_get_bool(fs, "readTextFile");
    env->writes_files = json_get_bool(fs, "writeTextFile");
    env->runs_terminals = json_get_bool(capabilities, "terminal");
    env->forms = cJSON_IsObject(json_get(json_get(capabilities, "elicitation"), "form"));
}

static bool knows_surfaces(const cJSON *of)
{
    const cJSON *said =
        json_get(json_get(json_get(of, "_meta"), "reasonix.io"), "extensionSurface");
    return cJSON_IsObject(said) || cJSON_IsTrue(said);
}

void method_initialize(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"protocolVersion", JSON_U32, JSON_REQUIRED, offsetof(struct initialize, version)},
        {"clientCapabilities", JSON_OBJ, JSON_LENIENT, offsetof(struct initialize, capabilities)},
        {"clientInfo", JSON_OBJ, JSON_LENIENT, offsetof(struct initialize, info)},
    };
    struct initialize p = {0};
    struct json_error err;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &p, &err) < 0) {
        method_fail_params(req, &err);
        return;
    }
    if (p.version > UINT16_MAX) {
        rpc_fail_kv(req, RPC_INVALID_PARAMS, "params.protocolVersion: larger than 65535", "path",
                    "params.protocolVersion");
        return;
    }
    const char *client = json_get_str(p.info, "name");
    log_info("client %s asks for version %u", client ? client : "without a name", p.version);
    a->initialized = true;
    take_session_services(&a->env, json_get(p.capabilities, "session"));
    take_services(&a->env, p.capabilities);
    a->env.surfaces = knows_surfaces(params) || knows_surfaces(p.capabilities);
    a->login_terminal = json_get_bool(json_get(p.capabilities, "auth"), "terminal");
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    jw_kint(w, "protocolVersion", PROTOCOL_VERSION);
    write_capabilities(w, a->env.store != NULL, agent_default_input(a));
    write_info(w);
    method_write_logins(w, a->login_terminal);
    jw_close(w);
    rpc_reply_end(req);
}
