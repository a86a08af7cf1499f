/* What both of OpenAI's APIs have in common: errors and model lists. */
#include "openai.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <string.h>

void openai_fault_words(struct fault *f)
{
    static const struct {
        int status;
        const char *type, *code;
    } words[] = {
        {401, "invalid_request_error", "invalid_api_key"},
        {403, "invalid_request_error", "permission_denied"},
        {404, "invalid_request_error", "not_found"},
        {429, "requests", "rate_limit_exceeded"},
    };
    const char *type = f->status >= 500 ? "server_error" : "invalid_request_error";
    const char *code = NULL;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].status == f->status) {
            type = words[i].type;
            code = words[i].code;
        }
    if (!f->type)
        f->type = type;
    if (!f->code)
        f->code = code;
}

int openai_write_fault(struct buf *out, const struct fault *fault)
{
    struct fault f = *fault;
    struct jsonw w;
    openai_fault_words(&f);
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "error", '{');
    jw_kstr(&w, "message", f.text);
    jw_kstr(&w, "type", f.type);
    jw_kstr(&w, "param", *f.param ? f.param : NULL);
    jw_kstr(&w, "code", f.code);
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

int openai_write_models(struct buf *out, const cJSON *names)
{
    const cJSON *name;
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "object", "list");
    jw_kopen(&w, "data", '[');
    cJSON_ArrayForEach(name, names)
    {
        jw_open(&w, '{');
        jw_kstr(&w, "id", name->valuestring);
        jw_kstr(&w, "object", "model");
        jw_kint(&w, "created", OPENAI_CREATED);
        jw_kstr(&w, "owned_by", "acp-mock-provider");
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

int openai_check_strict(const cJSON *function, const char *schema, struct fault *f)
{
    const cJSON *property, *name, *parameters = json_get(function, schema);
    if (!json_get_bool(function, "strict"))
        return 0;
    if (!cJSON_IsFalse(json_get(parameters, "additionalProperties")))
        return fault_set(f, 400, "tools",
                         "the schema of a strict function must have additionalProperties false");
    cJSON_ArrayForEach(property, json_get(parameters, "properties"))
    {
        bool found = false;
        cJSON_ArrayForEach(name, json_get(parameters, "required"))
        {
            found =
                found || (cJSON_IsString(name) && strcmp(name->valuestring, property->string) == 0);
        }
        if (!found)
            return fault_set(
                f, 400, "tools",
                "the schema of a strict function must require each property; not so %.60s",
                property->string);
    }
    return 0;
}
