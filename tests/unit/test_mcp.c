/* What the agent makes of MCP servers without talking to one: entries, names, addresses, results.
 */
#include "agent/mcp_client.h"
#include "agent/mcp_config.h"
#include "agent/mcp_content.h"
#include "agent/mcp_env.h"
#include "agent/mcp_name.h"
#include "agent/mcp_url.h"
#include "agent/roots.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cJSON *parse(const char *text)
{
    cJSON *json = NULL;
    assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
    return json;
}

/* ---- entries -------------------------------------------------------------------------------- */

static void check(const char *json, const char *path)
{
    struct json_error err = {.path = ""};
    cJSON *list = parse(json);
    assert_int_equal(mcp_config_check(list, &err), path ? E_INVALID : 0);
    if (path)
        assert_string_equal(err.path, path);
    cJSON_Delete(list);
}

static void test_entries(void **state)
{
    (void)state;
    assert_int_equal(mcp_config_check(NULL, NULL), 0);
    check("[]", NULL);
    check("[{\"name\":\"a\",\"command\":\"/x\",\"args\":[\"b\"],"
          "\"env\":[{\"name\":\"K\",\"value\":\"v\"}]}]",
          NULL);
    check("[{\"name\":\"a\",\"command\":\"/x\",\"args\":null,\"env\":null,\"type\":\"stdio\"}]",
          NULL);
    check("[{\"name\":\"a\",\"command\":\"/x\",\"env\":{\"K\":\"v\"}}]", NULL);
    check("[5]", "params.mcpServers[0]");
    check("[{\"name\":\"a\"}]", "params.mcpServers[0].command");
    check("[{\"name\":\"a\",\"command\":\"/x\"},{\"command\":\"/x\"}]",
          "params.mcpServers[1].name");
    check("[{\"name\":\"a\",\"command\":\"/x\",\"args\":\"b\"}]", "params.mcpServers[0].args");
    check("[{\"name\":\"a\",\"command\":\"/x\",\"args\":[1]}]", "params.mcpServers[0].args[0]");
    check("[{\"name\":\"a\",\"command\":\"/x\",\"env\":[{\"name\":\"K\"}]}]",
          "params.mcpServers[0].env[0].value");
    check("[{\"name\":\"a\",\"command\":\"/x\",\"env\":{\"K\":1}}]", "params.mcpServers[0].env.K");
    check("[{\"name\":\"a\",\"command\":\"/x\",\"env\":5}]", "params.mcpServers[0].env");
}

static void test_entries_over_http(void **state)
{
    (void)state;
    check("[{\"type\":\"http\",\"name\":\"a\",\"url\":\"https://h/mcp\",\"headers\":[]}]", NULL);
    check("[{\"type\":\"sse\",\"name\":\"a\",\"url\":\"HTTP://h\",\"headers\":{\"A\":\"b\"}}]",
          NULL);
    check("[{\"type\":\"http\",\"name\":\"a\"}]", "params.mcpServers[0].url");
    check("[{\"type\":\"http\",\"url\":\"http://h\"}]", "params.mcpServers[0].name");
    check("[{\"type\":\"http\",\"name\":\"a\",\"url\":\"file:///x\"}]", "params.mcpServers[0].url");
    check(
        "[{\"type\":\"http\",\"name\":\"a\",\"url\":\"http://h\",\"headers\":[{\"name\":\"A\"}]}]",
        "params.mcpServers[0].headers[0].value");
    check("[{\"type\":\"http\",\"name\":\"a\",\"url\":\"http://h\","
          "\"headers\":{\"A\":\"b\\r\\nC: d\"}}]",
          "params.mcpServers[0].headers");
    check("[{\"type\":\"http\",\"name\":\"a\",\"url\":\"http://h\","
          "\"headers\":[{\"name\":\"\",\"value\":\"b\"}]}]",
          "params.mcpServers[0].headers");
    check("[{\"type\":\"acp\",\"name\":\"a\",\"id\":\"x\"}]", "params.mcpServers[0].type");
}

