#ifndef UNIT_MONITOR_KIT_H
#define UNIT_MONITOR_KIT_H

#include "base/buf.h"
#include "base/err.h"
#include "conformance/monitor.h"
#include "mock-client/trace.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * A trace as text, one event a line, and what the monitors say about it. A line begins with
 *   A  a line from the agent           C  a line from the client      X  one that the case calls
 * invalid R  raw bytes of the client, "\n" written as |                      M  a request at the
 * model E  "kind json": a model event      P  a process event             T  so many milliseconds
 * pass The verdict is "ID" or "ID<=WARN" for each finding in order, client ones as "client:ID",
 * with spaces between.
 */
struct monitor_row {
    const char *what;
    const char *trace;
    const char *want;
};

enum { KIT_DEADLINE_MS = 5000 };

static const char *kit_kind(const char *name)
{
    static const char *const kinds[] = {"part",    "done",  "gone", "miss",    "hold",
                                        "release", "start", "exit", "eof-sent"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i], name) == 0)
            return kinds[i];
    fail_msg("unknown kind %s", name);
    return NULL;
}

static cJSON *kit_json(const char *text)
{
    cJSON *json = NULL;
    if (json_parse(text, strlen(text), &json, NULL) != 0)
        fail_msg("not JSON: %s", text);
    return json;
}

static void kit_raw(struct trace *t, char *text, uint64_t now)
{
    for (char *p = text; *p; p++)
        *p = *p == '|' ? '\n' : *p;
    trace_add(t, TRACE_CLIENT, "raw", text, strlen(text), NULL, now);
}

static void kit_event(struct trace *t, char *line, uint64_t *now)
{
    char *text = line + 2, *json;
    t->invalid_ok = line[0] == 'X';
    switch (line[0]) {
    case 'A':
        trace_add(t, TRACE_AGENT, "line", text, strlen(text), NULL, *now);
        break;
    case 'C':
    case 'X':
        trace_add(t, TRACE_CLIENT, "line", text, strlen(text), NULL, *now);
        break;
    case 'R':
        kit_raw(t, text, *now);
        break;
    case 'M':
        trace_add(t, TRACE_MODEL, "request", "", 0, kit_json(text), *now);
        break;
    case 'E':
        json = strchr(text, ' ');
        *json++ = '\0';
        trace_add(t, TRACE_MODEL_EVENT, kit_kind(text), "", 0, kit_json(json), *now);
        break;
    case 'P':
        trace_add(t, TRACE_PROCESS, kit_kind(text), "", 0, NULL, *now);
        break;
    case 'T':
        *now += strtoull(text, NULL, 10) * 1000000u;
        break;
    default:
        fail_msg("no such event: %s", line);
    }
}

static void kit_findings(const struct watch *w, struct buf *out)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct finding *f = &w->findings[i];
        assert_int_equal(buf_addf(out, "%s%s%s", out->n ? " " : "",
                                  f->side == TRACE_CLIENT ? "client:" : "", f->id),
                         0);
        if (f->at_most != VERDICT_FAIL)
            assert_int_equal(buf_addf(out, "<=%s", verdict_name(f->at_most)), 0);
        assert_string_not_equal(f->text, "");
        assert_true(monitor_judges(f->id));
    }
}

/* Runs one trace; `owed` is checked for being over once the trace's own time is. */
static void kit_run(const struct monitor_row *row)
{
    struct trace trace;
    struct watch watch;
    struct buf got = {0};
    uint64_t now = 1000;
    size_t fed = 0;
    char *text = strdup(row->trace), *rest = text;
    assert_non_null(text);
    trace_init(&trace, now);
    assert_int_equal(watch_init(&watch, KIT_DEADLINE_MS * 1000), 0);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        kit_event(&trace, line, &now);
        for (; fed < trace.n; fed++)
            watch_feed(&watch, trace.events[fed]);
    }
    watch_ending(&watch, (now - 1000) / 1000);
    watch_end(&watch);
    assert_int_equal(watch.rc, 0);
    kit_findings(&watch, &got);
    if (strcmp(buf_cstr(&got), row->want) != 0)
        fail_msg("%s: expected \"%s\", got \"%s\" (%s)", row->what, row->want, got.p,
                 watch.n ? watch.findings[0].text : "");
    buf_deinit(&got);
    watch_deinit(&watch);
    watch_deinit(&watch);
    trace_deinit(&trace);
    free(text);
}

#define KIT_RUN(rows)                                                                              \
    do {                                                                                           \
        for (size_t kit_i = 0; kit_i < ARRAY_LEN(rows); kit_i++)                                   \
            kit_run(&(rows)[kit_i]);                                                               \
    } while (0)

/* ---- parts of traces ----------------------------------------------------------------------------
 */

#define START "P start\n"
#define INIT_BOTH(caps, agent_caps)                                                                \
    START "C {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"                  \
          "{\"protocolVersion\":1,\"clientCapabilities\":" caps "}}\n"                             \
          "A "                                                                                     \
          "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,"                       \
          "\"agentCapabilities\":" agent_caps "}}\n"
/* Announces methods of its own, which traces use (EXT-08). */
#define INIT_CAPS(caps) INIT_BOTH(caps, "{\"_meta\":{}}")
#define INIT            INIT_CAPS("{}")
#define NEW(id, s)                                                                                 \
    "C {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"session/new\",\"params\":"                  \
    "{\"cwd\":\"/w\",\"mcpServers\":[]}}\n"                                                        \
    "A {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"sessionId\":\"" s "\"}}\n"
#define PROMPT(id, s)                                                                              \
    "C {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"session/prompt\",\"params\":"               \
    "{\"sessionId\":\"" s "\",\"prompt\":[{\"type\":\"text\",\"text\":\"hi\"}]}}\n"
#define DONE_AS(id, reason)                                                                        \
    "A {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"stopReason\":\"" reason "\"}}\n"
#define DONE(id) DONE_AS(id, "end_turn")
#define UPDATE(s, kind, rest)                                                                      \
    "A {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"" s          \
    "\",\"update\":{\"sessionUpdate\":\"" kind "\"" rest "}}}\n"
#define CHUNK(s, text)                                                                             \
    UPDATE(s, "agent_message_chunk", ",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}")
#define CALL(s, rest)   UPDATE(s, "tool_call", ",\"title\":\"T\",\"toolCallId\":" rest)
#define CHANGE(s, rest) UPDATE(s, "tool_call_update", ",\"toolCallId\":" rest)
#define CANCEL(s)                                                                                  \
    "C {\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"" s "\"}}\n"
#define ASK(id, method, params)                                                                    \
    "A {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}\n"
#define ANSWER(id, result) "C {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"
#define SESSION            INIT NEW("1", "s")
#define TURN               SESSION PROMPT("2", "s")

#endif
