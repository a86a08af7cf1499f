#ifndef AGENT_SYSTEM_PROMPT_H
#define AGENT_SYSTEM_PROMPT_H

#include "agent/session.h"
#include "base/buf.h"

/* The system prompt of a session that works there: our own words, the AGENTS.md of its folders, and
 * `append` (may be NULL). The caller frees it; NULL: out of memory. */
char *system_prompt_make(const struct session_place *place, const char *append);

/* Appends what AGENTS.md of the working directory and then those of the further folders say, each
 * under a heading; nothing if there is none. 0 or E_NOMEM. */
int system_prompt_add_instructions(struct buf *out, const struct session_place *place);

#endif
