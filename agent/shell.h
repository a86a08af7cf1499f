#ifndef AGENT_SHELL_H
#define AGENT_SHELL_H

#include "agent/client_call.h"
#include "base/buf.h"

/*
 * One command line, run by /bin/sh: in a terminal of the client's if it has some, else in a process
 * group of its own with nothing to read. Either way nothing of it is left when it is over.
 */
struct shell_line {
    const char *cwd, *text; /* lent for the call */
    uint64_t limit_ms;      /* then it is stopped */
    /* The client's terminal of that id shows it; may be NULL. */
    void (*on_terminal)(void *ctx, const char *id);
};

struct shell_end {
    int rc; /* E_TIMEOUT: it was stopped; other negative codes: it did not run, or how it ended is
               not known; then error says why */
    bool has_code;
    int64_t code;       /* if has_code */
    const char *signal; /* that ended it, or NULL; lent */
    bool cut;           /* the client left out the beginning of the output */
    const char *error;  /* lent, NULL if rc is 0 or E_TIMEOUT */
    struct buf *output; /* valid UTF-8; may be taken */
};

typedef void (*shell_cb)(void *ctx, const struct shell_end *end);

/* A kind of them. start: cb comes once, on a later turn of the loop, unless it is stopped. stop:
 * it ends behind the scenes. */
struct shell_ops {
    int (*start)(const struct client_to *to, const struct shell_line *line, shell_cb cb, void *ctx,
                 void **ret);
    void (*stop)(void *shell);
};
extern const struct shell_ops shell_local, shell_terminal;

#endif
