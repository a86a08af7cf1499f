/* Answers of chat completion servers as they really come, in every chunk size and up to a guard
 * page. */
#include "agent/llm.h"
#include "base/err.h"
#include "guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "t:" and "h:" (thought) in front of each run of text of one kind. */
struct seen {
    struct buf text;
    int kind;
};

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct seen *s = ctx;
    assert_true(n > 0);
    if (s->kind != (int)kind)
        assert_int_equal(buf_adds(&s->text, kind == LLM_TEXT ? "t:" : "h:"), 0);
    s->kind = (int)kind;
    assert_int_equal(buf_add(&s->text, p, n), 0);
}

/* "id name(args)" for each call. */
static void add_calls(struct buf *out, const struct llm_reply *reply)
{
    for (size_t i = 0; i < reply->n_calls; i++) {
        const struct history_call *c = &reply->calls[i];
        assert_int_equal(buf_addf(out, "[%s %s(%s)", c->id, c->name, c->args), 0);
        assert_int_equal(c->extra ? buf_addf(out, "%s]", c->extra) : buf_addc(out, ']'), 0);
    }
}

static enum llm_finish read_in_steps(struct guarded g, size_t n, size_t step, struct buf *out)
{
    struct seen seen = {.kind = -1};
    struct llm_reply reply;
    int rc = 0;
    struct llm_reader *r = llm_openai_chat.reader_create(on_text, &seen);
    assert_non_null(r);
    for (size_t at = 0; rc == 0 && at < n; at += step)
        rc = llm_openai_chat.reader_feed(r, g.p + at, n - at < step ? n - at : step);
    assert_in_range(rc, 0, 1);
    assert_int_equal(llm_openai_chat.reader_finish(r, &reply), 0);
    if (seen.text.n > 0)
        assert_int_equal(buf_add(out, seen.text.p, seen.text.n), 0);
    add_calls(out, &reply);
    if (reply.finish == LLM_FINISH_FAILED || reply.finish == LLM_FINISH_NONE)
        assert_int_equal(buf_addf(out, "!%ld %s%s", reply.error.status, reply.error.text,
                                  reply.error.retry ? " (retry)" : ""),
                         0);
    enum llm_finish finish = reply.finish;
    llm_reply_deinit(&reply);
    llm_openai_chat.reader_destroy(r);
    buf_deinit(&seen.text);
    return finish;
}

/* Small texts in every step, long ones in some. */
static void check_bytes(const char *in, size_t n, enum llm_finish finish, const char *want)
{
    struct guarded g = guard_copy(in, n);
    for (size_t step = 1; step <= n; step += step < 64 ? 1 : 97) {
        struct buf got = {0};
        assert_int_equal(read_in_steps(g, n, step, &got), finish);
        assert_string_equal(buf_cstr(&got), want);
        buf_deinit(&got);
    }
    guard_free(&g);
}

static void check(const char *in, enum llm_finish finish, const char *want)
{
    check_bytes(in, strlen(in), finish, want);
}

#define DELTA(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define FINISH(why)                                                                                \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" why "\"}]}\n\n"
#define TEXT(text)   DELTA("{\"content\":\"" text "\"}")
#define CALL(call)   DELTA("{\"tool_calls\":[" call "]}")
#define FN(more, fn) CALL("{" more "\"function\":{" fn "}}")
#define DONE         "data: [DONE]\n\n"
#define STOP         FINISH("stop") DONE

static void test_text(void **state)
{
    (void)state;
    check(DELTA("{\"role\":\"assistant\",\"content\":\"\"}") TEXT("Hel") TEXT("lo") STOP,
          LLM_FINISH_STOP, "t:Hello");
    check(TEXT("h\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80") STOP, LLM_FINISH_STOP,
          "t:h\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80");
    check(TEXT("a\\u4e2d\\ud83d\\ude00\\n") STOP, LLM_FINISH_STOP,
          "t:a\xe4\xb8\xad\xf0\x9f\x98\x80\n");
    check(TEXT("half \\ud83d pair") STOP, LLM_FINISH_STOP, "t:half \xef\xbf\xbd pair");
    check(TEXT("bad \xff byte") STOP, LLM_FINISH_STOP, "t:bad \xef\xbf\xbd byte");
    check(DELTA("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"text\":\"b\"}]}") STOP,
          LLM_FINISH_STOP, "t:ab");
}

