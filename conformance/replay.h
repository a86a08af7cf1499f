#ifndef CONFORMANCE_REPLAY_H
#define CONFORMANCE_REPLAY_H

#include "conformance/catalog.h"
#include "conformance/result.h"

/*
 * A conversation that was recorded, looked at again: judged by the monitors without any agent, or
 * its client's side sent once more to an agent that runs.
 */

/* Feeds the result's trace to the monitors and concludes it. 0 or E_NOMEM. */
int replay_judge(struct case_result *r);

/*
 * A case whose steps send what the client sent, in that order, each after the answers and the kinds
 * of updates that had come before it. Ids of sessions, of the agent's requests and of terminals are
 * those of the new conversation. header: of the trace file, or NULL. 0; E_NOMEM; E_UNSUPPORTED with
 * a sentence in err: several processes of the agent, or nothing was sent.
 */
int replay_case(const struct trace *t, const cJSON *header, struct case_file *ret, char *err,
                size_t err_n);

#endif
