#include "mock-client/policy.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <string.h>

#define PERMISSION "session/request_permission"

static const char *const permission_words[] = {
    "allow_once", "allow_always", "reject_once", "reject_always", "cancelled",
};

static bool is_permission_word(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(permission_words); i++)
        if (!strcmp(word, permission_words[i]))
            return true;
    return false;
}

/* ---- checking ----------------------------------------------------------------------------------
 */

static int check_word(const char *method, const char *word, char *err, size_t err_n)
{
    if (!strcmp(word, "manual") || !strcmp(word, "never"))
        return 0;
    if (is_permission_word(word) && !strcmp(method, PERMISSION))
        return 0;
    if (is_permission_word(word))
        snprintf(err, err_n, "%s: \"%s\" is an answer to " PERMISSION " only", method, word);
    else
        snprintf(err, err_n, "%s: unknown answer \"%s\"", method, word);
    return E_INVALID;
}

static int check_object(const char *method, const cJSON *value, char *err, size_t err_n)
{
    bool result = json_get(value, "result"), error = json_get(value, "error");
    const cJSON *m;
    cJSON_ArrayForEach(m, value)
    {
        if (!strcmp(m->string, "result") || !strcmp(m->string, "error") ||
            !strcmp(m->string, "invalid"))
            continue;
        snprintf(err, err_n, "%s: unknown member \"%s\"", method, m->string);
        return E_INVALID;
    }
    if (result != error)
        return 0;
    snprintf(err, err_n, "%s: needs \"result\" or \"error\", and not both", method);
    return E_INVALID;
}

int policy_check_value(const char *method, const cJSON *value, char *err, size_t err_n)
{
    if (cJSON_IsString(value))
        return check_word(method, value->valuestring, err, err_n);
    if (cJSON_IsObject(value))
        return check_object(method, value, err, err_n);
    snprintf(err, err_n, "%s: an answer is a word, {\"result\": ...} or {\"error\": ...}", method);
    return E_INVALID;
}

int policy_check(const cJSON *policy, char *err, size_t err_n)
{
    const cJSON *m;
    if (policy && !cJSON_IsObject(policy)) {
        snprintf(err, err_n, "policy: expected an object keyed by method");
        return E_INVALID;
    }
    cJSON_ArrayForEach(m, policy)
    {
        int rc = policy_check_value(m->string, m, err, err_n);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- answering ---------------------------------------------------------------------------------
 */

const cJSON *policy_find(const cJSON *policy, const char *method)
{
    return json_get(policy, method);
}

bool policy_may_be_invalid(const cJSON *value)
{
    return json_get_bool(value, "invalid");
}

static void begin_response(struct jsonw *w, struct buf *out, struct json_slice id)
{
    jw_begin(w, out);
    jw_open(w, '{');
    jw_kstr(w, "jsonrpc", "2.0");
    jw_key(w, "id");
    jw_raw(w, id.p, id.n);
}

static int end_response(struct jsonw *w)
{
    jw_close(w);
    return jw_end(w);
}

int policy_write_result(struct json_slice id, const cJSON *value, struct buf *out)
{
    struct jsonw w;
    begin_response(&w, out, id);
    jw_key(&w, "result");
    if (value) {
        jw_tree(&w, value);
    } else {
        jw_open(&w, '{');
        jw_close(&w);
    }
    return end_response(&w);
}

int policy_write_error(struct json_slice id, const cJSON *value, struct buf *out)
{
    struct jsonw w;
    begin_response(&w, out, id);
    jw_ktree(&w, "error", value);
    return end_response(&w);
}

/* option_id NULL: cancelled. */
static int answer_outcome(struct json_slice id, const char *option_id, struct buf *out)
{
    struct jsonw w;
    begin_response(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_kopen(&w, "outcome", '{');
    jw_kstr(&w, "outcome", option_id ? "selected" : "cancelled");
    if (option_id)
        jw_kstr(&w, "optionId", option_id);
    jw_close(&w);
    jw_close(&w);
    return end_response(&w);
}

int policy_answer_cancelled(struct json_slice id, struct buf *out)
{
    return answer_outcome(id, NULL, out);
}

/* The id of the first offered option of that kind; NULL if none is. */
static const char *find_option(const cJSON *request, const char *kind)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, json_get(json_get(request, "params"), "options"))
    {
        const char *k = json_get_str(option, "kind");
        if (k && !strcmp(k, kind))
            return json_get_str(option, "optionId");
    }
    return NULL;
}

static int answer_unknown(struct json_slice id, const char *method, struct buf *out)
{
    struct jsonw w;
    begin_response(&w, out, id);
    jw_kopen(&w, "error", '{');
    jw_kint(&w, "code", -32601);
    jw_kstr(&w, "message", "Method not found");
    jw_kopen(&w, "data", '{');
    jw_kstr(&w, "method", method);
    jw_close(&w);
    jw_close(&w);
    return end_response(&w);
}

static int answer_word(const char *word, const cJSON *request, struct json_slice id,
                       struct buf *out)
{
    if (!strcmp(word, "manual"))
        return POLICY_MANUAL;
    if (!strcmp(word, "never"))
        return POLICY_NEVER;
    int rc = answer_outcome(id, find_option(request, word), out);
    return rc < 0 ? rc : POLICY_ANSWER;
}

int policy_answer(const cJSON *value, const cJSON *request, struct json_slice id, struct buf *out)
{
    const char *method = json_get_str(request, "method");
    if (!method)
        method = "";
    if (!value && !strcmp(method, PERMISSION))
        return answer_word("reject_once", request, id, out);
    if (value && cJSON_IsString(value))
        return answer_word(value->valuestring, request, id, out);
    int rc = !value                      ? answer_unknown(id, method, out)
             : json_get(value, "result") ? policy_write_result(id, json_get(value, "result"), out)
                                         : policy_write_error(id, json_get(value, "error"), out);
    return rc < 0 ? rc : POLICY_ANSWER;
}
