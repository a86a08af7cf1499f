#ifndef AGENT_GATE_H
#define AGENT_GATE_H

#include "agent/mode.h"
#include "agent/tool.h"

/*
 * Who decides that a tool runs: the session's rules, or its user through
 * session/request_permission. Whatever is not a clear yes is a no.
 */

/* What a session's user has allowed for good: bit sets of tool_index, inside the session's folders
 * and outside of them. */
struct gate_rules {
    unsigned char always_inside[TOOL_NUMBERS / 8], always_outside[TOOL_NUMBERS / 8];
};

/* Must the user be asked about a call (tool_locate)? */
bool gate_must_ask(const struct gate_rules *rules, enum approval approval,
                   const struct tool_call *c);
void gate_allow_always(struct gate_rules *rules, const struct tool_call *c);

enum gate_answer { GATE_DENIED, GATE_ALLOWED, GATE_ALLOWED_ALWAYS };

struct gate; /* an open question */

/* why: for the model and the client, if denied; lent. */
typedef void (*gate_cb)(void *ctx, enum gate_answer answer, const char *why);

struct gate_question {
    const struct tool_call *call; /* lent while it is open */
    const char *call_id;          /* as it was announced */
    const char *yes, *no;         /* how the options that hold once are called; NULL: as usual */
    bool once_only;               /* "always" is not offered */
    uint64_t wait_ms;             /* no answer after that is a no */
    gate_cb cb;
    void *ctx;
};

/* cb comes once, on a later turn of the loop, unless withdrawn. 0 or a negative code: then nobody
 * was asked. */
int gate_ask(const struct gate_question *q, struct gate **ret);

/* Accepts NULL. */
void gate_withdraw(struct gate *g);

/* What a result of session/request_permission says. */
enum gate_answer gate_read(const cJSON *result, bool once_only);

#endif
