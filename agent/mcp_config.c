#include "agent/mcp_config.h"

#include "agent/roots.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct server {
    const char *type, *name, *command, *url;
    const cJSON *args, *env, *headers;
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
static int check_map(const cJSON *map, const char *where, struct json_error *err)
{
    char at[160];
    const cJSON *value;
    cJSON_ArrayForEach(value, map)
    {
        snprintf(at, sizeof at, "%s.%.40s", where, value->string);
        if (!cJSON_IsString(value))
            return complain(err, at, "expected string");
    }
    return 0;
}

static const struct json_field pair_fields[] = {
    {"name", JSON_STR, JSON_REQUIRED, offsetof(struct pair, name)},
    {"value", JSON_STR, JSON_REQUIRED, offsetof(struct pair, value)},
};

/* [{"name": ..., "value": ...}] */
static int check_list(const cJSON *list, const char *where, struct json_error *err)
{
    char at[160];
    size_t i = 0;
    const cJSON *item;
    struct pair p;
    cJSON_ArrayForEach(item, list)
    {
        snprintf(at, sizeof at, "%s[%zu]", where, i++);
        if (json_read(item, at, pair_fields, ARRAY_LEN(pair_fields), &p, err) < 0)
            return E_INVALID;
    }
    return 0;
}

static int check_pairs(const cJSON *pairs, const char *where, struct json_error *err)
{
    if (!pairs || cJSON_IsNull(pairs))
        return 0;
    if (cJSON_IsObject(pairs))
        return check_map(pairs, where, err);
    if (cJSON_IsArray(pairs))
        return check_list(pairs, where, err);
    return complain(err, where, "expected array");
}

static int check_stdio(const cJSON *item, const char *where, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct server, name)},
        {"command", JSON_STR, JSON_REQUIRED, offsetof(struct server, command)},
        {"args", JSON_ARR, JSON_NULLABLE, offsetof(struct server, args)},
        {"env", JSON_ANY, JSON_OPTIONAL, offsetof(struct server, env)},
    };
    char at[128];
    struct server s = {0};
    if (json_read(item, where, fields, ARRAY_LEN(fields), &s, err) < 0)
        return E_INVALID;
    snprintf(at, sizeof at, "%s.env", where);
    int rc = check_args(s.args, where, err);
    return rc == 0 ? check_pairs(s.env, at, err) : rc;
}

static bool is_web(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

/* What would break a header into two. */
static bool has_line_end(const char *text)
{
    return strpbrk(text, "\r\n") != NULL;
}

static int check_headers(const cJSON *headers, const char *where, struct json_error *err)
{
    const cJSON *h;
    if (check_pairs(headers, where, err) < 0)
        return E_INVALID;
    cJSON_ArrayForEach(h, headers)
    {
        const char *name = cJSON_IsString(h) ? h->string : json_get_str(h, "name");
        const char *value = cJSON_IsString(h) ? h->valuestring : json_get_str(h, "value");
        if (!name || !*name || strchr(name, ':') || has_line_end(name) || has_line_end(value))
            return complain(err, where, "a header has no usable name, or more than one line");
    }
    return 0;
}

static int check_web(const cJSON *item, const char *where, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct server, name)},
        {"url", JSON_STR, JSON_REQUIRED, offsetof(struct server, url)},
        {"headers", JSON_ANY, JSON_OPTIONAL, offsetof(struct server, headers)},
    };
    char at[128];
    struct server s = {0};
    if (json_read(item, where, fields, ARRAY_LEN(fields), &s, err) < 0)
        return E_INVALID;
    snprintf(at, sizeof at, "%s.url", where);
    if (!is_web(s.url))
        return complain(err, at, "must begin with http:// or https://");
    snprintf(at, sizeof at, "%s.headers", where);
    return check_headers(s.headers, at, err);
}

static int check_server(const cJSON *item, const char *where, struct json_error *err)
{
    static const struct json_field common[] = {
        {"type", JSON_STR, JSON_NULLABLE, offsetof(struct server, type)},
    };
    char at[128];
    struct server s = {0};
    if (json_read(item, where, common, ARRAY_LEN(common), &s, err) < 0)
        return E_INVALID;
    if (!s.type || strcmp(s.type, "stdio") == 0)
        return check_stdio(item, where, err);
    if (strcmp(s.type, "http") == 0 || strcmp(s.type, "sse") == 0)
        return check_web(item, where, err);
    snprintf(at, sizeof at, "%s.type", where);
    return complain(err, at, "this agent connects to stdio, http and sse servers");
}

int mcp_config_check(const cJSON *list, struct json_error *err)
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

/* ---- reading -------------------------------------------------------------------------------- */

static char *join(const char *name, const char *between, const char *value)
{
    struct buf text = {0};
    char *joined = buf_addf(&text, "%s%s%s", name, between, value) == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    return joined;
}

static int read_pairs(const cJSON *pairs, const char *between, char ***ret)
{
    const cJSON *item;
    size_t n = 0;
    if (!pairs || !pairs->child)
        return 0;
    char **list = calloc((size_t)cJSON_GetArraySize(pairs) + 1, sizeof *list);
    *ret = list;
    if (!list)
        return E_NOMEM;
    cJSON_ArrayForEach(item, pairs)
    {
        bool map = cJSON_IsString(item);
        list[n] = join(map ? item->string : json_get_str(item, "name"), between,
                       map ? item->valuestring : json_get_str(item, "value"));
        if (!list[n++])
            return E_NOMEM;
    }
    return 0;
}

static int read_argv(const cJSON *entry, char ***ret)
{
    const cJSON *arg, *args = json_get(entry, "args");
    size_t n = 1;
    char **argv = calloc((size_t)cJSON_GetArraySize(args) + 2, sizeof *argv);
    *ret = argv;
    if (!argv)
        return E_NOMEM;
    argv[0] = strdup(json_get_str(entry, "command"));
    if (!argv[0])
        return E_NOMEM;
    cJSON_ArrayForEach(arg, args)
    {
        argv[n] = strdup(arg->valuestring);
        if (!argv[n++])
            return E_NOMEM;
    }
    return 0;
}

int mcp_config_read(const cJSON *entry, struct mcp_config *ret)
{
    const char *type = json_get_str(entry, "type");
    *ret = (struct mcp_config){.transport = MCP_STDIO};
    ret->name = strdup(json_get_str(entry, "name"));
    if (!ret->name)
        return E_NOMEM;
    if (!type || strcmp(type, "stdio") == 0) {
        int rc = read_argv(entry, &ret->argv);
        return rc == 0 ? read_pairs(json_get(entry, "env"), "=", &ret->env) : rc;
    }
    ret->transport = strcmp(type, "http") == 0 ? MCP_HTTP : MCP_SSE;
    ret->url = strdup(json_get_str(entry, "url"));
    if (!ret->url)
        return E_NOMEM;
    return read_pairs(json_get(entry, "headers"), ": ", &ret->headers);
}

void mcp_config_deinit(struct mcp_config *c)
{
    free(c->name);
    roots_free(c->argv);
    roots_free(c->env);
    free(c->url);
    roots_free(c->headers);
    *c = (struct mcp_config){.transport = MCP_STDIO};
}
