/* The mock provider as the Gemini API. */
#include "provider_kit.h"

#include "mock-provider/dialect.h"

#include <inttypes.h>

#define ONCE                 "/v1beta/models/m:generateContent"
#define FLOW                 "/v1beta/models/m:streamGenerateContent?alt=sse"
#define KEY                  "x-goog-api-key: k"
#define USER                 "{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}"
#define TOOLS                ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"read_file\"}]}]"
#define BODY(contents, more) "{\"contents\":[" contents "]" more "}"

static char *ask(struct fixture *f, const char *path, const char *body)
{
    struct chat c = {.f = f, .header = KEY};
    return answer_of(&c, "POST", path, body);
}

#define HEAD     "{\"candidates\":[{\"content\":{\"parts\":["
#define TAIL     "],\"role\":\"model\"}"
#define ID       "\"modelVersion\":\"m\",\"responseId\":\"%016" PRIx64 "\"}"
#define G(parts) "data: " HEAD parts TAIL ",\"index\":0}]," ID "\r\n\r\n"
#define USAGE                                                                                      \
    "\"usageMetadata\":{\"promptTokenCount\":9,\"cachedContentTokenCount\":4,"                     \
    "\"candidatesTokenCount\":2,\"thoughtsTokenCount\":5,\"totalTokenCount\":16},"
#define CALLED(id, args, more)                                                                     \
    "{\"functionCall\":{\"id\":\"" id "\",\"name\":\"read_file\",\"args\":" args "}" more "}"
#define SIGNED ",\"thoughtSignature\":\"mock%016" PRIx64 "\""

static const char script[] = "[{\"reply\":[{\"thought\":\"hm\"},{\"text\":[\"Hel\",\"lo\"]},"
                             "{\"tool\":\"read_file\",\"with\":{\"p\":1},\"id\":\"a\"},"
                             "{\"tool\":\"read_file\",\"raw_arguments\":\"{oops\",\"id\":\"b\"}],"
                             "\"usage\":{\"input\":9,\"cached\":4,\"output\":7,\"thought\":5}}]";

static void test_stream(void **state)
{
    struct fixture *f = *state;
    struct buf want = {0};
    uint64_t id = dialect_hash(7, 1, 0), signature = dialect_sign(0, "read_file", 9);
    open_with(f, script, NULL);
    assert_int_equal(
        buf_addf(&want,
                 "200 " G("{\"text\":\"hm\",\"thought\":true}") G("{\"text\":\"Hel\"}")
                     G("{\"text\":\"lo\"}") G(CALLED("a", "{\"p\":1}", SIGNED)) G(CALLED(
                         "b", "\"{oops\"", "")) "data: " HEAD "{\"text\":\"\"}" TAIL
                                                ",\"finishReason\":\"STOP\",\"index\":0}]," USAGE ID
                                                "\r\n\r\n",
                 id, id, id, signature, id, id, id),
        0);
    char *got = ask(f, FLOW, BODY(USER, TOOLS));
    assert_string_equal(got, buf_cstr(&want));
    free(got);
    buf_deinit(&want);
}

static void test_whole(void **state)
{
    struct fixture *f = *state;
    struct buf want = {0};
    open_with(f, script, NULL);
    assert_int_equal(buf_addf(&want,
                              "200 " HEAD
                              "{\"text\":\"hm\",\"thought\":true},{\"text\":\"Hello\"}," CALLED(
                                  "a", "{\"p\":1}", SIGNED) "," CALLED("b", "\"{oops\"", "") TAIL
                              ",\"finishReason\":\"STOP\",\"index\":0}]," USAGE ID,
                              dialect_sign(0, "read_file", 9), dialect_hash(7, 1, 0)),
                     0);
    char *got = ask(f, ONCE, BODY(USER, TOOLS));
    assert_string_equal(got, buf_cstr(&want));
    free(got);
    buf_deinit(&want);
}

static void check_end(struct fixture *f, const char *want)
{
    struct chat c = {.f = f, .header = KEY};
    check_answer(c, FLOW, BODY(USER, ""), want);
}

static void test_ends_and_faults(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[],\"finish\":\"length\"},{\"reply\":[],\"finish\":\"content_filter\"},"
              "{\"reply\":[],\"finish\":null,\"usage\":false},{\"reply\":[{\"error\":{\"message\":"
              "\"full\",\"type\":\"UNAVAILABLE\"}}]},{\"status\":429},{\"status\":418},"
              "{\"reply\":[{\"event\":7}]}]",
              NULL);
    check_end(f, "\"finishReason\":\"MAX_TOKENS\"");
    check_end(f, "\"finishReason\":\"SAFETY\"");
    check_end(f, "\"role\":\"model\"},\"index\":0}],\"modelVersion\"");
    check_end(f,
              "data: {\"error\":{\"code\":503,\"message\":\"full\",\"status\":\"UNAVAILABLE\"}}");
    check_end(f, "429 {\"error\":{\"code\":429,");
    check_end(f, "418 {\"error\":{\"code\":418,");
    check_end(f, "data: 7\r\n\r\n");
}

