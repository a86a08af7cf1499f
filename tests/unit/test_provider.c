/* What the mock provider sends: streams and answers in one piece. */
#include "provider_kit.h"

/* --- replies --- */

static void test_text(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[{\"text\":[\"Hel\",\"lo\"]}]},{\"reply\":[{\"text\":\"\\u00e4\\n\"}]}]",
              NULL);
    check(f, HI_FLOW, "Hello", "stop [DONE]");
    check(f, HI_FLOW, "\xC3\xA4\n", "stop [DONE]");
    assert_string_equal(log_of(f), "request 1;part 1 text Hello;done 1;"
                                   "request 2;part 2 text \xC3\xA4\n;done 2;");
    assert_int_equal(provider_requests(f->provider), 2);
}

static void test_exact_bytes(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "[{\"reply\":[{\"text\":\"a\"}]}]", NULL);
    start(&c, HI_FLOW);
    wait_done(&c);
#define C(delta, finish)                                                                           \
    "data: {\"id\":\"chatcmpl-ID\",\"object\":\"chat.completion.chunk\",\"created\":1735689601,"   \
    "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" finish      \
    "}]}\n\n"
    char *id = strstr(buf_cstr(&c.body), "chatcmpl-");
    assert_non_null(id);
    struct buf want = {0};
    const char *pattern = C("{\"role\":\"assistant\",\"content\":\"\"}", "null")
        C("{\"content\":\"a\"}", "null") C("{}", "\"stop\"") "data: [DONE]\n\n";
    for (const char *p = pattern; *p;) {
        bool is_id = strncmp(p, "-ID", 3) == 0;
        assert_int_equal(is_id ? buf_add(&want, id + 8, 17) : buf_addc(&want, *p), 0);
        p += is_id ? 3 : 1;
    }
    assert_string_equal(buf_cstr(&c.body), buf_cstr(&want));
    buf_deinit(&want);
    free_chat(&c);
}

static void record(struct fixture *f, struct buf *ret)
{
    struct chat c = {.f = f};
    open_with(f, "[{\"reply\":[{\"thought\":\"t\"},{\"text\":\"a\"},{\"tool\":\"read_file\"}]}]",
              NULL);
    start(&c, HI_TOOLS);
    wait_done(&c);
    *ret = c.body;
    c.body = (struct buf){0};
    free_chat(&c);
    provider_close(f->provider);
    while (!f->closed)
        uv_run(&f->loop, UV_RUN_ONCE);
    f->closed = 0;
    f->provider = NULL;
}

static void test_reruns_are_equal(void **state)
{
    struct buf first, second;
    record(*state, &first);
    record(*state, &second);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.p, second.p, first.n);
    buf_deinit(&first);
    buf_deinit(&second);
}

static void test_thought_and_tools(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(
        f,
        "[{\"reply\":[{\"thought\":\"hm\"},{\"text\":\"I read.\"},"
        "{\"tool\":\"read_file\",\"with\":{\"path\":\"a\\u00e4\"},\"fragments\":100},"
        "{\"tool\":\"read_file\",\"raw_arguments\":\"{oops\",\"id\":\"mine\",\"fragments\":1}]}]",
        NULL);
    start(&c, HI_TOOLS);
    wait_done(&c);
    assert_string_equal(str(&c.thought), "hm");
    assert_string_equal(str(&c.text), "I read.");
    assert_string_equal(str(&c.args),
                        "|0 read_file .{.\".p.a.t.h.\".:.\".a.\xC3\xA4.\".}|1 read_file .{oops");
    assert_string_equal(str(&c.finish), "tool_calls [DONE]");
    assert_non_null(strstr(str(&c.body), "\"id\":\"mine\""));
    assert_non_null(strstr(log_of(f), "part 1 tool read_file {oops;"));
    free_chat(&c);
}

