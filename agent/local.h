#ifndef AGENT_LOCAL_H
#define AGENT_LOCAL_H

#include "agent/config.h"
#include "http/fetch.h"

/*
 * Which model is there on a server without keys that the user set up without naming a model
 * (OLLAMA_HOST, say)? They are asked for their lists; the smallest model that can chat is taken.
 */
struct local;

/* Is there such a server? */
bool local_is_worth_asking(const struct config *c);

/* done comes once, on a later turn of the loop, also after fetch_close: spec ("ollama/llama3:8b",
 * lent) is NULL if nothing was found. 0 or a negative code (then it never comes). */
int local_start(struct fetch *fetch, const struct config *c,
                void (*done)(void *ctx, const char *spec), void *ctx);

/* For tests: how large the name says that a model is, in millions of parameters; 0: it cannot chat;
 * a model whose name says nothing counts as large. */
unsigned local_model_size(const char *id);

#endif
