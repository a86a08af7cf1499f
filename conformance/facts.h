#ifndef CONFORMANCE_FACTS_H
#define CONFORMANCE_FACTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct case_file;
struct profile;
struct trace;

/*
 * What an agent has said of itself, for `needs`: its answers to one initialize and one session/new
 * before the cases are run.
 */
struct facts {
    cJSON *initialize; /* owned: the result, NULL if there was none */
    cJSON *session;    /* owned: the result, NULL if there was none */
    bool auth_needed;  /* session/new was refused with -32000 */
};

/* Reads them from the trace of a play; copies. 0 or E_NOMEM. */
int facts_read(struct facts *f, const struct trace *trace);
void facts_deinit(struct facts *f); /* accepts zeroed ones */

/* True if the agent chose another protocol version than 1. */
bool facts_other_version(const struct facts *f);

/* NULL if the case may run, else the static code of the reason ("capability", "intent", "auth",
 * ...) with a sentence in text. Without facts only what the profile says is looked at. */
const char *facts_skip(const struct facts *f, const struct profile *p, struct case_file *c,
                       char *text, size_t n);

#endif
