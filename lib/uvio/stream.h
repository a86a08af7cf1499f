#ifndef UVIO_STREAM_H
#define UVIO_STREAM_H

#include "base/buf.h"

#include <stdbool.h>
#include <uv.h>

/*
 * A pair of file descriptors <-> callbacks: reads in, buffered writes out.
 *
 * Writes: append whole lines to stream_out() and call stream_flush(). Two swapped buffers, one
 * write in flight: nothing is allocated per message and a burst leaves in one write. Back-pressure:
 * when more than STREAM_HIGH bytes wait, on_pressure(true); below STREAM_LOW again,
 * on_pressure(false). Nothing is ever dropped.
 *
 * The kinds of descriptor are found out (uv_guess_handle): pipes, sockets and terminals go through
 * libuv's streams, files and /dev/null through uv_fs (reading those as a pipe aborts libuv 1.44).
 */
#define STREAM_HIGH (1u << 20)
#define STREAM_LOW  (256u << 10)

struct stream;

struct stream_ops {
    /* Bytes lent for the call. */
    void (*on_read)(void *ctx, const char *bytes, size_t n);
    /* End of input: rc 0, or the read error. Comes once; writing is still possible. */
    void (*on_eof)(void *ctx, int rc);
    /* May be NULL. */
    void (*on_pressure)(void *ctx, bool high);
    /* The last call ever made; why: the reason given first to stream_close, or the write error. */
    void (*on_closed)(void *ctx, int why);
};

struct stream_fds {
    int in, out; /* the same for a socket; -1: none, a one-way stream */
};

/* Takes both descriptors, also on failure; the standard ones (0 to 2) are never closed, only given
 * up for /dev/null by stream_shutdown. Reading starts at once, the first callback comes on a turn
 * of the loop. 0 or a negative code (UV_EINVAL: a kind that cannot be served). ops and ctx are
 * lent. */
int stream_open_fds(uv_loop_t *loop, struct stream_fds fds, const struct stream_ops *ops, void *ctx,
                    struct stream **ret);

/* The same with the descriptors as two arguments. */
#define stream_open(loop, in, out, ops, ctx, ret)                                                  \
    stream_open_fds(loop, (struct stream_fds){in, out}, ops, ctx, ret)

/* The buffer to append to. The pointer holds as long as the stream; after the end of the writing
 * side what is appended goes nowhere. */
struct buf *stream_out(struct stream *s);
/* Starts writing what waits, if no write is in flight. */
void stream_flush(struct stream *s);
/* Bytes appended or in flight that the kernel has not taken yet. */
size_t stream_waiting(const struct stream *s);

void stream_pause(struct stream *s, bool paused); /* stops and restarts reading */

/* Closes the writing side once everything waiting has left (EOF for the reader). Reading goes on.
 */
void stream_shutdown(struct stream *s);

/* Idempotent; the first reason wins. Waiting bytes are dropped: use stream_shutdown or
 * stream_close_flushed where they matter. */
void stream_close(struct stream *s, int why);
/* Closes when everything waiting has left, or after `ms`. Nothing is read any more. */
void stream_close_flushed(struct stream *s, int why, uint64_t ms);

#endif
