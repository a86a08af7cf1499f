#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/mutant.h"
#include "mock-client/player.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* docs/case.schema.json is for editors, lint is the law: this holds them together. */

static struct case_file file; /* the schema, read like a case */

static int load(void **state)
{
    char err[256];
    (void)state;
    if (case_file_read(SOURCE_DIR "/docs/case.schema.json", &file, err, sizeof err) < 0)
        return -1;
    return case_json(&file, err, sizeof err) ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    case_file_deinit(&file);
    return 0;
}

static void every_verb_is_known(void **state)
{
    cJSON *members = json_pointer(file.json, "/$defs/step/properties"),
          *verbs = json_pointer(file.json, "/$defs/step/anyOf");
    const char *verb;
    int n = 0;
    (void)state;
    for (; (verb = player_verb((size_t)n, NULL)); n++)
        if (!json_get(members, verb))
            fail_msg("the schema does not know the verb %s", verb);
    assert_int_equal(cJSON_GetArraySize(verbs), n);
}

static void every_edit_is_known(void **state)
{
    cJSON *members = json_pointer(file.json, "/$defs/mutant/properties");
    (void)state;
    for (int k = 0; k < MUTANT_KINDS; k++)
        if (!json_get(members, mutant_kinds[k].name))
            fail_msg("the schema does not know the edit %s", mutant_kinds[k].name);
}

/* ---- the part of JSON Schema that it uses
 * -------------------------------------------------------- */

static const char *first_fault(const cJSON *schema, const cJSON *value);

static bool has_type(const cJSON *type, const cJSON *value)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"string", cJSON_String},
                 {"number", cJSON_Number},
                 {"object", cJSON_Object},
                 {"array", cJSON_Array},
                 {"null", cJSON_NULL}};
    const cJSON *t;
    cJSON_ArrayForEach(t, type) if (has_type(t, value)) return true;
    if (!cJSON_IsString(type))
        return false;
    if (strcmp(type->valuestring, "boolean") == 0)
        return cJSON_IsBool(value);
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(types[i].name, type->valuestring) == 0)
            return (value->type & 0xff) == types[i].type;
    return false;
}

static const char *fault_of_object(const cJSON *schema, const cJSON *value)
{
    const cJSON *m, *known = json_get(schema, "properties"),
                    *open = json_get(schema, "additionalProperties");
    cJSON_ArrayForEach(
        m,
        json_get(schema, "required")) if (!json_get(value, m->valuestring)) return m->valuestring;
    cJSON_ArrayForEach(m, value)
    {
        const cJSON *own = json_get(known, m->string);
        const char *fault = own ? first_fault(own, m) : cJSON_IsFalse(open) ? m->string : NULL;
        if (fault)
            return fault;
    }
    return NULL;
}

static bool is_one_of(const cJSON *list, const cJSON *value)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, list) if (json_equal(v, value)) return true;
    return false;
}

static const char *fault_of_any(const cJSON *branches, const cJSON *value)
{
    const cJSON *b;
    cJSON_ArrayForEach(b, branches) if (!first_fault(b, value)) return NULL;
    return branches ? "no branch fits" : NULL;
}

/* NULL if the value fits, else a word about what does not. */
static const char *first_fault(const cJSON *schema, const cJSON *value)
{
    const cJSON *v, *ref = json_get(schema, "$ref"), *type = json_get(schema, "type"),
                    *set = json_get(schema, "enum");
    const char *fault = fault_of_any(json_get(schema, "anyOf"), value);
    if (ref)
        return first_fault(json_pointer(file.json, ref->valuestring + 1), value);
    if (type && !has_type(type, value))
        return value->string ? value->string : "a type";
    if ((json_get(schema, "const") && !json_equal(json_get(schema, "const"), value)) ||
        (set && !is_one_of(set, value)))
        return value->string ? value->string : "a value";
    if (cJSON_IsObject(value))
        fault = fault ? fault : fault_of_object(schema, value);
    const cJSON *items = cJSON_IsArray(value) ? json_get(schema, "items") : NULL;
    for (v = items ? value->child : NULL; v && !fault; v = v->next)
        fault = first_fault(items, v);
    return fault;
}

static void built_in_cases_fit(void **state)
{
    struct catalog c;
    char err[256];
    (void)state;
    assert_int_equal(catalog_open_embedded(&c), 0);
    for (size_t i = 0; i < c.n; i++) {
        const char *fault = first_fault(file.json, case_json(&c.cases[i], err, sizeof err));
        if (fault)
            fail_msg("%s does not fit docs/case.schema.json: %s", c.cases[i].path, fault);
    }
    catalog_close(&c);
}

static void what_lint_refuses_does_not_fit(void **state)
{
    static const char *const bad[] = {
        "{}",
        "{\"title\": 1, \"checks\": [\"A-1\"], \"steps\": [{\"fence\": true}], \"mutants\": "
        "[{\"fails\": [\"A-1\"]}]}",
        "{\"title\": \"t\", \"checks\": [\"A-1\"], \"steps\": [{}], \"mutants\": [{\"fails\": "
        "[\"A-1\"]}]}",
        "{\"title\": \"t\", \"checks\": [\"A-1\"], \"steps\": [{\"fence\": true, \"x\": 1}], "
        "\"mutants\": [{\"fails\": [\"A-1\"]}]}",
        "{\"title\": \"t\", \"checks\": [\"A-1\"], \"steps\": [{\"fence\": true}], \"mutants\": "
        "[{\"drop\": true}]}",
        "{\"title\": \"t\", \"checks\": [\"A-1\"], \"steps\": [{\"text\": \"robot\"}], "
        "\"mutants\": [{\"fails\": [\"A-1\"]}]}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        cJSON *json = cJSON_Parse(bad[i]);
        assert_non_null(first_fault(file.json, json));
        cJSON_Delete(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_is_known),
        cmocka_unit_test(every_edit_is_known),
        cmocka_unit_test(built_in_cases_fit),
        cmocka_unit_test(what_lint_refuses_does_not_fit),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
