#ifndef AGENT_SKILL_H
#define AGENT_SKILL_H

#include "agent/plugin.h"
#include "agent/tool.h"

/*
 * The skills of plugins: instructions for kinds of work. The model is told what there is, in one
 * line each, by the description of the tool `skill`, and reads what it needs through it.
 */
struct skill_tool;

/* *ret is NULL if no plugin has one. set is lent. 0 or E_NOMEM. */
int skill_tool_create(const struct plugin_set *set, struct skill_tool **ret);
/* Accepts NULL. */
void skill_tool_destroy(struct skill_tool *t);
struct tool *skill_tool_of(struct skill_tool *t);

#endif
