#ifndef CONFORMANCE_COMPARE_H
#define CONFORMANCE_COMPARE_H

#include "conformance/requirement.h"
#include "conformance/verdict.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Many agents side by side, from the json reports of their runs. What an agent comes to for a
 * requirement is the worst that any case has seen; a requirement belongs to its own area, whichever
 * case's monitors have seen it broken.
 */
struct compare_mark {
    bool judged;
    enum verdict verdict;
    unsigned cases;      /* that came to this verdict */
    const cJSON *check;  /* lent: the first of them, of the report */
    const char *case_id; /* lent: where that was */
};

struct compare_agent {
    cJSON *report;                /* owned */
    const char *name;             /* lent: its profile, or command */
    const char *version;          /* lent; "" if it did not say */
    struct compare_mark *marks;   /* owned: one for each requirement */
    struct compare_agent *former; /* lent: the same agent in the former set; or NULL */
};

struct compare {
    const struct requirements *reqs; /* lent */
    struct compare_agent *agents;    /* owned */
    size_t n;
};

/* Adds the report of a file. 0, or negative with a sentence in err. */
int compare_add(struct compare *c, const char *path, char *err, size_t err_n);

/* Finds each agent of c among those of the former set, by name. */
void compare_match(struct compare *c, struct compare *former);

void compare_deinit(struct compare *c); /* accepts a zeroed one */

/* How many requirements of an area (NULL: all) came to each verdict. */
void compare_count(const struct compare *c, const struct compare_agent *a, const char *area,
                   unsigned counts[VERDICT_COUNT]);

/* How many cases came to each verdict. */
void compare_cases(const struct compare_agent *a, unsigned counts[VERDICT_COUNT]);

/* Calls cb for each area that some agent was judged in, in the order of the requirements. */
void compare_areas(const struct compare *c, void (*cb)(void *ctx, const char *area), void *ctx);

/* True if some agent came to FAIL or WARN. */
bool compare_is_broken(const struct compare *c, size_t requirement);

/* What has become of a requirement since the former report: "new" (it is broken now), "fixed",
 * "changed"; NULL: it is as it was, or there is no former report. Static. */
const char *compare_drift(const struct compare_agent *a, size_t requirement);

/* What was wrong, in a line: foreign text. "" if the report does not say. Appends. 0 or E_NOMEM. */
int compare_reason(const struct compare_mark *m, struct buf *out);

int compare_markdown(const struct compare *c, struct buf *out);
int compare_html(const struct compare *c, struct buf *out);

#endif
