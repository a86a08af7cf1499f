#ifndef CONFORMANCE_VERDICT_H
#define CONFORMANCE_VERDICT_H

#include <stdbool.h>

struct requirement;

/*
 * What a check, a case or a run comes to, from best to worst: the verdict of a whole is the worst
 * of its parts. SKIP belongs to whole cases only; it is no part of the order.
 */
enum verdict {
    VERDICT_PASS,
    VERDICT_INFO,
    VERDICT_NOT_EXERCISED,
    VERDICT_WARN,
    VERDICT_ERROR,
    VERDICT_FAIL,
    VERDICT_SKIP,
    VERDICT_COUNT
};

const char *verdict_name(enum verdict v);

/* The verdict of that name, or -1. */
int verdict_find(const char *name);

enum verdict verdict_worse(enum verdict a, enum verdict b);

/*
 * What breaking this requirement comes to: FAIL needs firm words (a MUST, MUST NOT or SCHEMA row
 * tagged [keyword], [json-rpc] or [schema]), INFO is for MAY rows and for those that only record
 * what is seen, WARN for all others. NULL (an id that no table has) is ERROR.
 */
enum verdict verdict_of_breach(const struct requirement *r);

/* WARN becomes FAIL. */
enum verdict verdict_strict(enum verdict v, bool strict);

/* Exit codes of every command of the harness. */
enum exit_code {
    EXIT_CONFORMS = 0,
    EXIT_DOES_NOT = 1,
    EXIT_USAGE = 2,
    EXIT_NO_VERDICT = 3, /* the harness or its surroundings failed, or nothing was executed */
    EXIT_STALE = 4       /* reserved: a baseline entry that no longer fails */
};

/* From how many cases came to each verdict. */
enum exit_code verdict_exit_code(const unsigned counts[VERDICT_COUNT]);

#endif
