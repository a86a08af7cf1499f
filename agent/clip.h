#ifndef AGENT_CLIP_H
#define AGENT_CLIP_H

#include "base/buf.h"

/* Output of any length, kept within bounds: its beginning and its end. Zeroed, it is empty. */
struct clip {
    struct buf head, tail;
    size_t dropped; /* bytes between the two */
};

#define CLIP_HEAD (16u << 10)
#define CLIP_TAIL (16u << 10)

/* 0 or E_NOMEM. */
int clip_add(struct clip *c, const char *p, size_t n);
/* Appends it as valid UTF-8 without NUL, with a line where something is missing. 0 or E_NOMEM. */
int clip_render(const struct clip *c, struct buf *out);
void clip_deinit(struct clip *c);

#endif
