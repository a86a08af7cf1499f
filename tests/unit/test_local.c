/* What the names of local models say. */
#include "agent/local.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        unsigned millions;
    } names[] = {
        {"llama3.2:3b", 3000}, {"llama3.1:8b-instruct-q4_K_M", 8000},
        {"qwen2.5-0.5b", 500}, {"Qwen/Qwen2.5-Coder-7B", 7000},
        {"smollm:135m", 135},  {"nomic-embed-text:137m", 0},
        {"BAAI/bge-m3", 0},    {"all-minilm:22m", 0},
        {"x:0.0001b", 1},      {"Text-Embedding-3", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(local_model_size(names[i].id), names[i].millions);
}

static void test_unknown_ones_are_large(void **state)
{
    (void)state;
    static const char *const names[] = {"mistral", "llama3:latest", "4bit",
                                        "a3.2bc",  "m:99999b",      ""};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_true(local_model_size(names[i]) > 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_unknown_ones_are_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
