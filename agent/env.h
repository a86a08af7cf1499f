#ifndef AGENT_ENV_H
#define AGENT_ENV_H

#include "agent/config.h"
#include "agent/store.h"
#include "http/fetch.h"
#include "rpc/peer.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* What the agent shares with its sessions and turns. Owned by the agent, which outlives them. */
struct env {
    uv_loop_t *loop;
    struct peer *peer;
    struct fetch *fetch;
    struct config config;
    config_env variable;   /* of the environment; NULL: there are none */
    struct store *store;   /* NULL: no place for one is known, nothing lasts */
    const char *model;     /* "provider/model" of the command line, or NULL */
    const char *work_mode; /* of the command line, or NULL */
    uint32_t max_tokens;
    bool safe_mode;         /* nothing that the user did not write is run, nothing loosened */
    const char *append;     /* joins every system prompt, or NULL */
    const char *title;      /* of new sessions, or NULL: made from the first prompt */
    uint64_t permission_ms; /* that the user has for an answer */
    bool reads_files, writes_files, runs_terminals; /* what the client serves */
    bool pressed;     /* the client does not read: nothing new may be started */
    bool notices;     /* the client takes notice updates */
    bool compactions; /* and those about compactions */
    bool booleans;    /* and options that are on or off */
    bool forms;       /* and asks its user by forms */
    bool surfaces;    /* and shows what plugins publish as it is */
    /* True while earlier output is on its way: text may then be gathered, and is asked for at the
     * end of this turn of the loop. */
    bool (*may_gather)(struct env *env);
    /* A session has become idle and something waited for that. */
    void (*wake)(struct env *env);
};

#endif
