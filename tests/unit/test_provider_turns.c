/* The mock provider: which turn answers, waiting, breaking off. */
#include "provider_kit.h"

/* --- choosing --- */

static void test_when_times_and_order(void **state)
{
    struct fixture *f = *state;
    open_with(
        f,
        "[{\"reply\":[{\"text\":\"1\"}]},"
        "{\"when\":{\"last\":{\"text\":\"bye\"}},\"times\":1,\"reply\":[{\"text\":\"once\"}]},"
        "{\"when\":{\"last\":{\"text\":{\"$has\":\"by\"}}},\"reply\":[{\"text\":\"ever\"}]},"
        "{\"reply\":[{\"text\":\"2\"}]}]",
        NULL);
    check(f, BYE_FLOW, "once", "stop [DONE]");
    check(f, HI_FLOW, "1", "stop [DONE]");
    check(f, BYE_FLOW, "ever", "stop [DONE]");
    check(f, BYE_FLOW, "ever", "stop [DONE]");
    check(f, HI_FLOW, "2", "stop [DONE]");
    cJSON *json = whole(f, HI_FLOW, 400);
    const char *text = json_pointer(json, "/error/message")->valuestring;
    assert_non_null(strstr(text, "turns[2].when differs at /last/text"));
    assert_non_null(strstr(log_of(f), "miss 6 the script has no turn"));
    cJSON_Delete(json);
}

static void test_used_up(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[]", NULL);
    cJSON *json = whole(f, HI, 400);
    assert_non_null(strstr(json_pointer(json, "/error/message")->valuestring, "no turn left"));
    cJSON_Delete(json);
}

static void test_expect(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"expect\":{\"last\":{\"text\":\"bye\"}},\"check\":\"X-01\","
              "\"reply\":[{\"text\":\"a\"}]},"
              "{\"expect\":{\"headers\":{\"authorization\":\"Bearer <redacted>\"},"
              "\"path\":\"/v1/chat/completions\",\"system\":\"\",\"tools\":{\"$len\":0},"
              "\"body\":{\"model\":\"m\"}},\"reply\":[{\"text\":\"b\"}]}]",
              NULL);
    check(f, HI_FLOW, "a", "stop [DONE]");
    assert_non_null(strstr(log_of(f), "mismatch 1 turns[0].expect differs at /last/text: "));
    assert_non_null(strstr(log_of(f), "(X-01);"));
    check(f, HI_FLOW, "b", "stop [DONE]");
    assert_null(strstr(log_of(f), "mismatch 2"));
}

/* --- waiting --- */

static void test_hold(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f, "[{\"reply\":[{\"text\":\"a\"},{\"hold\":\"h\"},{\"text\":\"b\"}]}]", NULL);
    assert_int_equal(provider_release(f->provider, "unknown"), E_NOTFOUND);
    start(&c, HI_FLOW);
    wait_log(f, "hold 1 h;");
    while (c.text.n == 0) /* what came before the hold has left */
        uv_run(&f->loop, UV_RUN_ONCE);
    assert_string_equal(str(&c.text), "a");
    assert_null(strstr(log_of(f), "release"));
    assert_int_equal(provider_release(f->provider, "h"), 0);
    wait_done(&c);
    assert_string_equal(str(&c.text), "ab");
    assert_string_equal(log_of(f),
                        "request 1;part 1 text a;hold 1 h;release 1 h;part 1 text b;done 1;");
    free_chat(&c);
}

static void test_hold_released_early_or_from_its_event(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"reply\":[{\"hold\":\"h\"},{\"hold\":\"i\"},{\"text\":\"b\"}]}]", NULL);
    assert_int_equal(provider_release(f->provider, "h"), 0);
    f->release_at = "i";
    check(f, HI_FLOW, "b", "stop [DONE]");
    assert_string_equal(log_of(f), "request 1;hold 1 h;release 1 h;hold 1 i;release 1 i;"
                                   "part 1 text b;done 1;");
}

static void test_delay(void **state)
{
    struct fixture *f = *state;
    open_with(f, "[{\"reply\":[{\"text\":\"a\"},{\"delay\":1},{\"text\":\"b\"}]}]", NULL);
    check(f, HI_FLOW, "ab", "stop [DONE]");
}

