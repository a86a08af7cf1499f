#ifndef CONFORMANCE_SELECT_H
#define CONFORMANCE_SELECT_H

#include "conformance/catalog.h"

#include <stddef.h>

/*
 * Which cases are meant: a word is the id of a case, a glob over ids, the name of an area, a tag,
 * or the id of a requirement that cases judge.
 */
struct selection {
    struct case_file **cases; /* owned list of lent cases, in the order of the catalog */
    size_t n;
};

struct selection_words {
    const char *const *take; /* none: all */
    size_t n_take;
    const char *const *drop;
    size_t n_drop;
    size_t shard, shards; /* of the selection every shards-th, from the shard-th (1 is the first);
                             0 shards: all */
};

/* 0; E_NOTFOUND with a sentence in err if a word means nothing; E_NOMEM. */
int select_cases(const struct catalog *c, const struct selection_words *words,
                 struct selection *ret, char *err, size_t err_n);

void selection_deinit(struct selection *s);

#endif
