/* Every allocation of the mock provider's pure parts fails once: scripts, requests, replies. */
#include "base/err.h"
#include "mock-provider/anthropic.h"
#include "mock-provider/dialect.h"
#include "mock-provider/gemini.h"
#include "mock-provider/script.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "oom.h"

static cJSON *parse(const char *text)
{
    cJSON *json = NULL;
    assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
    return json;
}

struct inputs {
    cJSON *json, *more;
    const struct dialect *dialect;
};

static int make_script(void *ctx)
{
    const struct inputs *in = ctx;
    char err[200];
    struct script *s = NULL;
    int rc = script_create(in->json, in->more, &s, err, sizeof err);
    script_destroy(s);
    return rc;
}

static void test_script(void **state)
{
    (void)state;
    struct inputs in = {
        parse("{\"turns\":[{\"when\":{\"a\":{\"$regex\":\"x\"}},\"headers\":{\"a\":\"b\"},"
              "\"reply\":[{\"hold\":\"h\"},{\"hold\":\"i\"},{\"text\":\"t\"}]}]}"),
        parse("{\"read\":{\"tool\":\"t\"}}"),
        NULL,
    };
    oom_fail_each(make_script, &in);
    cJSON_Delete(in.json);
    cJSON_Delete(in.more);
}

static int make_builtin(void *ctx)
{
    char err[200];
    struct script *s = NULL;
    (void)ctx;
    int rc = script_create(NULL, NULL, &s, err, sizeof err);
    script_destroy(s);
    return rc;
}

static void test_builtin(void **state)
{
    (void)state;
    oom_fail_each(make_builtin, NULL);
}

static int read_request(void *ctx)
{
    const struct inputs *in = ctx;
    struct fault fault;
    cJSON *neutral = cJSON_CreateObject();
    int rc = neutral ? in->dialect->read(in->json, neutral, &fault) : E_NOMEM;
    cJSON_Delete(neutral);
    return rc;
}

/* The members every request's neutral form has before a dialect reads on are not needed here. */
static void check_request(const struct dialect *d, const char *text)
{
    struct inputs in = {.json = parse(text), .dialect = d};
    oom_fail_each(read_request, &in);
    cJSON_Delete(in.json);
}

static void test_chat_request(void **state)
{
    (void)state;
    check_request(
        &dialect_openai_chat,
        "{\"model\":\"m\",\"stream\":true,\"tools\":[{\"type\":\"function\",\"function\":{"
        "\"name\":"
        "\"f\"}}],\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":"
        "\"developer\","
        "\"content\":[{\"type\":\"text\",\"text\":\"t\"}]},{\"role\":\"user\",\"content\":[{"
        "\"type\":"
        "\"text\",\"text\":\"t\"},{\"type\":\"text\",\"text\":\"u\"}]},{\"role\":\"assistant\","
        "\"content\":null,\"reasoning_content\":\"r\",\"tool_calls\":[{\"id\":\"c\",\"type\":"
        "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[1]}\"}}]},"
        "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]}");
}

/* The checks of these two look at headers, too: only the reading is tried. */
static int read_neutral(void *ctx)
{
    const struct inputs *in = ctx;
    cJSON *neutral = cJSON_CreateObject();
    int rc = neutral ? 0 : E_NOMEM;
    if (rc == 0)
        rc = in->dialect == &dialect_gemini ? gemini_neutral(in->json, neutral)
                                            : anthropic_neutral(in->json, neutral);
    cJSON_Delete(neutral);
    return rc;
}

static void test_anthropic_request(void **state)
{
    (void)state;
    struct inputs in = {
        .json = parse(
            "{\"model\":\"m\",\"tools\":[{\"name\":\"f\"}],\"system\":[{\"type\":\"text\",\"text\":"
            "\"s\"},{\"type\":\"text\",\"text\":\"t\"}],\"messages\":[{\"role\":\"user\","
            "\"content\":"
            "\"x\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"y\"}"
            ","
            "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{\"a\":[1]}}]},{\"role\":"
            "\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"is_error\":"
            "true,"
            "\"content\":[{\"type\":\"text\",\"text\":\"r\"}]},{\"type\":\"text\",\"text\":\"z\"}]}"
            "]}")};
    oom_fail_each(read_neutral, &in);
    cJSON_Delete(in.json);
}

