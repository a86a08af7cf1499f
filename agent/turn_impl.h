#ifndef AGENT_TURN_IMPL_H
#define AGENT_TURN_IMPL_H

#include "agent/file_job.h"
#include "agent/gate.h"
#include "agent/hook.h"
#include "agent/llm_call.h"
#include "agent/tool.h"
#include "agent/turn.h"

/* Private to turn*.c: turn.c asks the model, turn_retry.c again, turn_tools.c runs what it
 * calls, turn_end.c answers, turn_record.c keeps what happened, turn_command.c carries out slash
 * commands, turn_compact.c makes room in the model's window, turn_plan.c asks whether a plan is to
 * be carried out, turn_servers.c waits for MCP servers,
 * turn_hooks.c for hooks.
 */

#define TURN_MAX_REQUESTS 100 /* model requests of one turn */
#define TURN_MAX_ROUNDS   25  /* times that a turn goes on by itself towards its goal */

struct turn_call {
    char id[SESSION_WIRE_ID_MAX]; /* toolCallId: ours, since providers repeat theirs */
    struct tool_call call;
    struct buf shown; /* its first report */
    bool hooked;      /* the hooks before it have been asked */
    int64_t number;   /* of its entry in the store */
};

struct turn {
    struct session *s;
    struct env *env;
    struct rpc_request *req;
    enum turn_state state;
    size_t mark;         /* messages in the history before this turn */
    int64_t stored;      /* the last entry in the store before this turn */
    size_t reply_at;     /* the message whose calls are being run */
    unsigned requests;   /* model requests so far */
    bool guided;         /* the next one is only due to guidance: it does not count */
    unsigned rounds;     /* times that it went on by itself */
    bool goal_over;      /* the model has said so */
    bool pushed;         /* the model is to be told that its goal still stands */
    struct list steers;  /* struct steer: guidance that the model has not got yet */
    enum mode told_mode; /* what the model knew when the turn began */
    enum work told_work;
    char *note;        /* owned; the session's, told in this turn; NULL: none */
    char provider[48]; /* whom the current request went to */
    unsigned tries;    /* failed tries of the current one */
    bool shown;        /* something reached the client in this turn */
    bool shown_now;    /* and from the current reply */
    bool no_memory;    /* noted where nothing could be done about it */
    uv_timer_t timer;  /* TURN_WAIT; its close callback frees the turn */
    struct llm_call *call;
    struct buf text, thought; /* of the current reply */
    struct buf runs;          /* how they took turns, see entry.h */
    struct buf usage;         /* the update about it, empty if nothing is known */
    uint64_t context;         /* the size of the model's window, 0: unknown */
    struct buf pending;       /* what of them the client has not got yet */
    enum llm_text_kind pending_kind;
    struct prompt prompt;
    struct slash_call command; /* the prompt is one, with `run` */
    size_t link;               /* the part of the prompt being read */
    struct file_job *job;
    struct turn_call *calls; /* of the current reply */
    size_t n_calls, next_call;
    struct tool_run *run;
    struct hook_run *hooks;             /* that are being asked */
    struct tool_result result;          /* of the call that the hooks after it are asked about */
    struct gate *gate;                  /* the user is asked about the next call, or the plan */
    struct turn_plan *plan;             /* owned; the plan that the user is asked about, or NULL */
    struct turn_compaction *compaction; /* owned; older messages are being summarised, or NULL */
    bool full;                          /* and that failed: it is not tried again */
    bool agreed;                        /* the model is to be told that it may carry out its plan */
    bool unchecked;                     /* files were changed, and no command ran since */
    bool reminded;                      /* the model was told of that once */
    bool remind;                        /* and is to be told with the next request */
    void (*held)(struct turn *t);       /* the step that waits in TURN_HELD */
};

