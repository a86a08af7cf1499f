#ifndef CONFORMANCE_RECORDING_H
#define CONFORMANCE_RECORDING_H

#include "mock-client/trace.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A conversation that somebody recorded, as a trace. Read are
 *   - our own traces (mock-client/trace.h),
 *   - messages with a note of who said them, one object a line or in a list of one document:
 *     {"dir": "c2a", "t": 1.5, "msg": {...}}, {"direction": ..., "payload": ...} and the like. What
 *     the words for the directions mean is found out from what was said, not from the words;
 *   - bare messages of both sides, one a line: requests tell by their method who said them,
 *     responses by what they answer.
 */
struct recording {
    struct trace trace;  /* owned */
    cJSON *header;       /* owned; of our own traces, or NULL */
    size_t skipped;      /* lines or entries that hold no message, or one of which nothing tells who
                            said it */
    unsigned skipped_at; /* the first of them, counted from 1 */
    bool from_start; /* it is a play of ours, or begins with the connection: an initialize is in it
                      */
};

/* text[n] must be NUL; it is written over. 0, E_NOMEM, or E_PARSE with fault filled (also when
 * there is no message at all). Call recording_deinit in any case. */
int recording_read(struct recording *ret, char *text, size_t n, struct trace_fault *fault);
void recording_deinit(struct recording *r); /* accepts a zeroed one */

/* True if the file is of this kind, and not a case. */
bool recording_is(const char *text, size_t n);

/* ---- for recording.c
 * -------------------------------------------------------------------------------- */

/* One message before it is known who said it. */
struct recorded {
    cJSON *entry;      /* owned: as it was recorded */
    cJSON *message;    /* owned; NULL: there is none in it */
    const char *label; /* lent by entry: what the recorder calls the way it went; or NULL */
    int side;          /* TRACE_AGENT or TRACE_CLIENT; -1: nothing tells */
    double ms;
    unsigned at; /* line or entry, from 1 */
};

/* Fills in the sides; all of them are -1 before. 0 or E_NOMEM. */
int recording_find_sides(struct recorded *const *v, size_t n);

#endif
