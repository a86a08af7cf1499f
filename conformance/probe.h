#ifndef CONFORMANCE_PROBE_H
#define CONFORMANCE_PROBE_H

#include "conformance/catalog.h"
#include "conformance/facts.h"
#include "conformance/run_case.h"

/* The id of the first look, as it stands in reports. */
#define PROBE_CASE "run/handshake"

/*
 * One look at the agent before the cases: initialize, and a session. Its result is a case's like
 * any other (id "run/handshake"), so that an agent that cannot be started, or does not answer, is
 * told about once.
 */
struct probe {
    struct case_file file; /* of the result */
    struct case_result result;
    struct facts facts;
    bool ready; /* the agent was started and got through initialize */
};

/* 0; E_CANCELLED if a signal came; E_NOMEM. */
int probe_agent(const struct run_setting *setting, struct probe *ret);
void probe_deinit(struct probe *p); /* accepts a zeroed one */

#endif
