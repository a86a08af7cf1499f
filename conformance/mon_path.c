#include "conformance/monitors.h"

#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Paths of the protocol are absolute. Those in titles, texts and raw input are not the protocol's.
 */
enum path_form { PATH_ABSOLUTE, PATH_RELATIVE, PATH_URI };

static enum path_form form_of(const char *p)
{
    size_t scheme = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    if (p[0] == '/' ||
        (isalpha((unsigned char)p[0]) && p[1] == ':' && (p[2] == '\\' || p[2] == '/')) ||
        strncmp(p, "\\\\", 2) == 0)
        return PATH_ABSOLUTE;
    return scheme > 1 && p[scheme] == ':' ? PATH_URI : PATH_RELATIVE;
}

/* A URI, or the name of a virtual file, is let off with a warning. */
static void judge(struct watch *w, const struct wire_msg *m, const char *id, const cJSON *path,
                  const char *pointer)
{
    const char *text = cJSON_GetStringValue(path);
    enum path_form form = text ? form_of(text) : PATH_ABSOLUTE;
    if (form == PATH_ABSOLUTE)
        return;
    struct blame b = blame_of(m, id);
    b.pointer = pointer;
    b.at_most = form == PATH_URI ? VERDICT_WARN : VERDICT_FAIL;
    watch_blame(w, &b, "the path \"%.100s\" is not absolute", text);
}

/* Diffs and locations of a tool call. */
static void judge_tool(struct watch *w, const struct wire_msg *m, const cJSON *call,
                       const char *where)
{
    const cJSON *v;
    char pointer[96];
    int i = 0;
    cJSON_ArrayForEach(v, json_get(call, "locations"))
    {
        snprintf(pointer, sizeof pointer, "%s/locations/%d/path", where, i++);
        judge(w, m, "TOOL-14", json_get(v, "path"), pointer);
    }
    i = 0;
    cJSON_ArrayForEach(v, json_get(call, "content"))
    {
        const char *type = json_get_str(v, "type");
        snprintf(pointer, sizeof pointer, "%s/content/%d/path", where, i++);
        if (type && strcmp(type, "diff") == 0)
            judge(w, m, "TOOL-14", json_get(v, "path"), pointer);
    }
}

static bool is_live(const struct wire_msg *m)
{
    return !m->session || m->session->loads_open == 0;
}

static void judge_request(struct watch *w, const struct wire_msg *m)
{
    if (strcmp(m->method, "fs/read_text_file") == 0 || strcmp(m->method, "fs/write_text_file") == 0)
        judge(w, m, "FS-06", json_get(m->params, "path"), "/params/path");
    else if (strcmp(m->method, "terminal/create") == 0)
        judge(w, m, "TERM-10", json_get(m->params, "cwd"), "/params/cwd");
    else if (strcmp(m->method, "session/request_permission") == 0)
        judge_tool(w, m, json_get(m->params, "toolCall"), "/params/toolCall");
}

static void judge_list(struct watch *w, const struct wire_msg *m)
{
    const cJSON *s;
    char pointer[64];
    int i = 0;
    cJSON_ArrayForEach(s, json_get(m->result, "sessions"))
    {
        snprintf(pointer, sizeof pointer, "/result/sessions/%d/cwd", i++);
        judge(w, m, "LIST-07", json_get(s, "cwd"), pointer);
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->e->side != TRACE_AGENT)
        return;
    if (m->kind == WIRE_REQUEST)
        judge_request(w, m);
    else if (m->update_kind && is_live(m) && strncmp(m->update_kind, "tool_call", 9) == 0)
        judge_tool(w, m, m->update, "/params/update");
    else if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "session/list") == 0)
        judge_list(w, m);
}

static const char *const ids[] = {"TOOL-14", "FS-06", "TERM-10", "LIST-07", NULL};

const struct monitor monitor_path = {
    .ids = ids,
    .title = "paths are absolute",
    .feed = feed,
};
