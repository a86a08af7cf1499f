#ifndef CONFORMANCE_COVERAGE_H
#define CONFORMANCE_COVERAGE_H

#include "conformance/catalog.h"
#include "conformance/requirement.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Which rules the cases cover: a rule is covered if some case's mutant says that it turns that rule
 * red (`fails`), which `prove` shows to be true. What is not covered carries a reason in the last
 * column of requirements.tsv:
 *   "not observable: WHY", "needs: WHAT (issue N)" or "client side (issue N)".
 */
enum coverage_state {
    COVERAGE_OPEN, /* neither covered nor excused: somebody forgot it */
    COVERAGE_COVERED,
    COVERAGE_NEEDS,
    COVERAGE_NOT_OBSERVABLE,
    COVERAGE_CLIENT,
    COVERAGE_STATES
};

/* A case whose mutants turn a rule red, or that judges it without one. */
struct coverage_case {
    struct case_file *file; /* lent */
    unsigned mutants;       /* so many of its mutants do */
    unsigned *mutant;       /* owned: their indexes */
};

struct coverage_row {
    const struct requirement *rule; /* lent */
    enum coverage_state state;
    bool watched;                /* by a monitor, in every case */
    bool stale;                  /* covered, though the table holds a reason why it is not */
    struct coverage_case *cases; /* owned, in the order of the catalog */
    size_t n;
};

struct coverage {
    struct coverage_row *rows; /* owned, one for each rule, in the order of the table */
    size_t n;
};

/* Reads all cases; requirements and catalog are lent until coverage_deinit. 0 or E_NOMEM. */
int coverage_init(struct coverage *c, const struct requirements *reqs, const struct catalog *cases);
void coverage_deinit(struct coverage *c); /* accepts zeroed ones */

/* What a text of the reason column says; COVERAGE_OPEN for none, or one of another form. */
enum coverage_state coverage_state_of(const char *reason);
const char *coverage_state_name(enum coverage_state s);

/* True if the rule binds agents: those that the suite answers for today. */
bool coverage_is_due(const struct requirement *r);

/*
 * Which rows are meant: words are areas, parties (agent, client, both), levels (MUST, MUST-NOT,
 * ...), states (open, covered, needs, not-observable) and ids or globs over ids. Words of one sort
 * widen the choice, sorts narrow each other: "prompt auth MUST". Without words all rows of
 * agents are meant.
 */
struct coverage_words {
    const char *const *words;
    size_t n;
};
bool coverage_means(const struct coverage_words *w, const struct coverage_row *row);

/* The first word that means nothing, or NULL. */
const char *coverage_bad_word(const struct coverage_words *w, const struct requirements *reqs);

#endif
