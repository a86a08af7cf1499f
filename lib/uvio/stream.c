#include "uvio/stream.h"

#include "base/err.h"
#include "uvio/end.h"

#include <stdlib.h>

#define READ_SIZE (64u << 10)
/* A huge burst leaves in parts of this size, so that its progress, and the end of the pressure, are
 * seen while it leaves. */
#define WRITE_SIZE (1u << 20)
/* A buffer grown by a burst is given back once it has left; below this it is kept. */
#define KEEP_CAP (1u << 20)

enum life { LIFE_OPEN, LIFE_FLUSHING, LIFE_CLOSING };
enum in_state { IN_ON, IN_PAUSED, IN_ENDED };
enum out_state { OUT_OPEN, OUT_DRAINING, OUT_ENDED };

struct stream {
    const struct stream_ops *ops;
    void *ctx;
    struct end in, own_out;
    struct end *out; /* &own_out, or &in when both are one socket */
    enum life life;
    enum in_state in_state;
    enum out_state out_state;
    struct buf pending, inflight; /* fills / is being written; they swap */
    size_t written, part;         /* of inflight: what has left, what is leaving now */
    bool writing, high;
    bool file_reading, file_writing; /* a uv_fs request is out */
    ssize_t held;                    /* what a file read brought while reading was paused */
    bool holding;                    /* held is valid */
    int why;
    int open;            /* handles and file requests to wait for before the memory goes */
    uv_timer_t deadline; /* of stream_close_flushed */
    uv_timer_t resume;   /* delivers `held` on a turn of its own */
    uv_write_t write_req;
    uv_shutdown_t shutdown_req;
    uv_fs_t read_fs, write_fs;
    char *bytes; /* READ_SIZE, lent to on_read */
};

static void write_start(struct stream *s);
static void file_read(struct stream *s);

/* ---- life -------------------------------------------------------------------------------- */

static void release(struct stream *s)
{
    if (--s->open > 0)
        return;
    end_close(&s->in, NULL); /* files only: handles are closed by now */
    end_close(&s->own_out, NULL);
    s->ops->on_closed(s->ctx, s->why);
    buf_deinit(&s->pending);
    buf_deinit(&s->inflight);
    free(s->bytes);
    free(s);
}

static void on_handle_closed(uv_handle_t *h)
{
    release(h->data);
}

void stream_close(struct stream *s, int why)
{
    if (s->life == LIFE_CLOSING)
        return;
    s->life = LIFE_CLOSING;
    s->why = why;
    if (end_has_handle(&s->in))
        end_close(&s->in, on_handle_closed);
    if (end_has_handle(s->out))
        end_close(s->out, on_handle_closed);
    /* Best effort: a request that a worker already runs ends by itself, and is waited for. */
    if (s->file_reading)
        uv_cancel((uv_req_t *)&s->read_fs);
    if (s->file_writing)
        uv_cancel((uv_req_t *)&s->write_fs);
    uv_close((uv_handle_t *)&s->deadline, on_handle_closed);
    uv_close((uv_handle_t *)&s->resume, on_handle_closed);
}

static void on_deadline(uv_timer_t *t)
{
    struct stream *s = t->data;
    stream_close(s, s->why);
}

