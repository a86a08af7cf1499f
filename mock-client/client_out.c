#include "mock-client/client_out.h"

#include "base/err.h"
#include "uvio/child.h"

#include <stdlib.h>
#include <string.h>

struct out_part {
    struct list node;
    char *bytes;
    size_t n, at;
    size_t *sizes; /* owned; NULL: one piece */
    size_t n_sizes, i;
};

static void part_destroy(struct out_part *part)
{
    if (!part)
        return;
    list_remove(&part->node);
    free(part->sizes);
    free(part->bytes);
    free(part);
}

static struct out_part *part_create(const char *bytes, size_t n, const size_t *sizes,
                                    size_t n_sizes)
{
    struct out_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    list_init(&part->node);
    part->bytes = malloc(n);
    part->sizes = sizes ? malloc(n_sizes * sizeof *sizes) : NULL;
    if (!part->bytes || (sizes && !part->sizes)) {
        part_destroy(part);
        return NULL;
    }
    memcpy(part->bytes, bytes, n);
    if (sizes)
        memcpy(part->sizes, sizes, n_sizes * sizeof *sizes);
    part->n = n;
    part->n_sizes = n_sizes;
    return part;
}

static size_t part_next_size(struct out_part *part)
{
    size_t left = part->n - part->at;
    if (!part->sizes)
        return left;
    size_t size = part->sizes[part->i];
    if (part->i + 1 < part->n_sizes)
        part->i++;
    return size < left ? size : left;
}

static void send_eof(struct client_out *o)
{
    if (!o->child || o->eof_done)
        return;
    o->eof_done = true;
    child_close_stdin(o->child);
}

static void append(struct client_out *o, const char *bytes, size_t n)
{
    if (!o->child || o->eof_done)
        return;
    if (buf_add(child_in(o->child), bytes, n) < 0)
        o->failed = true;
    else if (!o->corked)
        child_flush(o->child);
}

static void on_pump(uv_prepare_t *handle)
{
    struct client_out *o = handle->data;
    if (list_empty(&o->queue)) {
        uv_prepare_stop(&o->pump);
        if (o->eof)
            send_eof(o);
        return;
    }
    if (o->child && child_waiting(o->child) > 0)
        return; /* the kernel has not taken the piece before; its write wakes the loop */
    struct out_part *part = CONTAINER_OF(o->queue.next, struct out_part, node);
    size_t n = part_next_size(part);
    append(o, part->bytes + part->at, n);
    part->at += n;
    if (part->at == part->n)
        part_destroy(part);
}

void client_out_init(struct client_out *o, uv_loop_t *loop)
{
    *o = (struct client_out){0};
    list_init(&o->queue);
    uv_prepare_init(loop, &o->pump);
    o->pump.data = o;
}

void client_out_deinit(struct client_out *o)
{
    while (!list_empty(&o->queue))
        part_destroy(CONTAINER_OF(o->queue.next, struct out_part, node));
}

static void enqueue(struct client_out *o, const char *bytes, size_t n)
{
    struct out_part *part = part_create(bytes, n, o->sizes, o->n_sizes);
    if (!part) {
        o->failed = true;
        return;
    }
    list_append(&o->queue, &part->node);
    uv_prepare_start(&o->pump, on_pump);
}

void client_out_write(struct client_out *o, const char *bytes, size_t n)
{
    if (n == 0 || !o->child || o->eof)
        return;
    if (o->sizes || !list_empty(&o->queue))
        enqueue(o, bytes, n);
    else
        append(o, bytes, n);
}

size_t client_out_queued(const struct client_out *o)
{
    size_t n = 0;
    for (struct list *l = o->queue.next; l != &o->queue; l = l->next) {
        const struct out_part *part = CONTAINER_OF(l, struct out_part, node);
        n += part->n - part->at;
    }
    return n;
}

void client_out_cork(struct client_out *o)
{
    o->corked++;
}

void client_out_uncork(struct client_out *o)
{
    if (--o->corked == 0 && o->child && !o->eof_done)
        child_flush(o->child);
}

void client_out_eof(struct client_out *o)
{
    o->eof = true;
    if (list_empty(&o->queue))
        send_eof(o);
}

void client_out_end(struct client_out *o)
{
    o->child = NULL;
    client_out_deinit(o);
    uv_prepare_stop(&o->pump);
}
