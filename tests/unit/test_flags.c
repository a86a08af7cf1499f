/* The command line of acp-agent. */
#include "agent/flags.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PARSE(f, ...) parse(f, (const char *const[]){"acp-agent", __VA_ARGS__, NULL})

static int parse(struct flags *f, const char *const *args)
{
    char *argv[16];
    int argc = 0;
    for (; args[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc];
    argv[argc] = NULL;
    return flags_parse(argc, argv, f);
}

static void test_defaults(void **state)
{
    (void)state;
    struct flags f;
    assert_int_equal(PARSE(&f, "acp"), 0);
    assert_int_equal(f.action, FLAGS_SERVE);
    assert_int_equal(f.log_level, LOG_WARN);
    assert_null(f.cwd);
    assert_null(f.model);
    assert_int_equal(f.max_tokens, 0);
    assert_int_equal(f.max_line, 0);
    assert_false(f.safe_mode);
}

static void test_values(void **state)
{
    (void)state;
    struct flags f;
    assert_int_equal(PARSE(&f, "acp", "--model", "openai/x", "--max-tokens=9", "--log-level",
                           "debug", "--trace", "t", "--max-line", "100", "dir"),
                     0);
    assert_string_equal(f.model, "openai/x");
    assert_int_equal(f.max_tokens, 9);
    assert_int_equal(f.log_level, LOG_DEBUG);
    assert_string_equal(f.trace, "t");
    assert_int_equal(f.max_line, 100);
    assert_string_equal(f.cwd, "dir");
    assert_int_equal(PARSE(&f, "acp", "-cwd", "/w", "-m", "x", "--append-system-prompt=a=b",
                           "--append-system-prompt-file", "f"),
                     0);
    assert_string_equal(f.cwd, "/w");
    assert_string_equal(f.model, "x");
    assert_string_equal(f.append, "a=b");
    assert_string_equal(f.append_file, "f");
    assert_int_equal(PARSE(&f, "acp", "--cwd=/v", "--safe-mode"), 0);
    assert_true(f.safe_mode);
    assert_string_equal(f.cwd, "/v");
}

static void test_commands(void **state)
{
    (void)state;
    struct flags f;
    assert_int_equal(PARSE(&f, "sessions", "show", "ses_1", "--json"), 0);
    assert_int_equal(f.action, FLAGS_SESSIONS);
    assert_string_equal(f.words[0], "show");
    assert_string_equal(f.words[1], "ses_1");
    assert_true(f.json);
    assert_int_equal(PARSE(&f, "setup", "--provider", "openai", "-m", "x", "--no-check"), 0);
    assert_int_equal(f.action, FLAGS_SETUP);
    assert_string_equal(f.provider, "openai");
    assert_true(f.no_check);
    assert_int_equal(PARSE(&f, "models"), 0);
    assert_int_equal(f.action, FLAGS_MODELS);
    assert_int_equal(PARSE(&f, "providers"), 0);
    assert_int_equal(f.action, FLAGS_PROVIDERS);
    assert_int_equal(PARSE(&f, "doctor"), 0);
    assert_int_equal(f.action, FLAGS_DOCTOR);
    /* A client that logs in puts this behind the line it starts the server with. */
    assert_int_equal(PARSE(&f, "acp", "--profile", "economy", "/w", "--setup"), 0);
    assert_int_equal(f.action, FLAGS_SETUP);
    assert_string_equal(f.profile, "economy");
}

static void test_help_and_version(void **state)
{
    (void)state;
    struct flags f;
    assert_int_equal(PARSE(&f, "--help"), 0);
    assert_int_equal(f.action, FLAGS_HELP);
    assert_int_equal(PARSE(&f, "--version"), 0);
    assert_int_equal(f.action, FLAGS_VERSION);
    assert_int_equal(PARSE(&f, "acp", "-h", "--no-such"), 0);
    assert_int_equal(f.action, FLAGS_HELP);
    assert_non_null(strstr(flags_usage(), "acp-agent acp"));
}

#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        struct flags refused;                                                                      \
        assert_int_equal(PARSE(&refused, __VA_ARGS__), E_INVALID);                                 \
        assert_non_null(strstr(refused.error, word));                                              \
    } while (0)

static void test_refusals(void **state)
{
    (void)state;
    struct flags f;
    assert_int_equal(parse(&f, (const char *const[]){"acp-agent", NULL}), E_INVALID);
    REFUSED("serve", "serve");
    REFUSED("--no-such", "acp", "--no-such");
    REFUSED("--model", "acp", "--model");
    REFUSED("--profile", "acp", "--profile", "lazy");
    REFUSED("does not belong", "acp", "--json");
    REFUSED("does not belong", "models", "--model", "x");
    REFUSED("unexpected", "doctor", "x");
    REFUSED("too many", "sessions", "show", "a", "b");
    REFUSED("--max-tokens", "acp", "--max-tokens", "0");
    REFUSED("--max-tokens", "acp", "--max-tokens", "1x");
    REFUSED("--max-tokens", "acp", "--max-tokens", "99999999999");
    REFUSED("--max-line", "acp", "--max-line", "-1");
    REFUSED("--log-level", "acp", "--log-level", "loud");
    REFUSED("twice", "acp", "a", "b");
    REFUSED("--help", "acp", "--help=x");
    REFUSED("must come first", "--cwd", "x", "acp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_values),
        cmocka_unit_test(test_commands), cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