void stream_close_flushed(struct stream *s, int why, uint64_t ms)
{
    if (s->life != LIFE_OPEN)
        return;
    stream_pause(s, true);
    stream_flush(s);
    if (s->life != LIFE_OPEN)
        return; /* a callback of the flush was faster */
    if (stream_waiting(s) == 0) {
        stream_close(s, why);
        return;
    }
    s->why = why;
    s->life = LIFE_FLUSHING;
    uv_timer_start(&s->deadline, on_deadline, ms, 0);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void deliver(struct stream *s, ssize_t n)
{
    if (n > 0) {
        s->ops->on_read(s->ctx, s->bytes, (size_t)n);
        return;
    }
    s->in_state = IN_ENDED;
    s->ops->on_eof(s->ctx, n == 0 || n == UV_EOF ? 0 : (int)n);
}

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *ret)
{
    struct stream *s = h->data;
    (void)hint;
    *ret = uv_buf_init(s->bytes, READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *b)
{
    struct stream *s = stream->data;
    (void)b;
    if (n == 0)
        return; /* libuv's EAGAIN, not the end */
    if (n < 0)
        uv_read_stop(stream);
    deliver(s, n);
}

static void on_file_read(uv_fs_t *fs)
{
    struct stream *s = fs->data;
    ssize_t n = fs->result;
    uv_fs_req_cleanup(fs);
    s->file_reading = false;
    if (s->life != LIFE_CLOSING && s->in_state == IN_PAUSED) {
        s->held = n;
        s->holding = true;
    } else if (s->life != LIFE_CLOSING) {
        deliver(s, n);
        file_read(s);
    }
    release(s);
}

/* Asks for the next part of a file, unless there is a reason not to. */
static void file_read(struct stream *s)
{
    if (s->life == LIFE_CLOSING || s->in_state != IN_ON || s->file_reading)
        return;
    uv_buf_t b = uv_buf_init(s->bytes, READ_SIZE);
    int rc = uv_fs_read(s->resume.loop, &s->read_fs, s->in.fd, &b, 1, -1, on_file_read);
    if (rc < 0) {
        deliver(s, rc);
        return;
    }
    s->file_reading = true;
    s->open++;
}

static void on_resume(uv_timer_t *t)
{
    struct stream *s = t->data;
    if (s->in_state != IN_ON)
        return; /* paused again before this turn came */
    if (s->holding) {
        s->holding = false;
        deliver(s, s->held);
    }
    file_read(s);
}

static int read_start(struct stream *s)
{
    if (end_has_handle(&s->in))
        return uv_read_start(&s->in.h.stream, on_alloc, on_read);
    if (s->in.kind == END_FILE)
        uv_timer_start(&s->resume, on_resume, 0, 0);
    return 0;
}

void stream_pause(struct stream *s, bool paused)
{
    enum in_state want = paused ? IN_PAUSED : IN_ON;
    if (s->life != LIFE_OPEN || s->in_state == IN_ENDED || s->in_state == want)
        return;
    s->in_state = want;
    if (!paused)
        read_start(s);
    else if (end_has_handle(&s->in))
        uv_read_stop(&s->in.h.stream);
}

/* ---- writing ----------------------------------------------------------------------------- */

struct buf *stream_out(struct stream *s)
{
    return &s->pending;
}

size_t stream_waiting(const struct stream *s)
{
    if (!s->writing)
        return s->pending.n;
    size_t waiting = s->pending.n + s->inflight.n - s->written;
    if (s->out->kind == END_FILE)
        return waiting;
    return waiting - s->part + uv_stream_get_write_queue_size(&s->out->h.stream);
}

static void update_pressure(struct stream *s)
{
    size_t n = stream_waiting(s);
    if (s->life == LIFE_CLOSING || (s->high ? n >= STREAM_LOW : n <= STREAM_HIGH))
        return;
    s->high = !s->high;
    if (s->ops->on_pressure)
        s->ops->on_pressure(s->ctx, s->high);
}

static void on_shutdown(uv_shutdown_t *req, int rc)
{
    (void)req;
    (void)rc; /* the other side may be gone already: then it needs no EOF */
}

static void end_output(struct stream *s)
{
    s->out_state = OUT_ENDED;
    if (s->out->socket) {
        uv_shutdown(&s->shutdown_req, &s->out->h.stream, on_shutdown);
        return;
    }
    if (s->out == &s->in)
        return; /* one terminal for both: reading goes on */
    bool pipe = s->out->kind == END_PIPE;
    end_close(s->out, on_handle_closed);
    if (pipe)
        end_replace_std(s->out->fd);
}

/* All that was in flight has left, or failed. */
static void finish_write(struct stream *s, int rc)
{
    s->writing = false;
    s->inflight.n = 0;
    if (s->inflight.cap > KEEP_CAP)
        buf_deinit(&s->inflight);
    if (s->life == LIFE_CLOSING)
        return;
    if (rc < 0)
        stream_close(s, rc);
    else if (s->pending.n > 0)
        write_start(s);
    else if (s->life == LIFE_FLUSHING)
        stream_close(s, s->why);
    else if (s->out_state == OUT_DRAINING)
        end_output(s);
    update_pressure(s);
}

static int write_part(struct stream *s);

static void finish_part(struct stream *s, int rc)
{
    if (rc == 0 && s->written < s->inflight.n && s->life != LIFE_CLOSING) {
        rc = write_part(s);
        if (rc == 0) {
            update_pressure(s);
            return;
        }
    }
    finish_write(s, rc);
}

static void on_written(uv_write_t *req, int rc)
{
    struct stream *s = req->data;
    s->written += rc == 0 ? s->part : 0;
    s->part = 0;
    finish_part(s, rc);
}

static void on_file_written(uv_fs_t *fs)
{
    struct stream *s = fs->data;
    ssize_t n = fs->result;
    uv_fs_req_cleanup(fs);
    s->file_writing = false;
    s->written += n > 0 ? (size_t)n : 0;
    finish_part(s, n > 0 ? 0 : n < 0 ? (int)n : UV_EIO);
    release(s);
}

static int write_part(struct stream *s)
{
    size_t left = s->inflight.n - s->written;
    s->part = left < WRITE_SIZE ? left : WRITE_SIZE;
    uv_buf_t b = {.base = s->inflight.p + s->written, .len = s->part};
    if (s->out->kind != END_FILE)
        return uv_write(&s->write_req, &s->out->h.stream, &b, 1, on_written);
    int rc = uv_fs_write(s->resume.loop, &s->write_fs, s->out->fd, &b, 1, -1, on_file_written);
    if (rc < 0)
        return rc;
    s->file_writing = true;
    s->open++;
    return 0;
}

static void write_start(struct stream *s)
{
    struct buf done = s->inflight;
    s->inflight = s->pending;
    s->pending = done;
    s->pending.n = 0;
    s->written = 0;
    s->writing = true;
    int rc = write_part(s);
    if (rc < 0) {
        s->writing = false;
        stream_close(s, rc);
    }
}

void stream_flush(struct stream *s)
{
    if (s->life == LIFE_CLOSING || s->out_state == OUT_ENDED || s->out->kind == END_NONE) {
        s->pending.n = 0; /* nobody can be told any more */
        return;
    }
    if (!s->writing && s->pending.n > 0)
        write_start(s);
    update_pressure(s);
}

void stream_shutdown(struct stream *s)
{
    if (s->life != LIFE_OPEN || s->out_state != OUT_OPEN || s->out->kind == END_NONE)
        return;
    s->out_state = OUT_DRAINING;
    stream_flush(s);
    if (s->life == LIFE_OPEN && !s->writing)
        end_output(s);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void ignore_read(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
}

static void ignore_end(void *ctx, int rc)
{
    (void)ctx;
    (void)rc;
}

/* What is left of a stream that failed to open still has handles to close, in silence. */
static const struct stream_ops no_ops = {ignore_read, ignore_end, NULL, ignore_end};

static struct stream *create(uv_loop_t *loop)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->bytes = malloc(READ_SIZE);
    if (!s->bytes) {
        free(s);
        return NULL;
    }
    s->ops = &no_ops;
    s->out = &s->own_out;
    uv_timer_init(loop, &s->deadline);
    uv_timer_init(loop, &s->resume);
    s->open = 2;
    s->deadline.data = s->resume.data = s;
    s->write_req.data = s->read_fs.data = s->write_fs.data = s;
    return s;
}

static int open_end(struct stream *s, struct end *e, int fd)
{
    if (fd < 0)
        return 0;
    int rc = end_open(e, s->resume.loop, fd);
    if (end_has_handle(e)) {
        e->h.handle.data = s;
        s->open++;
    }
    return rc;
}

static int open_ends(struct stream *s, struct stream_fds fds)
{
    int rc_in = open_end(s, &s->in, fds.in);
    if (fds.in == fds.out) {
        s->out = &s->in;
        return rc_in;
    }
    int rc_out = open_end(s, &s->own_out, fds.out);
    return rc_in < 0 ? rc_in : rc_out;
}

static void close_fds(struct stream_fds fds)
{
    end_close_fd(fds.in);
    if (fds.out != fds.in)
        end_close_fd(fds.out);
}

int stream_open_fds(uv_loop_t *loop, struct stream_fds fds, const struct stream_ops *ops, void *ctx,
                    struct stream **ret)
{
    struct stream *s = create(loop);
    if (!s) {
        close_fds(fds);
        return E_NOMEM;
    }
    int rc = open_ends(s, fds);
    if (rc == 0)
        rc = read_start(s);
    if (rc < 0) {
        stream_close(s, rc);
        return rc;
    }
    s->ops = ops;
    s->ctx = ctx;
    *ret = s;
    return 0;
}
