#ifndef UVIO_END_H
#define UVIO_END_H

#include <stdbool.h>
#include <uv.h>

/*
 * One descriptor of a stream (uvio/stream.h): a libuv handle, or a file driven through uv_fs.
 * Private to uvio. A zeroed end is "none". The owner sets h.handle.data after end_open.
 */
enum end_kind { END_NONE, END_PIPE, END_TCP, END_TTY, END_FILE };

struct end {
    enum end_kind kind;
    int fd;      /* as given */
    bool socket; /* can be shut down in one direction */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
        uv_tty_t tty;
    } h;
};

/* Takes fd, also on failure. 0 or a negative code; even then end_has_handle() may be true, and the
 * handle is to be closed. */
int end_open(struct end *e, uv_loop_t *loop, int fd);

bool end_has_handle(const struct end *e);

/* Starts uv_close, or closes the file at once; the end is then none. True if cb will come. */
bool end_close(struct end *e, uv_close_cb cb);

/* Closes a descriptor that no handle owns. The standard ones stay open, as libuv keeps them. */
void end_close_fd(int fd);

/* Gives up a standard descriptor that libuv would keep open: /dev/null takes its place, so that the
 * other side sees EOF and nobody else's file gets the number. */
void end_replace_std(int fd);

#endif
