/* What a strict server refuses in the input of a Responses request. */
#include "base/err.h"
#include "openai_responses.h"
#include "rule.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

struct walk {
    const cJSON *body, *input;
    bool had_calls;
    char at[48]; /* "input[3]" */
};

static bool is_type(const cJSON *item, const char *want)
{
    const char *type = json_get_str(item, "type");
    return type && strcmp(type, want) == 0;
}

/* How many items of that type with that call_id come after `from`, or before it. */
static unsigned count(const cJSON *from, bool after, const char *type, const char *id)
{
    unsigned n = 0;
    const cJSON *item = after ? from->next : from->prev;
    /* the first element's prev is the last one, whose next is NULL */
    while (item && (after || item->next)) {
        const char *known = json_get_str(item, "call_id");
        n += is_type(item, type) && known && strcmp(known, id) == 0;
        item = after ? item->next : item->prev;
    }
    return n;
}

/* --- messages --- */

static int check_part(const struct walk *w, const cJSON *part, bool assistant, struct fault *f)
{
    static const char *const inputs[] = {"input_text", "input_image", "input_file", "input_audio",
                                         NULL};
    static const char *const outputs[] = {"output_text", "refusal", NULL};
    const char *type = json_get_str(part, "type");
    if (!type || !rule_is_one_of(type, assistant ? outputs : inputs))
        return fault_set(
            f, 400, w->at, "a part of type \"%.40s\" cannot stand in %s message; its parts are %s",
            type ? type : "", assistant ? "an assistant's" : "this",
            assistant ? "output_text and refusal" : "input_text, input_image and input_file");
    if (strstr(type, "_text") && !json_get_str(part, "text"))
        return fault_set(f, 400, w->at, "a part of type %s needs its text", type);
    if (strcmp(type, "input_image") == 0 && !rule_given(part, "image_url") &&
        !rule_given(part, "file_id"))
        return fault_set(f, 400, w->at, "input_image needs an image_url or a file_id");
    return 0;
}

static int check_message(struct walk *w, const cJSON *item, struct fault *f)
{
    static const char *const roles[] = {"user", "assistant", "system", "developer", NULL};
    const char *role = json_get_str(item, "role");
    const cJSON *content = json_get(item, "content"), *part;
    if (!role || !rule_is_one_of(role, roles))
        return fault_set(f, 400, w->at, "\"%.40s\" is no role", role ? role : "");
    if (cJSON_IsString(content))
        return 0;
    if (!cJSON_IsArray(content))
        return fault_set(f, 400, w->at, "content must be a string or an array of parts, not %s",
                         json_type_name(content));
    cJSON_ArrayForEach(part, content)
    {
        int rc = check_part(w, part, strcmp(role, "assistant") == 0, f);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- calls --- */

static int check_call(struct walk *w, const cJSON *item, struct fault *f)
{
    const char *id = json_get_str(item, "call_id"), *name = json_get_str(item, "name");
    const char *arguments = json_get_str(item, "arguments");
    w->had_calls = true;
    if (!id || !*id)
        return fault_set(f, 400, w->at, "a function_call has no call_id");
    if (count(item, true, "function_call", id) > 0)
        return fault_set(f, 400, w->at, "two function calls have the call_id %.60s", id);
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, w->at, "function call %.60s has no valid name", id);
    if (!arguments || !rule_is_json(arguments))
        return fault_set(f, 400, w->at, "the arguments of function call %.60s are no JSON text",
                         id);
    unsigned answers = count(item, true, "function_call_output", id);
    if (answers == 0)
        return fault_set(f, 400, w->at, "no tool output found for function call %.60s", id);
    if (answers > 1)
        return fault_set(f, 400, w->at, "function call %.60s is answered twice", id);
    return 0;
}

/* Between calls and their answers nobody else speaks. */
static bool follows_calls(const cJSON *first, const cJSON *item)
{
    while (item != first) {
        item = item->prev;
        if (is_type(item, "function_call"))
            return true;
        if (!is_type(item, "function_call_output"))
            return false;
    }
    return false;
}

static int check_output(struct walk *w, const cJSON *item, struct fault *f)
{
    const char *id = json_get_str(item, "call_id");
    const cJSON *output = json_get(item, "output");
    if (!id)
        return fault_set(f, 400, w->at, "a function_call_output needs a call_id");
    if (count(item, false, "function_call", id) == 0)
        return fault_set(f, 400, w->at,
                         "no tool call found for function call output with call_id %.60s", id);
    if (!follows_calls(w->input->child, item))
        return fault_set(f, 400, w->at, "the answer to %.60s does not follow its call directly",
                         id);
    if (!cJSON_IsString(output) && !cJSON_IsArray(output))
        return fault_set(f, 400, w->at, "output must be a string or an array of parts, not %s",
                         json_type_name(output));
    return 0;
}

/* --- reasoning --- */

static uint64_t sign(const cJSON *summary)
{
    uint64_t signature = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, summary)
    {
        const char *text = json_get_str(part, "text");
        if (text)
            signature = dialect_sign(signature, text, strlen(text));
    }
    return signature;
}

