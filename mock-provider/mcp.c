#include "internal.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * MCP servers over Streamable HTTP at /mcp/NAME, as the script's `servers` says: good ones, and
 * ones that do what servers in the field do wrong. One event tells each request that reaches them.
 */

#define PREFIX  "/mcp/"
#define VERSION "2025-11-25"

struct mcp_server {
    const cJSON *script;
    unsigned sessions; /* so far */
    char session[80];  /* the one that counts; "": none */
    bool hung_up;
    unsigned taken; /* requests of it */
};

int mcp_init(struct provider *p)
{
    const cJSON *server, *servers = p->script->servers;
    size_t n = servers ? (size_t)cJSON_GetArraySize(servers) : 0;
    p->servers = calloc(n + 1, sizeof *p->servers);
    if (!p->servers)
        return E_NOMEM;
    cJSON_ArrayForEach(server, servers)
    {
        p->servers[p->server_n++].script = server;
    }
    return 0;
}

void mcp_deinit(struct provider *p)
{
    free(p->servers);
}

bool mcp_owns(const char *path)
{
    return strncmp(path, PREFIX, strlen(PREFIX)) == 0;
}

static struct mcp_server *find(struct provider *p, const char *path)
{
    const char *name = path + strlen(PREFIX);
    size_t n = strcspn(name, "?/");
    for (size_t i = 0; i < p->server_n; i++) {
        const char *own = p->servers[i].script->string;
        if (strlen(own) == n && strncmp(own, name, n) == 0)
            return &p->servers[i];
    }
    return NULL;
}

/* ---- what is told of it --------------------------------------------------------------------- */

