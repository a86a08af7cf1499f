#ifndef MOCK_PROVIDER_VERDICT_H
#define MOCK_PROVIDER_VERDICT_H

#include "base/list.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What is to be said against the caller: it is watched over the whole run, conversation by
 * conversation. A conversation is what begins with the same message to the same model. Running out
 * of memory loses findings, nothing else.
 */

struct verdict {
    cJSON *findings; /* [{"rule", "n", "text"}]; owned; NULL: nobody asked for a verdict */
    struct list conversations; /* struct conversation.node */
};

/* How a model call was answered. */
struct verdict_answer {
    int status;      /* HTTP */
    uint64_t now;    /* ms on the loop's clock */
    int64_t wait_ms; /* what Retry-After asked for; -1: nothing */
};

/* 0 or E_NOMEM. */
int verdict_init(struct verdict *v);
void verdict_deinit(struct verdict *v);

void verdict_add(struct verdict *v, const char *rule, unsigned n, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Request n has come and will be answered so. */
void verdict_request(struct verdict *v, unsigned n, const cJSON *neutral,
                     const struct verdict_answer *answer);
/* Its answer calls a tool. */
void verdict_call(struct verdict *v, unsigned n, const char *id);
/* The caller left before its answer was whole: nothing is owed for it any more, and what it makes
 * of its history is its own affair. */
void verdict_gone(struct verdict *v, unsigned n);
/* Once, at the end: calls that were never answered. */
void verdict_close(struct verdict *v);

#endif
