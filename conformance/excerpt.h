#ifndef CONFORMANCE_EXCERPT_H
#define CONFORMANCE_EXCERPT_H

#include "conformance/verdict.h"
#include "mock-client/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct case_result;

/*
 * What reports keep of a case's trace: the events as rows of a sequence diagram, alike ones in a
 * row folded into one, long texts cut, and of long traces the beginning, the end and what stands
 * around the events that a rule was judged by.
 */
enum { EXCERPT_MARKS = 4 };

/* A requirement that did not come out well by an event. */
struct excerpt_mark {
    const char *id; /* lent */
    enum verdict verdict;
};

struct excerpt_row {
    uint64_t t_us;
    enum trace_side side;
    bool answer, error; /* a response; one that carries an error, or bytes that are no JSON */
    unsigned times;     /* how many events this row stands for */
    size_t left_out;    /* events that are not shown, between the row before and this one */
    struct excerpt_mark marks[EXCERPT_MARKS]; /* worst first */
    unsigned n_marks;
    char *label; /* owned: "session/prompt #3", "agent_message_chunk" */
    char *text;  /* owned: what it carries, on one line; may be "" */
};

struct excerpt {
    struct excerpt_row *rows; /* owned */
    size_t n;
};

/* Of a result that has been concluded and still has its trace. 0 or E_NOMEM (then *ret is empty).
 */
int excerpt_take(const struct case_result *r, struct excerpt *ret);

void excerpt_deinit(struct excerpt *e); /* accepts a zeroed one */

#endif
