/* Surfaces of plugins: what is taken, what is refused and how it is named, and their text form. */
#include "agent/surface.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *params, *text;
} shown[] = {
    {"{\"surfaceId\":\"a\",\"kind\":\"status\",\"payload\":{\"label\":\"Build\",\"detail\":\"ok\"}"
     "}",
     "Build: ok\n\n"},
    {"{\"surfaceId\":\"a\",\"kind\":\"status\",\"payload\":{\"label\":\"Build\",\"detail\":null}}",
     "Build\n\n"},
    {"{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{\"title\":\"T\",\"body\":\"- x\","
     "\"severity\":\"warning\"}}",
     "**T**\n\n- x\n\n"},
    {"{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{\"title\":\"T\"}}", "**T**\n\n"},
    {"{\"surfaceId\":\"a\",\"kind\":\"notification\",\"payload\":{\"title\":\"Done\"},\"more\":1}",
     "Done\n\n"},
};

static void test_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        cJSON *params = cJSON_Parse(shown[i].params);
        struct surface s = {NULL};
        struct json_error err;
        struct buf out = {0};
        assert_int_equal(surface_read(params, false, &s, &err), 0);
        assert_string_equal(s.id, "a");
        assert_int_equal(surface_render(&s, &out), 0);
        assert_string_equal(buf_cstr(&out), shown[i].text);
        buf_deinit(&out);
        cJSON_Delete(params);
    }
}

#define FORM(fields) "{\"surfaceId\":\"f\",\"payload\":{\"title\":\"T\",\"fields\":[" fields "]}}"

static const struct {
    bool asks;
    const char *params, *says;
} refused[] = {
    {false, "{}", "params.surfaceId: missing"},
    {false, "{\"surfaceId\":\"\",\"kind\":\"card\",\"payload\":{}}", "params.surfaceId: must have"},
    {false, "{\"surfaceId\":\"a\",\"payload\":{}}", "params.kind: must be"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"form\",\"payload\":{}}", "params.kind: must be"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"html\",\"payload\":{}}", "params.kind: must be"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"card\"}", "params.payload: missing"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{}}",
     "params.payload.title: missing"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"status\",\"payload\":{\"title\":\"x\"}}",
     "params.payload.label: missing"},
    {false, "{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{\"title\":\"x\",\"html\":\"y\"}}",
     "params.payload.html: no such"},
    {false,
     "{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{\"title\":\"x\",\"severity\":\"bad\"}}",
     "params.payload.severity: must be"},
    {true, "{\"surfaceId\":\"a\",\"kind\":\"card\",\"payload\":{\"title\":\"x\"}}",
     "params.kind: only a form"},
    {true, FORM(""), "params.payload.fields: a form has"},
    {true, FORM("1"), "params.payload.fields[0]: expected an object"},
    {true, FORM("{\"name\":\"n\"}"), "params.payload.fields[0].type: missing"},
    {true, FORM("{\"name\":\"n\",\"type\":\"date\"}"), "params.payload.fields[0]: its type"},
    {true, FORM("{\"name\":\"n\",\"type\":\"choice\"}"), "a choice has 1 to 12 options"},
    {true, FORM("{\"name\":\"n\",\"type\":\"choice\",\"options\":[{\"value\":\"a\"}]}"),
     "each option has"},
    {true, FORM("{\"name\":\"n\",\"type\":\"text\",\"options\":[]}"), "only a choice"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        cJSON *params = cJSON_Parse(refused[i].params);
        struct surface s = {NULL};
        struct json_error err;
        assert_non_null(params);
        assert_int_equal(surface_read(params, refused[i].asks, &s, &err), E_INVALID);
        assert_non_null(strstr(err.text, refused[i].says));
        cJSON_Delete(params);
    }
}

static void test_form(void **state)
{
    (void)state;
    cJSON *params = cJSON_Parse(
        FORM("{\"name\":\"where\",\"type\":\"choice\",\"label\":\"Where?\",\"options\":[{"
             "\"value\":\"a\",\"label\":\"A\"}]},{\"name\":\"sure\",\"type\":\"boolean\"},{"
             "\"name\":\"text\",\"type\":\"text\",\"default\":\"x\"}"));
    struct surface s = {NULL};
    struct surface_field f;
    struct json_error err;
    struct buf out = {0};
    assert_int_equal(surface_read(params, true, &s, &err), 0);
    assert_true(surface_field_at(&s, 0, &f));
    assert_string_equal(f.label, "Where?");
    assert_int_equal(cJSON_GetArraySize(f.options), 1);
    assert_true(surface_field_at(&s, 1, &f));
    assert_int_equal(f.type, SURFACE_BOOLEAN);
    assert_string_equal(f.label, "sure");
    assert_null(f.fallback);
    assert_true(surface_field_at(&s, 2, &f));
    assert_string_equal(f.fallback->valuestring, "x");
    assert_false(surface_field_at(&s, 3, &f));
    assert_int_equal(surface_render(&s, &out), 0);
    assert_int_equal(out.n, 0);
    cJSON_Delete(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