static void test_gemini_request(void **state)
{
    (void)state;
    struct inputs in = {
        .json = parse(
            "{\"systemInstruction\":{\"parts\":[{\"text\":\"s\"},{\"text\":\"t\"}]},\"tools\":[{"
            "\"functionDeclarations\":[{\"name\":\"f\"}]}],\"contents\":[{\"role\":\"user\","
            "\"parts\":["
            "{\"text\":\"x\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\"y\",\"thought\":true},{"
            "\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":[1]}}}]},{\"role\":\"user\","
            "\"parts\":[{"
            "\"functionResponse\":{\"name\":\"f\",\"response\":{\"error\":{\"a\":1}}}},{\"text\":"
            "\"z\"}]}]}"),
        .dialect = &dialect_gemini};
    oom_fail_each(read_neutral, &in);
    cJSON_Delete(in.json);
}

static void test_responses_request(void **state)
{
    (void)state;
    check_request(
        &dialect_openai_responses,
        "{\"model\":\"m\",\"instructions\":\"s\",\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]"
        ","
        "\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"t\"}]},"
        "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"r\"}]},"
        "{\"role\":\"assistant\",\"content\":\"x\"},{\"type\":\"function_call\",\"call_id\":\"c\","
        "\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[1]}\"},{\"type\":\"function_call_output\","
        "\"call_id\":\"c\",\"output\":\"r\"}]}");
}

static int write_stream(const struct dialect *d, struct writer *w)
{
    const struct call call = {
        .id = "c", .name = "f", .args = "{\"a\":1}", .args_n = 7, .fragments = 3};
    const struct fault fault = {.status = 500, .text = "odd"};
    const struct ending end = {.finish = FINISH_STOP, .has_usage = true, .done_mark = true};
    int rc = d->thought(w, "hm", 2);
    if (rc == 0)
        rc = d->text(w, "text", 4);
    if (rc == 0)
        rc = d->call(w, &call);
    if (rc == 0)
        rc = d->event(w, "{}", 2);
    if (rc == 0)
        rc = d->error(w, &fault);
    return rc < 0 ? rc : d->end(w, &end);
}

static int write_whole(const struct dialect *d, struct writer *w, const cJSON *calls)
{
    struct whole whole = {.calls = calls, .end = {.finish = FINISH_STOP, .has_usage = true}};
    int rc = buf_adds(&whole.text, "text");
    if (rc == 0)
        rc = buf_adds(&whole.thought, "thought");
    if (rc == 0)
        rc = d->whole(w, &whole);
    buf_deinit(&whole.text);
    buf_deinit(&whole.thought);
    return rc;
}

static int write_replies(void *ctx)
{
    const struct inputs *in = ctx;
    struct buf out = {0};
    struct writer w = {.out = &out, .request = in->json, .n = 1};
    int rc = write_stream(in->dialect, &w);
    if (rc == 0)
        rc = write_whole(in->dialect, &w, in->more);
    if (rc == 0)
        rc = in->dialect->write_models(&out, NULL);
    buf_deinit(&out);
    buf_deinit(&w.said);
    buf_deinit(&w.items);
    buf_deinit(&w.prefix);
    buf_deinit(&w.event);
    return rc;
}

static void test_replies(void **state)
{
    (void)state;
    const struct dialect *const all[] = {&dialect_openai_chat, &dialect_openai_responses,
                                         &dialect_anthropic, &dialect_gemini};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct inputs in = {parse("{\"model\":\"m\"}"),
                            parse("[{\"id\":\"c\",\"name\":\"f\",\"args\":\"{}\"}]"), all[i]};
        oom_fail_each(write_replies, &in);
        cJSON_Delete(in.json);
        cJSON_Delete(in.more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_chat_request),
        cmocka_unit_test(test_anthropic_request),
        cmocka_unit_test(test_responses_request),
        cmocka_unit_test(test_gemini_request),
        cmocka_unit_test(test_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
