/* What a strict server refuses in the contents of a generateContent request. */
#include "base/err.h"
#include "gemini.h"
#include "rule.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct walk {
    const cJSON *calls;   /* parts of the model's turn whose calls want answers, or NULL */
    const cJSON *current; /* where the current turn begins: what was signed since must be signed */
    bool in_current, had_calls, after_user;
    char at[48]; /* "contents[3]" */
};

void gemini_signature(const char *name, char text[GEMINI_SIGNATURE_SIZE])
{
    snprintf(text, GEMINI_SIGNATURE_SIZE, "mock%016" PRIx64, dialect_sign(0, name, strlen(name)));
}

static unsigned count(const cJSON *parts, const char *kind)
{
    const cJSON *part;
    unsigned n = 0;
    cJSON_ArrayForEach(part, parts)
    {
        n += gemini_get(part, kind) != NULL;
    }
    return n;
}

static bool is_model(const cJSON *content)
{
    const char *role = json_get_str(content, "role");
    return role && strcmp(role, "model") == 0;
}

/* --- calls --- */

static int check_call(struct walk *w, const cJSON *call, struct fault *f)
{
    const char *name = json_get_str(call, "name");
    const cJSON *args = rule_given(call, "args");
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, w->at, "a functionCall has no valid name");
    if (args && !cJSON_IsObject(args))
        return fault_set(f, 400, w->at, "the args of functionCall %.60s must be an object, not %s",
                         name, json_type_name(args));
    return 0;
}

/* The first call of each step of the current turn comes back on the part that was signed. */
static int check_signature(struct walk *w, const cJSON *part, struct fault *f)
{
    char want[GEMINI_SIGNATURE_SIZE];
    const cJSON *got = gemini_get(part, "thoughtSignature");
    const char *name = json_get_str(gemini_get(part, "functionCall"), "name");
    if (!w->in_current)
        return 0;
    if (!cJSON_IsString(got))
        return fault_set(f, 400, w->at, "function call %.60s is missing its thoughtSignature",
                         name);
    gemini_signature(name, want);
    if (strncmp(got->valuestring, want, 4) == 0 && strcmp(got->valuestring, want) != 0)
        return fault_set(f, 400, w->at,
                         "the thoughtSignature of function call %.60s belongs to another part",
                         name);
    return 0;
}

static int check_calls(struct walk *w, const cJSON *parts, struct fault *f)
{
    const cJSON *part;
    bool first = true;
    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *call = gemini_get(part, "functionCall");
        int rc = call ? check_call(w, call, f) : 0;
        if (rc == 0 && call && first)
            rc = check_signature(w, part, f);
        if (rc < 0)
            return rc;
        first = first && !call;
    }
    if (!first && !w->after_user)
        return fault_set(f, 400, w->at,
                         "a function call turn must come immediately after a user turn or after a "
                         "function response turn");
    w->had_calls = w->had_calls || !first;
    return 0;
}

/* --- their answers --- */

/* True if the calls have one of that name, and, if both have an id, with that id. */
static bool is_known(const cJSON *calls, const char *name, const char *id)
{
    const cJSON *part;
    cJSON_ArrayForEach(part, calls)
    {
        const cJSON *call = gemini_get(part, "functionCall");
        const char *known = json_get_str(call, "name"), *known_id = json_get_str(call, "id");
        if (known && strcmp(known, name) == 0 && (!id || !known_id || strcmp(known_id, id) == 0))
            return true;
    }
    return false;
}

static unsigned count_id(const cJSON *parts, const char *id)
{
    const cJSON *part;
    unsigned n = 0;
    cJSON_ArrayForEach(part, parts)
    {
        const char *known = json_get_str(gemini_get(part, "functionResponse"), "id");
        n += known && strcmp(known, id) == 0;
    }
    return n;
}

