#ifndef ACP_CHECK_H
#define ACP_CHECK_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Validates ACP messages against the official schema, through a table that scripts/gen-schema.mjs
 * generates from the npm package (schema_v1.inc, committed). Verdicts equal a JSON Schema
 * validator's (`format` is an annotation): reader leniency (x-deserialize-*) is not applied here,
 * senders must not rely on it (RPC-26). Of duplicate members the last one counts. Nothing is
 * allocated.
 */

enum acp_side { ACP_CLIENT, ACP_AGENT }; /* who sends the message */

struct acp_fault {
    char pointer[192]; /* RFC 6901, within the checked value; of a missing member: where it belongs
                        */
    char text[256];    /* one line: "missing", "expected string, got null" */
    const char *def;   /* static name of the schema definition that was violated, or NULL */
};

/* Index of a schema definition by its name ("SessionNotification"); -1 if there is none. */
int acp_def(const char *name);
const char *acp_def_name(int def);
size_t acp_def_count(void);

/* 0, or E_INVALID with *ret filled (ret may be NULL). value == NULL counts as an empty object
 * (params that are not there). In a union the fault is that of the branch the value's tag asks for.
 */
int acp_check_value(int def, const cJSON *value, struct acp_fault *ret);

/* The definition of a method's params or result, by who receives the call; -1 if the method is not
 * in the schema (extension methods) or has none. */
int acp_params_def(enum acp_side receiver, const char *method);
int acp_result_def(enum acp_side receiver, const char *method);

/*
 * The members of `value` at its root, and at every object below that the schema describes, that the
 * schema does not name (EXT-02; "_meta" is named everywhere). Calls cb once each with an RFC 6901
 * pointer and the definition of the object, both lent for the call. Where the schema leaves members
 * open, and where it is unclear which alternative was meant, nothing is reported. value may be
 * NULL.
 */
void acp_unknown_members(int def, const cJSON *value,
                         void (*cb)(void *ctx, const char *pointer, const char *def_name),
                         void *ctx);

#endif
