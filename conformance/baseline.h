#ifndef CONFORMANCE_BASELINE_H
#define CONFORMANCE_BASELINE_H

#include "conformance/catalog.h"
#include "conformance/result.h"

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Failures that are known: a run that meets no others passes. One entry is one requirement in one
 * case, with the reason why it may fail:
 *   {"format": "acp-conformance-baseline", "version": 1, "entries":
 *     [{"case": "prompt/x", "check": "PROMPT-11", "status": "known", "reason": "..."}]}
 * "known" entries always fail; one that does not any more is stale. "flaky" ones fail now and then.
 */
struct baseline_entry {
    char *case_id, *check, *reason; /* owned */
    bool flaky;
    bool told;               /* it stands in a file: it excuses failures */
    unsigned failed, passed; /* how often in this run */
};

struct baseline {
    struct baseline_entry *entries; /* owned */
    size_t n, cap;
};

/* 0, or with a sentence in err: -errno, E_PARSE, E_INVALID; E_NOMEM. */
int baseline_read(const char *path, struct baseline *b, char *err, size_t err_n);
int baseline_parse(const char *text, size_t n, struct baseline *b, char *err, size_t err_n);

/*
 * Takes in a result that is concluded: failures that have an entry become INFO with the entry's
 * reason as their note, those that have none are noted for baseline_write(). 0 or E_NOMEM.
 */
int baseline_apply(struct baseline *b, struct case_result *r);

/* A "known" entry that was judged and never failed, or whose case there is not. */
bool baseline_is_stale(const struct baseline_entry *e, const struct catalog *c);

/* All that failed in this run, and the entries that are flaky or were not judged. One that passes
 * after it failed becomes flaky. 0 or E_NOMEM. */
int baseline_write(const struct baseline *b, struct buf *out);

void baseline_deinit(struct baseline *b); /* accepts a zeroed one */

#endif
