#ifndef CONFORMANCE_FAILURE_H
#define CONFORMANCE_FAILURE_H

#include "conformance/result.h"

struct buf;

/*
 * What is printed about a case that did not pass: each broken rule in a sentence, what was expected
 * and what came, the transcript around it, the agent's last words on stderr, and the command that
 * runs exactly this case again (again: "acp-conformance run ID ..."; NULL: there is none). 0 or
 * E_NOMEM.
 */
int failure_write(const struct case_result *r, const char *again, bool colour, struct buf *out);

#endif
