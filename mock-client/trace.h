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
    TRACE_PROCESS,     /* "start", "eof-sent", "signal", "stdout-eof", "exit", "flood", "group" */
    TRACE_NOTE         /* the harness itself: "step", "check", "mutant", ... */
};

/*
 * Kinds of TRACE_AGENT: "line" (without its LF; a CR before it is kept), "blank" (a line of
 * nothing but white space), "too-long" (the head of a line over the limit), "rest" (what stood
 * behind the last LF when stdout ended; never empty).
 * Kinds of TRACE_CLIENT: "line" (without its LF) and "raw" (bytes exactly as they were sent).
 */
struct trace_event {
    size_t seq;    /* index in the trace */
    uint64_t t_us; /* since the start of the trace */
    enum trace_side side;
    const char *kind; /* static */
    char *bytes;      /* owned, NUL after n */
    size_t n;
    int parse_rc;          /* 0 if the bytes are one JSON text (both sides of the wire only) */
    struct json_scan scan; /* its slices point into bytes; error_at, error_text if not 0 */
    cJSON *json;           /* owned; NULL if there is none */
    bool invalid_ok;       /* client side: the step said "invalid": true */
    int step;              /* index of the step then running, -1 before the first */
    const char *agent;     /* lent by the trace: which of several processes of the agent this came
                              from, went to or is about; NULL: the first, or none */
};

struct trace {
    struct trace_event **events; /* owned */
    size_t n, cap;
    uint64_t t0_ns;
    size_t stderr_bytes;
    int step;          /* copied into each event */
    bool invalid_ok;   /* copied into each client event */
    const char *agent; /* copied into each event */
    char **agents;     /* owned: names of the processes but the first, NULL-ended; NULL if none */
    /* Called for each event once it is whole; may be NULL. It may add events (it is then called
     * again, from inside itself, in the order of seq) but should rather note and act later. */
    void (*on_add)(void *ctx, const struct trace_event *e);
    void *ctx;
};

/* Of stderr this much is kept in events, the rest is dropped (the client keeps the tail). */
#define TRACE_STDERR_MAX (256u << 10)

void trace_init(struct trace *t, uint64_t now_ns);
void trace_deinit(struct trace *t);

/* The name as events carry it (the same pointer for the same name); NULL: out of memory. */
const char *trace_name_agent(struct trace *t, const char *name);

/* Appends a copy of the bytes; what crossed the wire is scanned and parsed here, once. Takes json
 * (may be NULL). The event is lent until trace_deinit; NULL: out of memory. */
struct trace_event *trace_add(struct trace *t, enum trace_side side, const char *kind,
                              const char *bytes, size_t n, cJSON *json, uint64_t now_ns);

/* A text event; kind is static. */
struct trace_event *trace_note(struct trace *t, enum trace_side side, const char *kind,
                               const char *text, uint64_t now_ns);

/* A request that reached the model: takes its neutral form. */
struct trace_event *trace_model_request(struct trace *t, cJSON *request, uint64_t now_ns);

/* What the model's script did: json is {"kind", "n", "text"?, "check"?}; kind is static, text and
 * check may be NULL. */
struct trace_event *trace_model_event(struct trace *t, const char *kind, unsigned n,
                                      const char *text, const char *check, uint64_t now_ns);

/* Static: "agent", "client", "model", "model_event", "stderr", "process", "note". */
const char *trace_side_name(enum trace_side side);

/* Appends the event as one line of JSON without its LF, as in the files of --trace:
 * {"seq","t" (ms),"side","kind","step","agent"?,"invalid"?,"message"|"text"|"base64"}. 0 or
 * E_NOMEM. */
struct buf;
int trace_write_event(struct buf *out, const struct trace_event *e);

/* Why a trace file cannot be read. */
struct trace_fault {
    unsigned line; /* counts from 1 */
    char text[256];
};

/* Adds the events of such a file, times and bytes as they were. text[n] must be NUL; its line ends
 * are overwritten. header: the object of the line that holds "trace" (the file's version and the
 * play's circumstances), NULL if there is none; the caller owns it. 0, E_NOMEM, or E_PARSE with
 * fault filled. */
int trace_read(struct trace *t, char *text, size_t n, cJSON **header, struct trace_fault *fault);

#endif
