#ifndef AGENT_TOOL_H
#define AGENT_TOOL_H

#include "acp/methods.h"
#include "agent/client_call.h"
#include "agent/llm.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <uv.h>

/*
 * The tools of the agent: one table, one file per tool. A call is prepared (what is it, will it
 * run?), shown, looked at (what would it change?), allowed (gate.h), and then run.
 */

struct tool;
struct toolset;

/* What a call makes of a file. */
struct tool_diff {
    bool known;
    char *old_text; /* owned; NULL: there is no such file yet */
    char *new_text; /* owned */
};

/* One call of a model reply, made ready. */
struct tool_call {
    const struct tool *tool; /* NULL: there is no such tool */
    const char *cwd;         /* lent; the session's */
    const char *const *more; /* lent; its further folders (roots.h), or NULL */
    cJSON *args;             /* owned; what the model gave, NULL if it did not parse */
    char *title;             /* owned; for people */
    char *path;              /* owned; the absolute path it is about, or NULL */
    uint32_t line;           /* in that file; 0: none */
    char *error;             /* owned; why it never runs; NULL: it will */
    struct client_to client; /* lent */
    const char *id;          /* lent; toolCallId */
    char *real;              /* owned; where path leads (tool_locate); NULL if it has none */
    bool outside;            /* and that is outside the session's folders */
    bool asked;              /* the user had time to change things since they were looked at */
    struct tool_diff diff;
};

struct tool_result {
    bool failed;
    bool goal_over;               /* the user's goal is reached, or cannot be */
    char *text;                   /* owned; what model and client are told */
    char *content;                /* owned; what the client is shown in place of text: elements of a
                                     tool call's content as JSON, without the brackets; or NULL */
    cJSON *raw;                   /* owned; for rawOutput, or NULL */
    const struct tool_diff *diff; /* lent; what it did to the file of `path`, or NULL */
    const char *path;             /* lent */
    char *plan;                   /* owned; the `plan` update that it comes to, as JSON, or NULL */
};

/* Frees what it owns. */
void tool_result_deinit(struct tool_result *result);

struct tool_run; /* a call that is running */

typedef void (*tool_done_cb)(void *ctx, struct tool_result *result); /* result is lent */

struct tool {
    struct llm_tool spec;
    enum acp_tool_kind kind;
    /* Reads c->args into title, path, line, or sets c->error. 0 or E_NOMEM. */
    int (*prepare)(struct tool_call *c);
    /* NULL: there is nothing to see. Else as start, before anybody is asked: fills c->diff. A
     * result that has not failed is not told to anybody. */
    int (*look)(struct tool_run *run, struct tool_call *c);
    /* Calls tool_finish on a later turn of the loop. 0 or a negative code (then it never does). */
    int (*start)(struct tool_run *run, struct tool_call *c);
    /* Stops either; tool_finish must not come any more. */
    void (*stop)(struct tool_run *run);
    bool extra;      /* the work mode economy does without it */
    bool foreign;    /* what it says of itself, its kind too, is a stranger's word */
    void *ctx;       /* its own; what is added at run time needs one */
    unsigned number; /* toolset.h sets it for what is added; the table's have their places */
};

struct tool_run {
    const struct tool *tool;
    struct tool_call *call; /* lent; outlives the run */
    uv_loop_t *loop;        /* lent */
    void *job;              /* the tool's own */
    tool_done_cb done;
    void *ctx;
};

extern const struct tool tool_read_file;
extern const struct tool tool_write_file;
extern const struct tool tool_edit_file;
extern const struct tool tool_todo_write;
extern const struct tool tool_bash;
extern const struct tool tool_list_dir;
extern const struct tool tool_glob;
extern const struct tool tool_grep;
extern const struct tool tool_update_goal;
extern const struct tool tool_ask;

/* The table: the tools that every session has. */
const struct tool *const *tool_table(size_t *ret_n);

/* Fills *ret from what the model sent. 0 or E_NOMEM (deinit it in any case). set, whose tool it may
 * be, and cwd are lent. */
int tool_prepare(struct tool_call *ret, const struct toolset *set, const char *cwd,
                 const struct history_call *from);
void tool_call_deinit(struct tool_call *c);

/* Makes a call that was prepared fit to be stored and sent again: a legal name, arguments that are
 * an object, an id (`fallback_id` if there was none). 0 or E_NOMEM. */
int tool_sanitize(struct history_call *c, const struct tool_call *as, const char *fallback_id);

/* Finds out where its path leads, at the last moment before it is judged; may set c->error. 0 or
 * E_NOMEM. */
int tool_locate(struct tool_call *c);

/* The number of a tool within its session, below TOOL_NUMBERS: for bit sets. */
#define TOOL_NUMBERS 1024
unsigned tool_index(const struct tool *tool);

/* Looks at a call whose tool has that step; otherwise as tool_start. */
int tool_look(uv_loop_t *loop, struct tool_call *c, tool_done_cb done, void *ctx,
              struct tool_run **ret);

/* Runs a call that has no error. done comes once, on a later turn of the loop, unless stopped. */
int tool_start(uv_loop_t *loop, struct tool_call *c, tool_done_cb done, void *ctx,
               struct tool_run **ret);
/* Accepts NULL. */
void tool_stop(struct tool_run *run);

/* For tools: sets c->error to a copy. 0 or E_NOMEM. */
int tool_refuse(struct tool_call *c, const char *why);

/* For tools: takes what is in result, tells the owner, frees the run. */
void tool_finish(struct tool_run *run, struct tool_result *result);

#endif
