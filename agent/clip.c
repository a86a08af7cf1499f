#include "agent/clip.h"

#include "base/utf8.h"

#include <string.h>

void clip_deinit(struct clip *c)
{
    buf_deinit(&c->head);
    buf_deinit(&c->tail);
}

/* The tail may grow to twice its size before it is cut, so that little is moved. */
static void trim(struct clip *c, size_t max)
{
    if (c->tail.n <= max)
        return;
    size_t extra = c->tail.n - CLIP_TAIL;
    memmove(c->tail.p, c->tail.p + extra, CLIP_TAIL);
    c->tail.n = CLIP_TAIL;
    c->dropped += extra;
}

int clip_add(struct clip *c, const char *p, size_t n)
{
    size_t room = CLIP_HEAD - c->head.n, part = n < room ? n : room;
    int rc = buf_add(&c->head, p, part);
    p += part;
    n -= part;
    if (n > CLIP_TAIL) {
        c->dropped += n - CLIP_TAIL;
        p += n - CLIP_TAIL;
        n = CLIP_TAIL;
    }
    if (rc == 0)
        rc = buf_add(&c->tail, p, n);
    trim(c, (size_t)2 * CLIP_TAIL);
    return rc;
}

/* A NUL would end the text, so it goes the way of all bad bytes. */
static int add_text(struct buf *out, const char *p, size_t n)
{
    int rc = 0;
    while (rc == 0 && n > 0) {
        const char *nul = memchr(p, '\0', n);
        size_t part = nul ? (size_t)(nul - p) : n;
        rc = utf8_append_repaired(out, p, part);
        if (rc == 0 && nul)
            rc = utf8_append_repaired(out, "\xff", 1);
        p += part + (nul != NULL);
        n -= part + (nul != NULL);
    }
    return rc;
}

static int add_gap(const struct clip *c, size_t dropped, struct buf *out)
{
    const char *p = c->tail.p + (c->tail.n - CLIP_TAIL);
    int rc = buf_addf(out, "\n[%zu bytes are left out here.]\n", dropped);
    return rc < 0 ? rc : add_text(out, p, CLIP_TAIL);
}

int clip_render(const struct clip *c, struct buf *out)
{
    size_t dropped = c->dropped + (c->tail.n > CLIP_TAIL ? c->tail.n - CLIP_TAIL : 0);
    struct buf whole = {0};
    int rc;
    if (dropped > 0) {
        rc = add_text(out, c->head.p, c->head.n);
        return rc < 0 ? rc : add_gap(c, dropped, out);
    }
    rc = buf_add(&whole, c->head.p, c->head.n);
    if (rc == 0)
        rc = buf_add(&whole, c->tail.p, c->tail.n);
    if (rc == 0)
        rc = add_text(out, whole.p, whole.n);
    buf_deinit(&whole);
    return rc;
}
