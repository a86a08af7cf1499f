/* The mock provider: requests it refuses, requests in neutral form, model lists. */
#include "provider_kit.h"

/* --- requests a strict server refuses --- */

static void check_refused(struct fixture *f, const char *method, const char *path, const char *body,
                          const char *want)
{
    struct chat c = {.f = f};
    char got[700];
    call_path(&c, method, path, body);
    wait_done(&c);
    cJSON *json = parse(str(&c.body));
    const char *text = json_get_str(json_get(json, "error"), "message");
    assert_non_null(text);
    snprintf(got, sizeof got, "%ld %s", c.result.status, text);
    if (!strstr(got, want))
        fail_msg("%s\n  want: %s\n  got:  %s", body ? body : path, want, got);
    cJSON_Delete(json);
    free_chat(&c);
}

static void test_wrong_requests(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"reply\":[{\"text\":\"untouched\"}]}]", NULL);
    check_refused(f, "POST", "/v1/nothing", "{}", "404 there is nothing at POST /v1/nothing");
    check_refused(f, "GET", "/v1/chat/completions", NULL, "405 GET is not allowed");
    check_refused(f, "POST", "/v1/models", "{}", "405 POST is not allowed");
#define POST(body, want) check_refused(f, "POST", "/v1/chat/completions", body, want)
    POST("{\"model\":", "400 the body is not valid JSON");
    POST("", "400 the body is not valid JSON");
    POST("[]", "400 the body must be a JSON object");
    POST("{\"messages\":[]}", "400 you must provide a model");
    POST("{\"model\":\"m\"}", "400 the parameter messages is missing");
    POST("{\"model\":\"m\",\"messages\":[]}", "400 messages must be an array that is not empty");
    POST("{\"model\":\"m\",\"messages\":\"hi\"}", "400 messages must be an array");
    POST("{\"model\":\"m\",\"stream\":1,\"messages\":[{}]}", "400 stream must be a boolean");
    POST("{\"model\":\"m\",\"stream_options\":{},\"messages\":[{}]}", "400 stream_options");
    POST("{\"model\":\"m\",\"messages\":[7]}", "400 a message must be an object");
    POST("{\"model\":\"\\ud800\",\"messages\":[7]}", "400 the body holds half of a surrogate pair");
    check(f, HI_FLOW, "untouched", "stop [DONE]");
    assert_non_null(strstr(log_of(f), "refused 1 the body is not valid JSON"));
    assert_non_null(strstr(log_of(f), "refused 0 there is nothing at"));
}

/* What stands for "..." in the history rules. */
#define WITH(messages, more) "{\"model\":\"m\",\"messages\":[" messages "]" more "}"
#define USER                 "{\"role\":\"user\",\"content\":\"x\"}"
#define CALL(id, args)                                                                             \
    "{\"id\":\"" id                                                                                \
    "\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":" args "}}"
#define CALLS(list) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" list "]}"
#define TOOL(id)    "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"r\"}"
#define TOOLS       "," READ

