#ifndef CONFORMANCE_WIRE_H
#define CONFORMANCE_WIRE_H

#include "base/buf.h"
#include "mock-client/trace.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the lines of a trace mean: which request a response answers, which sessions there are and
 * what is going on in them. It judges nothing; monitors read it.
 */
enum wire_kind {
    WIRE_OTHER, /* no message: model, process, stderr, notes, blank and unreadable lines */
    WIRE_REQUEST,
    WIRE_NOTIFICATION,
    WIRE_RESPONSE, /* an object without method: has an id, a result or an error */
    WIRE_STRANGE   /* JSON, but none of these */
};

struct wire_session {
    char *id; /* owned */
    unsigned connection;
    bool known;   /* given out by the agent, or named by the client in load or resume */
    bool resumed; /* has a past that was not replayed on this connection */
    unsigned loads_open;
    unsigned turns_open, turns_begun;
    bool cancel_sent;     /* session/cancel came while the open turn ran */
    bool quiet;           /* at least one turn is over, and nothing was loaded since */
    bool ended_cancelled; /* the turn that ended last had been cancelled, and said so */
    uint64_t ended_us;    /* when it ended */
};

struct wire_call {
    enum trace_side side;         /* who asked */
    const struct trace_event *at; /* the request */
    const cJSON *id;
    const char *method;
    const cJSON *params;
    struct wire_session *session;     /* params.sessionId, or NULL */
    const struct trace_event *answer; /* the first, or NULL */
    unsigned answers;
    unsigned connection;
    bool malformed; /* not even a JSON-RPC request: it need not be answered */
};

/* One message, or one event that is none. All of it is lent by trace and wire. */
struct wire_msg {
    const struct trace_event *e;
    enum wire_kind kind;
    const cJSON *json; /* whole message; NULL for WIRE_OTHER */
    const char *method;
    const cJSON *id, *params, *result, *error; /* NULL if absent */
    struct wire_call *call;       /* a request itself; of a response what it answers, or NULL */
    struct wire_session *session; /* params.sessionId of calls, of a response that of its request */
    const cJSON *update;          /* of session/update */
    const char *update_kind;      /* its sessionUpdate, or NULL */
};

struct wire {
    struct wire_call **calls; /* owned, of all connections */
    size_t n_calls, cap_calls;
    struct wire_session **sessions; /* owned */
    size_t n_sessions, cap_sessions;
    const struct trace_event *sent_by; /* the newest event of the client */
    struct buf sent;                   /* of the client's stream: a line that is not finished */
    cJSON **parsed;                    /* owned: messages that raw bytes of the client held */
    size_t n_parsed, cap_parsed;
    unsigned connection;      /* how often the agent was started */
    bool up;                  /* the agent runs, both its streams are open, nobody told it to end */
    const cJSON *client_caps; /* clientCapabilities of the newest initialize, or NULL */
    bool initialized;         /* an initialize was sent on this connection */
    bool initialize_odd;      /* and it was deliberately invalid */
    bool junk_sent;           /* the client sent what is no valid message */
    bool arrays_sent;
    unsigned notifications_sent;
    uint64_t heard_us;   /* when the agent's newest message came */
    unsigned model_open; /* requests at the model whose reply is not over */
    int rc;              /* E_NOMEM once memory ran out: then nothing is to be concluded */
};

/* A zeroed wire is valid and empty. */
void wire_deinit(struct wire *w);

/* Takes the next event in; cb is called once for each message it completes, or once with
 * WIRE_OTHER.
 */
void wire_feed(struct wire *w, const struct trace_event *e,
               void (*cb)(void *ctx, const struct wire_msg *m), void *ctx);

/* NULL if there is none on this connection. */
struct wire_session *wire_session_find(const struct wire *w, const char *id);

/* The open request of that side with this id; `any`: also an answered one. NULL if none. */
struct wire_call *wire_call_find(const struct wire *w, enum trace_side asker, const cJSON *id,
                                 bool any);

bool wire_is_open(const struct wire *w, const struct wire_call *c);

/* Same type and value; numbers as numbers. */
bool wire_id_equal(const cJSON *a, const cJSON *b);

/* An id every implementation copes with: a string, or an integer from 0 to 2^31 - 1 (ambiguities
 * 29). */
bool wire_id_is_plain(const cJSON *id);

enum trace_side wire_other_side(enum trace_side side);

#endif
