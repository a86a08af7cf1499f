/* The mock provider as the Anthropic messages API. */
#include "provider_kit.h"

#include "mock-provider/dialect.h"

#include <inttypes.h>

#define OLD  "anthropic-version: 2023-06-01"
#define NEW  "anthropic-version: 2026-10-21"
#define TOOL "{\"name\":\"read_file\",\"input_schema\":{\"type\":\"object\"}}"
#define BODY(messages, more)                                                                       \
    "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[" messages "]" more "}"
#define USER  "{\"role\":\"user\",\"content\":\"hi\"}"
#define TOOLS ",\"tools\":[" TOOL "]"

static char *ask(struct fixture *f, const char *body)
{
    struct chat c = {.f = f, .header = OLD};
    return answer_of(&c, "POST", "/v1/messages", body);
}

#define E(type, rest)  "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define OPEN(i, rest)  E("content_block_start", ",\"index\":" i ",\"content_block\":{" rest "}")
#define DELTA(i, rest) E("content_block_delta", ",\"index\":" i ",\"delta\":{" rest "}")
#define STOP(i)        E("content_block_stop", ",\"index\":" i)
#define ID(id, name)   "\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":"
#define JSON_PART(p)   "\"type\":\"input_json_delta\",\"partial_json\":\"" p "\""
#define SIGN(text)     dialect_sign(0, text, sizeof text - 1)

static const char script[] =
    "[{\"reply\":[{\"thought\":[\"h\",\"m\"]},{\"text\":[\"Hel\",\"lo\"]},"
    "{\"tool\":\"read_file\",\"with\":{\"p\":1},\"id\":\"a\"},"
    "{\"tool\":\"read_file\",\"raw_arguments\":\"{oops\",\"id\":\"b\",\"fragments\":1}],"
    "\"usage\":{\"input\":9,\"cached\":4,\"cache_write\":2,\"output\":7}}]";

static void test_stream(void **state)
{
    struct fixture *f = *state;
    struct buf want = {0};
    open_with(f, script, NULL);
    assert_int_equal(
        buf_addf(
            &want,
            "200 " E("message_start",
                     ",\"message\":{\"id\":\"msg_%016" PRIx64 "\",\"type\":\"message\","
                     "\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,"
                     "\"stop_sequence\":null,\"usage\":{\"input_tokens\":3,"
                     "\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":4,"
                     "\"output_tokens\":1}}") E("ping", "")
                OPEN("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"") DELTA(
                    "0", "\"type\":\"thinking_delta\",\"thinking\":\"h\"")
                    DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"m\"") DELTA(
                        "0", "\"type\":\"signature_delta\",\"signature\":\"mock%016" PRIx64
                             "\"") STOP("0") OPEN("1", "\"type\":\"text\",\"text\":\"\"")
                        DELTA("1", "\"type\":\"text_delta\",\"text\":\"Hel\"") DELTA(
                            "1", "\"type\":\"text_delta\",\"text\":\"lo\"") STOP("1")
                            OPEN("2", ID("a", "read_file") "{}") DELTA("2", JSON_PART("")) DELTA(
                                "2", JSON_PART("{\\\"p")) DELTA("2", JSON_PART("\\\":1}")) STOP("2")
                                OPEN("3", ID("b", "read_file") "{}") DELTA("3", JSON_PART(""))
                                    DELTA("3", JSON_PART("{oops")) STOP("3")
                                        E("message_delta",
                                          ",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_"
                                          "sequence\":null},"
                                          "\"usage\":{\"input_tokens\":3,\"cache_creation_input_"
                                          "tokens\":2,"
                                          "\"cache_read_input_tokens\":4,\"output_tokens\":7}")
                                            E("message_stop", ""),
            dialect_hash(7, 1, 0), SIGN("hm")),
        0);
    char *got = ask(f, BODY(USER, ",\"stream\":true" TOOLS));
    assert_string_equal(got, buf_cstr(&want));
    free(got);
    buf_deinit(&want);
}

