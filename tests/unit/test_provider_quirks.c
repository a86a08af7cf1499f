/* Chat completions as servers write them that call themselves compatible. */
#include "provider_kit.h"

/* text, thought, calls as provider_kit.h writes them, finish */
struct want {
    const char *quirks, *text, *thought, *args, *finish;
};

static void check_quirk(struct fixture *f, const struct want *want)
{
    struct chat c = {.f = f};
    char script[600];
    snprintf(script, sizeof script,
             "[{\"wire\":{\"quirks\":[%s]},\"usage\":false,\"reply\":[{\"thought\":\"hm\"},"
             "{\"text\":\"Hi\"},{\"tool\":\"read_file\",\"with\":{\"p\":1},\"id\":\"a\"},"
             "{\"tool\":\"read_file\",\"with\":{\"q\":2},\"id\":\"b\"}]}]",
             want->quirks);
    open_with(f, script, NULL);
    start(&c, HI_TOOLS);
    wait_done(&c);
    if (strcmp(str(&c.text), want->text) != 0 || strcmp(str(&c.thought), want->thought) != 0 ||
        strcmp(str(&c.args), want->args) != 0 || strcmp(str(&c.finish), want->finish) != 0)
        fail_msg("%s\n  text %s, thought %s, args %s, finish %s\n%s", want->quirks, str(&c.text),
                 str(&c.thought), str(&c.args), str(&c.finish), str(&c.body));
    free_chat(&c);
    provider_close(f->provider);
    while (!f->closed)
        uv_run(&f->loop, UV_RUN_ONCE);
    f->closed = 0;
    f->provider = NULL;
}

#define END  "tool_calls [DONE]"
#define BOTH "|0 read_file .{\"p.\":1}|1 read_file .{\"q.\":2}"

static void test_quirks(void **state)
{
    static const struct want wants[] = {
        {"", "Hi", "hm", BOTH, END},
        {"\"index_zero\"", "Hi", "hm", "|0 read_file .{\"p.\":1}|0 read_file .{\"q.\":2}", END},
        {"\"no_index\"", "Hi", "hm", "|-1 read_file .{\"p.\":1}|-1 read_file .{\"q.\":2}", END},
        {"\"id_each\"", "Hi", "hm",
         "|0 read_file |0 read_file {\"p|0 read_file \":1}"
         "|1 read_file |1 read_file {\"q|1 read_file \":2}",
         END},
        {"\"id_empty\"", "Hi", "hm", "|0 read_file |0  {\"p|0  \":1}|1 read_file |1  {\"q|1  \":2}",
         END},
        {"\"args_braces\"", "Hi", "hm", "|0 read_file {}.{\"p.\":1}|1 read_file {}.{\"q.\":2}",
         END},
        {"\"args_again\"", "Hi", "hm",
         "|0 read_file .{\"p.\":1}.{\"p\":1}|1 read_file .{\"q.\":2}.{\"q\":2}", END},
        {"\"interleaved\"", "Hi", "hm", "|0 read_file |1 read_file .{\"p.\":1}.{\"q.\":2}", END},
        {"\"finish_stop\"", "Hi", "hm", BOTH, "stop [DONE]"},
        {"\"reasoning\"", "Hi", "", BOTH, END},
        {"\"think_tags\"", "<think>hm</think>Hi", "", BOTH, END},
        {"\"nulls\",\"no_role\"", "Hi", "hm", BOTH, END},
        {"\"empty_deltas\",\"role_each\"", "Hi", "hm", BOTH, END},
        {"\"finish_early\"", "Hi", "hm", BOTH, "stop " END},
        {"\"no_choices\"", "Hi", "hm", BOTH, END},
        {"\"details\"", "Hi", "", BOTH, END},
        {"\"no_done\"", "Hi", "hm", BOTH, "tool_calls "},
        {"\"no_ids\"", "Hi", "hm", "..{\"p.\":1}..{\"q.\":2}", END},
    };
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++)
        check_quirk(*state, &wants[i]);
}

static void check_body(struct fixture *f, const char *quirk, const char *body, const char *want)
{
    struct chat c = {.f = f};
    char script[300];
    snprintf(script, sizeof script,
             "[{\"wire\":{\"quirks\":[\"%s\"]},\"reply\":[{\"thought\":\"hm\"},"
             "{\"tool\":\"read_file\",\"with\":{\"p\":1},\"id\":\"a\"}]}]",
             quirk);
    open_with(f, script, NULL);
    check_answer(c, "/v1/chat/completions", body, want);
    provider_close(f->provider);
    while (!f->closed)
        uv_run(&f->loop, UV_RUN_ONCE);
    f->closed = 0;
    f->provider = NULL;
}

#define WHOLE_TOOLS                                                                                \
    "{\"model\":\"m\"," READ ",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

static void test_bytes(void **state)
{
    struct fixture *f = *state;
    check_body(f, "args_object", HI_TOOLS, "\"arguments\":{\"p\":1}}}]},\"finish_reason\":null");
    check_body(f, "usage_each", HI_TOOLS,
               "\"finish_reason\":null}],\"usage\":{\"prompt_tokens\":1,");
    check_body(f, "nulls", HI_TOOLS,
               "\"delta\":{\"content\":null,\"refusal\":null,\"tool_calls\":null,"
               "\"reasoning_content\":null},\"finish_reason\":\"tool_calls\"");
    check_body(f, "id_late", HI_TOOLS,
               "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\"}}]}");
    check_body(
        f, "id_late", HI_TOOLS,
        "{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"read_file\","
        "\"arguments\":\"{\\\"p\"}}");
    check_body(f, "role_each", HI_TOOLS, "\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{");
    check_body(f, "empty_deltas", HI_TOOLS, "\"delta\":{\"reasoning_content\":\"\"}");
    check_body(f, "no_choices", HI_TOOLS, ",\"choices\":[]}\n\ndata: ");
    check_body(f, "no_choices", HI_TOOLS, ",\"choices\":null}\n\ndata: ");
    check_body(
        f, "details", HI_TOOLS,
        "\"delta\":{\"reasoning\":\"hm\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
        "\"text\":\"hm\",");
    check_body(f, "reasoning", WHOLE_TOOLS, "\"reasoning\":\"hm\"");
    check_body(f, "args_object", WHOLE_TOOLS, "\"arguments\":{\"p\":1}");
}

static void test_unknown_quirk(void **state)
{
    char err[200];
    cJSON *json = parse("[{\"reply\":[],\"wire\":{\"quirks\":[\"odd\"]}}]");
    (void)state;
    assert_int_equal(provider_check_script(json, err, sizeof err), E_INVALID);
    assert_string_equal(err, "turns[0]: wire: quirks: \"odd\" is none");
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_quirks),
        TEST(test_bytes),
        cmocka_unit_test(test_unknown_quirk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
