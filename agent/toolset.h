#ifndef AGENT_TOOLSET_H
#define AGENT_TOOLSET_H

#include "agent/tool.h"

/*
 * The tools of one session: the table of tool.h, and behind it what was added at run time (tools of
 * MCP servers, of extensions). Zeroed it holds the table only.
 *
 * What the model is told of is decided with the first request and then stays, byte for byte, since
 * everything before the first change must be paid for again: another work mode does not change it.
 * Only a tool that really comes or goes does; what comes is put at the end. A tool that is not told
 * of is found all the same.
 */

/* Tools that one session may ever have added, those that went included. */
#define TOOLSET_MAX 960

struct toolset {
    const struct tool **added; /* owned; the tools are lent */
    size_t n, cap;
    unsigned given;                /* numbers that are taken, see struct tool */
    const struct llm_tool **specs; /* owned; NULL: not decided yet */
    size_t n_specs, specs_cap;
};

/* Accepts a zeroed one. */
void toolset_deinit(struct toolset *ts);

/* Lends it a tool until it is removed, with a number of its own. 0; E_EXISTS: the name is taken;
 * E_TOOBIG: TOOLSET_MAX; E_NOMEM. */
int toolset_add(struct toolset *ts, struct tool *tool);
/* Calls of it that run are the owner's business. */
void toolset_remove(struct toolset *ts, const struct tool *tool);

/* NULL: there is none of that name. */
const struct tool *toolset_find(const struct toolset *ts, const char *name);

/* What the model is told of. lean (economy): without the tools that are `extra`; counts only until
 * it is decided. *ret is lent until a tool comes or goes. 0 or E_NOMEM. */
struct toolset_specs {
    const struct llm_tool *const *list;
    size_t n;
};
int toolset_specs(struct toolset *ts, bool lean, struct toolset_specs *ret);

#endif
