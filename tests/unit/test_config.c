/* Providers from the environment and the credentials file. */
#include "agent/config.h"
#include "base/err.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The environment of the test that runs: name, value, ..., NULL. */
static const char *const *variables;

static const char *env(const char *name)
{
    for (const char *const *v = variables; *v; v += 2)
        if (strcmp(v[0], name) == 0)
            return v[1];
    return NULL;
}

static void load(struct config *c, const char *const *vars)
{
    variables = vars;
    config_init(c);
    assert_int_equal(config_load(c, env), 0);
}

#define VARS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_VARS   ((const char *const[]){NULL})

static void test_nothing(void **state)
{
    (void)state;
    struct config c;
    struct llm_target to;
    load(&c, NO_VARS);
    assert_int_equal(config_resolve(&c, NULL, &to), E_UNSUPPORTED);
    assert_int_equal(config_resolve(&c, "openai/x", &to), E_UNSUPPORTED);
    assert_int_equal(config_resolve(&c, "nope/x", &to), E_NOTFOUND);
    config_deinit(&c);
    load(&c, VARS("OPENAI_API_KEY", ""));
    assert_int_equal(config_resolve(&c, NULL, &to), E_UNSUPPORTED);
    config_deinit(&c);
}

static void test_environment(void **state)
{
    (void)state;
    struct config c;
    struct llm_target to;
    load(&c, VARS("OPENAI_API_KEY", "sk", "OPENAI_BASE_URL", "http://h/v1//"));
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.provider, "openai");
    assert_string_equal(to.base, "http://h/v1");
    assert_string_equal(to.key, "sk");
    assert_true(*to.model != '\0');
    assert_string_equal(to.max_tokens_name, "max_tokens");
    assert_ptr_equal(to.dialect, &llm_openai_chat);
    config_deinit(&c);
    load(&c, VARS("OPENAI_API_KEY", "sk"));
    assert_int_equal(config_resolve(&c, "openai/a/b", &to), 0);
    assert_string_equal(to.base, "https://api.openai.com/v1");
    assert_string_equal(to.model, "a/b");
    assert_string_equal(to.max_tokens_name, "max_completion_tokens");
    config_deinit(&c);
}

static void test_default_provider(void **state)
{
    (void)state;
    struct config c;
    struct llm_target to;
    load(&c, VARS("OPENROUTER_API_KEY", "r", "DEEPSEEK_API_KEY", "d"));
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.provider, "deepseek");
    assert_true(to.echo_thought);
    assert_int_equal(config_resolve(&c, "some-model", &to), 0);
    assert_string_equal(to.provider, "deepseek");
    assert_string_equal(to.model, "some-model");
    assert_int_equal(config_resolve(&c, "openrouter/x/y", &to), 0);
    assert_string_equal(to.key, "r");
    assert_string_equal(to.model, "x/y");
    assert_false(to.echo_thought);
    config_deinit(&c);
}

static void write_file(const char *home, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/credentials.json", home);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void test_file(void **state)
{
    (void)state;
    struct config c;
    struct llm_target to;
    char home[] = "/tmp/test_config_XXXXXX", path[128];
    assert_non_null(mkdtemp(home));
    write_file(home, "{\"openai\": \"from-file\\n\", \"deepseek\": 5}");
    load(&c, VARS("ACP_AGENT_HOME", home));
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.key, "from-file"); /* a line end would break the header */
    assert_int_equal(config_resolve(&c, "deepseek/x", &to), E_UNSUPPORTED);
    variables = VARS("ACP_AGENT_HOME", home, "OPENAI_API_KEY", "from-env");
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.key, "from-env");
    write_file(home, "{\"openai\": }");
    log_set_level(LOG_ERROR); /* the warning about it */
    variables = VARS("ACP_AGENT_HOME", home);
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), E_UNSUPPORTED);
    config_deinit(&c);
    snprintf(path, sizeof path, "%s/credentials.json", home);
    unlink(path);
    rmdir(home);
}

static void test_times(void **state)
{
    (void)state;
    struct config c;
    load(&c, VARS("ACP_AGENT_IDLE_MS", "50", "ACP_AGENT_RETRY_MS", "0"));
    assert_int_equal(c.idle_ms, 50);
    assert_int_equal(c.retry_ms, 0);
    config_deinit(&c);
    log_set_level(LOG_ERROR);
    load(&c, VARS("ACP_AGENT_IDLE_MS", "soon", "ACP_AGENT_RETRY_MS", "-1"));
    assert_true(c.idle_ms > 1000);
    assert_true(c.retry_ms > 0 && c.retry_ms < 1000);
    config_deinit(&c);
}

static void test_known_providers(void **state)
{
    (void)state;
    struct buf out = {0};
    struct config c;
    load(&c, NO_VARS);
    assert_true(config_knows(&c, "openai/x"));
    assert_true(config_knows(&c, "x"));
    assert_false(config_knows(&c, "openai/"));
    assert_false(config_knows(&c, "open/x"));
    assert_false(config_knows(&c, "/x"));
    assert_true(config_is_builtin("openai/x"));
    assert_true(config_is_builtin("x"));
    assert_false(config_is_builtin("openai/"));
    assert_false(config_is_builtin("mine/x"));
    assert_int_equal(config_list_providers(&c, &out), 0);
    assert_string_equal(buf_cstr(&out),
                        "openai, anthropic, gemini, deepseek, openrouter, ollama, lm-studio, vllm");
    buf_deinit(&out);
    config_deinit(&c);
    assert_int_equal(config_list_keys(&out), 0);
    assert_string_equal(
        buf_cstr(&out),
        "OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, DEEPSEEK_API_KEY, OPENROUTER_API_KEY");
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_default_provider),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_known_providers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
