#ifndef MOCK_CLIENT_PLAYER_INT_H
#define MOCK_CLIENT_PLAYER_INT_H

#include "mock-client/files.h"
#include "mock-client/player.h"
#include "mock-client/policy.h"
#include "mock-client/terminals.h"

#include "base/buf.h"
#include "base/list.h"
#include "json/json.h"
#include "json/match.h"

/*
 * What the parts of the player share. A verb is a row of the table in player_verbs.c; the player
 * calls begin once, then poll whenever the trace has grown, and late when the deadline has passed
 * or the agent has ended.
 */

/* A process of the agent, also between two runs of it. */
struct play_agent {
    struct list node;
    struct player *player;
    const char *name;      /* lent by the trace; NULL: the first */
    struct client *client; /* NULL before the start, between two, and after the end */
    char **argv, **env;    /* owned */
    char mark[64];         /* "NAME=value", in env: by which its processes are known */
    const cJSON *caps;     /* what the newest initialize told it of the client; lent by the trace */
    bool fence_broken;
    char stderr_tail[4096];
};

/* A request of ours, a message that a step has found, or a text that one has kept. */
struct play_ref {
    struct list node;
    char *name;                         /* owned; NULL: no step names it */
    struct play_agent *agent;           /* lent: whose request; NULL: no request */
    cJSON *id;                          /* owned; NULL: no request */
    char *text;                         /* owned; NULL: no text */
    size_t mark;                        /* of a text: the events that were there */
    const struct trace_event *sent;     /* the request */
    const struct trace_event *response; /* NULL: none yet */
    const struct trace_event *message;  /* what `saw` or `respond` has found */
    bool is_session, is_fence;
    bool cancelled; /* session/cancel was sent while it was open */
    bool lost;      /* its process is gone */
};

/* An open request of the agent. */
struct play_ask {
    struct list node;
    const struct trace_event *e;
    struct play_agent *agent; /* lent: who asks */
    const cJSON *value;       /* lent: the ANSWER, NULL for the default */
    /* Answers by default. */
    int (*fallback)(struct play_agent *a, const struct trace_event *e);
    const char *hold; /* lent: at its release the value answers; NULL: it waits for a step */
    bool never;       /* not even a cancel answers it */
};

struct play_verb;

struct play_step {
    const cJSON *raw;         /* as the case has it */
    cJSON *step;              /* owned: with ${...} replaced */
    const cJSON *value;       /* of the verb, in step */
    const char *check;        /* requirement if the step names none */
    struct play_agent *agent; /* lent: the process it is about */
    const struct play_verb *verb;
    int index;            /* -1: the start */
    struct play_ref *ref; /* whose answer is awaited, lent */
    int phase;            /* the verb's own */
    size_t cursor, found; /* of a search through the trace */
    uint64_t bytes_read;  /* fence: at the last look */
};

enum { PLAY_NEXT, PLAY_WAIT, PLAY_STOP };

/* begin, poll, late: one of the above, or negative after play_error(). */
typedef int (*play_fn)(struct player *p, struct play_step *s);

enum play_flags {
    PLAY_JUDGES = 1, /* an expectation also without `check` or `expect` */
    PLAY_SENDS = 2,  /* may stand in a batch */
    PLAY_AGENT = 4,  /* a wait that ends when the agent's process has ended */
    PLAY_LAZY = 8,   /* only the verb's own value is filled in before begin */
    PLAY_BATCH = 16, /* nothing is */
    PLAY_KEEPS = 32  /* judges nothing if all it does is keep a text */
};

struct play_verb {
    const char *name, *summary;
    const char *value;   /* types the verb's value may have, see player_lint.c */
    const char *members; /* "name:types ...", besides those of every step */
    unsigned flags;
    int (*check)(const cJSON *step, struct json_error *reterr); /* what types cannot say, or NULL */
    play_fn begin, poll;
    int (*late)(struct player *p, struct play_step *s, const char *why);
};

