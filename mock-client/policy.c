#include "mock-client/policy.h"

#include "mock-client/elicitation.h"
#include "mock-client/response.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"
#include "json/match.h"

#include <stdlib.h>
#include <string.h>

const struct policy_word *policy_word_find(const char *word)
{
    static const struct policy_word words[] = {
        {"manual", NULL, POLICY_MANUAL},
        {"never", NULL, POLICY_NEVER},
        {"service", NULL, POLICY_SERVICE},
        {"allow_once", POLICY_PERMISSION, POLICY_ANSWER},
        {"allow_always", POLICY_PERMISSION, POLICY_ANSWER},
        {"reject_once", POLICY_PERMISSION, POLICY_ANSWER},
        {"reject_always", POLICY_PERMISSION, POLICY_ANSWER},
        {"cancelled", POLICY_PERMISSION, POLICY_ANSWER},
        {"accept", POLICY_ELICITATION, POLICY_ANSWER},
        {"decline", POLICY_ELICITATION, POLICY_ANSWER},
        {"cancel", POLICY_ELICITATION, POLICY_ANSWER},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strcmp(words[i].word, word))
            return &words[i];
    return NULL;
}

const cJSON *policy_find(const cJSON *policy, const char *method)
{
    return json_get(policy, method);
}

bool policy_may_be_invalid(const cJSON *value)
{
    return json_get_bool(value, "invalid");
}

/* ---- choosing ----------------------------------------------------------------------------------
 */

struct policy_place {
    const cJSON *list;
    int next;
};

void policy_state_deinit(struct policy_state *s)
{
    free(s->places);
    *s = (struct policy_state){0};
}

static struct policy_place *place_of(struct policy_state *s, const cJSON *list)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->places[i].list == list)
            return &s->places[i];
    struct policy_place *more = realloc(s->places, (s->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    s->places = more;
    more[s->n] = (struct policy_place){.list = list};
    return &more[s->n++];
}

/* The next element; the last one again and again. NULL: out of memory. */
static const cJSON *take(struct policy_state *s, const cJSON *list)
{
    struct policy_place *place = place_of(s, list);
    if (!place)
        return NULL;
    const cJSON *value = cJSON_GetArrayItem(list, place->next);
    place->next += value && value->next;
    return value;
}

/* NULL: the default. */
static const cJSON *by_rule(const cJSON *value, const struct policy_request *r)
{
    const cJSON *rule;
    cJSON_ArrayForEach(rule, json_get(value, "when"))
    {
        if (json_match(json_get(rule, "match"), r->params, NULL) == 1)
            return json_get(rule, "answer");
    }
    return json_get(value, "else");
}

static const cJSON *by_kind(const cJSON *value, const struct policy_request *r)
{
    const cJSON *own = r->kind ? json_get(json_get(value, "by_kind"), r->kind) : NULL;
    return own ? own : json_get(value, "else");
}

int policy_choose(struct policy_state *s, const cJSON *value, const struct policy_request *request,
                  const cJSON **ret)
{
    for (;;) {
        if (cJSON_IsArray(value)) {
            value = take(s, value);
            if (!value)
                return E_NOMEM;
        } else if (json_get(value, "when")) {
            value = by_rule(value, request);
        } else if (json_get(value, "by_kind")) {
            value = by_kind(value, request);
        } else {
            *ret = value;
            return 0;
        }
    }
}

/* ---- answering ---------------------------------------------------------------------------------
 */

int policy_write_result(struct json_slice id, const cJSON *value, struct buf *out)
{
    struct jsonw w;
    if (!value)
        return response_empty(id, out);
    response_begin(&w, out, id);
    jw_ktree(&w, "result", value);
    return response_end(&w);
}

int policy_write_error(struct json_slice id, const cJSON *value, struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_ktree(&w, "error", value);
    return response_end(&w);
}

/* option_id NULL: cancelled. */
static int answer_outcome(struct json_slice id, const char *option_id, struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_kopen(&w, "outcome", '{');
    jw_kstr(&w, "outcome", option_id ? "selected" : "cancelled");
    if (option_id)
        jw_kstr(&w, "optionId", option_id);
    jw_close(&w);
    jw_close(&w);
    return response_end(&w);
}

int policy_answer_cancelled(struct json_slice id, struct buf *out)
{
    return answer_outcome(id, NULL, out);
}

/* The id of the first offered option whose member is that; NULL if there is none. */
static const char *find_option(const cJSON *request, const char *member, const char *value)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, json_get(json_get(request, "params"), "options"))
    {
        const char *own = json_get_str(option, member);
        if (own && !strcmp(own, value))
            return json_get_str(option, "optionId");
    }
    return NULL;
}

static int answer_unknown(struct json_slice id, const char *method, struct buf *out)
{
    return response_error(
        id,
        &(struct response_error){
            .code = -32601, .message = "Method not found", .key = "method", .value = method},
        out);
}

/* content NULL: none. */
static int answer_action(struct json_slice id, const char *action, const cJSON *content,
                         struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_kstr(&w, "action", action);
    if (content)
        jw_ktree(&w, "content", content);
    jw_close(&w);
    return response_end(&w);
}

/* A form is filled in, a URL only consented to. */
static int answer_accept(const cJSON *request, struct json_slice id, struct buf *out)
{
    const cJSON *params = json_get(request, "params"), *form = json_get(params, "requestedSchema");
    const char *mode = json_get_str(params, "mode");
    if (mode && strcmp(mode, "form") != 0)
        return answer_action(id, "accept", NULL, out);
    cJSON *content = elicitation_fill(form);
    int rc = content ? answer_action(id, "accept", content, out) : E_NOMEM;
    cJSON_Delete(content);
    return rc;
}

static int answer_word(const char *text, const cJSON *request, struct json_slice id,
                       struct buf *out)
{
    const struct policy_word *word = policy_word_find(text);
    int rc;
    if (word && word->act != POLICY_ANSWER)
        return (int)word->act;
    if (!word || !word->method || !strcmp(word->method, POLICY_PERMISSION))
        rc = answer_outcome(id, find_option(request, "kind", text), out);
    else if (!strcmp(text, "accept"))
        rc = answer_accept(request, id, out);
    else
        rc = answer_action(id, text, NULL, out);
    return rc < 0 ? rc : POLICY_ANSWER;
}

static int answer_object(const cJSON *value, const cJSON *request, struct json_slice id,
                         struct buf *out)
{
    const char *option = json_get_str(value, "option");
    int rc;
    if (json_get(value, "hold"))
        return POLICY_HOLD;
    if (option)
        rc = answer_outcome(id, find_option(request, "optionId", option), out);
    else if (json_get(value, "accept"))
        rc = answer_action(id, "accept", json_get(value, "accept"), out);
    else if (json_get(value, "result"))
        rc = policy_write_result(id, json_get(value, "result"), out);
    else
        rc = policy_write_error(id, json_get(value, "error"), out);
    return rc < 0 ? rc : POLICY_ANSWER;
}

int policy_answer(const cJSON *value, const cJSON *request, struct json_slice id, struct buf *out)
{
    const char *method = json_get_str(request, "method");
    if (value && cJSON_IsString(value))
        return answer_word(value->valuestring, request, id, out);
    if (value)
        return answer_object(value, request, id, out);
    if (method && !strcmp(method, POLICY_PERMISSION))
        return answer_word("reject_once", request, id, out);
    int rc = answer_unknown(id, method ? method : "", out);
    return rc < 0 ? rc : POLICY_ANSWER;
}
