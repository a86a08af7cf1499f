/* The mock provider: its control endpoint; several in one process. */
#include "provider_kit.h"

/* --- control --- */

static void control(struct chat *c, struct fixture *f, const char *method, const char *path,
                    const char *body)
{
    *c = (struct chat){.f = f};
    call_path(c, method, path, body);
}

static void test_control(void **state)
{
    struct fixture *f = *state;
    struct chat reply = {.f = f}, c;
    open_with(f, "[{\"reply\":[{\"hold\":\"h\"},{\"text\":\"b\"}]}]", NULL);
    control(&c, f, "GET", "/_control/waiting?hold=h&wait=60000", NULL);
    start(&reply, HI_FLOW); /* the long poll came first and ends when the hold is reached */
    wait_done(&c);
    assert_string_equal(str(&c.body), "{\"waiting\":[{\"hold\":\"h\",\"n\":1}]}");
    free_chat(&c);
    control(&c, f, "POST", "/_control/release", "{\"hold\":\"h\"}");
    wait_done(&c);
    assert_int_equal(c.result.status, 200);
    free_chat(&c);
    control(&c, f, "GET", "/_control/journal?event=done&wait=60000", NULL);
    wait_done(&c);
    assert_non_null(strstr(str(&c.body), "\"event\":\"done\",\"n\":1}\n"));
    assert_non_null(strstr(str(&c.body), "\"seq\":1,"));
    free_chat(&c);
    wait_done(&reply);
    assert_string_equal(str(&reply.text), "b");
    free_chat(&reply);
    control(&c, f, "GET", "/_control/waiting", NULL);
    wait_done(&c);
    assert_string_equal(str(&c.body), "{\"waiting\":[]}");
    free_chat(&c);
}

static void test_control_errors(void **state)
{
    struct fixture *f = *state;
    struct chat c;
    const struct {
        const char *method, *path, *body;
        long status;
    } wrong[] = {
        {"POST", "/_control/release", "{\"hold\":\"x\"}", 404},
        {"POST", "/_control/release", "{}", 400},
        {"POST", "/_control/release", "nonsense", 400},
        {"GET", "/_control/release", NULL, 404},
        {"GET", "/_control/", NULL, 404},
        {"GET", "/_control/waiting?hold=x", NULL, 404},
        {"GET", "/_control/journal?event=x", NULL, 404},
        {"GET", "/_control/waiting?hold=h&wait=1", NULL, 200},
        {"GET", "/_control/journal?event=done&wait=1", NULL, 200},
        {"GET", "/_control/journal", NULL, 200},
    };
    open_with(f, "[{\"reply\":[{\"hold\":\"h\"}]}]", NULL);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        control(&c, f, wrong[i].method, wrong[i].path, wrong[i].body);
        wait_done(&c);
        assert_int_equal(c.result.status, wrong[i].status);
        free_chat(&c);
    }
}

static void test_many_providers_on_one_loop(void **state)
{
    enum { N = 8 };
    struct fixture *f = *state, others[N];
    memset(others, 0, sizeof others);
    for (size_t i = 0; i < N; i++) {
        cJSON *script = parse("[{\"reply\":[{\"text\":\"x\"}]}]");
        const struct provider_options o = {.script = script};
        assert_int_equal(provider_open(&f->loop, &o, &ops, &others[i], &others[i].provider), 0);
        cJSON_Delete(script);
    }
    for (size_t i = 0; i < N; i++) {
        struct chat c = {.f = f};
        f->provider = others[i].provider;
        start(&c, HI_FLOW);
        wait_done(&c);
        assert_string_equal(str(&c.text), "x");
        free_chat(&c);
    }
    f->provider = NULL;
    for (size_t i = 0; i < N; i++)
        provider_close(others[i].provider);
    for (size_t i = 0; i < N; i++) {
        while (!others[i].closed)
            uv_run(&f->loop, UV_RUN_ONCE);
        assert_string_equal(log_of(&others[i]), "request 1;part 1 text x;done 1;");
        buf_deinit(&others[i].log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_control),
        TEST(test_control_errors),
        TEST(test_many_providers_on_one_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