static void test_framing(void **state)
{
    (void)state;
    check(": OPENROUTER PROCESSING\n\n" TEXT("a") ": x\n\n" TEXT("b") STOP, LLM_FINISH_STOP,
          "t:ab");
    check("data: : keepalive\n\n" TEXT("a") "data:\n\ndata: : keepalive\n\n" STOP, LLM_FINISH_STOP,
          "t:a");
    check("data:{\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n",
          LLM_FINISH_STOP, "t:x");
    check("data: {\"choices\":[\r\ndata: {\"delta\":{\"content\":\"x\"}}]}\r\n\r\n"
          "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
          LLM_FINISH_STOP, "t:x");
    check("\xef\xbb\xbf" TEXT("a") STOP, LLM_FINISH_STOP, "t:a");
    check("event: message\rdata: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\r\r"
          "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\r",
          LLM_FINISH_STOP, "t:x");
    /* The last event without its blank line, and without its line end. */
    check(TEXT("a") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}",
          LLM_FINISH_STOP, "t:a");
    check(TEXT("a") STOP "data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n",
          LLM_FINISH_STOP, "t:a");
}

static void test_usage_and_nulls(void **state)
{
    (void)state;
    check(TEXT("a") FINISH("stop") "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n" DONE,
          LLM_FINISH_STOP, "t:a");
    check(TEXT("a") FINISH("stop") "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n",
          LLM_FINISH_STOP, "t:a");
    check("data: {\"choices\":null}\n\ndata: {\"choices\":[{}]}\n\n"
          "data: {\"choices\":[{\"delta\":null,\"finish_reason\":null}]}\n\n" DELTA(
              "{\"content\":null,\"tool_calls\":null,\"refusal\":null}") TEXT("a") STOP,
          LLM_FINISH_STOP, "t:a");
    check("data: {\"error\":null,\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n"
          "data: 5\n\ndata: []\n\ndata: null\n\n" TEXT("a") STOP,
          LLM_FINISH_STOP, "t:a");
}

static void test_thoughts(void **state)
{
    (void)state;
    check(DELTA("{\"content\":null,\"reasoning_content\":\"hm\"}") TEXT("Hi") STOP, LLM_FINISH_STOP,
          "h:hmt:Hi");
    check(DELTA("{\"reasoning\":\"h\"}") DELTA("{\"reasoning\":\"m\"}") TEXT("Hi") STOP,
          LLM_FINISH_STOP, "h:hmt:Hi");
    check(DELTA("{\"reasoning\":\"hm\",\"reasoning_content\":\"hm\"}") TEXT("Hi") STOP,
          LLM_FINISH_STOP, "h:hmt:Hi");
    check(TEXT("<think>one < two") TEXT("</thi") TEXT("nk>\\n\\nanswer <think>") STOP,
          LLM_FINISH_STOP, "h:one < twot:answer <think>");
    check(TEXT("\\n <thi") TEXT("s is text") STOP, LLM_FINISH_STOP, "t:\n <this is text");
    check(TEXT("<think>never closed</th") STOP, LLM_FINISH_STOP, "h:never closed</th");
    check(TEXT("  ") TEXT("<") STOP, LLM_FINISH_STOP, "t:  <");
    check(TEXT("a <think>b</think>") STOP, LLM_FINISH_STOP, "t:a <think>b</think>");
}

