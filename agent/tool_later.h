#ifndef AGENT_TOOL_LATER_H
#define AGENT_TOOL_LATER_H

#include "agent/tool.h"

/* For tools that know their answer at once: it comes on the next turn of the loop. Takes what is in
 * result, whatever happens. 0 or E_NOMEM. */
int tool_later_start(struct tool_run *run, struct tool_result *result);

/* The tool's `stop`. */
void tool_later_stop(struct tool_run *run);

#endif
