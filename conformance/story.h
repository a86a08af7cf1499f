#ifndef CONFORMANCE_STORY_H
#define CONFORMANCE_STORY_H

#include "mock-client/trace.h"

#include <stddef.h>

struct buf;

/*
 * What an agent did in a conversation, without what is different each time: ids, times, how a text
 * was cut into chunks, and which of two sessions spoke first. One line a thing, those of a session
 * together: "session 1: session/prompt -> end_turn".
 */
struct story {
    char **lines; /* owned */
    size_t n, cap;
};

/* 0 or E_NOMEM. */
int story_tell(const struct trace *t, struct story *ret);
void story_deinit(struct story *s); /* accepts a zeroed one */

/* Appends the lines only one of them has, in order, "- " before those of a and "+ " before those
 * of b. Returns how many, or E_NOMEM. */
int story_compare(const struct story *a, const struct story *b, struct buf *out);

#endif