struct player {
    uv_loop_t *loop;
    const struct player_ops *ops;
    void *ctx;
    struct player_options options; /* argv, env, cwd and provider_url point to the copies below */
    char **argv, **env;            /* owned: of every process, before what steps add */
    char *cwd, *provider_url;      /* owned */
    cJSON *client_side;            /* owned: the case's `client`, filled in */
    const cJSON *steps;
    struct list agents; /* struct play_agent */
    uv_idle_t tick;
    uv_timer_t deadline;
    uv_timer_t again; /* for what no event tells */
    int open_handles;
    struct policy_state policy;
    cJSON *released; /* owned: names of holds as members */
    struct files files;
    struct terminals *terminals;
    struct play_login *login; /* one that runs, or NULL */
    size_t booked;            /* events of the trace that were looked at */
    struct list refs, asks;
    int64_t last_id;
    struct play_step now;
    bool began;
    size_t unsent;           /* bytes of a cut send that waited when the deadline began */
    int overdue;             /* loop turns since the deadline passed; 0: it has not */
    struct play_step *batch; /* owned: the steps of a batch */
    size_t n_batch;
    bool over;   /* no further step will be played */
    bool ending; /* and the agent is being ended */
    enum player_why why;
    char why_text[600];
};

/* ---- player.c -----------------------------------------------------------------------------------
 */

