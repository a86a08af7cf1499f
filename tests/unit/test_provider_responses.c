/* The mock provider as OpenAI's Responses API. */
#include "provider_kit.h"

#include "mock-provider/dialect.h"

#include <inttypes.h>

#define PATH              "/v1/responses"
#define TOOL              "{\"type\":\"function\",\"name\":\"read_file\"}"
#define BODY(input, more) "{\"model\":\"m\",\"input\":[" input "]" more "}"
#define USER              "{\"role\":\"user\",\"content\":\"hi\"}"
#define TOOLS             ",\"tools\":[" TOOL "]"
#define ENCRYPTED         ",\"include\":[\"reasoning.encrypted_content\"]"
#define CALL(id)                                                                                   \
    "{\"type\":\"function_call\",\"call_id\":\"" id                                                \
    "\",\"name\":\"read_file\",\"arguments\":\"{}\"}"
#define OUTPUT(id) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"r\"}"

/* The types of the events in a stream's body, joined by spaces, without "response.". */
static void list_types(const char *body, struct buf *out)
{
    static const char head[] = "event: ";
    for (const char *p = strstr(body, head); p; p = strstr(p + 1, head)) {
        const char *type = p + sizeof head - 1;
        if (strncmp(type, "response.", 9) == 0)
            type += 9;
        assert_int_equal(buf_addf(out, "%.*s ", (int)strcspn(type, "\n"), type), 0);
    }
}

static const char script[] =
    "[{\"reply\":[{\"thought\":\"hm\"},{\"text\":[\"Hel\",\"lo\"]},"
    "{\"tool\":\"read_file\",\"with\":{\"p\":1},\"id\":\"a\"}],"
    "\"usage\":{\"input\":9,\"cached\":4,\"cache_write\":2,\"output\":7,\"thought\":5}}]";

static void test_stream(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    struct buf types = {0};
    open_with(f, script, NULL);
    char *got = answer_of(&c, "POST", PATH, BODY(USER, ",\"stream\":true" TOOLS ENCRYPTED));
    list_types(got, &types);
    assert_string_equal(
        buf_cstr(&types),
        "created in_progress output_item.added reasoning_summary_part.added "
        "reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done "
        "output_item.done output_item.added content_part.added output_text.delta "
        "output_text.delta output_text.done content_part.done output_item.done "
        "output_item.added function_call_arguments.delta function_call_arguments.delta "
        "function_call_arguments.done output_item.done completed ");
    assert_non_null(strstr(got, "\"sequence_number\":20,\"response\":"));
    assert_non_null(strstr(got, "\"arguments\":\"{\\\"p\\\":1}\""));
    assert_non_null(strstr(got, "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{"
                                "\"cached_tokens\":4,\"cache_write_tokens\":2},"
                                "\"output_tokens\":7,\"output_tokens_details\":{"
                                "\"reasoning_tokens\":5},\"total_tokens\":16}"));
    free(got);
    buf_deinit(&types);
}

/* The last event says again, byte for byte, what an answer in one piece has. */
static void test_whole_is_the_last_event(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f}, whole_chat = {.f = f};
    open_with(f, "[{\"when\":{},\"reply\":[{\"thought\":\"hm\"},{\"text\":\"Hello\"}]}]", NULL);
    char *streamed = answer_of(&c, "POST", PATH, BODY(USER, ",\"stream\":true" ENCRYPTED));
    char *whole_got = answer_of(&whole_chat, "POST", PATH, BODY(USER, ENCRYPTED));
    const char *output = strstr(whole_got, "\"summary\":[{");
    assert_non_null(output);
    char want[200];
    snprintf(want, sizeof want, "%.*s", (int)strcspn(output, "}"), output);
    assert_non_null(strstr(streamed, want));
    snprintf(want, sizeof want, "\"encrypted_content\":\"mock%016" PRIx64 "\"",
             dialect_sign(0, "hm", 2));
    assert_non_null(strstr(streamed, want));
    assert_non_null(strstr(whole_got, want));
    free(streamed);
    free(whole_got);
}

static void check_end(struct fixture *f, const char *want)
{
    struct chat c = {.f = f};
    check_answer(c, PATH, BODY(USER, ",\"stream\":true"), want);
}