static void test_whole(void **state)
{
    struct fixture *f = *state;
    struct buf want = {0};
    open_with(f, script, NULL);
    assert_int_equal(
        buf_addf(
            &want,
            "200 {\"id\":\"msg_%016" PRIx64 "\",\"type\":\"message\",\"role\":\"assistant\","
            "\"model\":\"m\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
            "\"signature\":\"mock%016" PRIx64 "\"},{\"type\":\"text\",\"text\":\"Hello\"},"
            "{" ID("a", "read_file") "{\"p\":1}},{" ID(
                "b", "read_file") "\"{oops\"}],"
                                  "\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{"
                                  "\"input_tokens\":3,\"cache_creation_input_tokens\":2,"
                                  "\"cache_read_input_tokens\":4,\"output_tokens\":7}}",
            dialect_hash(7, 1, 0), SIGN("hm")),
        0);
    char *got = ask(f, BODY(USER, TOOLS));
    assert_string_equal(got, buf_cstr(&want));
    free(got);
    buf_deinit(&want);
}

static void check_end(struct fixture *f, const char *want)
{
    struct chat c = {.f = f, .header = OLD};
    check_answer(c, "/v1/messages", BODY(USER, ",\"stream\":true"), want);
}

static void test_ends_and_faults(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[],\"finish\":\"length\"},{\"reply\":[],\"finish\":\"content_filter\"},"
              "{\"reply\":[],\"finish\":null},{\"reply\":[{\"error\":{\"message\":\"full\","
              "\"type\":\"overloaded_error\"}}]},{\"status\":529},{\"status\":418},"
              "{\"reply\":[{\"event\":{\"type\":\"ping\",\"x\":1}},{\"event\":7}]},"
              "{\"reply\":[{\"text\":\"a\"},{\"no_done\":true}],\"usage\":false}]",
              NULL);
    check_end(f, "\"stop_reason\":\"max_tokens\"");
    check_end(f, "\"stop_reason\":\"refusal\"");
    check_end(f, "\"stop_reason\":null,\"stop_sequence\":null},\"usage\"");
    check_end(f, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                 "\"message\":\"full\"},\"request_id\":\"req_mock\"}\n\n");
    check_end(f, "529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"");
    check_end(f, "418 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"");
    check_end(f, "event: ping\ndata: {\"type\":\"ping\",\"x\":1}\n\n"
                 "event: content_block_delta\ndata: 7\n\n");
    check_end(f, STOP("0") E("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\","
                                              "\"stop_sequence\":null}"));
}

static void test_models_and_counts(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f, .header = OLD};
    open_with(f, "{\"turns\":[],\"models\":[\"a\",\"b\"]}", NULL);
    check_answer(c, "/v1/models?limit=1000", NULL,
                 "{\"type\":\"model\",\"id\":\"b\",\"display_name\":\"b\"");
    check_answer(c, "/v1/models", NULL, "\"has_more\":false,\"first_id\":\"a\",\"last_id\":\"b\"}");
    check_answer(c, "/v1/messages/count_tokens", BODY(USER, ""), "200 {\"input_tokens\":1}");
    check_answer(c, "/v1/messages", NULL, "405 {\"type\":\"error\"");
    assert_int_equal(provider_requests(f->provider), 0);
    c.header = NULL;
    check_answer(c, "/v1/models", NULL, "\"object\":\"list\"");
}

/* --- requests --- */

