#ifndef AGENT_TURN_H
#define AGENT_TURN_H

#include "agent/prompt.h"
#include "agent/session.h"

/*
 * One prompt turn: links are read, the model is asked, its tools run, the model is asked again,
 * until it stops, or a limit or the client stops it. It answers its request exactly once; after
 * that it is off its session and sends nothing more.
 */
enum turn_state {
    TURN_LINKS, /* the prompt is a command that runs, or files it links to are being read */
    TURN_MODEL, /* a model request is open */
    TURN_WAIT,  /* the pause before the next try */
    TURN_TOOL,  /* a tool runs, or its user is asked */
    TURN_HELD,  /* the client does not read: the next step waits */
    TURN_OVER,
    TURN_STATES
};

/* Is this step in the table? */
bool turn_may_move(enum turn_state from, enum turn_state to);

/* Starts a turn on an idle session. Takes the prompt. Whatever happens, req is answered, now or
 * later. */
void turn_start(struct session *s, struct rpc_request *req, struct prompt *prompt);

/* Answers stopReason cancelled now; everything below ends behind the scenes. What was shown stays
 * in the history. */
void turn_cancel(struct turn *t);

/* The command /compact: summarises older messages and ends the turn. */
void turn_compact_by_hand(struct slash_call *call);

/* Guidance while it runs: a message of the user's that the model gets with its next request,
 * without ending the turn before that. Takes the prompt on success. 0 or E_NOMEM. */
int turn_steer(struct turn *t, struct prompt *prompt);

/* Gives out text that was gathered (env->may_gather). */
void turn_give_out(struct turn *t);

/* The client reads again, or does not (env->pressed). */
void turn_pressure(struct turn *t);

#endif