static void test_ends_and_faults(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[],\"finish\":\"length\"},{\"reply\":[],\"finish\":\"content_filter\"},"
              "{\"reply\":[{\"error\":{\"message\":\"full\",\"code\":\"odd\"}}]},"
              "{\"reply\":[{\"error\":{\"message\":\"full\",\"code\":\"odd\"}}]},{\"status\":429},"
              "{\"reply\":[{\"event\":{\"type\":\"response.queued\"}},{\"event\":7}]},"
              "{\"reply\":[{\"text\":\"a\"},{\"no_done\":true}],\"usage\":false}]",
              NULL);
    check_end(f, "\"incomplete_details\":{\"reason\":\"max_output_tokens\"}");
    check_end(f, "\"incomplete_details\":{\"reason\":\"content_filter\"}");
    check_end(f, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":0,\"code\":\"odd\","
                 "\"message\":\"full\",\"param\":null}\n\n");
    check_end(f, "event: response.failed\n");
    check_end(f, "429 {\"error\":{\"message\":");
    check_end(f, "event: response.queued\ndata: {\"type\":\"response.queued\"}\n\n"
                 "event: response.output_text.delta\ndata: 7\n\n");
    struct chat c = {.f = f};
    check_answer(c, PATH, NULL, "405 ");
}

/* --- requests --- */

static void test_neutral_form(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(
        f,
        "[{\"when\":{\"dialect\":\"openai-responses\",\"model\":\"m\",\"stream\":false,"
        "\"system\":\"S1\\nS2\",\"tools\":[\"read_file\"],"
        "\"messages\":[{\"role\":\"user\",\"text\":\"a\\nb\",\"parts\":[\"input_text\","
        "\"input_image\",\"input_text\"]},{\"role\":\"assistant\",\"text\":\"t\","
        "\"thought\":\"x\\ny\",\"tool_calls\":[{\"id\":\"c\",\"name\":\"read_file\",\"args\":{}},"
        "{\"id\":\"d\",\"name\":\"read_file\",\"args\":{}}]},"
        "{\"role\":\"tool\",\"id\":\"d\",\"text\":\"r\"},"
        "{\"role\":\"tool\",\"id\":\"c\",\"text\":\"r\"},"
        "{\"role\":\"user\",\"text\":\"hi\"}],\"last\":{\"text\":\"hi\"}},"
        "\"reply\":[{\"text\":\"ok\"}]},"
        "{\"when\":{\"messages\":[{\"role\":\"user\",\"text\":\"just this\"}]},\"reply\":[]}]",
        NULL);
    check_answer(
        c, PATH,
        BODY("{\"role\":\"developer\",\"content\":\"S2\"},"
             "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"a\"},"
             "{\"type\":\"input_image\",\"image_url\":\"data:x\"},"
             "{\"type\":\"input_text\",\"text\":\"b\"}]},"
             "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"x\"},"
             "{\"type\":\"summary_text\",\"text\":\"y\"}]},"
             "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
             "\"text\":\"t\"}]}," CALL("c") "," CALL("d") "," OUTPUT("d") "," OUTPUT("c") "," USER,
             ",\"instructions\":\"S1\"" TOOLS),
        "200 ");
    check_answer(c, PATH, "{\"model\":\"m\",\"input\":\"just this\"}", "200 ");
}

static void refuse(struct fixture *f, const char *body, const char *want)
{
    struct chat c = {.f = f};
    check_answer(c, PATH, body, "400 {\"error\":{\"message\":");
    check_answer(c, PATH, body, want);
}

