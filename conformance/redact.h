#ifndef CONFORMANCE_REDACT_H
#define CONFORMANCE_REDACT_H

#include "base/buf.h"
#include "mock-client/trace.h"

/*
 * Secrets of a conversation do not belong into a file that people send around: the values of
 * environment variables and HTTP headers, and strings whose member is called a key, token, secret,
 * password, credential, cookie or authorization. What was said is kept.
 */

/* As trace_write_event, with "***" for secrets. Lines that are no JSON are written as they are. 0
 * or E_NOMEM. */
int redact_write_event(struct buf *out, const struct trace_event *e);

#endif