static void test_calls(void **state)
{
    (void)state;
    check(FN("\"index\":0,\"id\":\"a\",\"type\":\"function\",", "\"name\":\"f\",\"arguments\":\"\"")
              FN("\"index\":0,", "\"arguments\":\"{\\\"p\\\":\"")
                  FN("\"index\":0,", "\"arguments\":\"\\\"x\\\"}\"") FINISH("tool_calls") DONE,
          LLM_FINISH_STOP, "[a f({\"p\":\"x\"})]");
    /* Two that interleave. */
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\"")
              FN("\"index\":1,\"id\":\"b\",", "\"name\":\"g\"")
                  FN("\"index\":0,", "\"arguments\":\"{\\\"p\\\"\"")
                      FN("\"index\":1,", "\"arguments\":\"{}\"")
                          FN("\"index\":0,", "\"arguments\":\":1}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"p\":1})][b g({})]");
    /* finish "stop" with calls: they want to be run; "tool_calls" without: nothing to run. */
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{}\"") STOP,
          LLM_FINISH_STOP, "[a f({})]");
    check(TEXT("x") FINISH("tool_calls") DONE, LLM_FINISH_STOP, "t:x");
    check(FINISH("stop") TEXT("x") DONE, LLM_FINISH_STOP, "t:x");
}

static void test_calls_without_order(void **state)
{
    (void)state;
    /* Index 0 for every call: a new id opens a new one. */
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"")
              FN("\"index\":0,\"id\":\"b\",", "\"name\":\"g\",\"arguments\":\"{\\\"y\\\"\"")
                  FN("\"index\":1,", "\"arguments\":\":2}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":1})][b g({\"y\":2})]");
    /* No index at all. */
    check(FN("\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\"\"")
              FN("", "\"arguments\":\":1}\"")
                  FN("\"id\":\"b\",", "\"name\":\"f\",\"arguments\":\"{}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":1})][b f({})]");
    /* Neither index nor id. */
    check(FN("", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\"\"") FN("", "\"arguments\":\":1}\"")
              FN("", "\"name\":\"f\",\"arguments\":\"{}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[ f({\"x\":1})][ f({})]");
    /* Id and name late, empty, or repeated with each fragment. */
    check(FN("\"index\":0,\"id\":\"\",", "\"name\":\"\",\"arguments\":\"{\"")
              FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"\\\"x\\\"\"")
                  FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\":1}\"")
                      FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":1})]");
    check(FN("\"index\":0,", "\"name\":\"f\",\"arguments\":\"{\"")
              FN("\"index\":0,", "\"name\":\"f\",\"arguments\":\"}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[ f({})]");
    check(CALL("{\"index\":0,\"id\":\"\",\"function\":{\"name\":\"\",\"arguments\":\"{}\"}}")
              FINISH("tool_calls"),
          LLM_FINISH_STOP, "[ ({})]");
    check(CALL("null,{\"index\":0},{\"function\":null},5") TEXT("x") STOP, LLM_FINISH_STOP, "t:x");
}

static void test_arguments(void **state)
{
    (void)state;
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":{\"x\":1}")
              FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":1})]");
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{}\"")
              FN("\"index\":0,", "\"arguments\":\"{\\\"x\\\":\\\"}\\\"}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":\"}\"})]");
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"")
              FN("\"index\":0,", "\"arguments\":\"{\\\"x\\\":1}\"") FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":1})]");
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\"") FINISH("tool_calls"), LLM_FINISH_STOP,
          "[a f({})]");
    /* What cannot be repaired stays as it came: it will not run. */
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\":\"")
              FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({\"x\":)]");
    check(CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},"
               "\"extra_content\":{\"google\":{\"thought_signature\":\"U0lH\"}}}")
              FINISH("tool_calls"),
          LLM_FINISH_STOP, "[a f({}){\"google\":{\"thought_signature\":\"U0lH\"}}]");
}

static void test_finish(void **state)
{
    (void)state;
    check(TEXT("x") FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{\\\"x\"")
              FINISH("length") DONE,
          LLM_FINISH_LENGTH, "t:x");
    check(TEXT("x") FINISH("content_filter") DONE, LLM_FINISH_REFUSAL, "t:x");
    check(DELTA("{\"refusal\":\"I cannot\"}") STOP, LLM_FINISH_REFUSAL, "t:I cannot");
    check(TEXT("x") FINISH("something_new") DONE, LLM_FINISH_STOP, "t:x");
    check(TEXT("x") FINISH("insufficient_system_resource") DONE, LLM_FINISH_FAILED,
          "t:x!0 insufficient_system_resource (retry)");
}