static void test_options(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[]", NULL);
    refuse(f, "[]", "the body must be a JSON object");
    refuse(f, "{\"model\":\"m\"}", "the parameter input is missing");
    refuse(f, "{\"model\":\"m\",\"input\":[]}", "an array that is not empty");
    refuse(f, BODY(USER, ",\"messages\":[]"), "unsupported parameter messages");
    refuse(f, BODY(USER, ",\"max_tokens\":9"), "max_output_tokens");
    refuse(f, BODY(USER, ",\"max_output_tokens\":9"), "from 16 on");
    refuse(f, BODY(USER, ",\"reasoning\":{\"effort\":\"huge\"}"), "no known effort");
    refuse(f, BODY(USER, ",\"include\":\"all\""), "include must be an array");
    refuse(f, BODY(USER, ",\"previous_response_id\":\"x\""), "nothing is stored here");
    refuse(f, BODY(USER, ",\"tools\":[{}]"), "every tool needs a type");
    refuse(f, BODY(USER, ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a\"}}]"),
           "stand in the tool itself");
    refuse(f, BODY(USER, ",\"tools\":[{\"type\":\"function\",\"name\":\"a b\"}]"), "no valid");
    refuse(f,
           BODY(USER, ",\"tools\":[{\"type\":\"function\",\"name\":\"a\",\"strict\":true,"
                      "\"parameters\":{\"type\":\"object\"}}]"),
           "additionalProperties false");
    refuse(f,
           BODY(USER, ",\"tools\":[{\"type\":\"function\",\"name\":\"a\",\"strict\":true,"
                      "\"parameters\":{\"type\":\"object\",\"additionalProperties\":false,"
                      "\"properties\":{\"p\":{},\"q\":{}},\"required\":[\"p\"]}}]"),
           "not so q");
    refuse(f, BODY(USER, ",\"tool_choice\":\"required\""), "none is declared");
    refuse(f, BODY(USER, ",\"tool_choice\":\"any\"" TOOLS), "tool_choice must be");
}

#define REASONING(rest) "{\"type\":\"reasoning\",\"summary\":[]" rest "}"

static void test_history(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "[{\"when\":{},\"reply\":[{\"text\":\"fine\"}]}]", NULL);
    refuse(f, BODY("7", ""), "an item of input must be an object");
    refuse(f, BODY("{\"role\":\"tool\",\"content\":\"x\"}", ""), "\\\"tool\\\" is no role");
    refuse(f, BODY("{\"role\":\"user\"}", ""), "must be a string or an array of parts");
    refuse(f,
           BODY("{\"role\":\"user\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]}", ""),
           "cannot stand in this message");
    refuse(
        f,
        BODY("{\"role\":\"assistant\",\"content\":[{\"type\":\"input_text\",\"text\":\"x\"}]}", ""),
        "cannot stand in an assistant's message");
    refuse(f, BODY("{\"role\":\"user\",\"content\":[{\"type\":\"input_text\"}]}", ""), "its text");
    refuse(f, BODY("{\"role\":\"user\",\"content\":[{\"type\":\"input_image\"}]}", ""),
           "image_url");
    refuse(f, BODY(USER "," CALL("a"), TOOLS), "no tool output found for function call a");
    refuse(f, BODY(USER "," OUTPUT("a"), TOOLS), "no tool call found");
    refuse(f, BODY(CALL("a") "," OUTPUT("a") "," OUTPUT("a"), TOOLS), "answered twice");
    refuse(f, BODY(CALL("a") "," CALL("a") "," OUTPUT("a"), TOOLS), "two function calls have");
    refuse(f, BODY(CALL("a") "," USER "," OUTPUT("a"), TOOLS), "does not follow its call directly");
    refuse(f, BODY(CALL("a") "," OUTPUT("a"), ""), "no tools are declared");
    refuse(f,
           BODY("{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{\"}",
                TOOLS),
           "are no JSON text");
    refuse(f, BODY(REASONING("") "," USER, ""), "without its required following item");
    refuse(f, BODY(REASONING("") "," CALL("a") "," OUTPUT("a"), ",\"store\":false" TOOLS),
           "is not found: store is false");
    refuse(f,
           BODY(REASONING(",\"encrypted_content\":\"mock0\"") "," CALL("a") "," OUTPUT("a"), TOOLS),
           "\"code\":\"invalid_encrypted_content\"");
    check_answer(c, PATH,
                 BODY(USER "," REASONING(",\"encrypted_content\":\"theirs\"") "," CALL(
                          "a") "," CALL("b") "," OUTPUT("b") "," OUTPUT("a") "," USER,
                      TOOLS),
                 "fine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream),          TEST(test_whole_is_the_last_event),
        TEST(test_ends_and_faults), TEST(test_neutral_form),
        TEST(test_options),         TEST(test_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