static void test_caller_hangs_up(void **state)
{
    struct fixture *f = *state;
    const char *scripts[] = {
        "[{\"reply\":[{\"text\":\"a\"},{\"stall\":true},{\"text\":\"b\"}]}]",
        "[{\"reply\":[{\"text\":\"a\"},{\"hold\":\"h\"}]}]",
        "[{\"reply\":[{\"text\":\"a\"},{\"delay\":100000}]}]",
        "[{\"reply\":[{\"text\":\"a\",\"repeat\":10000000}]}]",
    };
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
        struct chat c = {.f = f};
        open_with(f, scripts[i], NULL);
        start(&c, HI_FLOW);
        while (c.text.n == 0)
            uv_run(&f->loop, UV_RUN_ONCE);
        fetch_cancel(c.req);
        wait_log(f, "gone 1;");
        assert_null(strstr(log_of(f), "done 1"));
        provider_close(f->provider);
        while (!f->closed || !c.done)
            uv_run(&f->loop, UV_RUN_ONCE);
        f->closed = 0;
        f->provider = NULL;
        buf_deinit(&f->log);
        free_chat(&c);
    }
}

static void test_close_while_replies_run(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f}, d = {.f = f};
    open_with(f, "[{\"reply\":[{\"hold\":\"h\"}]},{\"reply\":[{\"delay\":100000}]}]", NULL);
    start(&c, HI_FLOW);
    start(&d, HI_FLOW);
    wait_log(f, "hold 1 h;");
    wait_log(f, "request 2;");
    provider_close(f->provider);
    provider_close(f->provider);
    assert_null(strstr(log_of(f), "gone"));
    wait_done(&c);
    wait_done(&d);
    assert_non_null(strstr(log_of(f), "gone 1;"));
    assert_non_null(strstr(log_of(f), "gone 2;"));
    free_chat(&c);
    free_chat(&d);
}

/* --- faults --- */

static void check_broken(struct fixture *f, const char *body, int rc, const char *text)
{
    struct chat c = {.f = f};
    start(&c, body);
    wait_done(&c);
    assert_int_equal(c.result.rc, rc);
    assert_string_equal(str(&c.text), text);
    free_chat(&c);
}

static void test_cut_and_reset(void **state)
{
    struct fixture *f = *state;
    open_with(f,
              "[{\"reply\":[{\"text\":\"a\"},{\"cut\":true},{\"text\":\"b\"}]},"
              "{\"reply\":[{\"text\":\"a\"},{\"reset\":true}]},"
              "{\"reply\":[{\"cut\":true}]},{\"reply\":[{\"text\":\"a\"},{\"cut\":true}]}]",
              NULL);
    check_broken(f, HI_FLOW, E_IO, "a");
    check_broken(f, HI_FLOW, E_IO, "a");
    check_broken(f, HI_FLOW, E_IO, "");
    check_broken(f, HI, E_IO, "");
    assert_non_null(strstr(log_of(f), "part 1 cut;done 1;"));
    assert_non_null(strstr(log_of(f), "part 2 reset;done 2;"));
    assert_null(strstr(log_of(f), "gone"));
}

static void test_status(void **state)
{
    struct fixture *f = *state;
    struct chat c = {.f = f};
    open_with(f,
              "[{\"status\":429,\"headers\":{\"Retry-After\":\"7\"}},"
              "{\"status\":500,\"body\":{\"error\":\"odd\"}},"
              "{\"status\":503,\"body\":\"<html>\",\"headers\":{\"content-type\":\"text/html\"},"
              "\"reply\":[{\"delay\":0}]}]",
              NULL);
    start(&c, HI_FLOW);
    wait_done(&c);
    assert_int_equal(c.result.status, 429);
    cJSON *json = parse(str(&c.body));
    assert_string_equal(json_pointer(json, "/error/code")->valuestring, "rate_limit_exceeded");
    cJSON_Delete(json);
    free_chat(&c);
    json = whole(f, HI, 500);
    assert_string_equal(json_get_str(json, "error"), "odd");
    cJSON_Delete(json);
    struct chat d = {.f = f};
    start(&d, HI_FLOW);
    wait_done(&d);
    assert_int_equal(d.result.status, 503);
    assert_string_equal(str(&d.body), "<html>");
    free_chat(&d);
}

static void test_odd_streams(void **state)
{
    struct fixture *f = *state;
    open_with(
        f,
        "[{\"reply\":[{\"raw\":\": hello\\n\\n\"},{\"text\":\"a\"},{\"malformed\":true},"
        "{\"event\":{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}}]},"
        "{\"reply\":[{\"text\":\"a\"},{\"error\":{\"message\":\"no more\"}},{\"text\":\"b\"}]}]",
        NULL);
    check(f, HI_FLOW, "ab", "broken stop [DONE]");
    check(f, HI_FLOW, "a", "error:no more ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_when_times_and_order),
        TEST(test_used_up),
        TEST(test_expect),
        TEST(test_hold),
        TEST(test_hold_released_early_or_from_its_event),
        TEST(test_delay),
        TEST(test_caller_hangs_up),
        TEST(test_close_while_replies_run),
        TEST(test_cut_and_reset),
        TEST(test_status),
        TEST(test_odd_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