static void test_history_rules(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"ok\"}]}]", NULL);
    POST(WITH("{\"role\":\"boss\",\"content\":\"x\"}", ""), "\"boss\" is no role");
    POST(WITH("{\"role\":\"user\"}", ""), "content must be a string or an array of parts");
    POST(WITH("{\"role\":\"user\",\"content\":[]}", ""), "content is an empty array");
    POST(WITH("{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}", ""), "needs its text");
    POST(WITH("{\"role\":\"assistant\",\"content\":null}", ""), "needs content, not null");
    POST(WITH(USER "," TOOL("a"), TOOLS), "a is none of them");
    POST(WITH(CALLS(CALL("a", "\"{}\"")), TOOLS), "nothing answers a");
    POST(WITH(CALLS(CALL("a", "\"{}\"")) "," USER, TOOLS), "nothing answers a");
    POST(WITH(CALLS(CALL("a", "\"{}\"") "," CALL("b", "\"{}\"")) "," TOOL("b"), TOOLS),
         "nothing answers a");
    POST(WITH(CALLS(CALL("a", "\"{}\"")) "," TOOL("a") "," TOOL("a"), TOOLS), "answered twice");
    POST(WITH(CALLS(CALL("a", "\"{}\"")) "," TOOL("b"), TOOLS), "b is none of them");
    POST(WITH(CALLS(CALL("a", "\"{}\"") "," CALL("a", "\"{}\"")), TOOLS),
         "two tool calls have the id");
    POST(WITH(CALLS(CALL("a", "\"{\"")) "," TOOL("a"), TOOLS), "are not valid JSON");
    POST(WITH(CALLS(CALL("a", "{}")) "," TOOL("a"), TOOLS), "must be a string, not object");
    POST(WITH(CALLS(""), TOOLS), "tool_calls must be an array that is not empty");
    POST(WITH(CALLS(CALL("a", "\"{}\"")) "," TOOL("a"), ""), "no tools are declared");
    POST(WITH(USER, ",\"tools\":[]"), "tools must be an array that is not empty");
    POST(WITH(USER, ",\"tool_choice\":\"auto\""), "only allowed with tools");
    POST(WITH(USER, ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a b\"}}]"),
         "no valid function name");
    POST(WITH(USER, ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a\","
                    "\"parameters\":{\"type\":\"string\"}}}]"),
         "must have type object");
    cJSON *json = whole(f,
                        WITH(USER "," CALLS(CALL("a", "\"{}\"") "," CALL("b", "\"{}\"")) "," TOOL(
                                 "b") "," TOOL("a") "," USER,
                             TOOLS),
                        200);
    cJSON_Delete(json);
}

static void test_neutral_form(void **state)
{
    struct fixture *f = *state;
    open_with(
        f,
        "[{\"when\":{\"dialect\":\"openai-chat\",\"n\":1,\"model\":\"m\",\"stream\":false,"
        "\"system\":\"S1\\nS2\",\"tools\":[\"read_file\"],"
        "\"messages\":[{\"role\":\"user\",\"text\":\"a\\nb\",\"parts\":[\"text\",\"image_url\","
        "\"text\"]},"
        "{\"role\":\"assistant\",\"text\":\"\",\"thought\":\"hm\","
        "\"tool_calls\":[{\"id\":\"c\",\"name\":\"read_file\",\"args\":{\"p\":1}}]},"
        "{\"role\":\"tool\",\"id\":\"c\",\"text\":\"r\"}],"
        "\"last\":{\"role\":\"tool\"},\"body\":{\"messages\":{\"$len\":5}}},"
        "\"reply\":[{\"text\":\"ok\"}]}]",
        NULL);
    cJSON *json = whole(
        f,
        WITH(
            "{\"role\":\"system\",\"content\":\"S1\"},{\"role\":\"developer\",\"content\":\"S2\"},"
            "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
            "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\"}},"
            "{\"type\":\"text\",\"text\":\"b\"}]},"
            "{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\","
            "\"tool_calls\":[" CALL(
                "c",
                "\"{\\\"p\\\":1}\"") "]},"
                                     "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}",
            TOOLS),
        200);
    assert_string_equal(json_pointer(json, "/choices/0/message/content")->valuestring, "ok");
    cJSON_Delete(json);
}

static void test_models(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f}, head = {.f = f};
    open_with(f, "{\"turns\":[],\"models\":[\"a\",\"b\"]}", NULL);
    call_path(&c, "GET", "/v1/models", NULL);
    wait_done(&c);
    cJSON *json = parse(str(&c.body));
    assert_string_equal(json_pointer(json, "/data/1/id")->valuestring, "b");
    cJSON_Delete(json);
    free_chat(&c);
    call_path(&head, "GET", "/models", NULL);
    wait_done(&head);
    assert_int_equal(head.result.status, 200);
    free_chat(&head);
    assert_int_equal(provider_requests(f->provider), 0);
    assert_string_equal(log_of(f), "side 0 GET /v1/models;side 0 GET /models;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_wrong_requests),
        TEST(test_history_rules),
        TEST(test_neutral_form),
        TEST(test_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
