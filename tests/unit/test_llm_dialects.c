/* Answers of the dialects beside chat completions, in every chunk size, and what goes back. */
#include "agent/llm.h"
#include "base/buf.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    struct buf text;
    int kind;
};

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct seen *s = ctx;
    if (s->kind != (int)kind)
        assert_int_equal(buf_adds(&s->text, kind == LLM_TEXT ? "t:" : "h:"), 0);
    s->kind = (int)kind;
    assert_int_equal(buf_add(&s->text, p, n), 0);
}

static struct llm_reply read_in_steps(const struct llm_dialect *d, const char *in, size_t step,
                                      struct buf *out)
{
    struct seen seen = {.kind = -1};
    struct llm_reply reply;
    size_t n = strlen(in);
    int rc = 0;
    struct llm_reader *r = d->reader_create(on_text, &seen);
    assert_non_null(r);
    for (size_t at = 0; rc == 0 && at < n; at += step)
        rc = d->reader_feed(r, in + at, n - at < step ? n - at : step);
    assert_in_range(rc, 0, 1);
    assert_int_equal(d->reader_finish(r, &reply), 0);
    assert_int_equal(buf_add(out, seen.text.p, seen.text.n), 0);
    for (size_t i = 0; i < reply.n_calls; i++)
        assert_int_equal(buf_addf(out, "[%s %s(%s)]", reply.calls[i].id, reply.calls[i].name,
                                  reply.calls[i].args),
                         0);
    if (reply.usage.known)
        assert_int_equal(buf_addf(out, "#%d", (int)reply.usage.tokens), 0);
    if (reply.finish == LLM_FINISH_FAILED || reply.finish == LLM_FINISH_NONE)
        assert_int_equal(buf_addf(out, "!%s", reply.error.text), 0);
    d->reader_destroy(r);
    buf_deinit(&seen.text);
    return reply;
}

static void check(const struct llm_dialect *d, const char *in, enum llm_finish finish,
                  const char *want)
{
    for (size_t step = 1; step <= strlen(in); step++) {
        struct buf got = {0};
        struct llm_reply reply = read_in_steps(d, in, step, &got);
        assert_string_equal(buf_cstr(&got), want);
        assert_int_equal(reply.finish, finish);
        llm_reply_deinit(&reply);
        buf_deinit(&got);
    }
}

/* What comes back when the calls of this answer, and their results, are sent again. */
static void check_echo(const struct llm_dialect *d, const char *in, const char *want)
{
    struct buf text = {0}, body = {0};
    struct llm_reply reply = read_in_steps(d, in, strlen(in), &text);
    struct history h = {0};
    const struct llm_target to = {.dialect = d, .base = "http://h", .key = "k", .model = "m"};
    const struct llm_request req = {.to = &to, .system = "sys", .history = &h};
    size_t n = reply.n_calls;
    assert_int_equal(history_add_user(&h, "go"), 0);
    assert_int_equal(history_add_assistant(&h, "", NULL, reply.calls, n), 0);
    reply.calls = NULL;
    reply.n_calls = 0;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(history_add_tool(&h, h.messages[1].calls[i].id, "found"), 0);
    assert_int_equal(history_add_user(&h, "and?"), 0);
    assert_int_equal(d->write_body(&req, &body), 0);
    if (!strstr(buf_cstr(&body), want))
        assert_string_equal(body.p, want); /* shows both */
    llm_reply_deinit(&reply);
    history_deinit(&h);
    buf_deinit(&text);
    buf_deinit(&body);
}

/* ---- anthropic ----------------------------------------------------------------------------------
 */

#define A(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define A_START                                                                                    \
    A("message_start", ",\"message\":{\"usage\":{\"input_tokens\":9,\"cache_creation_input_"       \
                       "tokens\":2,\"cache_read_input_tokens\":4,\"output_tokens\":1}}")
#define A_OPEN(i, block)  A("content_block_start", ",\"index\":" i ",\"content_block\":{" block "}")
#define A_DELTA(i, delta) A("content_block_delta", ",\"index\":" i ",\"delta\":{" delta "}")
#define A_CLOSE(i)        A("content_block_stop", ",\"index\":" i)
#define A_END(reason)                                                                              \
    A("message_delta", ",\"delta\":{\"stop_reason\":\"" reason                                     \
                       "\"},\"usage\":{\"output_tokens\":7,\"input_tokens\":null}")                \
    A("message_stop", "")