static void test_neutral_form(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f, .header = OLD};
    open_with(f,
              "[{\"when\":{\"dialect\":\"anthropic\",\"model\":\"m\",\"stream\":false,"
              "\"system\":\"S1\\nS2\",\"tools\":[\"read_file\"],"
              "\"messages\":[{\"role\":\"user\",\"text\":\"a\\nb\",\"parts\":[\"text\",\"image\","
              "\"text\"]},{\"role\":\"assistant\",\"text\":\"t\",\"thought\":\"x\\ny\","
              "\"tool_calls\":[{\"id\":\"c\",\"name\":\"read_file\",\"args\":{\"p\":1}},"
              "{\"id\":\"d\",\"name\":\"read_file\",\"args\":{}}]},"
              "{\"role\":\"tool\",\"id\":\"d\",\"text\":\"no\",\"error\":true},"
              "{\"role\":\"tool\",\"id\":\"c\",\"text\":\"r\",\"parts\":[\"text\"]},"
              "{\"role\":\"user\",\"text\":\"go on\"}],\"last\":{\"text\":\"go on\"}},"
              "\"reply\":[{\"text\":\"ok\"}]}]",
              NULL);
    check_answer(
        c, "/v1/messages",
        BODY("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
             "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
             "\"data\":\"AA==\"}},{\"type\":\"text\",\"text\":\"b\"}]},"
             "{\"role\":\"assistant\",\"content\":["
             "{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"theirs\"},"
             "{\"type\":\"thinking\",\"thinking\":\"y\",\"signature\":\"theirs\"},"
             "{\"type\":\"text\",\"text\":\"t\"},{" ID(
                 "c", "read_file") "{\"p\":1}},"
                                   "{" ID("d",
                                          "read_file") "{}}]},"
                                                       "{\"role\":\"user\",\"content\":[{\"type\":"
                                                       "\"tool_result\",\"tool_use_id\":\"d\","
                                                       "\"content\":\"no\",\"is_error\":true},{"
                                                       "\"type\":\"tool_result\","
                                                       "\"tool_use_id\":\"c\",\"content\":[{"
                                                       "\"type\":\"text\",\"text\":\"r\"}]},"
                                                       "{\"type\":\"text\",\"text\":\"go on\"}]}",
             ",\"system\":[{\"type\":\"text\",\"text\":\"S1\"},{\"type\":\"text\",\"text\":\"S2\"}"
             "]" TOOLS),
        "200 ");
}

static void refuse(struct fixture *f, const char *body, const char *want)
{
    struct chat c = {.f = f, .header = OLD};
    check_answer(c, "/v1/messages", body, "400 {\"type\":\"error\",\"error\":{\"type\":\"invalid");
    check_answer(c, "/v1/messages", body, want);
}

static void test_options(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "[]", NULL);
    check_answer(c, "/v1/messages", BODY(USER, ""), "anthropic-version: header is required");
    c.header = NEW;
    check_answer(c, "/v1/messages", BODY(USER, ",\"top_k\":0"),
                 "top_k: is not supported in version");
    refuse(f, "[]", "the body must be a JSON object");
    refuse(f, "{\"max_tokens\":1}", "you must provide a model");
    refuse(f, "{\"model\":\"m\"}", "max_tokens: field required");
    refuse(f, "{\"model\":\"m\",\"max_tokens\":0}", "greater than 0");
    refuse(f, BODY(USER, ",\"system\":7"), "system: must be a string");
    refuse(f, BODY(USER, ",\"system\":[{\"type\":\"text\",\"text\":\"\"}]"), "must be non-empty");
    refuse(f, BODY(USER, ",\"thinking\":{\"type\":\"on\"}"), "thinking.type");
    refuse(f, BODY(USER, ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":5}"), "1024");
    refuse(f, BODY(USER, ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}"),
           "must be greater than thinking.budget_tokens");
    refuse(f, BODY(USER, ",\"output_config\":{\"effort\":\"huge\"}"), "output_config.effort");
    refuse(f, BODY(USER, ",\"tools\":[{\"name\":\"a b\"}]"), "no valid tool name");
    refuse(f, BODY(USER, ",\"tools\":[{\"name\":\"a\"}]"), "has no input_schema");
    refuse(f, BODY(USER, ",\"tools\":[{\"name\":\"a\",\"input_schema\":{\"type\":\"array\"}}]"),
           "must have type object");
    refuse(f, BODY(USER, ",\"tools\":[" TOOL "," TOOL "]"), "tool names must be unique");
    refuse(f, BODY(USER, ",\"tool_choice\":{\"type\":\"auto\"}"), "while providing tools");
    refuse(f, BODY(USER, ",\"tool_choice\":\"auto\"" TOOLS), "tool_choice.type");
}

#define CALL(id)     "{" ID(id, "read_file") "{}}"
#define CALLS(list)  "{\"role\":\"assistant\",\"content\":[" list "]}"
#define RESULT(id)   "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"r\"}"
#define SAYS(blocks) "{\"role\":\"user\",\"content\":[" blocks "]}"
#define TEXT(text)   "{\"type\":\"text\",\"text\":\"" text "\"}"

