#include "agent/method.h"

#include "acp/methods.h"
#include "agent/option.h"
#include "agent/record.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* NULL: the request is answered. */
static struct session *find(struct agent *a, struct rpc_request *req, const char *id)
{
    struct session *s = agent_find_session(a, id);
    if (!s)
        method_fail_unknown(req, id);
    return s;
}

static void fail_value(struct rpc_request *req, const char *path, const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s", path, what);
    rpc_fail_kv(req, RPC_INVALID_PARAMS, text, "path", path);
}

static void fail_set(struct session *s, struct rpc_request *req, int rc)
{
    if (rc == E_NOTFOUND && s->env->store) /* another process has deleted it */
        method_fail_unknown(req, s->id);
    else
        rpc_fail(req, RPC_INTERNAL_ERROR, record_error(s->env, rc), NULL);
}

/* --- modes --- */

struct mode_params {
    const char *id, *mode;
};

/* Names of other agents, and of times when one selector stood for everything. */
static const struct {
    const char *name, *mode, *approval;
} legacy[] = {
    {"default", "normal", "ask"},
    {"auto", "normal", "yolo"},
    {"build", "normal", NULL},
};

/* 0, or as option_set. */
static int set_mode(struct session *s, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(legacy); i++) {
        if (strcmp(legacy[i].name, name) != 0)
            continue;
        const char *approval = legacy[i].approval;
        int rc = approval ? option_set(s, "tool_approval", approval) : 0;
        return rc == 0 ? option_set(s, "mode", legacy[i].mode) : rc;
    }
    return option_set(s, "mode", name);
}

/* The options mirror the mode. A client that used an old name learns the real one. */
static void tell_mode(struct session *s, const char *name)
{
    if (strcmp(mode_choice(s->settings.mode)->value, name) != 0)
        option_tell_mode(s);
    option_tell_list(s);
}

void method_session_set_mode(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"sessionId", JSON_STR, JSON_REQUIRED, offsetof(struct mode_params, id)},
        {"modeId", JSON_STR, JSON_REQUIRED, offsetof(struct mode_params, mode)},
    };
    struct mode_params p = {NULL, NULL};
    struct json_error err;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &p, &err) < 0) {
        method_fail_params(req, &err);
        return;
    }
    struct session *s = find(a, req, p.id);
    int rc = s ? set_mode(s, p.mode) : 0;
    if (!s)
        return;
    if (rc == E_INVALID) {
        fail_value(req, "params.modeId", "no such mode is in availableModes");
    } else if (rc < 0) {
        fail_set(s, req, rc);
    } else {
        tell_mode(s, p.mode);
        rpc_reply_empty(req);
    }
}

/* --- the older way to choose a model --- */

struct model_params {
    const char *id, *model;
};

void method_session_set_model(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"sessionId", JSON_STR, JSON_REQUIRED, offsetof(struct model_params, id)},
        {"modelId", JSON_STR, JSON_REQUIRED, offsetof(struct model_params, model)},
    };
    struct model_params p = {NULL, NULL};
    struct json_error err;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &p, &err) < 0) {
        method_fail_params(req, &err);
        return;
    }
    struct session *s = find(a, req, p.id);
    int rc = s ? option_set(s, "model", p.model) : 0;
    if (!s)
        return;
    if (rc == E_INVALID) {
        fail_value(req, "params.modelId", "must be one of the values of the option model");
    } else if (rc < 0) {
        fail_set(s, req, rc);
    } else {
        option_tell_list(s);
        rpc_reply_empty(req);
    }
}

/* --- options --- */

struct option_params {
    const char *id, *option, *type;
    const cJSON *value;
};

static int set_option(struct session *s, const struct option_params *p)
{
    const char *value = cJSON_IsString(p->value) ? p->value->valuestring : NULL;
    /* Of types without meaning to us the schema says that a text is the value's id. */
    bool boolean = p->type && strcmp(p->type, acp_config_type_name(ACP_CONFIG_BOOLEAN)) == 0;
    if (boolean != option_is_boolean(p->option))
        value = NULL;
    else if (boolean)
        value = cJSON_IsTrue(p->value) ? "true" : cJSON_IsFalse(p->value) ? "false" : NULL;
    return option_set(s, p->option, value ? value : "");
}

static void answer_list(struct session *s, struct rpc_request *req, bool mode_changed)
{
    if (mode_changed)
        option_tell_mode(s);
    struct jsonw *w = rpc_reply_begin(req);
    jw_open(w, '{');
    option_write_list(w, s);
    jw_close(w);
    rpc_reply_end(req);
}

void method_session_set_option(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"sessionId", JSON_STR, JSON_REQUIRED, offsetof(struct option_params, id)},
        {"configId", JSON_STR, JSON_REQUIRED, offsetof(struct option_params, option)},
        {"type", JSON_STR, JSON_NULLABLE, offsetof(struct option_params, type)},
        {"value", JSON_ANY, JSON_REQUIRED, offsetof(struct option_params, value)},
    };
    struct option_params p = {NULL, NULL, NULL, NULL};
    struct json_error err;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &p, &err) < 0) {
        method_fail_params(req, &err);
        return;
    }
    struct session *s = find(a, req, p.id);
    if (!s)
        return;
    if (!option_exists(s, p.option)) {
        fail_value(req, "params.configId", "no such option is in configOptions");
        return;
    }
    enum mode before = s->settings.mode;
    int rc = set_option(s, &p);
    if (rc == E_INVALID)
        fail_value(req, "params.value", "must be one of the option's values");
    else if (rc < 0)
        fail_set(s, req, rc);
    else
        answer_list(s, req, s->settings.mode != before);
}