#define A_THINK                                                                                    \
    A_OPEN("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")                      \
    A_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"pl\"")                                \
    A_DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"an\"")                                \
    A_DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"SIG=\"") A_CLOSE("0")
#define A_CALLS                                                                                    \
    A_OPEN("1", "\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"read\",\"input\":{}")         \
    A_DELTA("1", "\"type\":\"input_json_delta\",\"partial_json\":\"\"")                            \
    A_DELTA("1", "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"p\\\":\"")                 \
    A_DELTA("1", "\"type\":\"input_json_delta\",\"partial_json\":\"\\\"x\\\"}\"")                  \
    A_CLOSE("1")                                                                                   \
    A_OPEN("2", "\"type\":\"tool_use\",\"id\":\"toolu_b\",\"name\":\"list\",\"input\":{}")         \
    A_CLOSE("2")

static void test_anthropic_answers(void **state)
{
    (void)state;
    check(&llm_anthropic,
          A_START ": ping\n\n" A("ping", "") A_OPEN("0", "\"type\":\"text\",\"text\":\"\"")
              A_DELTA("0", "\"type\":\"text_delta\",\"text\":\"Hel\"")
                  A_DELTA("0", "\"type\":\"text_delta\",\"text\":\"l\\u00f6\"") A_CLOSE("0")
                      A_END("end_turn"),
          LLM_FINISH_STOP, "t:Hell\xc3\xb6#22");
    check(&llm_anthropic, A_START A_THINK A_CALLS A_END("tool_use"), LLM_FINISH_STOP,
          "h:plan[toolu_a read({\"p\":\"x\"})][toolu_b list({})]#22");
    check(&llm_anthropic, A_START A_CALLS A_END("max_tokens"), LLM_FINISH_LENGTH, "#22");
    check(&llm_anthropic, A_START A_END("refusal"), LLM_FINISH_REFUSAL, "#22");
    check(&llm_anthropic, A_START A_OPEN("0", "\"type\":\"text\",\"text\":\"Hi\""), LLM_FINISH_NONE,
          "t:Hi#16!the answer ended before its end mark");
    check(&llm_anthropic,
          A_START A("error", ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Busy\"}"),
          LLM_FINISH_FAILED, "#16!Busy");
    check(&llm_anthropic,
          "{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
          "\"signature\":\"S\"},{\"type\":\"text\",\"text\":\"yes\"},{\"type\":\"tool_use\","
          "\"id\":\"t\",\"name\":\"read\",\"input\":{\"a\":1}}],\"stop_reason\":\"tool_use\","
          "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}",
          LLM_FINISH_STOP, "h:hmt:yes[t read({\"a\":1})]#7");
    check(&llm_anthropic, "<html>", LLM_FINISH_NONE, "!the answer was no message");
}

static void test_anthropic_sends_back(void **state)
{
    (void)state;
    check_echo(
        &llm_anthropic, A_START A_THINK A_CALLS A_END("tool_use"),
        "\"system\":\"sys\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
        "\"text\":\"go\"}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
        "\"thinking\":\"plan\",\"signature\":\"SIG=\"},{\"type\":\"tool_use\",\"id\":\"toolu_a\","
        "\"name\":\"read\",\"input\":{\"p\":\"x\"}},{\"type\":\"tool_use\",\"id\":\"toolu_b\","
        "\"name\":\"list\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":"
        "\"tool_result\",\"tool_use_id\":\"toolu_a\",\"content\":\"found\"},{\"type\":"
        "\"tool_result\",\"tool_use_id\":\"toolu_b\",\"content\":\"found\"},{\"type\":\"text\","
        "\"text\":\"and?\"}]}]");
    check_echo(&llm_anthropic,
               A_START A_OPEN("0", "\"type\":\"redacted_thinking\",\"data\":\"XYZ\"") A_CLOSE("0")
                   A_CALLS A_END("tool_use"),
               "{\"type\":\"redacted_thinking\",\"data\":\"XYZ\"},{\"type\":\"tool_use\"");
}

/* ---- responses ----------------------------------------------------------------------------------
 */

#define R(type, rest) "event: response." type "\ndata: {\"type\":\"response." type "\"" rest "}\n\n"
#define R_END                                                                                      \
    R("completed", ",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":9,"        \
                   "\"output_tokens\":7}}")
#define R_REASON                                                                                   \
    "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":"    \
    "\"plan\"}],\"encrypted_content\":\"ENC\"}"
