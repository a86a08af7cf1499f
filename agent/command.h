#ifndef AGENT_COMMAND_H
#define AGENT_COMMAND_H

#include "agent/config.h"
#include "agent/flags.h"

#include <stdio.h>

/*
 * The commands for people: each prints to `out`, complains on stderr and returns the exit status:
 * 0, 1 if what it was asked for failed, 2 for wrong usage.
 */
struct command {
    const struct flags *flags; /* lent */
    config_env env;
    FILE *in, *out;
};

int command_setup(const struct command *c);
int command_models(const struct command *c);
int command_providers(const struct command *c);
int command_sessions(const struct command *c);
int command_doctor(const struct command *c);

/* The configuration, or the exit status 1 with the reason told. */
int command_load(const struct command *c, struct config *ret);
/* Prints what is in out, a line end behind it; rc of making it. Frees out. */
int command_print(const struct command *c, struct buf *out, int rc);

/* One request to see whether provider, key and model work: NULL, or why not (the caller frees). */
char *command_probe(const struct config *c, const char *model);

#endif
