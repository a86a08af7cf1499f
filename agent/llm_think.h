#ifndef AGENT_LLM_THINK_H
#define AGENT_LLM_THINK_H

#include "agent/llm.h"

/*
 * Some servers put the model's reasoning into its text as <think>...</think> at the very start.
 * This filter turns that part into thoughts; all other text passes unchanged. Resumable at every
 * byte.
 */
enum llm_think_state { THINK_START, THINK_OPENING, THINK_INSIDE, THINK_AFTER, THINK_PASS };

/* A zeroed struct with on_text and ctx set is ready. */
struct llm_think {
    enum llm_think_state state;
    unsigned held; /* bytes of a tag that are not decided yet */
    unsigned blanks;
    char blank[32]; /* white space before a possible tag */
    llm_text_cb on_text;
    void *ctx;
};

void llm_think_feed(struct llm_think *t, const char *p, size_t n);
/* End of text: gives out what was held back. */
void llm_think_finish(struct llm_think *t);

#endif
