#include "script_check.h"

#include "base/err.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The shape of the script's MCP servers; mcp.c plays them. */

static bool is_name(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
            return false;
    return *text != '\0';
}

static int check_type(const struct script_place *p, const cJSON *server, const char *name,
                      bool (*is)(const cJSON *))
{
    const cJSON *member = json_get(server, name);
    return !member || is(member) ? 0 : script_fail(p, "%s has another type", name);
}

static bool is_array(const cJSON *v)
{
    return cJSON_IsArray(v);
}

static bool is_object(const cJSON *v)
{
    return cJSON_IsObject(v);
}

static bool is_string(const cJSON *v)
{
    return cJSON_IsString(v);
}

static bool is_bool(const cJSON *v)
{
    return cJSON_IsBool(v);
}

static int check_server(const struct script_place *p, const cJSON *server)
{
    static const struct {
        const char *name;
        bool (*is)(const cJSON *);
    } members[] = {{"version", is_string}, {"tools", is_array},   {"results", is_object},
                   {"stream", is_bool},    {"session", is_bool},  {"listen", is_bool},
                   {"asks", is_array},     {"errors", is_object}, {"http", is_object},
                   {"silent", is_array},   {"hang_up", is_array}, {"needs", is_object}};
    static const char *const names[] = {"version", "tools", "results", "stream",  "session",
                                        "listen",  "asks",  "errors",  "http",    "silent",
                                        "hang_up", "needs", "page",    "forgets", NULL};
    uint32_t number = 0;
    int rc = script_members(p, server, names);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(members); i++)
        rc = check_type(p, server, members[i].name, members[i].is);
    if (rc == 0)
        rc = script_number(p, server, "page", &number);
    return rc < 0 ? rc : script_number(p, server, "forgets", &number);
}

int script_check_servers(const struct script_place *p, const cJSON *servers)
{
    const cJSON *server;
    int rc = 0;
    if (servers && !cJSON_IsObject(servers))
        return script_fail(p, "servers: expected object");
    cJSON_ArrayForEach(server, servers)
    {
        struct script_place at = *p;
        snprintf(at.at, sizeof at.at, "servers.%.60s", server->string);
        if (rc == 0 && (!is_name(server->string) || !cJSON_IsObject(server)))
            rc = script_fail(&at, "expected an object under a name of letters, digits, - and _");
        if (rc == 0)
            rc = check_server(&at, server);
    }
    return rc;
}
