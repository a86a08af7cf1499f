#ifndef AGENT_LLM_CALLS_H
#define AGENT_LLM_CALLS_H

#include "agent/history.h"
#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Puts tool calls together from their fragments. Providers send index 0 for every call, no index,
 * ids late, empty or repeated, arguments as an object, twice, or after a first "{}": the rules here
 * are what makes all of them come out right.
 */
struct llm_part {
    char *id, *name; /* owned, NULL until known */
    long index;      /* -1: never given */
    struct buf args;
    char *extra; /* owned */
};

/* A zeroed struct is ready. */
struct llm_calls {
    struct llm_part *parts; /* owned */
    size_t n, cap;
};

void llm_calls_deinit(struct llm_calls *c);

/* One element of "tool_calls". Elements without a meaning are skipped. 0 or E_NOMEM. */
int llm_calls_add(struct llm_calls *c, const cJSON *fragment);

/* Gives the calls away, in the order they were opened. Each has an id and a name (possibly ""), and
 * args as they came, repaired where a repair is certain. 0 or E_NOMEM. */
int llm_calls_take(struct llm_calls *c, struct history_call **ret, size_t *ret_n);

#endif
