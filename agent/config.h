#ifndef AGENT_CONFIG_H
#define AGENT_CONFIG_H

#include "agent/llm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where models come from: built-in providers, config.json, the environment, credentials.json; later
 * ones win. Nothing here writes. Keys stand only here and in the Authorization header.
 */

/* One built-in provider; the table is in config_builtin.c. All static. */
struct config_builtin {
    const char *id;
    const char *dialect;  /* NULL: openai-chat */
    const char *key_env;  /* the variable that holds the key; NULL: a local server without keys */
    const char *base_env; /* the variable that moves the base URL, or NULL */
    const char *base;
    const char *model;           /* used when none is named; NULL: the first one listed */
    const char *max_tokens_name; /* at `base`; elsewhere it is "max_tokens", which all know */
    bool echo_thought;
    struct {
        const char *id, *efforts;
        unsigned input; /* bits of enum media_kind */
    } models[4];        /* at `base` */
};

#define CONFIG_BUILTINS 8
extern const struct config_builtin config_builtins[CONFIG_BUILTINS];

struct config_model {
    char *id;            /* owned */
    char *name;          /* owned; for people, or NULL */
    char *efforts;       /* owned; "low medium high"; "": it takes none */
    unsigned input;      /* what it takes beside text: bits of enum media_kind */
    uint32_t context;    /* tokens; 0: unknown */
    uint32_t max_output; /* tokens; 0: unknown */
};

struct config_provider {
    const struct config_builtin *builtin; /* NULL: it stands only in config.json */
    const struct llm_dialect *dialect;    /* NULL until settled */
    char *id, *base;                      /* owned */
    char *key;                            /* owned; NULL: none */
    char *key_env;                        /* owned; the variable that may hold the key, or NULL */
    char **headers;                       /* owned, NULL-terminated, "Name: value"; or NULL */
    struct config_model *models;          /* owned */
    size_t n_models;
    bool wanted; /* somebody set it up, so it may be the default */
};

struct config {
    struct config_provider *providers; /* owned */
    size_t n;
    /* From config.json; owned, NULL if not there. */
    char *model, *effort, *work_mode, *tool_approval;
    char **trusted;       /* owned; folders of projects whose plugins count, or NULL */
    uint32_t max_tokens;  /* 0: not there */
    unsigned input;       /* what models without an entry take beside text */
    uint64_t context;     /* tokens each model's window has; 0: as its entry says */
    uint64_t idle_ms;     /* silence of a model stream that ends it */
    uint64_t retry_ms;    /* the first pause between two tries */
    uint64_t mcp_ms;      /* that an MCP server has to get ready; 0: as mcp_client.h */
    uint64_t mcp_call_ms; /* and for a call without news of it */
    char error[640];      /* why the last load failed: one sentence; "" after a good one */
};

/* Looks up a variable; NULL if it is not set. */
typedef const char *(*config_env)(const char *name);

void config_init(struct config *c);
void config_deinit(struct config *c);

/* Reads everything anew. 0; E_NOMEM, or E_INVALID for a config.json that is broken: then only
 * `error` changed. A broken credentials file is named on stderr and counts as empty. */
int config_load(struct config *c, config_env env);

/* Appends the path of a file of this name in the user's folder for configuration. 0, E_NOMEM, or
 * E_NOTFOUND: there is no home to look in. */
int config_locate(config_env env, const char *name, struct buf *out);

/* "provider/model" is split at its first slash; a text without one is a model of the default
 * provider, and NULL or "" the model of config.json or else that provider's own default. The
 * default provider is the first that is set up. 0; E_NOTFOUND: no such provider; E_UNSUPPORTED: no
 * credentials for it, or no model. ret lends from c and from spec. */
int config_resolve(const struct config *c, const char *spec, struct llm_target *ret);

/* May it be asked? */
bool config_is_usable(const struct config_provider *p);
/* NULL: not in the lists. spec: "provider/model". */
const struct config_model *config_find_model(const struct config *c, const char *spec);
const struct config_provider *config_find_provider(const struct config *c, const char *id,
                                                   size_t n);

/* Is the provider of this spec known (credentials or not)? */
bool config_knows(const struct config *c, const char *spec);

bool config_is_builtin(const char *spec);

/* Is `word` one of the words of a list like "low medium high"? */
bool config_has_word(const char *list, const char *word);

/* "openai, deepseek, ..." / the variables that hold keys, for messages. */
int config_list_providers(const struct config *c, struct buf *out);
int config_list_keys(struct buf *out);

#endif
