#ifndef CONFORMANCE_MONITOR_H
#define CONFORMANCE_MONITOR_H

#include "conformance/verdict.h"
#include "conformance/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Rules that watch every message of every case, both directions. A monitor that fires names the
 * requirement, the event and what it saw; what that costs is worked out by the runner. None of them
 * knows which side is under test: each judges the side that a rule binds.
 */
struct watch;

struct monitor {
    const char *const *ids; /* the requirements it stands for, NULL at the end */
    const char *title;      /* what it watches, for people */
    size_t state_n;         /* bytes of its own state, zeroed at the start */
    /* Each message and event in order. */
    void (*feed)(struct watch *w, void *state, const struct wire_msg *m);
    /* How much longer, in microseconds, to wait for what is owed; 0: nothing is. May be NULL. */
    uint64_t (*owed)(const struct watch *w, const void *state, uint64_t now_us);
    /* The steps are over, the agent still runs and is ended next; may be NULL. */
    void (*ending)(struct watch *w, void *state);
    /* Nothing more will come; may be NULL. */
    void (*end)(struct watch *w, void *state);
    /* Frees what the state owns; may be NULL. */
    void (*deinit)(void *state);
};

/* The i-th monitor, NULL behind the last. */
const struct monitor *monitor_at(size_t i);

/* True if some monitor stands for this requirement. */
bool monitor_judges(const char *id);

/* One breach. */
struct finding {
    const char *id;                  /* static: the requirement */
    enum verdict at_most;            /* what it may cost at most (VERDICT_FAIL: no cap) */
    enum trace_side side;            /* who broke it */
    const struct trace_event *event; /* lent by the trace; NULL: something that never came */
    char pointer[192];               /* in the event's message; "" if the whole */
    char text[320];                  /* one sentence */
};

/* Findings of one requirement beyond this many are counted, not kept. */
enum { WATCH_KEEP = 3 };

/* The monitors of one case. */
struct watch {
    struct wire wire;
    void **states;            /* owned, one per monitor */
    uint64_t deadline_us;     /* how long an answer may take */
    bool shared_model;        /* other processes of the agent use the model, too */
    uint64_t now_us;          /* time of the newest event, or what watch_ending was given */
    struct finding *findings; /* owned, in order */
    size_t n, cap;
    int rc; /* E_NOMEM once memory ran out: nothing is to be concluded then */
};

/* 0 or E_NOMEM. */
int watch_init(struct watch *w, uint64_t deadline_us);
void watch_deinit(struct watch *w); /* accepts a zeroed one */

/* The next event of the trace, whose events outlive the watch. */
void watch_feed(struct watch *w, const struct trace_event *e);

/* Before the agent is ended: how much longer to wait, in microseconds, for something that is owed.
 * 0: nothing is, or all time it had is over. */
uint64_t watch_owed(const struct watch *w, uint64_t now_us);

/* The steps are over and the agent is ended next. now_us: how far the waiting went. */
void watch_ending(struct watch *w, uint64_t now_us);

/* The agent is gone, nothing more is fed. */
void watch_end(struct watch *w);

/* ---- for monitors -----------------------------------------------------------------------------
 */

/* What a finding is about. */
struct blame {
    const char *id;       /* static */
    enum verdict at_most; /* 0 (VERDICT_PASS) means no cap */
    enum trace_side side;
    const struct trace_event *event; /* may be NULL */
    const char *pointer;             /* NULL: "" */
};

void watch_blame(struct watch *w, const struct blame *b, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A blame of the message's sender. */
struct blame blame_of(const struct wire_msg *m, const char *id);

/* A request that the agent owes an answer, fairly: it was valid, its id is one that every
 * implementation copes with, and nothing that the harness holds back stands in its way. */
bool watch_owes_answer(const struct watch *w, const struct wire_call *c);

#endif
