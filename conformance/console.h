#ifndef CONFORMANCE_CONSOLE_H
#define CONFORMANCE_CONSOLE_H

#include "conformance/outcome.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What `run` prints: on a terminal one live line and what did not pass, otherwise a line a case;
 * at the end the summary by area and level.
 */
struct console {
    bool live; /* stdout is a terminal */
    bool colour;
    size_t total, done;
    unsigned counts[VERDICT_COUNT];
};

void console_begin(struct console *c, size_t total);
/* quiet: counted, but not told. block: the failure with colours as the console has them, or NULL if
 * the case passed. */
void console_case(struct console *c, const struct case_result *r, const char *block, bool quiet);
void console_summary(struct console *c, const struct outcome *o);

#endif
