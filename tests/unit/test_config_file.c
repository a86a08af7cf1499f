/* config.json and credentials.json. */
#include "agent/config.h"
#include "agent/credentials.h"
#include "agent/media.h"
#include "base/err.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char home[32];
static const char *key; /* MINE_KEY */

static const char *env(const char *name)
{
    if (strcmp(name, "ACP_AGENT_HOME") == 0)
        return home;
    return strcmp(name, "MINE_KEY") == 0 ? key : NULL;
}

static int make_home(void **state)
{
    (void)state;
    snprintf(home, sizeof home, "/tmp/test_config_XXXXXX");
    key = NULL;
    return mkdtemp(home) ? 0 : -1;
}

static int drop_home(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void test_a_provider_of_ones_own(void **state)
{
    struct config c;
    struct llm_target to;
    (void)state;
    write_file("config.json",
               "{\"model\": \"mine/big\", \"maxTokens\": 50, \"providers\": {\"mine\": {"
               "\"dialect\": \"openai-chat\", \"baseUrl\": \"http://h/v1/\", "
               "\"keyEnv\": \"MINE_KEY\", \"headers\": {\"X-Team\": \"a\", \"X-Two\": \"b\"}, "
               "\"models\": [{\"id\": \"big\", \"name\": \"Big\", \"context\": 1000, "
               "\"maxOutput\": 20, \"efforts\": [\"low\", \"high\"], "
               "\"input\": [\"text\", \"image\"]}]}}}");
    config_init(&c);
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), E_UNSUPPORTED);
    key = "k";
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.provider, "mine");
    assert_string_equal(to.model, "big");
    assert_string_equal(to.base, "http://h/v1");
    assert_string_equal(to.key, "k");
    assert_string_equal(to.headers[0], "X-Team: a");
    assert_string_equal(to.headers[1], "X-Two: b");
    assert_null(to.headers[2]);
    assert_int_equal(c.max_tokens, 50);
    const struct config_model *m = config_find_model(&c, "mine/big");
    assert_non_null(m);
    assert_string_equal(m->efforts, "low high");
    assert_int_equal(m->input, MEDIA_IMAGE);
    assert_true(config_has_word(m->efforts, "high"));
    assert_false(config_has_word(m->efforts, "hig"));
    assert_int_equal(m->context, 1000);
    assert_int_equal(m->max_output, 20);
    config_deinit(&c);
}

static void test_local_servers_need_no_key(void **state)
{
    struct config c;
    struct llm_target to;
    (void)state;
    config_init(&c);
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), E_UNSUPPORTED); /* nobody asked for one */
    assert_int_equal(config_resolve(&c, "ollama/qwen3", &to), 0);
    assert_string_equal(to.base, "http://127.0.0.1:11434/v1");
    assert_string_equal(to.key, "");
    write_file("config.json", "{\"providers\": {\"vllm\": {\"models\": [{\"id\": \"m\"}]}}}");
    assert_int_equal(config_load(&c, env), 0);
    assert_int_equal(config_resolve(&c, NULL, &to), 0);
    assert_string_equal(to.provider, "vllm");
    assert_string_equal(to.model, "m");
    config_deinit(&c);
}

static void test_broken_files_change_nothing(void **state)
{
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"{\n\"model\": \"x\"\n\"effort\": \"low\"}", "config.json: line 3, column 1:"},
        {"// mine\n{}", "line 1, column 1: JSON has no comments"},
        {"{\"a\": 1, /* x */ \"b\": 2}", "column 10: JSON has no comments"},
        {"", "line 1, column 1:"},
        {"5", "expected an object"},
        {"{\"Model\": \"x\"}", "config.Model: no such setting"},
        {"{\"model\": 5}", "config.model: expected string"},
        {"{\"model\": \"nope/x\"}", "known provider"},
        {"{\"workMode\": \"x\"}", "economy, balanced or delivery"},
        {"{\"toolApproval\": \"x\"}", "ask, auto or yolo"},
        {"{\"providers\": {\"a\": {}}}", "baseUrl: missing"},
        {"{\"providers\": {\"a\": {\"baseUrl\": \"h\"}}}", "http://"},
        {"{\"providers\": {\"A/b\": {\"baseUrl\": \"http://h\"}}}", "small letters"},
        {"{\"providers\": {\"openai\": {\"dialect\": \"greek\"}}}", "openai-chat"},
        {"{\"providers\": {\"openai\": {\"key\": \"sk\"}}}", "providers.openai.key: no such"},
        {"{\"providers\": {\"openai\": {\"headers\": {\"a\": \"b\\nc\"}}}}", "one line"},
        {"{\"providers\": {\"openai\": {\"models\": [{}]}}}", "models[0].id: missing"},
        {"{\"providers\": {\"openai\": {\"models\": [{\"id\": \"\"}]}}}", "empty"},
        {"{\"providers\": {\"openai\": {\"models\": [{\"id\": \"a\", \"efforts\": [\"a b\"]}]}}}",
         "efforts"},
        {"{\"providers\": {\"openai\": {\"models\": [{\"id\": \"a\", \"input\": [\"smell\"]}]}}}",
         "\"audio\""},
        {"{\"providers\": {\"a\": {\"baseUrl\": \"http://a\", \"dialect\": \"latin\"}}}",
         "this version speaks openai-chat"},
    };
    struct config c;
    (void)state;
    config_init(&c);
    write_file("config.json", "{\"effort\": \"low\"}");
    assert_int_equal(config_load(&c, env), 0);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        write_file("config.json", bad[i].text);
        assert_int_equal(config_load(&c, env), E_INVALID);
        if (!strstr(c.error, "config.json: ") || !strstr(c.error, bad[i].word))
            fail_msg("%s: %s", bad[i].text, c.error);
        assert_string_equal(c.effort, "low");
    }
    write_file("config.json", "{}");
    assert_int_equal(config_load(&c, env), 0);
    assert_string_equal(c.error, "");
    config_deinit(&c);
}

static void test_credentials(void **state)
{
    char path[64];
    struct stat st;
    cJSON *root = NULL;
    (void)state;
    assert_int_equal(credentials_store(env, "openai", "one"), 0);
    assert_int_equal(credentials_store(env, "mine", "two"), 0);
    assert_int_equal(credentials_store(env, "openai", "three"), 0);
    assert_int_equal(credentials_read(env, &root), 0);
    assert_string_equal(json_get_str(root, "openai"), "three");
    assert_string_equal(json_get_str(root, "mine"), "two");
    cJSON_Delete(root);
    snprintf(path, sizeof path, "%s/credentials.json", home);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(credentials_store(env, "mine", NULL), 0);
    assert_int_equal(credentials_read(env, &root), 0);
    assert_null(json_get(root, "mine"));
    cJSON_Delete(root);
    write_file("credentials.json", "my own notes");
    log_set_level(LOG_ERROR); /* the warning about it */
    assert_int_equal(credentials_store(env, "openai", "x"), E_PARSE);
    assert_int_equal(credentials_remove(env), 0);
    assert_int_equal(credentials_remove(env), 0);
    assert_int_equal(credentials_read(env, &root), 0);
    assert_null(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_provider_of_ones_own, make_home, drop_home),
        cmocka_unit_test_setup_teardown(test_local_servers_need_no_key, make_home, drop_home),
        cmocka_unit_test_setup_teardown(test_broken_files_change_nothing, make_home, drop_home),
        cmocka_unit_test_setup_teardown(test_credentials, make_home, drop_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