static void tell(struct provider *p, const struct mcp_server *v, const struct httpd_req *req,
                 const cJSON *message)
{
    cJSON *json = cJSON_CreateObject(), *copy = cJSON_Duplicate(message, true);
    bool good = json && cJSON_AddStringToObject(json, "server", v->script->string) &&
                cJSON_AddStringToObject(json, "http", httpd_method(req)) &&
                request_add_headers(json, req) == 0;
    if (good && copy)
        cJSON_AddItemToObject(json, "message", copy);
    else
        cJSON_Delete(copy);
    char text[160];
    const char *method = json_get_str(message, "method");
    snprintf(text, sizeof text, "%.60s %s %.60s", v->script->string, httpd_method(req),
             method    ? method
             : message ? "(an answer)"
                       : "");
    const struct provider_event event = {.kind = PROVIDER_SERVER, .request = json, .text = text};
    if (good)
        provider_emit(p, &event);
    cJSON_Delete(json);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void answer_status(struct httpd_req *req, int status)
{
    httpd_answer(req, &(struct httpd_reply){.status = status});
}

/* As JSON, or as a stream of one event. */
static void answer_json(const struct mcp_server *v, struct httpd_req *req, const struct buf *body)
{
    const struct httpd_header session = {"Mcp-Session-Id", v->session};
    struct httpd_reply reply = {.status = 200,
                                .content_type = "application/json",
                                .headers = &session,
                                .header_n = *v->session ? 1 : 0,
                                .body = body->p,
                                .body_n = body->n};
    if (!json_get_bool(v->script, "stream")) {
        httpd_answer(req, &reply);
        return;
    }
    reply.content_type = "text/event-stream";
    httpd_begin(req, &reply);
    httpd_write(req, "id: 1\nevent: message\ndata: ", 27);
    httpd_write(req, body->p, body->n);
    httpd_write(req, "\n\n", 2);
    httpd_end(req);
}

static void write_tools(struct jsonw *w, const struct mcp_server *v, const cJSON *params)
{
    static const char echo[] = "{\"name\":\"echo\",\"description\":\"Says its arguments.\","
                               "\"inputSchema\":{\"type\":\"object\"}}";
    const cJSON *tools = json_get(v->script, "tools");
    const char *cursor = json_get_str(params, "cursor");
    int from = cursor ? (int)strtol(cursor, NULL, 10) : 0, n = cJSON_GetArraySize(tools);
    int page = (int)json_get_int(v->script, "page", n), end = from + page;
    char next[16];
    jw_kopen(w, "tools", '[');
    for (int i = from; i < end && i < n; i++)
        jw_tree(w, cJSON_GetArrayItem(tools, i));
    if (!tools)
        jw_raw(w, echo, sizeof echo - 1);
    jw_close(w);
    snprintf(next, sizeof next, "%d", end);
    if (end < n)
        jw_kstr(w, "nextCursor", next);
}

static void write_call(struct jsonw *w, const cJSON *params)
{
    char *said = cJSON_PrintUnformatted(json_get(params, "arguments"));
    jw_kopen(w, "content", '[');
    jw_open(w, '{');
    jw_kstr(w, "type", "text");
    jw_kstr(w, "text", said ? said : "");
    jw_close(w);
    jw_close(w);
    cJSON_free(said);
}

static void write_hello(struct jsonw *w, const struct mcp_server *v)
{
    const char *version = json_get_str(v->script, "version");
    jw_kstr(w, "protocolVersion", version ? version : VERSION);
    jw_kopen(w, "capabilities", '{');
    jw_kopen(w, "tools", '{');
    jw_close(w);
    jw_close(w);
    jw_kopen(w, "serverInfo", '{');
    jw_kstr(w, "name", v->script->string);
    jw_kstr(w, "version", "1");
    jw_close(w);
}

static void write_result(struct jsonw *w, const struct mcp_server *v, const char *method,
                         const cJSON *params)
{
    const char *tool = json_get_str(params, "name");
    const cJSON *own = tool ? json_get(json_get(v->script, "results"), tool) : NULL;
    if (strcmp(method, "tools/call") == 0 && own) {
        jw_ktree(w, "result", own);
        return;
    }
    jw_kopen(w, "result", '{');
    if (strcmp(method, "initialize") == 0)
        write_hello(w, v);
    else if (strcmp(method, "tools/list") == 0)
        write_tools(w, v, params);
    else if (strcmp(method, "tools/call") == 0)
        write_call(w, params);
    jw_close(w);
}

static bool knows(const char *method)
{
    return strcmp(method, "initialize") == 0 || strncmp(method, "tools/", 6) == 0 ||
           strcmp(method, "ping") == 0;
}

static void answer(const struct mcp_server *v, struct httpd_req *req, const cJSON *message)
{
    const char *method = json_get_str(message, "method");
    const cJSON *error = json_get(json_get(v->script, "errors"), method);
    struct buf body = {0};
    struct jsonw w;
    jw_begin(&w, &body);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    jw_ktree(&w, "id", json_get(message, "id"));
    if (error) {
        jw_ktree(&w, "error", error);
    } else if (knows(method)) {
        write_result(&w, v, method, json_get(message, "params"));
    } else {
        jw_kopen(&w, "error", '{');
        jw_kint(&w, "code", -32601);
        jw_kstr(&w, "message", "Method not found");
        jw_close(&w);
    }
    jw_close(&w);
    if (jw_end(&w) == 0)
        answer_json(v, req, &body);
    else
        httpd_cut(req, true);
    buf_deinit(&body);
}

/* ---- requests ------------------------------------------------------------------------------- */

static bool names(const cJSON *list, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* The status that a request is answered with before anybody reads it; 0: none. */
static int refusal(const struct mcp_server *v, const struct httpd_req *req, const char *method)
{
    const cJSON *need;
    const char *session = httpd_header(req, "Mcp-Session-Id");
    int64_t own = json_get_int(json_get(v->script, "http"), method, 0);
    cJSON_ArrayForEach(need, json_get(v->script, "needs"))
    {
        const char *value = httpd_header(req, need->string);
        if (!value || !cJSON_IsString(need) || strcmp(value, need->valuestring) != 0)
            return 401;
    }
    if (own > 0)
        return (int)own;
    if (strcmp(method, "initialize") != 0 && *v->session &&
        (!session || strcmp(session, v->session) != 0))
        return session ? 404 : 400;
    return 0;
}

static void begin_session(struct mcp_server *v)
{
    const cJSON *wanted = json_get(v->script, "session");
    v->taken = 0;
    v->session[0] = '\0';
    if (!wanted || cJSON_IsTrue(wanted))
        snprintf(v->session, sizeof v->session, "%.40s-%u", v->script->string, ++v->sessions);
}

/* After so many requests of the first session the server has lost it. */
static bool forgets(struct mcp_server *v)
{
    int64_t after = json_get_int(v->script, "forgets", -1);
    if (after < 0 || v->sessions != 1 || ++v->taken <= (unsigned)after)
        return false;
    snprintf(v->session, sizeof v->session, "lost");
    return true;
}

static void take_message(struct mcp_server *v, struct httpd_req *req, const cJSON *message)
{
    const char *method = json_get_str(message, "method");
    int status = refusal(v, req, method ? method : "");
    if (status == 0 && method && json_get(message, "id") && strcmp(method, "initialize") != 0 &&
        forgets(v))
        status = 404;
    if (status > 0) {
        answer_status(req, status);
        return;
    }
    if (!method || !json_get(message, "id")) {
        answer_status(req, 202);
        return;
    }
    if (strcmp(method, "initialize") == 0)
        begin_session(v);
    if (names(json_get(v->script, "hang_up"), method))
        httpd_cut(req, true);
    else if (!names(json_get(v->script, "silent"), method))
        answer(v, req, message);
}

/* The stream of what the server asks by itself; it stays open. */
static void listen_to(const struct mcp_server *v, struct httpd_req *req)
{
    const cJSON *ask;
    if (!json_get_bool(v->script, "listen")) {
        answer_status(req, 405);
        return;
    }
    httpd_begin(req, &(struct httpd_reply){.status = 200, .content_type = "text/event-stream"});
    cJSON_ArrayForEach(ask, json_get(v->script, "asks"))
    {
        char *text = cJSON_PrintUnformatted(ask);
        if (!text)
            continue;
        httpd_write(req, "data: ", 6);
        httpd_write(req, text, strlen(text));
        httpd_write(req, "\n\n", 2);
        cJSON_free(text);
    }
}

void mcp_request(struct provider *p, struct httpd_req *req)
{
    struct mcp_server *v = find(p, httpd_path(req));
    size_t n;
    const char *body = httpd_body(req, &n);
    cJSON *message = NULL;
    if (!v) {
        answer_status(req, 404);
        return;
    }
    if (n > 0 && json_parse(body, n, &message, NULL) < 0) {
        answer_status(req, 400);
        return;
    }
    tell(p, v, req, message);
    if (strcmp(httpd_method(req), "GET") == 0)
        listen_to(v, req);
    else if (strcmp(httpd_method(req), "POST") == 0)
        take_message(v, req, message);
    else
        answer_status(req, strcmp(httpd_method(req), "DELETE") == 0 ? 200 : 405);
    cJSON_Delete(message);
}
