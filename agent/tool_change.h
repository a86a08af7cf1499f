#ifndef AGENT_TOOL_CHANGE_H
#define AGENT_TOOL_CHANGE_H

#include "agent/file.h"
#include "agent/tool.h"

/* What the tools that change one file share. They look at it to make the diff that the user judges,
 * and write only if it still is what was looked at. */

/* A longer text is neither edited nor shown as a diff. */
#define TOOL_CHANGE_MAX (1u << 20)

/* What the tool makes of the text (rc as of file_read_text): c->diff, or a sentence into *error
 * (owned). 0 or E_NOMEM. */
typedef int (*tool_change_make)(struct tool_call *c, int rc, struct file_text *text, char **error);

/* For look, start and stop of a tool. c->diff.new_text is what start writes. */
int tool_change_look(struct tool_run *run, tool_change_make make);
int tool_change_start(struct tool_run *run, struct tool_call *c);
void tool_change_stop(struct tool_run *run);

#endif
