#ifndef MOCK_CLIENT_SUBST_H
#define MOCK_CLIENT_SUBST_H

#include "json/json.h"

#include <stddef.h>

/*
 * ${name} in strings (docs/cases.md). A string that is nothing but one ${...} becomes the value
 * with its type; elsewhere strings go in as they are and other values as their JSON text. "$${"
 * writes
 * "${". Member names are left alone.
 */

/* The value of name[0..n): 0 and a new cJSON (the caller frees it), E_NOTFOUND if there is none, or
 * E_NOMEM. */
typedef int (*subst_fn)(void *ctx, const char *name, size_t n, cJSON **ret);

/* A copy of `in` with everything replaced. 0, E_NOMEM, or E_NOTFOUND with the name in *reterr
 * (path).
 */
int subst_apply(const cJSON *in, subst_fn look_up, void *ctx, cJSON **ret,
                struct json_error *reterr);

/* Calls cb with each name used in `in`, in order. */
void subst_names(const cJSON *in, void (*cb)(void *ctx, const char *name, size_t n), void *ctx);

#endif