static void test_history(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    refuse(f, BODY("", ""), "messages: must be an array that is not empty");
    refuse(f, BODY("7", ""), "messages.0: a message must be an object");
    refuse(f, BODY("{\"role\":\"system\",\"content\":\"x\"}", ""),
           "the first message must be the user");
    refuse(f, BODY("{\"role\":\"assistant\",\"content\":\"x\"}", ""), "first message must be the");
    refuse(f, BODY("{\"role\":\"user\",\"content\":\"\"}", ""), "must have non-empty content");
    refuse(f, BODY(SAYS(""), ""), "must have non-empty content");
    refuse(f, BODY("{\"role\":\"user\"}", ""), "must be a string or an array of blocks");
    refuse(f, BODY(SAYS(TEXT("")), ""), "text content blocks must be non-empty");
    refuse(f, BODY(SAYS("{}"), ""), "every block needs a type");
    refuse(f, BODY(SAYS(CALL("a")), TOOLS), "cannot stand in a message of role user");
    refuse(f, BODY(SAYS("{\"type\":\"image\"}"), ""), "the source of an image");
    refuse(f, BODY(USER "," CALLS(CALL("a")), TOOLS), "nothing answers a");
    refuse(f, BODY(USER "," CALLS(CALL("a")) "," USER, TOOLS), "nothing answers a");
    refuse(f, BODY(USER "," CALLS(CALL("a") "," CALL("b")) "," SAYS(RESULT("a")), TOOLS),
           "messages.2: tool_use ids were found without");
    refuse(f, BODY(USER "," CALLS(CALL("a")) "," SAYS(TEXT("x") "," RESULT("a")), TOOLS),
           "must come before all others");
    refuse(f, BODY(USER "," CALLS(CALL("a")) "," SAYS(RESULT("a") "," RESULT("a")), TOOLS),
           "several tool_result");
    refuse(f, BODY(SAYS(RESULT("a")), TOOLS), "is no tool_use of the message before");
    refuse(f, BODY(USER "," CALLS(CALL("a") "," CALL("a")) "," SAYS(RESULT("a")), TOOLS),
           "must be unique");
    refuse(f, BODY(USER "," CALLS("{" ID("a", "f") "\"x\"}") "," SAYS(RESULT("a")), TOOLS),
           "must be an object, not string");
    refuse(f, BODY(USER "," CALLS(CALL("a")) "," SAYS(RESULT("a")), ""), "no tools are declared");
    refuse(f, BODY(USER "," CALLS("{\"type\":\"thinking\",\"thinking\":\"x\"}") "," USER, ""),
           "needs its thinking and its signature");
    struct chat c = {.f = f, .header = OLD};
    check_answer(c, "/v1/messages",
                 BODY(USER "," CALLS(TEXT("x") "," CALL("a") "," CALL("b")) "," SAYS(
                          RESULT("b") "," RESULT("a") "," TEXT("y")) "," USER,
                      TOOLS),
                 "200 ");
}

/* What was thought comes back unchanged, or is refused. */
static void test_signatures(void **state)
{
    struct fixture *f = *state;
    char body[600];
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    for (int changed = 0; changed <= 1; changed++) {
        snprintf(body, sizeof body,
                 BODY(USER "," CALLS("{\"type\":\"thinking\",\"thinking\":\"%s\","
                                     "\"signature\":\"mock%016" PRIx64 "\"}," TEXT("x")) "," USER,
                      ""),
                 changed ? "hmm" : "hm", SIGN("hm"));
        struct chat c = {.f = f, .header = OLD};
        check_answer(c, "/v1/messages", body, changed ? "invalid signature" : "fine");
    }
}

static void test_cache_marks(void **state)
{
    struct fixture *f = *state;
#define MARKED "{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{\"type\":\"ephemeral\"}}"
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    refuse(f, BODY(SAYS(MARKED "," MARKED "," MARKED), ",\"system\":[" MARKED "," MARKED "]"),
           "more than 4 blocks with cache_control");
    refuse(f, BODY(SAYS("{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{}}"), ""),
           "must be of type ephemeral");
    struct chat c = {.f = f, .header = OLD};
    check_answer(c, "/v1/messages", BODY(SAYS(MARKED "," MARKED), ",\"system\":[" MARKED "]"),
                 "fine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream),          TEST(test_whole),
        TEST(test_ends_and_faults), TEST(test_models_and_counts),
        TEST(test_neutral_form),    TEST(test_options),
        TEST(test_history),         TEST(test_signatures),
        TEST(test_cache_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
