#ifndef AGENT_TITLE_H
#define AGENT_TITLE_H

#include "agent/prompt.h"

/* What a conversation that begins with this prompt is called: its first words, on one line. The
 * caller frees it; NULL: there are none, or out of memory. */
char *title_make(const struct prompt *p);

#endif
