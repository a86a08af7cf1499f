/* Entries and results of MCP servers when memory is short. */
#include "agent/mcp_config.h"
#include "agent/mcp_content.h"
#include "agent/mcp_env.h"
#include "agent/mcp_url.h"
#include "agent/roots.h"
#include "base/err.h"
#include "oom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_config(void *ctx)
{
    struct mcp_config c;
    int rc = mcp_config_read(ctx, &c);
    mcp_config_deinit(&c);
    return rc;
}

static int read_content(void *ctx)
{
    struct tool_result r;
    int rc = mcp_content_read(ctx, &r);
    tool_result_deinit(&r);
    return rc;
}

static int make_env(void *ctx)
{
    const char *ours[] = {"A=1", "B=2", NULL}, *added[] = {"C=3", NULL};
    char **env = mcp_env_make(ours, added);
    (void)ctx;
    roots_free(env);
    return env ? 0 : E_NOMEM;
}

static int resolve(void *ctx)
{
    char *url = NULL;
    int rc = mcp_url_resolve("http://h/sse", "m", &url);
    (void)ctx;
    free(url);
    return rc;
}

static void with_json(const char *text, int (*run)(void *ctx))
{
    cJSON *json = NULL;
    oom_reset(-1);
    assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
    oom_fail_each(run, json);
    oom_reset(-1);
    cJSON_Delete(json);
}

static void test_all(void **state)
{
    (void)state;
    with_json("{\"name\":\"a\",\"command\":\"/x\",\"args\":[\"b\"],\"env\":{\"K\":\"v\"}}",
              read_config);
    with_json("{\"type\":\"http\",\"name\":\"a\",\"url\":\"http://h\",\"headers\":{\"K\":\"v\"}}",
              read_config);
    with_json(
        "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"odd\"},"
        "{\"type\":\"image\",\"mimeType\":\"m\",\"data\":\"d\"}],\"structuredContent\":{\"a\":1}}",
        read_content);
    oom_fail_each(make_env, NULL);
    oom_fail_each(resolve, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
