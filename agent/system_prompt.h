#ifndef AGENT_SYSTEM_PROMPT_H
#define AGENT_SYSTEM_PROMPT_H

#include "agent/session.h"

/* The system prompt of a session that works there: our own words, the workspace's AGENTS.md, and
 * `append` (may be NULL). The caller frees it; NULL: out of memory. */
char *system_prompt_make(const struct session_place *place, const char *append);

#endif