static void test_reading(void **state)
{
    struct mcp_config c;
    cJSON *entry = parse("{\"name\":\"a\",\"command\":\"/x\",\"args\":[\"b\",\"\"],"
                         "\"env\":[{\"name\":\"K\",\"value\":\"v=w\"}]}");
    (void)state;
    assert_int_equal(mcp_config_read(entry, &c), 0);
    assert_int_equal(c.transport, MCP_STDIO);
    assert_string_equal(c.argv[0], "/x");
    assert_string_equal(c.argv[1], "b");
    assert_string_equal(c.argv[2], "");
    assert_null(c.argv[3]);
    assert_string_equal(c.env[0], "K=v=w");
    assert_null(c.env[1]);
    mcp_config_deinit(&c);
    cJSON_Delete(entry);
    entry =
        parse("{\"type\":\"sse\",\"name\":\"a\",\"url\":\"http://h/\",\"headers\":{\"A\":\"b\"}}");
    assert_int_equal(mcp_config_read(entry, &c), 0);
    assert_int_equal(c.transport, MCP_SSE);
    assert_string_equal(c.url, "http://h/");
    assert_string_equal(c.headers[0], "A: b");
    mcp_config_deinit(&c);
    cJSON_Delete(entry);
}

static void test_environment(void **state)
{
    const char *ours[] = {
        "PATH=/bin", "OPENAI_API_KEY=secret", "ANTHROPIC_AUTH_TOKEN=secret", "K=old", "ODD", NULL};
    const char *added[] = {"K=new", "GEMINI_API_KEY=meant", NULL};
    char **env = mcp_env_make(ours, added);
    (void)state;
    assert_non_null(env);
    assert_string_equal(env[0], "PATH=/bin");
    assert_string_equal(env[1], "ODD");
    assert_string_equal(env[2], "K=new");
    assert_string_equal(env[3], "GEMINI_API_KEY=meant");
    assert_null(env[4]);
    roots_free(env);
}

/* ---- names and addresses -------------------------------------------------------------------- */

static void test_names(void **state)
{
    char a[MCP_NAME_MAX + 1], b[MCP_NAME_MAX + 1], tool[200];
    (void)state;
    mcp_name_make("git", "commit", false, a);
    assert_string_equal(a, "mcp__git__commit");
    mcp_name_make("my server", "do/it now.\xC3\xA4", false, a);
    assert_string_equal(a, "mcp__my_server__do_it_now___");
    mcp_name_make("git", "commit", true, a);
    assert_int_equal(strlen(a), strlen("mcp__git__commit_") + 8);
    mcp_name_make("gi", "t__commit", true, b);
    assert_string_not_equal(a, b);
    for (size_t n = 1; n < sizeof tool; n++) {
        memset(tool, 'x', n);
        tool[n] = '\0';
        mcp_name_make("server", tool, false, a);
        assert_in_range(strlen(a), strlen("mcp__server__x"), MCP_NAME_MAX);
        tool[n - 1] = 'y';
        mcp_name_make("server", tool, false, b);
        assert_string_not_equal(a, b);
    }
    memset(tool, 's', 150);
    tool[150] = '\0';
    mcp_name_make(tool, "one", false, a);
    mcp_name_make(tool, "two", false, b);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), MCP_NAME_MAX);
}