void turn_move(struct turn *t, enum turn_state next);
/* True, and the step comes again later, if the client does not read. */
bool turn_hold(struct turn *t, void (*step)(struct turn *t));
/* Carries out the command that the prompt is, or else goes on with turn_read_links. */
void turn_begin(struct turn *t);
/* Nothing of a command that runs will call back after this. */
void turn_stop_command(struct turn *t);
/* Reads the files that the prompt links to, then asks the model. */
void turn_read_links(struct turn *t);
/* Keeps the command as it was typed: the client is shown it again, the model never sees it. */
int turn_keep_typed(struct turn *t);
/* Shows a message that the model never sees. It lasts. 0, or as turn_keep_prompt. */
int turn_show_aside(struct turn *t, const char *text);
/* Asks the model with the history as it is. */
void turn_request_model(struct turn *t);
/* What clients that take no notices are told: a thought of the agent's. It lasts. */
void turn_tell_as_thought(struct turn *t, const char *said);
/* True: MCP servers are still being connected, turn_request_model comes again when they are. */
bool turn_await_servers(struct turn *t);
/* After a failed request: the same once more in a while, or the end of the turn. */
void turn_try_again(struct turn *t, const struct llm_error *e);
/* Gives out the pending text. */
void turn_flush(struct turn *t);

/* Shows and runs the calls of a reply, then asks the model again. Takes the calls. */
void turn_run_tools(struct turn *t, struct llm_reply *reply);
/* Reports calls that have not ended as cancelled, to client and history. */
void turn_drop_tools(struct turn *t);
void turn_free_calls(struct turn *t);

/* Asks the hooks before the next call: 1: on_hooks comes, with an objection or NULL. 0: nobody is
 * to be asked. E_NOMEM. */
int turn_ask_hooks(struct turn *t, enum hook_event event,
                   void (*on_hooks)(void *ctx, const char *));
/* Ends a turn that went well, after the hooks for that. */
void turn_end_well(struct turn *t);

/* The model has made a plan: asks the user, then goes on with it or ends the turn. */
void turn_ask_about_plan(struct turn *t);
/* Reports an open question about it as cancelled. */
void turn_drop_plan(struct turn *t);

/* True: the window is nearly full, older messages are being summarised, and turn_request_model
 * comes again when that is over. */
bool turn_compact_first(struct turn *t);
/* Reports one that is under way as cancelled. */
void turn_drop_compaction(struct turn *t);
/* Asks a model about a history. 0 or as llm_call_start. */
int turn_open_call(struct turn *t, const struct llm_target *to, const struct history *history,
                   const struct llm_call_ops *ops);

/* Each puts something into the store and then the history. E_NOMEM, or what store.h says. */
int turn_keep_prompt(struct turn *t);
/* The text so far. A turn never leaves the history with a question that has no answer, since models
 * whose templates want user and assistant to take turns refuse that: the note is for such a case.
 * A text the store does not take still goes into the history. */
int turn_keep_reply(struct turn *t, const char *note);
/* Into the store only. `calls` (may be NULL) are t->calls as the model made them. */
int turn_record_reply(struct turn *t, const char *text, const struct history_call *calls);
int turn_record_result(struct turn *t, const struct turn_call *c, const struct tool_result *result,
                       const char *outcome);
void turn_forget_text(struct turn *t);
/* Tells what a reply came to, if both that and the size of the window are known. */
void turn_tell_usage(struct turn *t, const struct llm_usage *usage);

/* Adds to the history what the model must know before its next request: changed modes and
 * instructions, guidance. Makes it last. 0 or a negative code (for turn_fail_kept). */
int turn_add_notes(struct turn *t);
int turn_add_steers(struct turn *t);
/* Drops guidance that has not reached the history. */
void turn_drop_steers(struct turn *t);

/* Each answers the request and ends the turn; t is gone soon, touch nothing. */
void turn_end(struct turn *t, enum acp_stop_reason reason);
void turn_end_cancelled(struct turn *t, bool by_request_id);
void turn_fail(struct turn *t, const struct llm_error *error);
/* rc is of turn_open_call. */
void turn_fail_to_open(struct turn *t, int rc);
void turn_fail_plain(struct turn *t, int code, const char *message);
/* rc is of a function that keeps something. */
void turn_fail_kept(struct turn *t, int rc);

#endif
