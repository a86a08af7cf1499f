#ifndef AGENT_COMPACT_H
#define AGENT_COMPACT_H

#include "agent/llm.h"

/*
 * Making room in the model's window: what is to be summarised, and what the model is asked for. No
 * I/O here; turn_compact.c asks.
 */

/* Tokens that the history from its message `from` on takes, roughly. */
uint64_t compact_estimate(const struct history *h, size_t from);

/* Is a window of `context` tokens (0: unknown) nearly full with `used` of them? */
bool compact_is_due(uint64_t used, uint64_t context);

/* How many of the last messages stay as they are: those that take no more than `tokens`, and in any
 * case the last one with what belongs to it. h->n: there is too little before them (`least` tokens)
 * to be worth a summary. */
size_t compact_choose(const struct history *h, uint64_t tokens, uint64_t least);

/* What asks for a summary of all but the last `kept` messages: they, and a message that says so.
 * wishes (may be NULL): of the user's. *ret lends from h; free it with compact_question_deinit. 0
 * or E_NOMEM. */
struct compact_question {
    struct history history; /* its messages are lent but for the text of the last one */
    char *last;             /* owned */
};
int compact_question_make(const struct history *h, size_t kept, const char *wishes,
                          struct compact_question *ret);
void compact_question_deinit(struct compact_question *q);

/* What stands in the history for a summary. The caller frees it; NULL: out of memory. */
char *compact_wrap(const char *summary);

#endif