static void test_models_and_counts(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "{\"turns\":[],\"models\":[\"a\",\"b\"]}", NULL);
    check_answer(c, "/v1beta/models", NULL, "{\"name\":\"models/b\",\"displayName\":\"b\"");
    check_answer(c, ONCE, NULL, "405 {\"error\":{\"code\":405");
    check_answer(c, "/v1beta/models/m:dance", "{}", "404 {\"error\":{\"code\":404");
    check_answer(c, "/v1/models", NULL, "\"object\":\"list\"");
    c.header = KEY;
    check_answer(c, "/v1/models?pageSize=5", NULL, "{\"models\":[{\"name\":\"models/a\"");
    check_answer(c, "/v1beta/models/m:countTokens", BODY(USER, ""), "200 {\"totalTokens\":1}");
    assert_int_equal(provider_requests(f->provider), 0);
}

/* --- requests --- */

#define MODEL(parts) "{\"role\":\"model\",\"parts\":[" parts "]}"
#define SAYS(parts)  "{\"role\":\"user\",\"parts\":[" parts "]}"
#define CALL(more)   "{\"functionCall\":{\"name\":\"read_file\"" more "}}"
#define CALL_S(more)                                                                               \
    "{\"functionCall\":{\"name\":\"read_file\"" more "},\"thoughtSignature\":\"x\"}"
#define ANSWER(more)                                                                               \
    "{\"functionResponse\":{\"name\":\"read_file\",\"response\":{\"output\":\"r\"}" more "}}"

static void test_neutral_form(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f, .header = KEY};
    open_with(
        f,
        "[{\"when\":{\"dialect\":\"gemini\",\"model\":\"m\",\"stream\":false,"
        "\"system\":\"S1\\nS2\",\"tools\":[\"read_file\"],"
        "\"messages\":[{\"role\":\"user\",\"text\":\"a\\nb\",\"parts\":[\"text\",\"inlineData\","
        "\"text\"]},{\"role\":\"assistant\",\"text\":\"onetwo\",\"thought\":\"x\","
        "\"tool_calls\":[{\"id\":\"c\",\"name\":\"read_file\",\"args\":{\"p\":1}},"
        "{\"id\":\"d\",\"name\":\"read_file\",\"args\":null}]},"
        "{\"role\":\"tool\",\"id\":\"c\",\"text\":\"r\"},"
        "{\"role\":\"tool\",\"id\":\"d\",\"text\":\"no\",\"error\":true},"
        "{\"role\":\"user\",\"text\":\"go on\"}]},\"reply\":[{\"text\":\"ok\"}]}]",
        NULL);
    check_answer(
        c, ONCE,
        BODY(
            SAYS(
                "{\"text\":\"a\"},{\"inline_data\":{\"mime_type\":\"image/"
                "png\",\"data\":\"A\"}},"
                "{\"text\":\"b\"}") "," MODEL("{\"text\":\"x\",\"thought\":true},{"
                                              "\"text\":\"one\"},{\"text\":\"two\"}"
                                              "," CALL_S(
                                                  ",\"id\":\"c\",\"args\":{\"p\":"
                                                  "1}") "," CALL(",\"id\":\"d\"")) "," SAYS(ANSWER("") ",{\"functionResponse\":{\"name\":\"read_file\",\"response\":{"
                                                                                                       "\"error\":\"no\"}}},{\"text\":\"go on\"}"),
            ",\"system_instruction\":{\"parts\":[{\"text\":\"S1\"},{\"text\":\"S2\"}]"
            "}" TOOLS),
        "200 ");
}

static void refuse(struct fixture *f, const char *body, const char *want)
{
    struct chat c = {.f = f, .header = KEY};
    check_answer(c, ONCE, body, "400 {\"error\":{\"code\":400,");
    check_answer(c, ONCE, body, want);
}