static void test_addresses(void **state)
{
    static const struct {
        const char *base, *reference, *whole;
    } rows[] = {
        {"http://h:1/a/sse", "/message?id=1", "http://h:1/message?id=1"},
        {"http://h:1/a/sse?x=/y", "message", "http://h:1/a/message"},
        {"http://h:1", "message", "http://h:1/message"},
        {"http://h:1?q", "m", "http://h:1/m"},
        {"http://h:1/sse", "http://h:1/m", "http://h:1/m"},
        {"HTTP://H:1/sse", "http://h:1/m?u=http://x/", "http://h:1/m?u=http://x/"},
        {"http://h:1/sse", "/m?u=http://x/", "http://h:1/m?u=http://x/"},
        {"http://h:1/sse", "http://h:2/m", NULL},
        {"http://h:1/sse", "https://h:1/m", NULL},
        {"http://h:1/sse", "http://h:11/m", NULL},
        {"http://h:1/sse", "http://h:1@evil/m", NULL},
        {"http://h:1/sse", "//evil/m", NULL},
        {"http://h:1/sse", "ftp://h:1/m", NULL},
        {"http://h:1/sse", "", NULL},
        {"http://h:1/sse", "/m\r\nX: y", NULL},
        {"ftp://h/sse", "/m", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *whole = NULL;
        int rc = mcp_url_resolve(rows[i].base, rows[i].reference, &whole);
        assert_int_equal(rc, rows[i].whole ? 0 : E_INVALID);
        if (rows[i].whole)
            assert_string_equal(whole, rows[i].whole);
        free(whole);
    }
}

static void test_versions(void **state)
{
    (void)state;
    assert_string_equal(mcp_client_agree("2024-11-05"), "2024-11-05");
    assert_string_equal(mcp_client_agree("2025-11-25"), "2025-11-25");
    assert_null(mcp_client_agree("2026-07-28"));
    assert_null(mcp_client_agree(""));
    assert_null(mcp_client_agree(NULL));
}

/* ---- results -------------------------------------------------------------------------------- */

struct row {
    const char *result, *text, *content; /* content NULL: none */
    bool failed;
};

static void check_result(const struct row *row)
{
    struct tool_result r;
    cJSON *json = parse(row->result);
    assert_int_equal(mcp_content_read(json, &r), 0);
    assert_string_equal(r.text, row->text);
    assert_int_equal(r.failed, row->failed);
    if (row->content)
        assert_string_equal(r.content, row->content);
    else
        assert_null(r.content);
    tool_result_deinit(&r);
    cJSON_Delete(json);
}

#define SHOWN(block) "{\"type\":\"content\",\"content\":" block "}"

static void test_results(void **state)
{
    static const struct row rows[] = {
        {"{}", "Done.", NULL, false},
        {"{\"isError\":true,\"content\":[]}", "The tool failed and said nothing.", NULL, true},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"a\",\"x\":1},{\"type\":\"text\",\"text\":"
         "\"b\"}]}",
         "a\nb",
         SHOWN("{\"type\":\"text\",\"text\":\"a\"}") "," SHOWN(
             "{\"type\":\"text\",\"text\":\"b\"}"),
         false},
        {"{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGk=\"}]}",
         "[image image/png]",
         SHOWN("{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}"), false},
        {"{\"content\":[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///n\"}]}",
         "[n file:///n]",
         SHOWN("{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///n\"}"), false},
        {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"t\"}}]}",
         "t", SHOWN("{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"text\":\"t\"}}"),
         false},
        {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"blob\":\"aGk=\"}}]}",
         "[a file that is no text: u:1]",
         SHOWN("{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"blob\":\"aGk=\"}}"), false},
        {"{\"content\":[{\"type\":\"poem\",\"lines\":1}],\"isError\":true}",
         "{\"type\":\"poem\",\"lines\":1}",
         SHOWN("{\"type\":\"text\",\"text\":\"{\\\"type\\\":\\\"poem\\\",\\\"lines\\\":1}\"}"),
         true},
        {"{\"content\":[{\"type\":\"image\"}]}", "{\"type\":\"image\"}",
         SHOWN("{\"type\":\"text\",\"text\":\"{\\\"type\\\":\\\"image\\\"}\"}"), false},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"it is 21 C\"}],"
         "\"structuredContent\":{\"degrees\":21,\"unit\":\"C\",\"wet\":false}}",
         "it is 21 C", SHOWN("{\"type\":\"text\",\"text\":\"it is 21 C\"}"), false},
        {"{\"structuredContent\":{\"a\":1}}", "{\"a\":1}",
         SHOWN("{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}"), false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_result(&rows[i]);
}

static void test_structured_values_are_kept(void **state)
{
    struct tool_result r;
    cJSON *json = parse(
        "{\"content\":[{\"type\":\"text\",\"text\":\"one\"}],\"structuredContent\":{\"a\":1}}");
    (void)state;
    assert_int_equal(mcp_content_read(json, &r), 0);
    assert_string_equal(r.text, "one\n{\"a\":1}");
    assert_int_equal(json_get_int(r.raw, "a", 0), 1);
    tool_result_deinit(&r);
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_entries_over_http),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_structured_values_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
