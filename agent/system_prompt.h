#ifndef AGENT_SYSTEM_PROMPT_H
#define AGENT_SYSTEM_PROMPT_H

#include "agent/session.h"
#include "base/buf.h"

/* The system prompt of a session that works there: our own words, the workspace's AGENTS.md, and
 * `append` (may be NULL). The caller frees it; NULL: out of memory. */
char *system_prompt_make(const struct session_place *place, const char *append);

/* Appends what AGENTS.md of that directory says; nothing if there is none. 0 or E_NOMEM. */
int system_prompt_read_instructions(const char *cwd, struct buf *out);

#endif
