#ifndef CONFORMANCE_PROFILE_H
#define CONFORMANCE_PROFILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 *   after_session   requests that follow each session/new of a case: [{"method", "params"}]
 *   login      what is typed in its login in a terminal: [{"see": TEXT, "type": TEXT}, ...]
 *   eof_ms     how long it is given to end after EOF, before SIGTERM
 *   isolate    no network but loopback, and an end to all its processes, where that can be had
 *   npm        packages that hold the agent: {"folder below {peers}": ["name@version", ...]}
 *   known      deviations that were looked into: {"PROMPT-12": "what it does"}
 * Strings of command, env, home and intents may hold {provider} (base URL of the mock provider),
 * {cwd}, {home}, {bindir} (the folder of acp-conformance), {peers} (where scripts/peers puts
 * agents) and {PATH} (ours). A program that is not in {bindir} or {peers} is looked up in PATH.
 */
struct profile {
    char *name;  /* owned */
    cJSON *json; /* owned */
    char *peers; /* owned: $ACP_PEERS, else acp-kit/peers in the user's cache folder */
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

/* 0, or E_NOTFOUND with a sentence in err that says which of the command's files below {peers} is
 * not there and how it is installed. */
int profile_find(const struct profile *p, const struct profile_places *places, char *err,
                 size_t err_n);

/* Filled in, owned by the caller, NULL if there are none or out of memory. */
cJSON *profile_intents(const struct profile *p, const struct profile_places *places);
const cJSON *profile_after_session(const struct profile *p); /* or NULL; lent */
const cJSON *profile_login(const struct profile *p);         /* or NULL; lent */
const cJSON *profile_known(const struct profile *p);         /* or NULL; lent */
bool profile_isolates(const struct profile *p);
int64_t profile_eof_ms(const struct profile *p, int64_t otherwise);
bool profile_has_intent(const struct profile *p, const char *intent);
double profile_timeout_scale(const struct profile *p);
bool profile_provides(const struct profile *p, const char *word);

#endif
