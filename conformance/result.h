#ifndef CONFORMANCE_RESULT_H
#define CONFORMANCE_RESULT_H

#include "conformance/monitor.h"
#include "conformance/verdict.h"
#include "mock-client/player.h"
#include "mock-client/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct case_file;
struct requirements;

/* One requirement that a case has judged. */
struct check_result {
    const char *id;                 /* lent by the case or a monitor */
    const struct requirement *rule; /* lent; NULL: the table has no such id */
    enum verdict verdict;
    bool held, broken, unreached;
    bool firmly;    /* broken by something other than an effect, see result_excuse_effects */
    const char *by; /* static: the step's verb, "monitor" or "model"; NULL if nothing looked */
    int step;       /* -1: none */
    /* Of what weighed heaviest; owned, NULL or "" if there is nothing to say. */
    char *text, *pointer, *expected, *got, *note;
    const struct trace_event *event; /* lent by the trace; NULL if none */
};

/* What a case came to. */
struct case_result {
    struct case_file *file;          /* lent */
    const struct requirements *reqs; /* lent */
    bool strict;
    bool both_sides; /* nobody's side is the harness's: what the client does wrong counts as well */
    enum verdict verdict;
    const char
        *reason_code; /* static, for SKIP, NOT-EXERCISED and ERROR: "capability"; NULL if none */
    char *reason;     /* owned: the same in a sentence; NULL if none */
    struct check_result *checks; /* owned: those the case lists, then what monitors found */
    size_t n, n_listed, cap;
    bool not_exercised; /* the event that gives the case its meaning never came */
    bool error;         /* the harness or its surroundings failed */
    uint64_t duration_us;
    bool overdue; /* it took as long as one answer may */
    struct trace trace;
    char *cwd;         /* owned; the folder of the sessions; NULL if it never ran */
    char *stderr_tail; /* owned; NULL or "" if there was none */
    int rc;            /* E_NOMEM once memory ran out */
};

/* With one entry for each id that the case lists. 0 or E_NOMEM. */
int result_init(struct case_result *r, struct case_file *file, const struct requirements *reqs,
                bool strict);
void result_deinit(struct case_result *r); /* accepts a zeroed one */

/* Takes in what the player, the model's script and the monitors have to say. */
void result_add_check(struct case_result *r, const struct player_check *c);
void result_add_mismatch(struct case_result *r, const char *id, const char *text);
void result_add_held(struct case_result *r, const char *id, const char *by);
/* agent_judged: findings about the other side are faults of the case. */
void result_add_finding(struct case_result *r, const struct finding *f, enum trace_side judged);

/*
 * The model was never asked: what steps looked for that only its answers bring about (texts,
 * messages, files, requests at the model) has not failed, it was not exercised. What was wrong with
 * a response or the wire stays. Call after the last result_add_check.
 */
void result_excuse_effects(struct case_result *r);

/* The first reason counts. code is static. */
void result_skip(struct case_result *r, const char *code, const char *reason);
void result_not_exercised(struct case_result *r, const char *code, const char *reason);
void result_error(struct case_result *r, const char *reason);

/* Works out the verdicts: nothing may be added afterwards. */
void result_conclude(struct case_result *r);

/* The check that decided the case's verdict; NULL if none did. */
const struct check_result *result_worst(const struct case_result *r);

#endif
