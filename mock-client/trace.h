#ifndef MOCK_CLIENT_TRACE_H
#define MOCK_CLIENT_TRACE_H

#include "json/scan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The one log of a played case: what crossed the wire on every side, in the order it happened, on
 * one clock. Matching, monitors, failure reports and transcripts all read this and nothing else.
 */
enum trace_side {
    TRACE_AGENT,  /* a line from the agent, as the harness saw it (after mutants) */
    TRACE_CLIENT, /* a line or raw bytes to the agent, as the harness meant it (before mutants) */
    TRACE_MODEL,  /* a request at the mock provider, neutral form */
    TRACE_MODEL_EVENT, /* part, hold, release, done, gone, miss, undeclared, mismatch */
    TRACE_STDERR,      /* bytes of the agent's stderr */
    TRACE_PROCESS,     /* "start", "eof-sent", "signal", "exit", "stdout-eof" */
    TRACE_NOTE         /* the harness itself: step begun, check failed, mutant applied */
};

struct trace_event {
    size_t seq;    /* index in the trace */
    uint64_t t_us; /* since the start of the trace */
    enum trace_side side;
    const char *kind; /* static: "line", "raw", "too-long", or the event's name */
    char *bytes;      /* owned, NUL after n */
    size_t n;
    int parse_rc;          /* 0 if bytes are one JSON text (lines only) */
    struct json_scan scan; /* its slices point into bytes; if parse_rc is 0 */
    cJSON *json;           /* owned; NULL if not parsed */
    bool invalid_ok;       /* client side: the step said "invalid": true */
    int step;              /* index of the step then running, -1 before the first */
};

struct trace {
    struct trace_event **events; /* owned */
    size_t n, cap;
    uint64_t t0_ns;
};

void trace_init(struct trace *t, uint64_t now_ns);
void trace_deinit(struct trace *t);

/* Appends a copy of the bytes; a line is scanned and parsed here, once. Takes json (may be NULL).
 * The event is lent until trace_deinit; NULL: out of memory. */
struct trace_event *trace_add(struct trace *t, enum trace_side side, const char *kind,
                              const char *bytes, size_t n, cJSON *json, uint64_t now_ns);

#endif
