#ifndef AGENT_LLM_CALL_H
#define AGENT_LLM_CALL_H

#include "agent/llm.h"
#include "http/fetch.h"

/*
 * One request to a model: the dialect's bytes over HTTP. Tried once; trying again is the turn's
 * decision.
 */
struct llm_call;

struct llm_call_ops {
    llm_text_cb on_text;
    /* After each burst of on_text: what came together may leave together. */
    void (*on_burst)(void *ctx);
    /* Exactly once, last; never from inside llm_call_start. The reply is lent, but its calls may be
     * taken out. */
    void (*on_done)(void *ctx, struct llm_reply *reply);
};

/* req is used only during the call. 0, or a negative code (then no callback comes). */
int llm_call_start(struct fetch *fetch, const struct llm_request *req,
                   const struct llm_call_ops *ops, void *ctx, struct llm_call **ret);

void llm_call_pause(struct llm_call *call, bool paused);

/* Ends it; no callback comes any more. Accepts NULL. */
void llm_call_abandon(struct llm_call *call);

#endif
