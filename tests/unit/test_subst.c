#include "base/err.h"
#include "mock-client/subst.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int give(cJSON *value, cJSON **ret)
{
    *ret = value;
    return value ? 0 : E_NOMEM;
}

static int look_up(void *ctx, const char *name, size_t n, cJSON **ret)
{
    (void)ctx;
    if (n == 1 && name[0] == 's')
        return give(cJSON_CreateString("text"), ret);
    if (n == 1 && name[0] == 'n')
        return give(cJSON_CreateNumber(7), ret);
    if (n == 6 && !strncmp(name, "o./a/b", n))
        return give(cJSON_Parse("{\"x\":[1]}"), ret);
    return E_NOTFOUND;
}

static void check(const char *in, const char *want)
{
    struct json_error err;
    cJSON *json = cJSON_Parse(in), *out = NULL;
    assert_non_null(json);
    assert_int_equal(subst_apply(json, look_up, NULL, &out, &err), 0);
    char *text = cJSON_PrintUnformatted(out);
    assert_string_equal(text, want);
    cJSON_free(text);
    cJSON_Delete(out);
    cJSON_Delete(json);
}

static void test_values(void **state)
{
    (void)state;
    check("\"${s}\"", "\"text\"");
    check("\"${n}\"", "7");
    check("\"${o./a/b}\"", "{\"x\":[1]}");
    check("\"a ${s} b ${n}${n}\"", "\"a text b 77\"");
    check("\"x${o./a/b}\"", "\"x{\\\"x\\\":[1]}\"");
    check("[1,null,true,\"plain\",{\"${s}\":\"${s}\"}]",
          "[1,null,true,\"plain\",{\"${s}\":\"text\"}]");
    check("{}", "{}");
}

static void test_escapes(void **state)
{
    (void)state;
    check("\"$${s}\"", "\"${s}\"");
    check("\"a $${s} ${s} $5 $$ ${ $\"", "\"a ${s} text $5 $$ ${ $\"");
    check("\"^a$\"", "\"^a$\"");
}

static void test_missing(void **state)
{
    struct json_error err;
    cJSON *json = cJSON_Parse("{\"a\":[\"x ${gone} y\"]}"), *out = NULL;
    (void)state;
    assert_int_equal(subst_apply(json, look_up, NULL, &out, &err), E_NOTFOUND);
    assert_string_equal(err.path, "gone");
    assert_string_equal(err.text, "${gone} has no value");
    assert_null(out);
    cJSON_Delete(json);
}

static void collect(void *ctx, const char *name, size_t n)
{
    strncat(ctx, name, n);
    strcat(ctx, ",");
}

static void test_names(void **state)
{
    char names[100] = "";
    cJSON *json = cJSON_Parse("{\"a\":\"${x} $${y} ${z.id}\",\"b\":[\"${x}\",1]}");
    (void)state;
    subst_names(json, collect, names);
    subst_names(NULL, collect, names);
    assert_string_equal(names, "x,z.id,x,");
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