static void test_cut(void **state)
{
    (void)state;
    const char *text = "!0 the answer ended before its end mark (retry)";
    check(TEXT("x"), LLM_FINISH_NONE, "t:x!0 the answer ended before its end mark (retry)");
    check(TEXT("x") DONE, LLM_FINISH_NONE, "t:x!0 the answer ended before its end mark (retry)");
    check("data: {\"choices\":[]}\n\ndata: {\"choi", LLM_FINISH_NONE, text);
    check(FN("\"index\":0,\"id\":\"a\",", "\"name\":\"f\",\"arguments\":\"{}\""), LLM_FINISH_NONE,
          text);
    check("<html>no model here</html>", LLM_FINISH_NONE,
          "!0 the answer was no chat completion (retry)");
    check_bytes("", 0, LLM_FINISH_NONE, "");
}

static void test_errors_inside(void **state)
{
    (void)state;
    check("data: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n", LLM_FINISH_FAILED,
          "!502 overloaded (retry)");
    check(TEXT("x") "data: {\"error\":{\"code\":400,\"message\":\"prompt is too long\"},"
                    "\"choices\":[]}\n\n" TEXT("y"),
          LLM_FINISH_FAILED, "t:x!400 prompt is too long");
    check("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
          "\"message\":\"Over\\nloaded\"}}\n\n",
          LLM_FINISH_FAILED, "!0 Over loaded (retry)");
    check("event: error\ndata: it broke\n\n", LLM_FINISH_FAILED, "!0 it broke (retry)");
    check("data: {\"error\":\"plain words\"}\n\n", LLM_FINISH_FAILED, "!0 plain words (retry)");
    check("data: {\"object\":\"error\",\"message\":\"no such model\",\"code\":404}\n\n",
          LLM_FINISH_FAILED, "!404 no such model");
    check("{\"error\":{\"message\":\"quota\",\"code\":\"insufficient_quota\"}}", LLM_FINISH_FAILED,
          "!0 quota");
    check("[{\"error\":{\"code\":503,\"message\":\"later\",\"status\":\"UNAVAILABLE\"}}]",
          LLM_FINISH_FAILED, "!503 later (retry)");
}

static void test_json_body(void **state)
{
    (void)state;
    check(
        "\n\n \n{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\","
        "\"reasoning_content\":\"hm\"},\"finish_reason\":\"stop\"}]}",
        LLM_FINISH_STOP, "h:hmt:Hi");
    check("{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"function\":"
          "{\"name\":\"f\",\"arguments\":\"{}\"}},{\"id\":\"b\",\"function\":{\"name\":\"f\","
          "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}",
          LLM_FINISH_STOP, "[a f({})][b f({})]");
    check("{\"choices\":[{\"mess", LLM_FINISH_NONE, "!0 the answer was no chat completion (retry)");
    /* A whole completion inside an event, where deltas were asked for. */
    check("data: {\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n",
          LLM_FINISH_STOP, "t:Hi");
}

static void test_long_line(void **state)
{
    (void)state;
    const size_t n = 5u << 20;
    struct buf in = {0}, want = {0};
    assert_int_equal(buf_adds(&in, "data: {\"choices\":[{\"delta\":{\"content\":\""), 0);
    assert_int_equal(buf_adds(&want, "t:"), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(buf_addc(&in, 'x'), 0);
        assert_int_equal(buf_addc(&want, 'x'), 0);
    }
    assert_int_equal(buf_adds(&in, "\"},\"finish_reason\":\"stop\"}]}\n\n"), 0);
    struct guarded g = guard_copy(in.p, in.n);
    struct buf got = {0};
    assert_int_equal(read_in_steps(g, in.n, 16384, &got), LLM_FINISH_STOP);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    guard_free(&g);
    buf_deinit(&in);
    buf_deinit(&want);
    buf_deinit(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_framing),
        cmocka_unit_test(test_usage_and_nulls),
        cmocka_unit_test(test_thoughts),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_calls_without_order),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_errors_inside),
        cmocka_unit_test(test_json_body),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
