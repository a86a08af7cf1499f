#ifndef MOCK_CLIENT_CLIENT_OUT_H
#define MOCK_CLIENT_CLIENT_OUT_H

#include "base/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct child;

/*
 * What goes into the agent's stdin: at once as a rule; through a queue while a cut send is under
 * way, each piece only after the one before it has left.
 */
struct client_out {
    struct child *child; /* lent; NULL: everything goes nowhere */
    uv_prepare_t pump;   /* runs in every loop turn while the queue holds something */
    struct list queue;   /* struct out_part */
    const size_t *sizes; /* of the send being made, lent; NULL: not cut */
    size_t n_sizes;
    unsigned corked;
    bool eof, eof_done;
    bool failed; /* out of memory */
};

void client_out_init(struct client_out *o, uv_loop_t *loop);
/* Drops the queue; the pump is closed by its owner. */
void client_out_deinit(struct client_out *o);

void client_out_write(struct client_out *o, const char *bytes, size_t n);
size_t client_out_queued(const struct client_out *o);
void client_out_cork(struct client_out *o);
void client_out_uncork(struct client_out *o);
void client_out_eof(struct client_out *o);
/* The process is gone. */
void client_out_end(struct client_out *o);

#endif
