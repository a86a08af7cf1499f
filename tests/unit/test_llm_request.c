/* Request bodies: what a strict server demands of a history, and that earlier bytes stay. */
#include "agent/llm.h"
#include "agent/toolset.h"
#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct llm_target target = {.dialect = &llm_openai_chat,
                                         .provider = "openai",
                                         .base = "http://127.0.0.1:1/v1",
                                         .key = "k",
                                         .model = "m",
                                         .max_tokens_name = "max_tokens"};

static struct history_call *one_call(const char *id, const char *args, const char *extra)
{
    struct history_call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    *c = (struct history_call){.id = strdup(id),
                               .name = strdup("read_file"),
                               .args = strdup(args),
                               .extra = extra ? strdup(extra) : NULL};
    return c;
}

static char *body(const struct llm_target *to, const struct history *h, uint32_t max_tokens)
{
    struct buf out = {0};
    struct llm_request req = {
        .to = to, .system = "be brief", .history = h, .max_tokens = max_tokens};
    struct toolset tools = {0};
    struct toolset_specs specs;
    assert_int_equal(toolset_specs(&tools, false, &specs), 0);
    req.tools = specs.list;
    req.n_tools = specs.n;
    assert_int_equal(to->dialect->write_body(&req, &out), 0);
    toolset_deinit(&tools);
    return buf_take(&out);
}

static cJSON *tree(const char *text)
{
    cJSON *root = NULL;
    assert_int_equal(json_parse(text, strlen(text), &root, NULL), 0);
    return root;
}

static void expect_at(cJSON *root, const char *pointer, const char *json)
{
    cJSON *want = tree(json);
    const cJSON *got = json_pointer(root, pointer);
    assert_non_null(got);
    assert_true(json_equal(got, want));
    cJSON_Delete(want);
}

static void fill(struct history *h)
{
    assert_int_equal(history_add_user(h, "look \"here\"\n"), 0);
    assert_int_equal(
        history_add_assistant(h, "", "hm", one_call("c1", "{\"path\":\"a\"}", NULL), 1), 0);
    assert_int_equal(history_add_tool(h, "c1", "text"), 0);
    assert_int_equal(history_add_assistant(h, "done", NULL, NULL, 0), 0);
}

static void test_body(void **state)
{
    (void)state;
    struct history h = {0};
    fill(&h);
    char *text = body(&target, &h, 0);
    cJSON *root = tree(text);
    expect_at(root, "/model", "\"m\"");
    expect_at(root, "/stream", "true");
    expect_at(root, "/stream_options", "{\"include_usage\":true}");
    assert_null(json_get(root, "max_tokens"));
    expect_at(root, "/messages/0", "{\"role\":\"system\",\"content\":\"be brief\"}");
    expect_at(root, "/messages/1", "{\"role\":\"user\",\"content\":\"look \\\"here\\\"\\n\"}");
    expect_at(root, "/messages/2",
              "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":"
              "\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":"
              "\"{\\\"path\\\":\\\"a\\\"}\"}}]}");
    expect_at(root, "/messages/3",
              "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"text\"}");
    expect_at(root, "/messages/4", "{\"role\":\"assistant\",\"content\":\"done\"}");
    expect_at(root, "/tools/0/function/parameters/type", "\"object\"");
    cJSON_Delete(root);
    free(text);
    history_deinit(&h);
}

#define BLOCKS                                                                                     \
    "[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGk=\"},"                          \
    "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"eA==\"}]"
#define IMAGE "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,aGk=\"}}"

static void check_media(unsigned input, const char *content)
{
    struct llm_target to = target;
    struct history h = {0};
    to.input = input;
    assert_int_equal(history_add_prompt(&h, input ? "" : "look", BLOCKS), 0);
    char *text = body(&to, &h, 0);
    cJSON *root = tree(text);
    expect_at(root, "/messages/1/content", content);
    cJSON_Delete(root);
    free(text);
    history_deinit(&h);
}

static void test_media(void **state)
{
    (void)state;
    check_media(MEDIA_IMAGE | MEDIA_AUDIO,
                "[" IMAGE ",{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"eA==\","
                "\"format\":\"wav\"}}]");
    check_media(MEDIA_IMAGE,
                "[" IMAGE ",{\"type\":\"text\",\"text\":\"[A sound that is not given to "
                "you.]\"}]");
    check_media(0, "[{\"type\":\"text\",\"text\":\"look\"},"
                   "{\"type\":\"text\",\"text\":\"[An image that is not shown to you.]\"},"
                   "{\"type\":\"text\",\"text\":\"[A sound that is not given to you.]\"}]");
}

static void test_variants(void **state)
{
    (void)state;
    struct llm_target deepseek = target;
    struct history h = {0};
    deepseek.echo_thought = true;
    fill(&h);
    assert_int_equal(history_add_assistant(
                         &h, "x", NULL, one_call("c2", "{}", "{\"google\":{\"s\":\"U0lH\"}}"), 1),
                     0);
    char *text = body(&deepseek, &h, 77);
    cJSON *root = tree(text);
    expect_at(root, "/max_tokens", "77");
    expect_at(root, "/messages/2/reasoning_content", "\"hm\"");
    assert_null(json_pointer(root, "/messages/4/reasoning_content"));
    expect_at(root, "/messages/5/reasoning_content", "\"\"");
    expect_at(root, "/messages/5/content", "\"x\"");
    expect_at(root, "/messages/5/tool_calls/0/extra_content", "{\"google\":{\"s\":\"U0lH\"}}");
    cJSON_Delete(root);
    free(text);
    history_deinit(&h);
}

/* Providers cache prompts by their first bytes. */
static void test_prefix_stays(void **state)
{
    (void)state;
    struct history h = {0};
    fill(&h);
    char *first = body(&target, &h, 0);
    assert_int_equal(history_add_user(&h, "more"), 0);
    char *second = body(&target, &h, 0);
    size_t common = strlen(first) - strlen("]}"); /* the end of messages */
    assert_string_equal(first + common, "]}");
    assert_memory_equal(first, second, common);
    assert_true(strlen(second) > common);
    history_cut(&h, 4);
    char *third = body(&target, &h, 0);
    assert_string_equal(first, third);
    free(first);
    free(second);
    free(third);
    history_deinit(&h);
}

static void test_url_and_key(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(llm_openai_chat.write_url(&target, &out), 0);
    assert_string_equal(buf_cstr(&out), "http://127.0.0.1:1/v1/chat/completions");
    out.n = 0;
    assert_int_equal(llm_openai_chat.write_auth(&target, &out), 0);
    assert_string_equal(buf_cstr(&out), "Authorization: Bearer k");
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body),        cmocka_unit_test(test_media),
        cmocka_unit_test(test_variants),    cmocka_unit_test(test_prefix_stays),
        cmocka_unit_test(test_url_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
