#ifndef AGENT_SYSTEM_PROMPT_H
#define AGENT_SYSTEM_PROMPT_H

/* The system prompt of a session in cwd: our own words, the workspace's AGENTS.md, and `append`
 * (may be NULL). The caller frees it; NULL: out of memory. */
char *system_prompt_make(const char *cwd, const char *append);

#endif
