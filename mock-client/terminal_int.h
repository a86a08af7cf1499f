#ifndef MOCK_CLIENT_TERMINAL_INT_H
#define MOCK_CLIENT_TERMINAL_INT_H

#include "mock-client/terminals.h"

#include "base/buf.h"
#include "base/list.h"

#include <stdint.h>

struct child;

/* What the parts of the terminals share. */

/* Kept of the output of a command without outputByteLimit. */
enum { TERMINAL_KEEP = 16 << 20 };

struct terminal {
    struct list node;
    struct terminals *all;
    const struct trace_event *made; /* its terminal/create */
    unsigned number;                /* its id is "term-<number>" */
    struct child *child;            /* NULL: none, or it is over */
    const cJSON *entry;             /* lent: what it plays, NULL if it runs */
    struct buf out;
    size_t limit;
    bool cut; /* the start of the output was dropped */
    bool over, released;
    int64_t code;
    char signal[16]; /* "SIGTERM"; "" if it exited by itself */
    struct list waiters;
};

struct terminals {
    uv_loop_t *loop;
    struct terminals_options options;
    const struct terminals_ops *ops;
    void *ctx;
    struct list list; /* struct terminal */
    unsigned made;
    const cJSON **used; /* owned: entries of the script that were played */
    size_t n_used;
    uv_idle_t closer; /* on_closed never comes from inside terminals_close */
    bool closing;
    int error;
};

/* Something has ended: goes on with the close, or tells the owner. */
void terminals_look(struct terminals *t);

/* ---- terminal_output.c --------------------------------------------------------------------------
 */

/* Appends what the command has printed. */
void terminal_print(struct terminal *term, const char *bytes, size_t n);
/* The end: waiters are answered. */
void terminal_end(struct terminal *term, int64_t code, const char *signal);
/* {"output", "truncated", "exitStatus"?} 0 or E_NOMEM. */
int terminal_write_output(struct terminal *term, struct json_slice id, struct buf *out);
/* {"exitCode", "signal"} */
int terminal_write_exit(const struct terminal *term, struct json_slice id, struct buf *out);
int terminal_add_waiter(struct terminal *term, const struct trace_event *request);
void terminal_drop_waiters(struct terminal *term);

/* ---- terminal_run.c -----------------------------------------------------------------------------
 */

/* Starts the command of the params: 0, E_NOMEM, or E_INVALID with a sentence in err. */
int terminal_run(struct terminal *term, const cJSON *params, char *err, size_t err_n);

/* ---- terminal_script.c --------------------------------------------------------------------------
 */

/* The entry that a command with these params plays; NULL if none matches, or out of memory. */
const cJSON *terminal_entry(struct terminals *t, const cJSON *params);
void terminal_play(struct terminal *term, const cJSON *entry);
void terminal_play_end(struct terminal *term);

#endif
