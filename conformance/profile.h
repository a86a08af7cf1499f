#ifndef CONFORMANCE_PROFILE_H
#define CONFORMANCE_PROFILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * How one agent is started and what cases may expect of it: conformance/profiles/<name>.json.
 *   like       the built-in profile that has what is not said here
 *   command    the program and its arguments
 *   env        environment variables, null removes one
 *   home       files of the agent's home: {".config/x.json": "text"}
 *   inherit    names of variables that are taken over from the harness
 *   intents    what its tools are called (docs/mock-provider.md)
 *   provides   words for `needs: ["profile:<word>"]`
 *   timeout_scale   multiplies all deadlines, for agents that are slow by nature
 * Strings of command, env and home may hold {provider} (base URL of the mock provider), {cwd},
 * {home} and {bindir} (the folder of acp-conformance). A program that is not in {bindir} is looked
 * up in PATH.
 */
struct profile {
    char *name;  /* owned */
    cJSON *json; /* owned */
    bool bare;   /* the command was given by hand: its paths may be relative to where we are */
};

/* By name (embedded) or, with a slash or ending in .json, by path. 0, or negative with a sentence
 * in err. */
int profile_open(const char *name, struct profile *ret, char *err, size_t err_n);

/* For a bare command: argv (NULL-ended) replaces the command of p; a zeroed p becomes a profile of
 * its own, with the variables that agents take their model's address from. 0 or E_NOMEM. */
int profile_take_command(struct profile *p, char *const *argv);

void profile_close(struct profile *p); /* accepts a zeroed one */

/* The places that are filled in. */
struct profile_places {
    const char *provider, *cwd, *home, *bindir;
};

/* NULL-ended lists, owned by the caller: profile_free_list. NULL: out of memory. */
char **profile_argv(const struct profile *p, const struct profile_places *places);
char **profile_env(const struct profile *p, const struct profile_places *places);
void profile_free_list(char **list);

/* Writes the files of its home. 0, or a negative code with a sentence in err. */
int profile_furnish(const struct profile *p, const struct profile_places *places, char *err,
                    size_t err_n);

const cJSON *profile_intents(const struct profile *p); /* or NULL; lent */
bool profile_has_intent(const struct profile *p, const char *intent);
double profile_timeout_scale(const struct profile *p);
bool profile_provides(const struct profile *p, const char *word);

#endif