static void test_intents(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f,
              "{\"turns\":[{\"reply\":[{\"tool\":\"read\",\"with\":{\"path\":\"a\",\"n\":3}}]}],"
              "\"intents\":{\"read\":{\"tool\":\"other\"}}}",
              "{\"read\":{\"tool\":\"read_file\",\"args\":{\"file\":\"{path}\",\"lines\":\"{n}\","
              "\"note\":\"<{path}:{n}>{gone}\",\"left_out\":\"{gone}\",\"fix\":[1]}}}");
    start(&c, HI_TOOLS);
    wait_done(&c);
    struct buf got = {0};
    for (const char *p = str(&c.args); *p; p++) /* where it is cut does not matter */
        if (*p != '.')
            assert_int_equal(buf_addc(&got, *p), 0);
    assert_string_equal(str(&got),
                        "|0 read_file {\"file\":\"a\",\"lines\":3,\"note\":\"<a:3>\",\"fix\":[1]}");
    buf_deinit(&got);
    free_chat(&c);
}

static void test_intents_of_any_shape(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(
        f,
        "[{\"reply\":[{\"tool\":\"plan\",\"with\":{\"path\":\"/a\",\"entries\":[{\"content\":\"x\","
        "\"status\":\"y\"},{\"content\":\"z\"}]}}]}]",
        "{\"plan\":{\"tool\":\"read_file\",\"args\":{\"steps\":{\"$each\":\"entries\",\"as\":{"
        "\"step\":\"{content}\",\"is\":\"{status}\"}},\"in\":[{\"f\":\"/w/{path}\"}],\"none\":{"
        "\"$each\":\"gone\",\"as\":\"{x}\"}}}}");
    start(&c, HI_TOOLS);
    wait_done(&c);
    struct buf got = {0};
    for (const char *p = str(&c.args); *p; p++)
        if (*p != '.')
            assert_int_equal(buf_addc(&got, *p), 0);
    assert_string_equal(str(&got),
                        "|0 read_file {\"steps\":[{\"step\":\"x\",\"is\":\"y\"},{\"step\":\"z\"}],"
                        "\"in\":[{\"f\":\"/a\"}],\"none\":[]}");
    buf_deinit(&got);
    free_chat(&c);
}

#define TITLE                                                                                      \
    "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"You are a title "           \
    "generator.\"},"                                                                               \
    "{\"role\":\"user\",\"content\":\"hi\"}]}"
#define PLAIN "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

static void ask_beside(struct fixture *f, const char *turns, const char *title, unsigned counted)
{
    const char *path = "/v1/chat/completions";
    cJSON *script = parse(turns);
    struct provider_options o = {.seed = 7, .script = script, .side = true};
    assert_int_equal(provider_open(&f->loop, &o, &ops, f, &f->provider), 0);
    cJSON_Delete(script);
    check_answer((struct chat){.f = f}, path, PLAIN, "\"one\"");
    check_answer((struct chat){.f = f}, path, TITLE, title);
    check_answer((struct chat){.f = f}, path, PLAIN, "\"two\"");
    assert_int_equal(provider_requests(f->provider), counted);
}

static void test_side_requests(void **state)
{
    struct fixture *f = *state;
    ask_beside(f, "[{\"reply\":[{\"text\":\"one\"}]},{\"reply\":[{\"text\":\"two\"}]}]",
               "A talk with a mock model", 2);
    assert_non_null(strstr(log_of(f), "side"));
}

static void test_side_requests_of_the_script(void **state)
{
    struct fixture *f = *state;
    ask_beside(
        f,
        "[{\"when\":{\"tools\":{\"$len\":0},\"system\":{\"$has\":\"title\"}},\"reply\":[{"
        "\"text\":\"own\"}]},{\"reply\":[{\"text\":\"one\"}]},{\"reply\":[{\"text\":\"two\"}]}]",
        "\"own\"", 3);
    assert_null(strstr(log_of(f), "side"));
}

static void test_undeclared_tool(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"reply\":[{\"text\":\"a\"},{\"tool\":\"rm\"},{\"text\":\"b\"}]}]", NULL);
    check(f, HI_TOOLS, "a(The script calls the tool \"rm\", which was not declared.)",
          "stop [DONE]");
    assert_non_null(strstr(log_of(f), "undeclared 1 rm;"));
}