/* The play is over; the agent is ended, then everything. Only the first call counts. */
void play_end(struct player *p, enum player_why why, const char *text);
/* Looks again in the next turn of the loop. */
void play_wake(struct player *p);
/* A client or the services have closed: the end goes on if it was the last of them. */
void play_part_gone(struct player *p);
/* Looks again after a moment. */
void play_wake_later(struct player *p);
/* Notes a sentence for play_end and returns E_INVALID. */
int play_error(struct player *p, const struct play_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Milliseconds of the step's deadline, scaled. */
uint64_t play_deadline(const struct player *p, const struct play_step *s);
int play_step_init(struct player *p, struct play_step *s, const cJSON *raw, int index);
void play_step_deinit(struct play_step *s);
/* Fills in and begins: what begin says, or PLAY_STOP if a value is missing. */
int play_step_begin(struct player *p, struct play_step *s);

/* ---- player_fill.c ------------------------------------------------------------------------------
 */

/* Replaces ${...} by what this play knows. 0, E_NOMEM, E_NOTFOUND with a sentence in *reterr. */
int play_fill(struct player *p, const cJSON *in, cJSON **ret, struct json_error *reterr);
struct play_ref *play_ref_find(const struct player *p, const char *name);
struct play_ref *play_ref_add(struct player *p, const char *name);
void play_refs_deinit(struct player *p);
/* The id of a session by the name of its step; NULL if there is none. */
const char *play_session_id(const struct player *p, const char *name);
/* Of the last one made at that process; NULL if there is none. */
const char *play_last_session(const struct player *p, const struct play_agent *a);
/* ${name}'s parts: "s.result./a/b" -> name "s", field "result", pointer "/a/b". False if it has
 * not that form. */
struct play_var {
    char name[64], field[16];
    const char *pointer; /* lent, not ended at n */
    size_t pointer_n;
};
bool play_var_parse(const char *text, size_t n, struct play_var *ret);

/* ---- player_book.c ------------------------------------------------------------------------------
 */

/* Looks at the events added since the last call: pairs answers with requests, answers the agent by
 * policy, has our own messages validated. */
void play_book(struct player *p);
bool play_has_method(const struct trace_event *e, const char *method);
const char *play_session_of(const struct trace_event *e); /* params.sessionId, or NULL */
/* Two calls of one session of one process. */
bool play_same_session(const struct trace_event *a, const struct trace_event *b);
/* What goes to the agent. */
struct play_call {
    const char *name; /* of the ref, or NULL */
    const cJSON *id;  /* NULL: one of ours */
    const char *method;
    const cJSON *params; /* or NULL */
};
/* Sends {"jsonrpc", "id"?, "method", "params"?}. The event, NULL when out of memory. */
const struct trace_event *play_send_message(struct play_agent *a, const struct play_call *call);
/* A request; the new ref, NULL when out of memory. */
struct play_ref *play_send_request(struct play_agent *a, const struct play_call *call);
/* A message from the agent that steps may look at: JSON, and no answer to a fence. */
bool play_is_agent_message(const struct player *p, const struct trace_event *e);

/* ---- player_events.c ----------------------------------------------------------------------------
 */

/* The first event at or behind *at that an EVENT of docs/cases.md means; *at is then behind it. */
const struct trace_event *play_find_event(const struct player *p, const cJSON *entry, size_t *at);
/* Where the step's `since` lets the trace begin. False if that never happened: then the step is
 * unreached, and it was told. */
bool play_since(struct player *p, const struct play_step *s, size_t *ret);
/* Shape of an EVENT. has_at: with a pointer. */
int play_event_check(const cJSON *entry, bool has_at, const char *where, struct json_error *reterr);

/* ---- player_answer.c ----------------------------------------------------------------------------
 */

/* Answers a request of the agent: by policy, by a service, or later. 0 or E_NOMEM. */
int play_ask(struct play_agent *a, const struct trace_event *e);
/* session/cancel was sent: open permission requests of the session are answered. 0 or E_NOMEM. */
int play_asks_cancel(struct player *p, const struct trace_event *cancel);
/* Nobody will answer the open requests of that process. */
void play_asks_forget(struct player *p, const struct play_agent *a);
void play_asks_deinit(struct player *p);
/* Answers by ask->value. 0 or E_NOMEM. */
int play_ask_by(const struct play_ask *ask);
/* Those that wait at this hold are answered. 0 or E_NOMEM. */
int play_asks_release(struct player *p, const char *hold);
void play_send_answer(struct play_agent *a, const struct buf *line, bool may_be_invalid);

/* ---- player_service.c ---------------------------------------------------------------------------
 */

int play_services_open(struct player *p); /* 0 or E_NOMEM */
/* play_part_gone comes later. */
void play_services_close(struct player *p);
void play_services_deinit(struct player *p);
/* What a request is answered without a policy. 0 or E_NOMEM. */
int play_serve(struct play_agent *a, const struct trace_event *e);
/* True if the client's policies or terminals have a hold of that name. */
bool play_holds(const struct player *p, const char *name);
/* One of them has come to it: true if it was released before. */
bool play_hold_reached(struct player *p, const char *name);
/* Lets them go on. 0 or E_NOMEM. */
int play_release_hold(struct player *p, const char *name);

/* ---- player_login.c -----------------------------------------------------------------------------
 */

/* Ends the login that runs, if there is one; play_part_gone comes later. */
void play_login_close(struct player *p);
int play_login_check(const cJSON *step, struct json_error *reterr);

/* ---- player_report.c ----------------------------------------------------------------------------
 */

struct play_finding {
    enum player_outcome outcome;
    const struct trace_event *event;
    const struct json_mismatch *mismatch; /* or NULL */
    const char *text;                     /* or NULL: made from the mismatch */
};

/* One expectation. entry: of an `expect` list, or NULL for the step itself. */
void play_tell(struct player *p, const struct play_step *s, const cJSON *entry,
               const struct play_finding *finding);
void play_held(struct player *p, const struct play_step *s, const struct trace_event *event);
void play_broken(struct player *p, const struct play_step *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Matches and tells; 1 held, 0 broken, negative: out of memory. */
int play_judge(struct player *p, const struct play_step *s, const cJSON *pattern,
               const cJSON *value, const struct trace_event *event);
/* Tells about the step's `expect`, or, if it has none but a `check`, that it held. 0 or negative.
 */
int play_expect(struct player *p, const struct play_step *s, const struct trace_event *event);
/* The awaited thing did not come: every expectation of the step is broken. */
int play_late(struct player *p, struct play_step *s, const char *why);
/* The same where nothing obliges the agent. */
int play_late_unreached(struct player *p, struct play_step *s, const char *why);
/* All expectations of a step are unreached. */
void play_unreached(struct player *p, const struct play_step *s, const char *text);
/* Compares text with the step's equals, contains or match, and tells. 0 or negative. */
/* equals, contains and match of the step, as far as it has them. */
bool play_text_holds(const struct play_step *s, const char *text);
int play_judge_text(struct player *p, const struct play_step *s, const char *text);
/* Compares a number with N or {"min", "max"}: 1 it is, 0 it is not; range says what was wanted. */
int play_in_range(const cJSON *range, size_t n, char *text, size_t text_n);

/* ---- player_agents.c ----------------------------------------------------------------------------
 */

/* The first has the name NULL. NULL if there is none of that name. */
struct play_agent *play_agent_find(const struct player *p, const char *name);
/* The one an event is about. NULL if it is about none. */
struct play_agent *play_agent_of(const struct player *p, const struct trace_event *e);
/* A new one with the command and environment of the player. NULL: out of memory. */
struct play_agent *play_agent_add(struct player *p, const char *name);
/* 0, or play_error. */
int play_agent_launch(struct play_agent *a);
void play_agents_deinit(struct player *p);

/* ---- player_start.c -----------------------------------------------------------------------------
 */

extern const struct play_verb play_start; /* the step before the first */
int play_write_files(struct player *p);
/* The handshake with the step's process: PLAY_WAIT, or PLAY_NEXT if the case wants none. */
int play_handshake_begin(struct player *p, struct play_step *s);
/* PLAY_WAIT, PLAY_NEXT, or PLAY_STOP if it failed (why_text says how). */
int play_handshake_poll(struct player *p, struct play_step *s);
/* Makes params of `initialize` from the case's client and the step's members. */
cJSON *play_initialize_params(const struct player *p, const cJSON *members);
/* Members of `over` replace those of `base` (null removes). 0 or E_NOMEM. */
int play_merge(cJSON *base, const cJSON *over);

/* ---- player_file.c ------------------------------------------------------------------------------
 */

/* A path below cwd: 0, or E_INVALID for an absolute one and for "..". */
int play_path_check(const char *path);
int play_file_write(const struct player *p, const char *path, const char *text);
/* A member of the case's `files`: a text, or {"link": target}. 0, E_INVALID or a negative errno. */
int play_file_make(const struct player *p, const cJSON *file);

/* ---- the verbs ----------------------------------------------------------------------------------
 */

const struct play_verb *play_verb_find(const cJSON *step);
const struct play_verb *play_verb_at(size_t i); /* NULL at the end */
/* True if the step itself, whatever its `expect` says, has an expectation. */
bool play_step_judges(const struct play_verb *verb, const cJSON *step);
/* The verb's value is an object whose members, of these names, are ranges; at least one. */
int play_ranges_check(const cJSON *step, const char *verb, const char *names,
                      struct json_error *reterr);
int play_lint_pattern(const cJSON *pattern, const char *where, struct json_error *reterr);
int play_lint_fail(struct json_error *reterr, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define PLAY_VERB_FN(name) int play_##name(struct player *p, struct play_step *s)
PLAY_VERB_FN(login_begin);
PLAY_VERB_FN(login_poll);
PLAY_VERB_FN(initialize_begin);
PLAY_VERB_FN(session_begin);
PLAY_VERB_FN(session_poll);
PLAY_VERB_FN(prompt_begin);
PLAY_VERB_FN(request_begin);
PLAY_VERB_FN(notify_begin);
PLAY_VERB_FN(cancel_begin);
PLAY_VERB_FN(cancel_request_begin);
PLAY_VERB_FN(answer_poll); /* waits for the response to s->ref */
PLAY_VERB_FN(await_begin);
PLAY_VERB_FN(respond_begin);
PLAY_VERB_FN(respond_poll);
PLAY_VERB_FN(batch_begin);
PLAY_VERB_FN(batch_poll);
PLAY_VERB_FN(send_begin);
PLAY_VERB_FN(saw_begin);
PLAY_VERB_FN(saw_poll);
PLAY_VERB_FN(never_begin);
PLAY_VERB_FN(fence_begin);
PLAY_VERB_FN(fence_poll);
PLAY_VERB_FN(alive_begin);
PLAY_VERB_FN(alive_poll);
PLAY_VERB_FN(count_begin);
PLAY_VERB_FN(text_begin);
PLAY_VERB_FN(order_begin);
PLAY_VERB_FN(same_begin);
PLAY_VERB_FN(hold_begin);
PLAY_VERB_FN(hold_poll);
PLAY_VERB_FN(release_begin);
PLAY_VERB_FN(server_saw_begin);
PLAY_VERB_FN(server_saw_poll);
PLAY_VERB_FN(model_saw_begin);
PLAY_VERB_FN(model_saw_poll);
PLAY_VERB_FN(model_count_begin);
PLAY_VERB_FN(model_gone_begin);
PLAY_VERB_FN(model_gone_poll);
PLAY_VERB_FN(write_file_begin);
PLAY_VERB_FN(file_begin);
PLAY_VERB_FN(file_poll);
PLAY_VERB_FN(write_buffer_begin);
PLAY_VERB_FN(buffer_begin);
PLAY_VERB_FN(terminals_begin);
PLAY_VERB_FN(terminals_poll);
PLAY_VERB_FN(close_stdin_begin);
PLAY_VERB_FN(signal_begin);
PLAY_VERB_FN(exit_begin);
PLAY_VERB_FN(exit_poll);
PLAY_VERB_FN(stdout_rest_begin);
PLAY_VERB_FN(restart_begin);
PLAY_VERB_FN(restart_poll);
PLAY_VERB_FN(start_begin);
PLAY_VERB_FN(start_poll);
PLAY_VERB_FN(kill_begin);
PLAY_VERB_FN(kill_poll);
PLAY_VERB_FN(processes_begin);
PLAY_VERB_FN(processes_poll);

int play_terminals_late(struct player *p, struct play_step *s, const char *why);
int play_file_late(struct player *p, struct play_step *s, const char *why);
int play_processes_late(struct player *p, struct play_step *s, const char *why);
int play_start_late(struct player *p, struct play_step *s, const char *why);
int play_login_late(struct player *p, struct play_step *s, const char *why);
int play_hold_late(struct player *p, struct play_step *s, const char *why);
int play_batch_late(struct player *p, struct play_step *s, const char *why);
int play_fence_late(struct player *p, struct play_step *s, const char *why);
int play_model_late(struct player *p, struct play_step *s, const char *why);

int play_request_check(const cJSON *step, struct json_error *reterr);
int play_respond_check(const cJSON *step, struct json_error *reterr);
int play_batch_check(const cJSON *step, struct json_error *reterr);
int play_send_check(const cJSON *step, struct json_error *reterr);
int play_count_check(const cJSON *step, struct json_error *reterr);
int play_text_check(const cJSON *step, struct json_error *reterr);
int play_same_check(const cJSON *step, struct json_error *reterr);
int play_order_check(const cJSON *step, struct json_error *reterr);
int play_file_check(const cJSON *step, struct json_error *reterr);
int play_write_file_check(const cJSON *step, struct json_error *reterr);
int play_signal_check(const cJSON *step, struct json_error *reterr);
int play_stdout_rest_check(const cJSON *step, struct json_error *reterr);
int play_write_buffer_check(const cJSON *step, struct json_error *reterr);
int play_buffer_check(const cJSON *step, struct json_error *reterr);
int play_terminals_check(const cJSON *step, struct json_error *reterr);
int play_processes_check(const cJSON *step, struct json_error *reterr);
int play_start_check(const cJSON *step, struct json_error *reterr);

/* Number of a signal by its name without SIG; -1 if unknown. The name; NULL if unknown. */
int play_signal_number(const char *name);
const char *play_signal_name(int signum);

#endif
