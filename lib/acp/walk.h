#ifndef ACP_WALK_H
#define ACP_WALK_H

#include "acp/check.h"
#include "acp/schema.h"

/*
 * What check.c (verdicts), fault.c (their wording) and unknown.c share. Internal to lib/acp.
 * Everything recurses along the schema, which has no cycles, never along the data.
 */

/* Where a value stands, as a chain on the stack from the value up to the root. */
struct walk_at {
    const struct walk_at *up;
    const char *name; /* of the member, or NULL: array element `index` */
    size_t index;
    const char *def; /* the innermost definition that describes the value, or NULL */
};

struct walk {
    const struct schema *schema;
    struct acp_fault *fault; /* NULL: only the verdict is wanted */
};

/* True if `value` satisfies node `n`; else the fault is filled, if wanted. */
bool walk_check(const struct walk *w, unsigned n, const cJSON *value, const struct walk_at *place);

/* The same without a fault and without a place. */
bool walk_accepts(const struct schema *schema, unsigned n, const cJSON *value);

/* The schema_type bits of a value; 0 for what JSON does not have (an infinite number). */
unsigned walk_type(const cJSON *value);

/* The types that a node lets through at its top level. */
unsigned walk_types(const struct schema *schema, unsigned n);

/* Of an object only. Of duplicate members the last one counts. NULL if absent. */
const cJSON *walk_member(const cJSON *object, const char *name);

/* The property that tells node `n` from its siblings by a constant text; NULL if it has none. */
const struct schema_prop *walk_tag(const struct schema *schema, unsigned n);

/* The branch of a union that the value's tag asks for; 0 if there is none. */
unsigned walk_tagged_branch(const struct schema *schema, struct schema_run branches,
                            const cJSON *value);

/* RFC 6901 pointer of a place, cut to fit; never ends inside a character. */
void walk_pointer(const struct walk_at *at, char *ret, size_t n);

/* Fills the fault, if one is wanted; always false. */
bool walk_fail(const struct walk *w, const struct walk_at *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Each words one kind of fault; always false. */
bool walk_fail_type(const struct walk *w, unsigned types, const cJSON *value,
                    const struct walk_at *at);
bool walk_fail_text(const struct walk *w, struct schema_run texts, const cJSON *value,
                    const struct walk_at *at);
/* No branch of the union holds: names the fault of the branch that was meant. */
bool walk_fail_union(const struct walk *w, struct schema_run branches, const cJSON *value,
                     const struct walk_at *at);

#endif