#define R_CALLS                                                                                    \
    R("output_item.added", ",\"output_index\":1,\"item\":{\"id\":\"fc_1\",\"type\":"               \
                           "\"function_call\",\"call_id\":\"call_a\",\"name\":\"read\","           \
                           "\"arguments\":\"\"}")                                                  \
    R("output_item.added", ",\"output_index\":2,\"item\":{\"id\":\"fc_2\",\"type\":"               \
                           "\"function_call\",\"call_id\":\"call_b\",\"name\":\"list\","           \
                           "\"arguments\":\"\"}")                                                  \
    R("function_call_arguments.delta", ",\"output_index\":1,\"delta\":\"{\\\"p\\\":\"")            \
    R("function_call_arguments.delta", ",\"output_index\":2,\"delta\":\"{}\"")                     \
    R("function_call_arguments.delta", ",\"output_index\":1,\"delta\":\"\\\"x\\\"}\"")             \
    R("output_item.done", ",\"output_index\":1,\"item\":{\"id\":\"fc_1\",\"type\":"                \
                          "\"function_call\",\"call_id\":\"call_a\",\"name\":\"read\","            \
                          "\"arguments\":\"{\\\"p\\\":\\\"x\\\"}\"}")

static void test_responses_answers(void **state)
{
    (void)state;
    check(&llm_openai_responses,
          R("created", ",\"response\":{\"status\":\"in_progress\"}")
              R("output_text.delta", ",\"output_index\":0,\"delta\":\"Hel\"")
                  R("output_text.delta", ",\"output_index\":0,\"delta\":\"lo\"")
                      R("output_text.done", ",\"output_index\":0,\"text\":\"Hello\"")
                          R("output_item.done",
                            ",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":"
                            "[{\"type\":\"output_text\",\"text\":\"Hello\"}]}") R_END,
          LLM_FINISH_STOP, "t:Hello#16");
    check(&llm_openai_responses,
          R("reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"plan\"")
              R("output_item.done", ",\"output_index\":0,\"item\":" R_REASON) R_CALLS R_END,
          LLM_FINISH_STOP, "h:plan[call_a read({\"p\":\"x\"})][call_b list({})]#16");
    check(&llm_openai_responses,
          R("output_item.done", ",\"output_index\":0,\"item\":{\"type\":\"function_call\","
                                "\"call_id\":\"c\",\"name\":\"read\",\"arguments\":\"{}\"}") R_END,
          LLM_FINISH_STOP, "[c read({})]#16");
    check(&llm_openai_responses, R("refusal.delta", ",\"delta\":\"No.\"") R_END, LLM_FINISH_REFUSAL,
          "t:No.#16");
    check(&llm_openai_responses,
          R_CALLS R("incomplete", ",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":"
                                  "{\"reason\":\"max_output_tokens\"}}"),
          LLM_FINISH_LENGTH, "");
    check(&llm_openai_responses,
          R("failed", ",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\","
                      "\"message\":\"Broken\"}}"),
          LLM_FINISH_FAILED, "!Broken");
    check(&llm_openai_responses,
          "data: {\"type\":\"error\",\"code\":\"x\",\"message\":\"Plain\"}\n\n", LLM_FINISH_FAILED,
          "!Plain");
    check(&llm_openai_responses, R("output_text.delta", ",\"delta\":\"Hel\""), LLM_FINISH_NONE,
          "t:Hel!the answer ended before its end mark");
    check(&llm_openai_responses,
          "{\"object\":\"response\",\"status\":\"completed\",\"output\":[" R_REASON
          ",{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"yes\"}]}],"
          "\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}",
          LLM_FINISH_STOP, "h:plant:yes#3");
}

static void test_responses_sends_back(void **state)
{
    (void)state;
    check_echo(&llm_openai_responses,
               R("output_item.done", ",\"output_index\":0,\"item\":" R_REASON) R_CALLS R_END,
               "\"instructions\":\"sys\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":"
               "\"input_text\",\"text\":\"go\"}]}," R_REASON ",{\"type\":\"function_call\","
               "\"call_id\":\"call_a\",\"name\":\"read\",\"arguments\":\"{\\\"p\\\":\\\"x\\\"}\"},"
               "{\"type\":\"function_call\",\"call_id\":\"call_b\",\"name\":\"list\","
               "\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"call_a\","
               "\"output\":\"found\"},{\"type\":\"function_call_output\",\"call_id\":\"call_b\","
               "\"output\":\"found\"},{\"role\":\"user\"");
}

/* ---- gemini -------------------------------------------------------------------------------------
 */

