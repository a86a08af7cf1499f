/* Every allocation of the mock provider's pure parts fails once: scripts, requests, replies. */
#include "base/err.h"
#include "mock-provider/dialect.h"
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
    int rc = neutral ? dialect_openai_chat.read(in->json, neutral, &fault) : E_NOMEM;
    cJSON_Delete(neutral);
    return rc;
}

static void test_request(void **state)
{
    (void)state;
    struct inputs in = {
        .json = parse(
            "{\"model\":\"m\",\"stream\":true,\"tools\":[{\"type\":\"function\",\"function\":{"
            "\"name\":"
            "\"f\"}}],\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":"
            "\"developer\","
            "\"content\":[{\"type\":\"text\",\"text\":\"t\"}]},{\"role\":\"user\",\"content\":[{"
            "\"type\":"
            "\"text\",\"text\":\"t\"},{\"type\":\"text\",\"text\":\"u\"}]},{\"role\":\"assistant\","
            "\"content\":null,\"reasoning_content\":\"r\",\"tool_calls\":[{\"id\":\"c\",\"type\":"
            "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[1]}\"}}]},"
            "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]}")};
    oom_fail_each(read_request, &in);
    cJSON_Delete(in.json);
}

static int write_stream(struct writer *w)
{
    const struct dialect *d = &dialect_openai_chat;
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

static int write_whole(struct writer *w, const cJSON *calls)
{
    struct whole whole = {.calls = calls, .end = {.finish = FINISH_STOP, .has_usage = true}};
    int rc = buf_adds(&whole.text, "text");
    if (rc == 0)
        rc = buf_adds(&whole.thought, "thought");
    if (rc == 0)
        rc = dialect_openai_chat.whole(w, &whole);
    buf_deinit(&whole.text);
    buf_deinit(&whole.thought);
    return rc;
}

static int write_replies(void *ctx)
{
    const struct inputs *in = ctx;
    struct buf out = {0};
    struct writer w = {.out = &out, .request = in->json, .n = 1};
    int rc = write_stream(&w);
    if (rc == 0)
        rc = write_whole(&w, in->more);
    if (rc == 0)
        rc = dialect_openai_chat.write_models(&out, NULL);
    buf_deinit(&out);
    buf_deinit(&w.prefix);
    buf_deinit(&w.event);
    return rc;
}

static void test_replies(void **state)
{
    (void)state;
    struct inputs in = {parse("{\"model\":\"m\"}"),
                        parse("[{\"id\":\"c\",\"name\":\"f\",\"args\":\"{}\"}]")};
    oom_fail_each(write_replies, &in);
    cJSON_Delete(in.json);
    cJSON_Delete(in.more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