static int check_response(struct walk *w, const cJSON *parts, const cJSON *response,
                          struct fault *f)
{
    const char *name = json_get_str(response, "name"), *id = json_get_str(response, "id");
    if (!name)
        return fault_set(f, 400, w->at, "a functionResponse needs the name of its function");
    if (!cJSON_IsObject(json_get(response, "response")))
        return fault_set(f, 400, w->at, "the response of %.60s must be an object, not %s", name,
                         json_type_name(json_get(response, "response")));
    if (!is_known(w->calls, name, id))
        return fault_set(f, 400, w->at, "functionResponse %.60s answers no call of the turn before",
                         id ? id : name);
    if (id && count_id(parts, id) > 1)
        return fault_set(f, 400, w->at, "functionCall %.60s is answered twice", id);
    return 0;
}

static int check_responses(struct walk *w, const cJSON *parts, struct fault *f)
{
    unsigned calls = count(w->calls, "functionCall"), answers = count(parts, "functionResponse");
    const cJSON *part;
    if (answers > 0 && calls == 0)
        return fault_set(
            f, 400, w->at,
            "a function response turn must come immediately after a function call turn");
    if (calls != answers)
        return fault_set(f, 400, w->at,
                         "the number of function response parts (%u) must be equal to the number "
                         "of function call parts (%u) of the turn before",
                         answers, calls);
    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *response = gemini_get(part, "functionResponse");
        int rc = response ? check_response(w, parts, response, f) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- contents --- */

static int check_parts(struct walk *w, const cJSON *parts, bool model, struct fault *f)
{
    const cJSON *part;
    if (!cJSON_IsArray(parts) || !parts->child)
        return fault_set(f, 400, w->at, "parts must be an array that is not empty");
    cJSON_ArrayForEach(part, parts)
    {
        const char *kind = gemini_part_kind(part);
        if (!kind)
            return fault_set(f, 400, w->at,
                             "a part must have one initialized field: text, "
                             "functionCall, functionResponse, inlineData, ...");
        if (strcmp(kind, "text") == 0 && !json_get_str(part, "text"))
            return fault_set(f, 400, w->at, "text must be a string");
        if (strcmp(kind, model ? "functionResponse" : "functionCall") == 0)
            return fault_set(f, 400, w->at, "a %s cannot stand in a content of role %s", kind,
                             model ? "model" : "user");
    }
    return 0;
}

static int check_content(struct walk *w, const cJSON *content, struct fault *f)
{
    static const char *const roles[] = {"user", "model", "function", NULL};
    const char *role = json_get_str(content, "role");
    const cJSON *parts = json_get(content, "parts");
    bool model = is_model(content);
    if (!cJSON_IsObject(content))
        return fault_set(f, 400, w->at, "a content must be an object");
    if (role && !rule_is_one_of(role, roles))
        return fault_set(f, 400, w->at, "the role must be user or model, not \"%.40s\"", role);
    int rc = check_parts(w, parts, model, f);
    if (rc == 0)
        rc = check_responses(w, parts, f);
    if (rc == 0 && model)
        rc = check_calls(w, parts, f);
    w->calls = model ? parts : NULL;
    w->after_user = !model;
    w->in_current = w->in_current || content == w->current;
    return rc;
}

/* The last content in which the user says something: results belong to the turn they are in. */
static const cJSON *find_current(const cJSON *contents)
{
    const cJSON *content, *found = contents->child;
    cJSON_ArrayForEach(content, contents)
    {
        const cJSON *parts = json_get(content, "parts");
        if (!is_model(content) && count(parts, "functionResponse") == 0)
            found = content;
    }
    return found;
}

int gemini_check_contents(const cJSON *body, bool *ret_had_calls, struct fault *f)
{
    const cJSON *contents = json_get(body, "contents"), *content;
    struct walk w = {0};
    unsigned i = 0;
    if (!cJSON_IsArray(contents) || !contents->child)
        return fault_set(f, 400, "contents", "contents is not specified");
    w.current = find_current(contents);
    cJSON_ArrayForEach(content, contents)
    {
        snprintf(w.at, sizeof w.at, "contents[%u]", i++);
        int rc = check_content(&w, content, f);
        if (rc < 0)
            return rc;
    }
    *ret_had_calls = w.had_calls;
    if (w.calls)
        return fault_set(f, 400, w.at,
                         "the contents must end with a user turn or a function response");
    return 0;
}