static void test_options(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f, .header = KEY};
    open_with(f, "[]", NULL);
    check_answer(c, "/v1beta/models/m:streamGenerateContent", BODY(USER, ""), "?alt=sse only");
    refuse(f, "[]", "the body must be a JSON object");
    refuse(f, "{}", "contents is not specified");
    refuse(f, BODY(USER, ",\"max_tokens\":9"), "unknown name");
    refuse(f, BODY(USER, ",\"generationConfig\":{\"maxOutputTokens\":0}"), "from 1 on");
    refuse(f,
           BODY(USER, ",\"generationConfig\":{\"thinkingConfig\":{\"thinkingLevel\":\"LOW\","
                      "\"thinkingBudget\":1}}"),
           "cannot be set together");
    refuse(f, BODY(USER, ",\"generationConfig\":{\"thinkingConfig\":{\"thinkingLevel\":\"MAX\"}}"),
           "thinkingLevel must be");
    refuse(f, BODY(USER, ",\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":-2}}"),
           "from -1 on");
    refuse(f, BODY(USER, ",\"tools\":{}"), "tools must be an array");
    refuse(f, BODY(USER, ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"a b\"}]}]"), "valid");
    refuse(f,
           BODY(USER, ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"a\",\"parameters\":{},"
                      "\"parametersJsonSchema\":{}}]}]"),
           "has both");
    refuse(f,
           BODY(USER, ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"a\","
                      "\"parametersJsonSchema\":{\"type\":\"array\"}}]}]"),
           "must have type object");
    refuse(f,
           BODY(USER, ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"a\","
                      "\"parameters\":{\"type\":\"ARRAY\"}}]}]"),
           "must be of type OBJECT");
    refuse(f, BODY(USER, ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"any thing\"}}"),
           "mode must be");
    refuse(f,
           BODY(USER, ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"AUTO\","
                      "\"allowedFunctionNames\":[\"a\"]}}"),
           "only allowed with mode ANY");
}

static void test_history(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f, .header = KEY};
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    refuse(f, BODY("7", ""), "a content must be an object");
    refuse(f, BODY("{\"role\":\"assistant\",\"parts\":[]}", ""), "must be user or model");
    refuse(f, BODY(SAYS(""), ""), "an array that is not empty");
    refuse(f, BODY(SAYS("{}"), ""), "must have one initialized field");
    refuse(f, BODY(SAYS("{\"text\":7}"), ""), "text must be a string");
    refuse(f, BODY(SAYS(CALL("")), TOOLS), "cannot stand in a content of role user");
    refuse(f, BODY(USER "," MODEL("{\"text\":\"x\"}"), ""), "must end with a user turn");
    refuse(f, BODY(SAYS(ANSWER("")), TOOLS), "must come immediately after a function call turn");
    refuse(f, BODY(MODEL(CALL_S("")) "," SAYS(ANSWER("")), TOOLS),
           "must come immediately after a user turn");
    refuse(f, BODY(USER "," MODEL(CALL_S("")) "," USER, TOOLS), "parts (0) must be equal");
    refuse(f, BODY(USER "," MODEL(CALL_S("") "," CALL("")) "," SAYS(ANSWER("")), TOOLS),
           "parts (1) must be equal to the number of function call parts (2)");
    refuse(f, BODY(USER "," MODEL(CALL("")) "," SAYS(ANSWER("")), TOOLS),
           "missing its thoughtSignature");
    refuse(
        f,
        BODY(
            USER
            "," MODEL("{\"functionCall\":{\"name\":\"f\"},\"thoughtSignature\":\"mock1\"}") "," SAYS(
                ANSWER("")),
            TOOLS),
        "belongs to another part");
    refuse(f, BODY(USER "," MODEL(CALL_S(",\"args\":[]")) "," SAYS(ANSWER("")), TOOLS),
           "must be an object, not array");
    refuse(f,
           BODY(USER "," MODEL(CALL_S(",\"id\":\"a\"")) "," SAYS(ANSWER(",\"id\":\"b\"")), TOOLS),
           "functionResponse b answers no call");
    refuse(f,
           BODY(USER "," MODEL(CALL_S(",\"id\":\"a\"") "," CALL(",\"id\":\"b\"")) "," SAYS(
                    ANSWER(",\"id\":\"a\"") "," ANSWER(",\"id\":\"a\"")),
                TOOLS),
           "is answered twice");
    refuse(f,
           BODY(USER "," MODEL(CALL_S("")) "," SAYS("{\"functionResponse\":{\"name\":\"read_file\","
                                                    "\"response\":\"r\"}}"),
                TOOLS),
           "must be an object, not string");
    refuse(f, BODY(USER "," MODEL(CALL_S("")) "," SAYS(ANSWER("")), ""), "no tools are declared");
    /* what is past need not be signed */
    check_answer(c, ONCE,
                 BODY(USER "," MODEL(CALL("") "," CALL("")) "," SAYS(
                          ANSWER("") "," ANSWER("")) "," MODEL("{\"text\":\"x\"}") "," USER,
                      TOOLS),
                 "fine");
}

static void test_callers_without_a_key(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    struct chat c = {.f = f}; /* the kit sends Authorization */
    check_answer(c, ONCE "?key=k", BODY(USER, ""), "fine");
    check_answer(c, "/v1/models/m:generateContent", BODY(USER, ""), "fine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream),          TEST(test_whole),
        TEST(test_ends_and_faults), TEST(test_models_and_counts),
        TEST(test_neutral_form),    TEST(test_options),
        TEST(test_history),         TEST(test_callers_without_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
