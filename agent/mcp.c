#include "agent/mcp.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

struct server {
    const char *type, *name, *command;
    const cJSON *args, *env;
};

struct pair {
    const char *name, *value;
};

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

static int check_args(const cJSON *args, const char *where, struct json_error *err)
{
    char at[128];
    size_t i = 0;
    const cJSON *arg;
    cJSON_ArrayForEach(arg, args)
    {
        snprintf(at, sizeof at, "%s.args[%zu]", where, i++);
        if (!cJSON_IsString(arg))
            return complain(err, at, "expected string");
    }
    return 0;
}

/* {"NAME": "value"} */
static int check_env_map(const cJSON *env, const char *where, struct json_error *err)
{
    char at[128];
    const cJSON *value;
    cJSON_ArrayForEach(value, env)
    {
        snprintf(at, sizeof at, "%s.env.%.40s", where, value->string);
        if (!cJSON_IsString(value))
            return complain(err, at, "expected string");
    }
    return 0;
}

/* [{"name": ..., "value": ...}] */
static int check_env_list(const cJSON *env, const char *where, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct pair, name)},
        {"value", JSON_STR, JSON_REQUIRED, offsetof(struct pair, value)},
    };
    char at[128];
    size_t i = 0;
    const cJSON *item;
    struct pair p;
    cJSON_ArrayForEach(item, env)
    {
        snprintf(at, sizeof at, "%s.env[%zu]", where, i++);
        if (json_read(item, at, fields, ARRAY_LEN(fields), &p, err) < 0)
            return E_INVALID;
    }
    return 0;
}

static int check_env(const cJSON *env, const char *where, struct json_error *err)
{
    char at[128];
    if (!env || cJSON_IsNull(env))
        return 0;
    if (cJSON_IsObject(env))
        return check_env_map(env, where, err);
    if (cJSON_IsArray(env))
        return check_env_list(env, where, err);
    snprintf(at, sizeof at, "%s.env", where);
    return complain(err, at, "expected array");
}

static int check_server(const cJSON *item, const char *where, struct json_error *err)
{
    static const struct json_field common[] = {
        {"type", JSON_STR, JSON_NULLABLE, offsetof(struct server, type)},
    };
    static const struct json_field stdio[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct server, name)},
        {"command", JSON_STR, JSON_REQUIRED, offsetof(struct server, command)},
        {"args", JSON_ARR, JSON_NULLABLE, offsetof(struct server, args)},
        {"env", JSON_ANY, JSON_OPTIONAL, offsetof(struct server, env)},
    };
    char at[128];
    struct server s = {0};
    if (json_read(item, where, common, ARRAY_LEN(common), &s, err) < 0)
        return E_INVALID;
    if (s.type && strcmp(s.type, "stdio") != 0) {
        snprintf(at, sizeof at, "%s.type", where);
        return complain(err, at, "this agent connects to stdio servers only (see mcpCapabilities)");
    }
    if (json_read(item, where, stdio, ARRAY_LEN(stdio), &s, err) < 0)
        return E_INVALID;
    int rc = check_args(s.args, where, err);
    return rc == 0 ? check_env(s.env, where, err) : rc;
}

int mcp_check(const cJSON *list, struct json_error *err)
{
    char at[64];
    size_t i = 0;
    int rc = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        snprintf(at, sizeof at, "params.mcpServers[%zu]", i++);
        if (rc == 0)
            rc = check_server(item, at, err);
    }
    return rc;
}
