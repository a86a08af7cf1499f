#ifndef CONFORMANCE_MUTANT_H
#define CONFORMANCE_MUTANT_H

#include "base/buf.h"
#include "mock-client/client.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct shape;

/*
 * An edit of the wire between harness and agent (docs/cases.md, Mutants): what proves that a check
 * can fail. It sits in client_wire's place, so that everything above sees a misbehaving agent.
 */
enum mutant_kind {
    MUTANT_DROP,
    MUTANT_DUPLICATE,
    MUTANT_SET, /* may remove as well: how a result becomes an error */
    MUTANT_REMOVE,
    MUTANT_AFTER,
    MUTANT_INJECT,
    MUTANT_REPLACE,
    MUTANT_AT_START,
    MUTANT_AT_EXIT,
    MUTANT_EXIT,
    MUTANT_IGNORE_EOF,
    MUTANT_DEAF,
    MUTANT_KINDS
};

/* How an edit is written, by kind. */
struct mutant_kind_info {
    const char *name;
    unsigned types; /* enum shape_type of its value */
    bool has_bytes; /* its value is the bytes that come in */
    bool needs_on;
    const char *does; /* for people */
};
extern const struct mutant_kind_info mutant_kinds[MUTANT_KINDS];

struct mutant {
    enum mutant_kind kind;
    const char *agent;    /* lent: only this process of the agent; NULL: all */
    enum trace_side from; /* TRACE_AGENT, TRACE_CLIENT or TRACE_MODEL */
    const cJSON *on;      /* lent, NULL: every message */
    const cJSON *value;   /* lent: what stands beside the edit's name */
    const cJSON *remove;  /* lent: pointers that go along with a set, or NULL */
    unsigned nth;         /* 0: every match */
    bool before;          /* of inject */
    char *bytes;          /* owned: of inject, replace, at_start and at_exit */
    size_t n;
    unsigned seen;               /* matches so far */
    bool applied;                /* the edit has changed something */
    bool deaf;                   /* nothing reaches the agent any more */
    struct buf held;             /* of after: the message that waits */
    const struct client *holder; /* lent: whose it is */
};

/* Reads a mutant that lint has accepted; json is lent until mutant_deinit. 0 or E_NOMEM. */
int mutant_init(struct mutant *m, const cJSON *json);

/* Accepts a zeroed one. */
void mutant_deinit(struct mutant *m);

/* The filter for client_options and player_options; m is lent for as long. */
struct client_wire mutant_wire(struct mutant *m);

/* A request on its way to the model (neutral form, taken): hands on what is to be seen of it, which
 * is nothing, itself or two of it. */
void mutant_model_request(struct mutant *m, cJSON *request, void (*add)(void *ctx, cJSON *request),
                          void *ctx);

/* Checks the shape of one entry of `mutants`, all but the ids in `fails`. */
void mutant_check(struct shape *s, const cJSON *mutant);

/* One line for people: "set /result/stopReason to \"tired\" in responses from the agent". */
int mutant_describe(const cJSON *mutant, struct buf *out);

#endif
