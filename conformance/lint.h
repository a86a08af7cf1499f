#ifndef CONFORMANCE_LINT_H
#define CONFORMANCE_LINT_H

#include "conformance/locate.h"

#include <cjson/cJSON.h>
#include <stddef.h>

struct case_file;
struct requirements;

/* One thing that is wrong with a case. */
struct lint_fault {
    char pointer[256]; /* RFC 6901, where in the case */
    char text[384];    /* what is wrong and what to do, one sentence */
    struct place at;   /* the same place in the file */
};

typedef void (*lint_cb)(void *ctx, const struct lint_fault *fault);

/*
 * Checks one case against docs/cases.md: its shape, its steps, patterns and model script, that
 * every requirement it names exists, that each of its checks is judged by something, and that its
 * mutants are well-formed. Returns the number of faults; cb (may be NULL) gets each.
 */
unsigned lint_case(struct case_file *c, const struct requirements *reqs, lint_cb cb, void *ctx);

#endif
