#ifndef HTTP_SSE_H
#define HTTP_SSE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Server-sent events, bytes -> events: pure, resumable at every byte (WHATWG HTML 9.2.6). CR, LF,
 * CRLF (also cut between reads), comments, BOM, missing space after the colon, several data lines.
 * An event whose blank line never came is given out by sse_finish (real servers forget it; see
 * spec/dialects.md trap 5).
 */
struct sse_event {
    const char *name; /* "" if there was no event field */
    const char *data; /* NUL-terminated, data lines joined by LF */
    size_t data_n;
};

struct sse {
    size_t max; /* longest line, and longest joined data, in bytes */
    struct buf line, data, name;
    struct buf id;    /* the newest one, also of an event without data; for Last-Event-ID */
    int64_t retry_ms; /* the newest one; -1: none */
    bool has_data, after_cr, bom_seen, too_big;
    /* May destroy nothing of sse; return value ignored. */
    void (*on_event)(void *ctx, const struct sse_event *event);
    void *ctx;
};

void sse_init(struct sse *s, size_t max, void (*on_event)(void *, const struct sse_event *),
              void *ctx);
/* Accepts a zeroed struct. */
void sse_deinit(struct sse *s);
/* 0, E_TOOBIG (an event was over max and is dropped; all of `bytes` was read, parsing goes on with
 * the next event) or E_NOMEM (the place in the stream is lost: only sse_deinit may follow). */
int sse_feed(struct sse *s, const char *bytes, size_t n);
/* The end of the stream. What it returns means the same as in sse_feed. */
int sse_finish(struct sse *s);

#endif
