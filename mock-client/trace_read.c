#include "mock-client/base64.h"
#include "mock-client/trace.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_MS = 1000000 };

static int complain(struct trace_fault *fault, const char *what)
{
    snprintf(fault->text, sizeof fault->text, "%s", what);
    return E_PARSE;
}

static int find_side(const char *name)
{
    for (int side = TRACE_AGENT; name && side <= TRACE_NOTE; side++)
        if (strcmp(trace_side_name((enum trace_side)side), name) == 0)
            return side;
    return -1;
}

/* Kinds are static texts everywhere; these are all there are. */
static const char *find_kind(const char *name)
{
    static const char *const kinds[] = {
        "line",  "blank",   "too-long", "rest",   "raw",      "request", "part",
        "hold",  "release", "done",     "gone",   "miss",     "side",    "undeclared",
        "bytes", "start",   "eof-sent", "signal", "mismatch", "exit",    "stdout-eof",
        "flood", "group",   "step",     "check",  "mutant",   "refused", "error",
    };
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], name) == 0)
            return kinds[i];
    return NULL;
}

/* Byte for byte as it crossed the wire: trace_write_event puts it last, and nothing before it can
 * hold a quote that is not escaped. What others wrote otherwise is printed anew. */
static int take_message(const cJSON *message, const char *line, size_t n, struct buf *out)
{
    static const char mark[] = ",\"message\":";
    const char *at = strstr(line, mark);
    if (!at) {
        char *text = cJSON_PrintUnformatted(message);
        int rc = text ? buf_adds(out, text) : E_NOMEM;
        cJSON_free(text);
        return rc;
    }
    size_t head = (size_t)(at - line) + strlen(mark);
    while (n > head && strchr(" \t\r", line[n - 1]))
        n--;
    return buf_add(out, line + head, n - head - 1); /* but for the event's own brace */
}

/* The bytes of the event, or its tree where the wire is not concerned. */
static int take_content(const cJSON *e, const char *line, size_t n, struct buf *bytes, cJSON **tree)
{
    const char *text = json_get_str(e, "text"), *base64 = json_get_str(e, "base64");
    const cJSON *message = json_get(e, "message");
    const char *side = json_get_str(e, "side");
    if (text)
        return buf_adds(bytes, text);
    if (base64)
        return base64_decode(bytes, base64, strlen(base64));
    if (message && (strcmp(side, "agent") == 0 || strcmp(side, "client") == 0))
        return take_message(message, line, n, bytes);
    *tree = message ? cJSON_Duplicate(message, true) : NULL;
    return message && !*tree ? E_NOMEM : 0;
}

static int add_event(struct trace *t, const cJSON *e, const char *line, size_t n,
                     struct trace_fault *fault)
{
    int side = find_side(json_get_str(e, "side"));
    const char *kind = find_kind(json_get_str(e, "kind"));
    const char *agent = json_get_str(e, "agent");
    const cJSON *ms = json_get(e, "t");
    struct buf bytes = {0};
    cJSON *tree = NULL;
    if (side < 0)
        return complain(fault, "\"side\" must be one that a trace has: agent, client, model, ...");
    if (!kind || !cJSON_IsNumber(ms) || ms->valuedouble < 0)
        return complain(fault, "\"kind\" or \"t\" is missing, or none that a trace has");
    int rc = take_content(e, line, n, &bytes, &tree);
    t->step = (int)json_get_int(e, "step", -1);
    t->invalid_ok = json_get_bool(e, "invalid");
    t->agent = agent ? trace_name_agent(t, agent) : NULL;
    if (rc == 0 && !trace_add(t, (enum trace_side)side, kind, bytes.p ? bytes.p : "", bytes.n, tree,
                              t->t0_ns + (uint64_t)(ms->valuedouble * NS_PER_MS)))
        rc = E_NOMEM;
    buf_deinit(&bytes);
    return rc == E_PARSE ? complain(fault, "\"base64\" cannot be decoded") : rc;
}

static int read_line(struct trace *t, const char *line, size_t n, cJSON **header,
                     struct trace_fault *fault)
{
    cJSON *e = NULL;
    struct json_error err;
    int rc = json_parse(line, n, &e, &err);
    if (rc == E_NOMEM)
        return rc;
    if (rc < 0)
        return complain(fault, err.text);
    if (json_get(e, "trace")) {
        cJSON_Delete(*header);
        *header = e;
        return 0;
    }
    rc = add_event(t, e, line, n, fault);
    cJSON_Delete(e);
    return rc;
}

int trace_read(struct trace *t, char *text, size_t n, cJSON **header, struct trace_fault *fault)
{
    int rc = 0;
    *fault = (struct trace_fault){0};
    *header = NULL;
    for (size_t at = 0; rc == 0 && at < n;) {
        char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;
        fault->line++;
        if (end)
            *end = '\0';
        if (len > 0)
            rc = read_line(t, text + at, len, header, fault);
        at += len + 1;
    }
    if (rc < 0) {
        cJSON_Delete(*header);
        *header = NULL;
    }
    return rc;
}
