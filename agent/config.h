#ifndef AGENT_CONFIG_H
#define AGENT_CONFIG_H

#include "agent/llm.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where models come from: the environment and the credentials file. Nothing is ever written. Keys
 * stand only here and in the Authorization header.
 */

/* One built-in provider; the table is in config.c. All static. */
struct config_provider {
    const char *id;
    const struct llm_dialect *dialect;
    const char *key_env;  /* the variable that holds the key */
    const char *base_env; /* the variable that moves the base URL, or NULL */
    const char *base;
    const char *model;           /* the model used when none is named */
    const char *max_tokens_name; /* at `base`; elsewhere it is "max_tokens", which all know */
    bool echo_thought;
};

#define CONFIG_PROVIDERS 3

/* What was found for the provider of the same index. */
struct config_entry {
    char *key;  /* owned; NULL: no credentials */
    char *base; /* owned */
};

struct config {
    struct config_entry entries[CONFIG_PROVIDERS];
    uint64_t context;  /* tokens the model's window has; 0: unknown */
    uint64_t idle_ms;  /* silence of a model stream that ends it */
    uint64_t retry_ms; /* the first pause between two tries */
};

/* Looks up a variable; NULL if it is not set. */
typedef const char *(*config_env)(const char *name);

void config_init(struct config *c);
void config_deinit(struct config *c);

/* Reads everything anew. A broken credentials file is named on stderr and counts as empty. 0 or
 * E_NOMEM (then nothing changed). */
int config_load(struct config *c, config_env env);

/* "provider/model" is split at its first slash; a text without one is a model of the default
 * provider, and NULL or "" that provider's own default model. The default provider is the first in
 * the table that has a key. 0; E_NOTFOUND: no such provider; E_UNSUPPORTED: no credentials for it.
 * ret lends from c and from spec. */
int config_resolve(const struct config *c, const char *spec, struct llm_target *ret);

/* Is the provider of this spec known (credentials or not)? */
bool config_knows(const char *spec);

/* "openai, deepseek, openrouter" / the variables that hold keys, for messages. */
int config_list_providers(struct buf *out);
int config_list_keys(struct buf *out);

#endif
