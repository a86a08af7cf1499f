#ifndef MOCK_CLIENT_POLICY_H
#define MOCK_CLIENT_POLICY_H

#include "json/scan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * How requests of the agent are answered by themselves (docs/cases.md, Policies). Pure: a request
 * in, a line out.
 *
 * A policy is an object keyed by method, or NULL. Its values: "manual", "never", {"result": ...},
 * {"error": {...}} (either with "invalid": true if the schema need not hold), and for
 * session/request_permission "allow_once", "allow_always", "reject_once", "reject_always",
 * "cancelled". Absent: permission "reject_once", everything else -32601.
 */
enum policy_act {
    POLICY_ANSWER, /* the line was written */
    POLICY_MANUAL, /* a step will answer */
    POLICY_NEVER   /* nobody will */
};

/* Checks the value of `client.policy`. 0 or E_INVALID with a sentence in err. */
int policy_check(const cJSON *policy, char *err, size_t err_n);

/* Checks one value, as `respond` takes it in "answer". */
int policy_check_value(const char *method, const cJSON *value, char *err, size_t err_n);

/* The value for a method; NULL if the default holds. Lent by policy. */
const cJSON *policy_find(const cJSON *policy, const char *method);

/* What to do about this request; appends the response line without LF to *out for POLICY_ANSWER.
 * id is echoed byte for byte. value as from policy_find. Negative: E_NOMEM. */
int policy_answer(const cJSON *value, const cJSON *request, struct json_slice id, struct buf *out);

/* The answer to a permission request of a cancelled turn: {"outcome": {"outcome": "cancelled"}}. */
int policy_answer_cancelled(struct json_slice id, struct buf *out);

/* {"jsonrpc", "id", "result": value}, or with "error". value NULL writes {} / null. */
int policy_write_result(struct json_slice id, const cJSON *value, struct buf *out);
int policy_write_error(struct json_slice id, const cJSON *value, struct buf *out);

/* True if the value says that its answer need not be valid. */
bool policy_may_be_invalid(const cJSON *value);

#endif