#define G(parts, rest)                                                                             \
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts                    \
    "]},\"index\":0" rest                                                                          \
    "}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":2,"                     \
    "\"thoughtsTokenCount\":5}}\n\n"
#define G_CALLS                                                                                    \
    G("{\"functionCall\":{\"id\":\"f1\",\"name\":\"read\",\"args\":{\"p\":\"x\"}},"                \
      "\"thoughtSignature\":\"U0lH\"},{\"functionCall\":{\"name\":\"list\",\"args\":{}}}",         \
      ",\"finishReason\":\"STOP\"")

static void test_gemini_answers(void **state)
{
    (void)state;
    check(&llm_gemini,
          G("{\"text\":\"plan\",\"thought\":true}", "") G("{\"text\":\"Hel\"}", "")
              G("{\"text\":\"lo\"},{\"text\":\"\",\"thoughtSignature\":\"U0lH\"}",
                ",\"finishReason\":\"STOP\""),
          LLM_FINISH_STOP, "h:plant:Hello#16");
    check(&llm_gemini, G_CALLS, LLM_FINISH_STOP, "[f1 read({\"p\":\"x\"})][fc_2 list({})]#16");
    check(&llm_gemini, G("{\"text\":\"Hel\"}", ",\"finishReason\":\"MAX_TOKENS\""),
          LLM_FINISH_LENGTH, "t:Hel#16");
    check(&llm_gemini, "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n",
          LLM_FINISH_REFUSAL, "");
    check(&llm_gemini, G("", ",\"finishReason\":\"MALFORMED_FUNCTION_CALL\""), LLM_FINISH_FAILED,
          "#16!MALFORMED_FUNCTION_CALL");
    check(&llm_gemini,
          "[{\"error\":{\"code\":503,\"message\":\"Busy\",\"status\":\"UNAVAILABLE\"}}]",
          LLM_FINISH_FAILED, "!Busy");
    check(&llm_gemini, G("{\"text\":\"Hel\"}", ""), LLM_FINISH_NONE,
          "t:Hel#16!the answer ended before its end mark");
}

static void test_gemini_sends_back(void **state)
{
    (void)state;
    check_echo(&llm_gemini, G_CALLS,
               "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]},{\"role\":"
               "\"model\",\"parts\":[{\"functionCall\":{\"id\":\"f1\",\"name\":\"read\",\"args\":"
               "{\"p\":\"x\"}},\"thoughtSignature\":\"U0lH\"},{\"functionCall\":{\"id\":\"fc_2\","
               "\"name\":\"list\",\"args\":{}}}]},{\"role\":\"user\",\"parts\":[{"
               "\"functionResponse\":{\"id\":\"f1\",\"name\":\"read\",\"response\":{\"output\":"
               "\"found\"}}},{\"functionResponse\":{\"id\":\"fc_2\",\"name\":\"list\","
               "\"response\":{\"output\":\"found\"}}},{\"text\":\"and?\"}]}]");
}

/* A session that goes on with another provider: nobody gets what was not his. */
static void test_kept_is_for_its_own_dialect(void **state)
{
    (void)state;
    static const struct llm_dialect *const all[] = {&llm_openai_chat, &llm_openai_responses,
                                                    &llm_anthropic, &llm_gemini};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const struct llm_dialect *d = all[i];
        struct buf text = {0}, body = {0};
        struct llm_reply reply =
            read_in_steps(&llm_anthropic, A_START A_THINK A_CALLS A_END("tool_use"), 1000, &text);
        struct history h = {0};
        const struct llm_target to = {
            .dialect = d, .base = "http://h", .key = "", .model = "m", .max_tokens_name = "x"};
        const struct llm_request req = {.to = &to, .system = "sys", .history = &h};
        assert_int_equal(history_add_assistant(&h, "", NULL, reply.calls, reply.n_calls), 0);
        assert_int_equal(d->write_body(&req, &body), 0);
        assert_int_equal(!strstr(buf_cstr(&body), "SIG="), d != &llm_anthropic);
        assert_null(strstr(body.p, "\"dialect\""));
        history_deinit(&h);
        buf_deinit(&text);
        buf_deinit(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anthropic_answers),
        cmocka_unit_test(test_anthropic_sends_back),
        cmocka_unit_test(test_responses_answers),
        cmocka_unit_test(test_responses_sends_back),
        cmocka_unit_test(test_gemini_answers),
        cmocka_unit_test(test_gemini_sends_back),
        cmocka_unit_test(test_kept_is_for_its_own_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
