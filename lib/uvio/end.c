#include "uvio/end.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool end_has_handle(const struct end *e)
{
    return e->kind != END_NONE && e->kind != END_FILE;
}

void end_close_fd(int fd)
{
    if (fd > STDERR_FILENO)
        close(fd);
}

void end_replace_std(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, fd);
    end_close_fd(null);
}

static int open_pipe(struct end *e, uv_loop_t *loop)
{
    int rc = uv_pipe_init(loop, &e->h.pipe, 0);
    if (rc < 0)
        return rc;
    e->kind = END_PIPE;
    return uv_pipe_open(&e->h.pipe, e->fd);
}

static int open_tcp(struct end *e, uv_loop_t *loop)
{
    int rc = uv_tcp_init(loop, &e->h.tcp);
    if (rc < 0)
        return rc;
    e->kind = END_TCP;
    return uv_tcp_open(&e->h.tcp, e->fd);
}

/* libuv opens the terminal anew, so that O_NONBLOCK does not reach the shell's own descriptor. */
static int open_tty(struct end *e, uv_loop_t *loop)
{
    uv_os_fd_t used;
    int rc = uv_tty_init(loop, &e->h.tty, e->fd, 0);
    if (rc < 0)
        return rc;
    e->kind = END_TTY;
    if (uv_fileno(&e->h.handle, &used) == 0 && used != e->fd)
        end_close_fd(e->fd);
    return 0;
}

static int open_kind(struct end *e, uv_loop_t *loop)
{
    uv_handle_type type = uv_guess_handle(e->fd);
    if (type == UV_NAMED_PIPE)
        return open_pipe(e, loop);
    if (type == UV_TCP)
        return open_tcp(e, loop);
    if (type == UV_TTY)
        return open_tty(e, loop);
    if (type != UV_FILE)
        return UV_EINVAL;
    e->kind = END_FILE;
    return 0;
}

int end_open(struct end *e, uv_loop_t *loop, int fd)
{
    struct stat st;
    *e = (struct end){.fd = fd};
    e->socket = fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
    int rc = open_kind(e, loop);
    if (rc < 0)
        end_close_fd(fd);
    return rc;
}

bool end_close(struct end *e, uv_close_cb cb)
{
    bool handle = end_has_handle(e);
    if (handle)
        uv_close(&e->h.handle, cb);
    else if (e->kind == END_FILE)
        end_close_fd(e->fd);
    e->kind = END_NONE;
    return handle;
}
