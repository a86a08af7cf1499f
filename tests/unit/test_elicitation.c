#include "mock-client/elicitation.h"

#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *schema, const char *want)
{
    cJSON *in = cJSON_Parse(schema), *out = elicitation_fill(in), *expected = cJSON_Parse(want);
    assert_non_null(in);
    assert_non_null(out);
    assert_non_null(expected);
    if (!json_equal(out, expected)) {
        char *text = cJSON_PrintUnformatted(out);
        fail_msg("%s is filled with %s", schema, text);
    }
    cJSON_Delete(in);
    cJSON_Delete(out);
    cJSON_Delete(expected);
}

#define ONE(field) "{\"required\":[\"f\"],\"properties\":{\"f\":" field "}}"

static void fields(void **state)
{
    static const char *const rows[][2] = {
        {ONE("{\"type\":\"string\"}"), "{\"f\":\"\"}"},
        {ONE("{\"type\":\"string\",\"minLength\":3}"), "{\"f\":\"xxx\"}"},
        {ONE("{\"type\":\"string\",\"default\":\"d\"}"), "{\"f\":\"d\"}"},
        {ONE("{\"type\":\"string\",\"default\":null}"), "{\"f\":\"\"}"},
        {ONE("{\"type\":\"string\",\"format\":\"email\"}"), "{\"f\":\"user@example.org\"}"},
        {ONE("{\"type\":\"string\",\"format\":\"odd\"}"), "{\"f\":\"\"}"},
        {ONE("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}"), "{\"f\":\"a\"}"},
        {ONE("{\"type\":\"string\",\"oneOf\":[{\"const\":\"c\",\"title\":\"C\"}]}"),
         "{\"f\":\"c\"}"},
        {ONE("{\"type\":\"integer\"}"), "{\"f\":0}"},
        {ONE("{\"type\":\"number\",\"minimum\":2.5}"), "{\"f\":2.5}"},
        {ONE("{\"type\":\"integer\",\"maximum\":-1}"), "{\"f\":-1}"},
        {ONE("{\"type\":\"boolean\"}"), "{\"f\":false}"},
        {ONE("{\"type\":\"array\"}"), "{\"f\":[]}"},
        {ONE("{\"type\":\"array\",\"minItems\":1,\"items\":{\"enum\":[\"a\",\"b\"]}}"),
         "{\"f\":[\"a\"]}"},
        {ONE("{\"type\":\"array\",\"minItems\":3,\"items\":{\"anyOf\":[{\"const\":\"a\"}]}}"),
         "{\"f\":[\"a\"]}"},
        {ONE("{\"type\":\"_new\"}"), "{}"},
        {ONE("{}"), "{}"},
        {"{\"properties\":{\"o\":{\"type\":\"string\"},\"d\":{\"type\":\"boolean\",\"default\":"
         "true}}}",
         "{\"d\":true}"},
        {"{}", "{}"},
        {"[]", "{}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(rows[i][0], rows[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