/* What we encrypted must come back with what it stands for; a foreign one is none of ours. */
static int check_encrypted(struct walk *w, const cJSON *item, struct fault *f)
{
    char want[OPENAI_ENCRYPTED_SIZE];
    const char *got = json_get_str(item, "encrypted_content");
    const cJSON *store = json_get(w->body, "store");
    if (!got && cJSON_IsFalse(store))
        return fault_set(f, 400, w->at,
                         "a reasoning item without encrypted_content is not found: store is false");
    openai_responses_encrypt(sign(json_get(item, "summary")), want);
    if (!got || strncmp(got, want, 4) != 0 || strcmp(got, want) == 0)
        return 0;
    fault_set(f, 400, w->at, "the encrypted_content of a reasoning item could not be verified");
    f->code = "invalid_encrypted_content";
    return E_INVALID;
}

static int check_reasoning(struct walk *w, const cJSON *item, struct fault *f)
{
    const char *role = json_get_str(item->next, "role");
    if (!cJSON_IsArray(json_get(item, "summary")))
        return fault_set(f, 400, w->at, "a reasoning item needs its summary, an array");
    bool followed = is_type(item->next, "function_call") || is_type(item->next, "reasoning") ||
                    (role && strcmp(role, "assistant") == 0);
    if (!followed)
        return fault_set(f, 400, w->at,
                         "a reasoning item was provided without its required following item");
    return check_encrypted(w, item, f);
}

/* --- the walk --- */

static int check_item(struct walk *w, const cJSON *item, struct fault *f)
{
    static const struct {
        const char *type;
        int (*check)(struct walk *, const cJSON *, struct fault *);
    } kinds[] = {
        {"message", check_message},
        {"function_call", check_call},
        {"function_call_output", check_output},
        {"reasoning", check_reasoning},
    };
    const char *type = json_get_str(item, "type");
    if (!cJSON_IsObject(item))
        return fault_set(f, 400, w->at, "an item of input must be an object");
    if (!type)
        return check_message(w, item, f); /* a message may do without */
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].type, type) == 0)
            return kinds[i].check(w, item, f);
    return 0; /* of a tool of the server's: not looked into */
}

int openai_responses_check_input(const cJSON *body, bool *ret_had_calls, struct fault *f)
{
    struct walk w = {.body = body, .input = json_get(body, "input")};
    const cJSON *item;
    unsigned i = 0;
    if (!w.input)
        return fault_set(f, 400, "input", "the parameter input is missing");
    if (cJSON_IsString(w.input))
        return 0;
    if (!cJSON_IsArray(w.input) || !w.input->child)
        return fault_set(f, 400, "input", "input must be a string or an array that is not empty");
    cJSON_ArrayForEach(item, w.input)
    {
        snprintf(w.at, sizeof w.at, "input[%u]", i++);
        int rc = check_item(&w, item, f);
        if (rc < 0)
            return rc;
    }
    *ret_had_calls = w.had_calls;
    return 0;
}
