#ifndef MOCK_CLIENT_PLAYER_H
#define MOCK_CLIENT_PLAYER_H

#include "mock-client/client.h"
#include "mock-client/trace.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * Plays the client's side of one case (docs/cases.md): starts the agent, does the handshake, runs
 * the steps, reports every expectation, ends the agent. It judges nothing: what a broken
 * expectation costs is the runner's business.
 *
 * Many players may share a loop. A player acts in the loop turn after an event was added to its
 * trace (never from inside trace_add), so a model's events only need to be added.
 */
struct player;

enum player_outcome {
    PLAYER_HELD,
    PLAYER_BROKEN,
    PLAYER_UNREACHED /* it could not be looked at: `text` says why */
};

/* One expectation. Everything is lent for the call. */
struct player_check {
    const char *id; /* the requirement it judges */
    enum player_outcome outcome;
    int step;            /* index in `steps`, -1: the handshake */
    const char *verb;    /* "prompt" */
    const char *note;    /* the step's or entry's own words, or NULL */
    const char *at_most; /* "WARN", "INFO", or NULL */
    const char *pointer; /* where in the looked-at value, "/result/stopReason"; "" if whole */
    const char *expected, *got; /* texts for people; may be "" */
    const char *text;           /* one sentence: "no answer to session/prompt within 5000 ms" */
    /* The event that was looked at, NULL if none. */
    const struct trace_event *event;
};

enum player_why {
    PLAYER_FINISHED,     /* all steps were played */
    PLAYER_STOPPED,      /* a wait was broken: its BROKEN or UNREACHED check was reported before */
    PLAYER_NO_HANDSHAKE, /* the agent did not get through `initialize` */
    PLAYER_ERROR         /* the environment, the case, or a message of ours that may not be sent */
};

struct player_ops {
    /* A step begins; `step` is lent. May be NULL. */
    void (*on_step)(void *ctx, int index, const cJSON *step);
    /* Each expectation once, in order. After a stop those of the steps not played follow as
     * PLAYER_UNREACHED. */
    void (*on_check)(void *ctx, const struct player_check *check);
    /* Looks at each message of ours that no step called invalid, as it is sent: 0, or negative with
     * a sentence in err; the play then ends with PLAYER_ERROR. May be NULL. */
    int (*validate)(void *ctx, const struct trace_event *e, char *err, size_t err_n);
    /* The steps are over: how many ms to wait before the agent is ended, for what it may still send
     * (requests of it are answered meanwhile). Asked again after every event and when they have
     * passed, until it is 0. May be NULL. */
    uint64_t (*linger)(void *ctx);
    /* The play is over, the agent still runs and will be ended next. May be NULL. */
    void (*on_ending)(void *ctx, enum player_why why, const char *text);
    /* The last call ever made: agent and player are gone. text: one sentence for people, "" if
     * finished. */
    void (*on_done)(void *ctx, enum player_why why, const char *text);
};

/* The model's side, for the verbs that act on it. What the model does is read from the trace. */
struct player_model {
    int (*release)(void *ctx, const char *hold); /* 0 or a negative code */
};

struct player_options {
    const cJSON *play;       /* the case: client, files, env, args, handshake, steps, timeout; lent
                                until on_done */
    const char *const *argv; /* the agent's command, without the case's args; copied */
    const char *const *env;  /* base environment, the case's env comes on top; copied; NULL: ours */
    const char *cwd;         /* of the sessions: absolute, there, writable; copied */
    const char *start_dir;   /* where the agent is started; NULL: in cwd; lent until on_done */
    const char *default_check;        /* lent; NULL: checks[0] of the case */
    const char *provider_url;         /* ${provider}; NULL: none; copied */
    struct trace *trace;              /* lent; its on_add is taken over, see on_event */
    const struct client_wire *wire;   /* lent, or NULL */
    const struct player_model *model; /* lent; NULL: no model, its verbs end the play */
    void *model_ctx;
    void (*on_event)(void *ctx, const struct trace_event *e); /* each event, with the ops' ctx */
    /* Requests to each session that a `session` step made, before the next step: [{"method",
     * "params"}], sessionId is added; lent until on_done. NULL: none. */
    const cJSON *after_session;
    /* What a person types in the agent's login, for the step `login`: [{"see": TEXT, "type":
     * TEXT}]; lent until on_done. NULL: nothing. */
    const cJSON *login;
    double timeout_scale;     /* 0: 1 */
    uint64_t eof_ms, term_ms; /* as in client.h */
    size_t max_line;
};

/* 0, or a negative code with nothing started (E_INVALID: the case has no steps; E_NOMEM). Spawn
 * errors are told by on_done. Callbacks come from the loop, never from inside this call. */
int player_open(uv_loop_t *loop, const struct player_options *options, const struct player_ops *ops,
                void *ctx, struct player **ret);

/* Ends the play early (why: PLAYER_ERROR with this text), agent killed; on_done follows. */
void player_abort(struct player *p, const char *text);

/* The agent's stderr tail for reports; "" if it never ran. Lent until on_done returns. */
const char *player_stderr_tail(const struct player *p);

/* ---- for lint and explain -----------------------------------------------------------------------
 */

/* Shape of one step: one known verb, its members and their types. 0 or E_INVALID with a sentence
 * ("prompt: unknown member \"sesion\"") in err. */
int player_check_step(const cJSON *step, char *err, size_t err_n);

/* All steps, and that the names they use were made before ("steps[3]: ..."). */
int player_check_steps(const cJSON *steps, char *err, size_t err_n);

/* Shape of `client`: policy, fs, terminal and elicitation. 0 or E_INVALID with a sentence in err.
 */
int player_check_client(const cJSON *client, char *err, size_t err_n);

/* The verb of a step, static; NULL if it has none. */
const char *player_step_verb(const cJSON *step);

/* Calls cb for each requirement the expectations of a step judge (default_check where the step
 * names none), duplicates included. Steps that expect nothing and wait for nothing call it never.
 */
void player_step_checks(const cJSON *step, const char *default_check,
                        void (*cb)(void *ctx, const char *id), void *ctx);

/* The i-th verb in the order of docs/cases.md and what it does in a few words (ret_summary may be
 * NULL), both static; NULL at the end. */
const char *player_verb(size_t i, const char **ret_summary);

#endif
