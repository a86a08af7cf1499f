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
 * A policy is an object keyed by method, or NULL; its values are ANSWERs. policy_choose goes
 * through lists and conditions to one that stands for itself (a plain one): a word, {"result"},
 * {"error"}, {"option"}, {"accept"} or {"hold", "then"}. Absent: permission "reject_once",
 * everything else -32601.
 */
enum policy_act {
    POLICY_ANSWER,  /* the line was written */
    POLICY_MANUAL,  /* a step will answer */
    POLICY_NEVER,   /* nobody will */
    POLICY_SERVICE, /* as if there were no policy */
    POLICY_HOLD     /* "then" answers at the release of "hold" */
};

/* Checks the value of `client.policy`. 0 or E_INVALID with a sentence in err. */
int policy_check(const cJSON *policy, char *err, size_t err_n);

/* Checks one ANSWER. */
int policy_check_value(const char *method, const cJSON *value, char *err, size_t err_n);

/* Checks a plain one that answers at once, as `respond` takes it in "answer"; method NULL: any. */
int policy_check_plain(const char *method, const cJSON *value, char *err, size_t err_n);

/* The value for a method; NULL if the default holds. Lent by policy. */
const cJSON *policy_find(const cJSON *policy, const char *method);

/* How far the lists of a policy have got; a zeroed one is at their beginning. */
struct policy_state {
    struct policy_place *places; /* owned */
    size_t n;
};
void policy_state_deinit(struct policy_state *s);

/* What a request is chosen by. */
struct policy_request {
    const cJSON *params;
    const char *kind; /* of the tool call, or NULL */
};

/* The plain ANSWER that value comes to (lent by it), NULL for the default. Each list it goes
 * through has one element less afterwards. 0 or E_NOMEM. */
int policy_choose(struct policy_state *s, const cJSON *value, const struct policy_request *request,
                  const cJSON **ret);

/* What to do about this request; appends the response line without LF to *out for POLICY_ANSWER.
 * id is echoed byte for byte. value: a plain one, or NULL. Negative: E_NOMEM. */
int policy_answer(const cJSON *value, const cJSON *request, struct json_slice id, struct buf *out);

/* The answer to a permission request of a cancelled turn: {"outcome": {"outcome": "cancelled"}}. */
int policy_answer_cancelled(struct json_slice id, struct buf *out);

/* {"jsonrpc", "id", "result": value}, or with "error". value NULL writes {} / null. */
int policy_write_result(struct json_slice id, const cJSON *value, struct buf *out);
int policy_write_error(struct json_slice id, const cJSON *value, struct buf *out);

/* True if the value says that its answer need not be valid. */
bool policy_may_be_invalid(const cJSON *value);

/* The words that answer; NULL at the end. method: to which one, NULL: any. */
struct policy_word {
    const char *word, *method;
    enum policy_act act;
};
const struct policy_word *policy_word_find(const char *word);

#define POLICY_PERMISSION  "session/request_permission"
#define POLICY_ELICITATION "elicitation/create"

#endif
