#ifndef MOCK_CLIENT_PLAYER_INT_H
#define MOCK_CLIENT_PLAYER_INT_H

#include "mock-client/player.h"

#include "base/buf.h"
#include "base/list.h"
#include "json/json.h"
#include "json/match.h"

/*
 * What the parts of the player share. A verb is a row of the table in player_verbs.c; the player
 * calls begin once, then poll whenever the trace has grown, and late when the deadline has passed
 * or the agent has ended.
 */

/* A request of ours, or a message that a step has found. */
struct play_ref {
    struct list node;
    char *name;                         /* owned; NULL: no step names it */
    cJSON *id;                          /* owned; NULL: a found message */
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
    bool never; /* its policy: not even a cancel answers it */
};

struct play_verb;

struct play_step {
    const cJSON *raw;   /* as the case has it */
    cJSON *step;        /* owned: with ${...} replaced */
    const cJSON *value; /* of the verb, in step */
    const char *check;  /* requirement if the step names none */
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
    PLAY_BATCH = 16  /* nothing is */
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
    char **argv, **env;            /* owned */
    char *cwd, *provider_url;      /* owned */
    cJSON *client_side;            /* owned: the case's `client`, filled in */
    const cJSON *steps;
    struct client *client; /* NULL before the start, between two, and after the end */
    uv_idle_t tick;
    uv_timer_t deadline;
    int open_handles;
    size_t booked; /* events of the trace that were looked at */
    struct list refs, asks;
    int64_t last_id;
    struct play_step now;
    bool began;
    int overdue;             /* loop turns since the deadline passed; 0: it has not */
    struct play_step *batch; /* owned: the steps of a batch */
    size_t n_batch;
    bool fence_broken;
    bool over;   /* no further step will be played */
    bool ending; /* and the agent is being ended */
    enum player_why why;
    char why_text[600];
    char stderr_tail[4096];
};

/* ---- player.c -----------------------------------------------------------------------------------
 */

/* The play is over; the agent is ended, then everything. Only the first call counts. */
void play_end(struct player *p, enum player_why why, const char *text);
/* Looks again in the next turn of the loop. */
void play_wake(struct player *p);
/* The client has closed. */
void play_client_gone(struct player *p);
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
/* The id of a session by the name of its step; NULL name: the last one made. NULL if there is
 * none. */
const char *play_session_id(const struct player *p, const char *name);
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
void play_asks_deinit(struct player *p);
/* Sends {"jsonrpc", "id"?, "method", "params"?}. The event, NULL when out of memory. */
const struct trace_event *play_send_message(struct player *p, const cJSON *id, const char *method,
                                            const cJSON *params);
/* A request with an id of ours or (id not NULL) this one; the new ref, NULL when out of memory. */
struct play_ref *play_send_request(struct player *p, const char *name, const cJSON *id,
                                   const char *method, const cJSON *params);
/* A message from the agent that steps may look at: JSON, and no answer to a fence. */
bool play_is_agent_message(const struct player *p, const struct trace_event *e);

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
int play_judge_text(struct player *p, const struct play_step *s, const char *text);
/* Compares a number with N or {"min", "max"}: 1 it is, 0 it is not; range says what was wanted. */
int play_in_range(const cJSON *range, size_t n, char *text, size_t text_n);

/* ---- player_start.c -----------------------------------------------------------------------------
 */

extern const struct play_verb play_start; /* the step before the first */
int play_write_files(struct player *p);
/* Makes params of `initialize` from the case's client and the step's members. */
cJSON *play_initialize_params(const struct player *p, const cJSON *members);
/* Members of `over` replace those of `base` (null removes). 0 or E_NOMEM. */
int play_merge(cJSON *base, const cJSON *over);

/* ---- player_file.c ------------------------------------------------------------------------------
 */

/* A path below cwd: 0, or E_INVALID for an absolute one and for "..". */
int play_path_check(const char *path);
int play_file_write(const struct player *p, const char *path, const char *text);

/* ---- the verbs ----------------------------------------------------------------------------------
 */

const struct play_verb *play_verb_find(const cJSON *step);
const struct play_verb *play_verb_at(size_t i); /* NULL at the end */
int play_lint_pattern(const cJSON *pattern, const char *where, struct json_error *reterr);
int play_lint_fail(struct json_error *reterr, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define PLAY_VERB_FN(name) int play_##name(struct player *p, struct play_step *s)
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
PLAY_VERB_FN(hold_begin);
PLAY_VERB_FN(hold_poll);
PLAY_VERB_FN(release_begin);
PLAY_VERB_FN(model_saw_begin);
PLAY_VERB_FN(model_saw_poll);
PLAY_VERB_FN(model_count_begin);
PLAY_VERB_FN(model_gone_begin);
PLAY_VERB_FN(model_gone_poll);
PLAY_VERB_FN(write_file_begin);
PLAY_VERB_FN(file_begin);
PLAY_VERB_FN(close_stdin_begin);
PLAY_VERB_FN(signal_begin);
PLAY_VERB_FN(exit_begin);
PLAY_VERB_FN(exit_poll);
PLAY_VERB_FN(stdout_rest_begin);
PLAY_VERB_FN(restart_begin);
PLAY_VERB_FN(restart_poll);

int play_batch_late(struct player *p, struct play_step *s, const char *why);
int play_fence_late(struct player *p, struct play_step *s, const char *why);
int play_model_late(struct player *p, struct play_step *s, const char *why);

int play_request_check(const cJSON *step, struct json_error *reterr);
int play_respond_check(const cJSON *step, struct json_error *reterr);
int play_batch_check(const cJSON *step, struct json_error *reterr);
int play_send_check(const cJSON *step, struct json_error *reterr);
int play_count_check(const cJSON *step, struct json_error *reterr);
int play_text_check(const cJSON *step, struct json_error *reterr);
int play_order_check(const cJSON *step, struct json_error *reterr);
int play_file_check(const cJSON *step, struct json_error *reterr);
int play_write_file_check(const cJSON *step, struct json_error *reterr);
int play_signal_check(const cJSON *step, struct json_error *reterr);
int play_stdout_rest_check(const cJSON *step, struct json_error *reterr);

/* Number of a signal by its name without SIG; -1 if unknown. The name; NULL if unknown. */
int play_signal_number(const char *name);
const char *play_signal_name(int signum);

#endif