static void test_finish_and_usage(void **state)
{
    struct fixture *f = *state;
#define USAGE(x)                                                                                   \
    "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"                \
    "\"messages\":[{\"role\":\"user\",\"content\":\"" x "\"}]}"
    open_with(
        f,
        "[{\"reply\":[{\"text\":\"a\"}],\"finish\":\"length\"},"
        "{\"reply\":[{\"text\":\"a\"}],\"finish\":null},"
        "{\"reply\":[{\"text\":\"a\"},{\"no_done\":true}],\"usage\":{\"input\":9,\"output\":2}},"
        "{\"reply\":[{\"text\":\"12345678\"}]},"
        "{\"reply\":[{\"text\":\"a\"}],\"usage\":false},"
        "{\"reply\":[]}]",
        NULL);
    check(f, HI_FLOW, "a", "length [DONE]");
    check(f, HI_FLOW, "a", "[DONE]");
    check(f, HI_FLOW, "a", "stop usage:9/2 ");
    check(f, USAGE("1234"), "12345678", "stop usage:2/3 [DONE]");
    check(f, USAGE("1234"), "a", "stop [DONE]");
    check(f, HI_FLOW, "", "stop [DONE]");
}

static void test_repeat(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[{\"text\":[\"a\",\"b\"],\"repeat\":3},{\"text\":\"c\",\"repeat\":0},"
              "{\"text\":\"d\",\"repeat\":1}]}]",
              NULL);
    check(f, HI_FLOW, "abababd", "stop [DONE]");
    assert_non_null(strstr(log_of(f), "part 1 text ababab;"));
}

static void test_flood_waits_for_the_caller(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "[{\"reply\":[{\"text\":\"flood \",\"repeat\":100000}]}]", NULL);
    start(&c, HI_FLOW);
    while (c.body.n == 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    fetch_pause(c.req, true);
    for (int i = 0; i < 50; i++)
        uv_run(&f->loop, UV_RUN_NOWAIT);
    assert_false(c.done);
    fetch_pause(c.req, false);
    wait_done(&c);
    assert_int_equal(c.text.n, 600000);
    assert_string_equal(str(&c.finish), "stop [DONE]");
    free_chat(&c);
}

/* --- answers in one piece --- */

static void test_not_streamed(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[{\"thought\":\"hm\"},{\"text\":\"a\",\"repeat\":2}]},"
              "{\"reply\":[{\"tool\":\"read_file\",\"with\":{\"p\":1}}],\"usage\":{\"input\":5}},"
              "{\"reply\":[{\"event\":{\"odd\":1}}]}]",
              NULL);
    cJSON *json = whole(f, HI, 200);
    assert_string_equal(json_pointer(json, "/object")->valuestring, "chat.completion");
    assert_string_equal(json_pointer(json, "/choices/0/message/content")->valuestring, "aa");
    assert_string_equal(json_pointer(json, "/choices/0/message/reasoning_content")->valuestring,
                        "hm");
    assert_string_equal(json_pointer(json, "/choices/0/finish_reason")->valuestring, "stop");
    cJSON_Delete(json);
    json = whole(
        f, "{\"model\":\"m\"," READ ",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}", 200);
    assert_true(cJSON_IsNull(json_pointer(json, "/choices/0/message/content")));
    assert_string_equal(
        json_pointer(json, "/choices/0/message/tool_calls/0/function/arguments")->valuestring,
        "{\"p\":1}");
    assert_string_equal(json_pointer(json, "/choices/0/finish_reason")->valuestring, "tool_calls");
    assert_int_equal(json_get_int(json_get(json, "usage"), "prompt_tokens", 0), 5);
    cJSON_Delete(json);
    json = whole(f, HI, 200);
    assert_int_equal(json_get_int(json, "odd", 0), 1);
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_text),
        TEST(test_exact_bytes),
        TEST(test_reruns_are_equal),
        TEST(test_thought_and_tools),
        TEST(test_intents),
        TEST(test_intents_of_any_shape),
        TEST(test_side_requests),
        TEST(test_side_requests_of_the_script),
        TEST(test_undeclared_tool),
        TEST(test_finish_and_usage),
        TEST(test_repeat),
        TEST(test_flood_waits_for_the_caller),
        TEST(test_not_streamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
