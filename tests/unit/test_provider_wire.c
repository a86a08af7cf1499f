/* The mock provider's shapes in every dialect: legal ones say the same, broken ones break where
 * they should. */
#include "provider_kit.h"

static const struct {
    const char *path, *header, *body, *whole_body;
} dialects[] = {
    {"/v1/chat/completions", NULL, HI_TOOLS, HI},
    {"/v1/responses", NULL,
     "{\"model\":\"m\",\"stream\":true,\"input\":\"hi\",\"tools\":[{\"type\":\"function\","
     "\"name\":\"read_file\"}]}",
     "{\"model\":\"m\",\"input\":\"hi\"}"},
    {"/v1/messages", "anthropic-version: 2023-06-01",
     "{\"model\":\"m\",\"max_tokens\":9,\"stream\":true,\"messages\":[{\"role\":\"user\","
     "\"content\":\"hi\"}],\"tools\":[{\"name\":\"read_file\",\"input_schema\":{\"type\":"
     "\"object\"}}]}",
     "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"},
    {"/v1beta/models/m:streamGenerateContent?alt=sse", "x-goog-api-key: k",
     "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}],\"tools\":[{\"functionDeclarations\":[{"
     "\"name\":\"read_file\"}]}]}",
     "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}]}"},
};

#define DIALECTS (sizeof dialects / sizeof dialects[0])

/* What one call brings under a shape. */
struct got {
    struct buf body, data; /* as it came; the events' data without white space, joined by LF */
    struct sse sse;
    struct fetch_result result;
    unsigned events;
    bool done;
};

static void on_got_event(void *ctx, const struct sse_event *event)
{
    struct got *g = ctx;
    if (event->data_n == 0)
        return; /* an event without data: nothing was said */
    for (size_t i = 0; i < event->data_n; i++)
        if (!strchr(" \n", event->data[i]))
            assert_int_equal(buf_addc(&g->data, event->data[i]), 0);
    assert_int_equal(buf_addc(&g->data, '\n'), 0);
    g->events++;
}

static void on_got_data(void *ctx, const char *bytes, size_t n)
{
    struct got *g = ctx;
    assert_int_equal(buf_add(&g->body, bytes, n), 0);
    assert_int_equal(sse_feed(&g->sse, bytes, n), 0);
}

static void on_got_done(void *ctx, const struct fetch_result *result)
{
    struct got *g = ctx;
    g->result = *result;
    g->done = true;
}

static void close_provider(struct fixture *f)
{
    provider_close(f->provider);
    while (!f->closed)
        uv_run(&f->loop, UV_RUN_ONCE);
    f->closed = 0;
    f->provider = NULL;
}

static void run(struct fixture *f, size_t dialect, const char *body, const char *script,
                struct got *g)
{
    static const struct fetch_ops got_ops = {.on_data = on_got_data, .on_done = on_got_done};
    char url[160];
    struct fetch_req *req;
    const char *const headers[] = {"Content-Type: application/json", "Authorization: Bearer k",
                                   dialects[dialect].header, NULL};
    *g = (struct got){0};
    open_with(f, script, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", provider_port(f->provider),
             dialects[dialect].path);
    const struct fetch_options o = {.method = "POST",
                                    .url = url,
                                    .headers = headers,
                                    .body = body,
                                    .body_n = strlen(body),
                                    .decode = true};
    sse_init(&g->sse, 8u << 20, on_got_event, g);
    assert_int_equal(fetch_start(f->fetch, &o, &got_ops, g, &req), 0);
    while (!g->done)
        uv_run(&f->loop, UV_RUN_ONCE);
    sse_deinit(&g->sse);
    close_provider(f);
}

static void free_got(struct got *g)
{
    buf_deinit(&g->body);
    buf_deinit(&g->data);
}

static char *script_with(const char *wire, const char *more)
{
    struct buf script = {0};
    assert_int_equal(buf_addf(&script,
                              "{\"wire\":%s,\"turns\":[{\"reply\":[{\"thought\":\"hm\"},"
                              "{\"text\":[\"Hel\",\"lo \\u00e4\\ud83d\\ude00\\n\"]},"
                              "{\"tool\":\"read_file\",\"with\":{\"path\":\"\\u00fc\"}},"
                              "{\"tool\":\"read_file\"}]%s}]}",
                              wire, more),
                     0);
    return buf_take(&script);
}

static const char *const legal[] = {
    "{}",
    "{\"eol\":\"lf\"}",
    "{\"eol\":\"crlf\"}",
    "{\"eol\":\"cr\"}",
    "{\"bom\":true}",
    "{\"space\":false}",
    "{\"comments\":true}",
    "{\"empty_data\":true}",
    "{\"fields\":true}",
    "{\"multiline\":true}",
    "{\"blank\":3}",
    "{\"huge\":300000}",
    "{\"write\":1}",
    "{\"write\":7,\"eol\":\"crlf\"}",
    "{\"write\":2,\"eol\":\"cr\",\"multiline\":true}",
    "{\"write\":100,\"pause\":1,\"huge\":10}",
    "{\"type\":\"application/x-whatever\"}",
    "{\"trailing\":true}",
    "{\"gzip\":true}",
    "{\"gzip\":true,\"write\":1,\"huge\":70000}",
    "{\"extension\":true}",
    "{\"extension\":true,\"gzip\":true,\"write\":3}",
    "{\"chaos\":\"legal\"}",
    "{\"chaos\":\"legal\",\"eol\":\"crlf\"}",
    "{\"bom\":true,\"comments\":true,\"fields\":true,\"multiline\":true,\"space\":false,"
    "\"blank\":1,\"eol\":\"cr\",\"write\":5}",
};

static void check_equal(size_t d, const char *shape, const struct got *plain,
                        const struct got *shaped)
{
    assert_int_equal(shaped->result.rc, 0);
    assert_int_equal(shaped->result.status, 200);
    if (plain->data.n != shaped->data.n ||
        memcmp(plain->data.p, shaped->data.p, plain->data.n) != 0)
        fail_msg("%s, %s: %zu bytes of data, not %zu", dialects[d].path, shape, shaped->data.n,
                 plain->data.n);
}

static void test_legal_shapes(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < DIALECTS * sizeof legal / sizeof legal[0]; i++) {
        size_t d = i % DIALECTS;
        struct got plain, shaped;
        char *plain_script = script_with("{}", "");
        char *script = script_with(legal[i / DIALECTS], "");
        run(f, d, dialects[d].body, plain_script, &plain);
        run(f, d, dialects[d].body, script, &shaped);
        check_equal(d, legal[i / DIALECTS], &plain, &shaped);
        free_got(&plain);
        free_got(&shaped);
        free(plain_script);
        free(script);
    }
}

/* Cut and reset after each of the events, and at some bytes: exactly there. */
static void test_stops(void **state)
{
    struct fixture *f = *state;
    char wire[80];
    for (size_t d = 0; d < DIALECTS; d++) {
        struct got whole_got, cut_got;
        char *script = script_with("{}", "");
        run(f, d, dialects[d].body, script, &whole_got);
        free(script);
        for (unsigned n = 0; n < whole_got.events; n++) {
            snprintf(wire, sizeof wire, "{\"%s\":{\"events\":%u}}", n % 2 ? "reset" : "cut", n);
            script = script_with(wire, "");
            run(f, d, dialects[d].body, script, &cut_got);
            assert_int_not_equal(cut_got.result.rc, 0);
            if (n % 2 == 0) /* a reset may overtake what was written */
                assert_int_equal(cut_got.events, n);
            free_got(&cut_got);
            free(script);
        }
        for (unsigned n = 0; n < whole_got.body.n; n += 61) {
            snprintf(wire, sizeof wire, "{\"cut\":{\"bytes\":%u}}", n);
            script = script_with(wire, "");
            run(f, d, dialects[d].body, script, &cut_got);
            assert_int_not_equal(cut_got.result.rc, 0);
            assert_int_equal(cut_got.body.n, n);
            if (n > 0)
                assert_memory_equal(cut_got.body.p, whole_got.body.p, n);
            free_got(&cut_got);
            free(script);
        }
        free_got(&whole_got);
    }
}

static void test_events_lost_and_doubled(void **state)
{
    struct fixture *f = *state;
    for (size_t d = 0; d < DIALECTS; d++) {
        struct got whole_got, g;
        char *script = script_with("{}", "");
        run(f, d, dialects[d].body, script, &whole_got);
        free(script);
        static const struct {
            const char *wire;
            int more;
        } tries[] = {
            {"{\"drop\":2}", -1},
            {"{\"duplicate\":2}", 1},
            {"{\"garble\":2}", 0},
            {"{\"finish_twice\":true}", 1},
        };
        for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
            script = script_with(tries[i].wire, "");
            run(f, d, dialects[d].body, script, &g);
            assert_int_equal(g.result.rc, 0);
            assert_int_equal(g.events, (int)whole_got.events + tries[i].more);
            free_got(&g);
            free(script);
        }
        free_got(&whole_got);
    }
}

static void test_answers_in_one_piece(void **state)
{
    struct fixture *f = *state;
    struct got g;
    static const char text[] = "[{\"reply\":[{\"text\":\"a\"}],\"wire\":%s}]";
    char script[200];
#define TRY(wire)                                                                                  \
    do {                                                                                           \
        snprintf(script, sizeof script, text, wire);                                               \
        run(f, 0, HI, script, &g);                                                                 \
    } while (0)
    TRY("{\"blank\":2,\"write\":3}");
    assert_int_equal(g.result.rc, 0);
    assert_memory_equal(g.body.p, "\n\n{\"id\":", 8);
    free_got(&g);
    TRY("{\"cut\":{\"bytes\":5}}");
    assert_int_not_equal(g.result.rc, 0);
    assert_int_equal(g.body.n, 5);
    free_got(&g);
    TRY("{\"length\":9}");
    assert_int_equal(g.body.n, 9);
    free_got(&g);
    TRY("{\"length\":9999}");
    assert_int_not_equal(g.result.rc, 0);
    free_got(&g);
}

static void test_a_status_and_a_stall(void **state)
{
    struct fixture *f = *state;
    struct got g;
    run(f, 0, HI, "[{\"status\":500,\"body\":\"0123456789\",\"wire\":{\"cut\":{\"bytes\":4}}}]",
        &g);
    assert_int_equal(g.result.status, 500);
    assert_int_equal(g.body.n, 4);
    free_got(&g);
    f->log.n = 0;
    struct chat c = {.f = f};
    open_with(f,
              "[{\"reply\":[{\"text\":\"a\",\"repeat\":9}],\"wire\":{\"stall\":{\"events\":2}}}]",
              NULL);
    start(&c, HI_FLOW);
    while (c.text.n == 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    fetch_cancel(c.req);
    wait_log(f, "gone 1;");
    assert_string_equal(str(&c.text), "a");
    free_chat(&c);
}

static void test_finish_words(void **state)
{
    static const char *const wants[DIALECTS][2] = {
        {"\"finish_reason\":\"odd\"", "\"finish_reason\":\"odd\""},
        {"\"incomplete_details\":{\"reason\":\"odd\"}", "\"status\":\"incomplete\""},
        {"\"stop_reason\":\"odd\"", "\"stop_reason\":\"odd\""},
        {"\"finishReason\":\"odd\"", "\"finishReason\":\"odd\""},
    };
    struct fixture *f = *state;
    struct got g;
    for (size_t i = 0; i < 2 * DIALECTS; i++) {
        size_t d = i / 2;
        run(f, d, i % 2 ? dialects[d].whole_body : dialects[d].body,
            "[{\"reply\":[{\"text\":\"a\"}],\"finish\":{\"word\":\"odd\"}}]", &g);
        assert_non_null(strstr(buf_cstr(&g.body), wants[d][i % 2]));
        free_got(&g);
    }
}

static void test_seeds(void **state)
{
    struct fixture *f = *state;
    struct got a, b;
    char *script = script_with("{\"chaos\":\"hostile\"}", "");
    run(f, 0, HI_TOOLS, script, &a);
    run(f, 0, HI_TOOLS, script, &b);
    assert_int_equal(a.result.rc != 0, b.result.rc != 0);
    free_got(&a);
    free_got(&b);
    free(script);
}

static void check_bad(const char *wire, const char *want)
{
    char script[200], err[200];
    snprintf(script, sizeof script, "[{\"reply\":[],\"wire\":%s}]", wire);
    cJSON *json = parse(script);
    assert_int_equal(provider_check_script(json, err, sizeof err), E_INVALID);
    if (!strstr(err, want))
        fail_msg("%s\n  want: %s\n  got:  %s", wire, want, err);
    cJSON_Delete(json);
}

static void test_wrong_shapes(void **state)
{
    (void)state;
    cJSON *json = parse("[{\"reply\":[],\"finish\":{\"word\":7}}]");
    char err[200];
    assert_int_equal(provider_check_script(json, err, sizeof err), E_INVALID);
    assert_string_equal(err, "turns[0]: finish must be stop, tool_calls, length, content_filter, "
                             "null or {\"word\": text}");
    cJSON_Delete(json);
    check_bad("7", "turns[0]: wire must be an object");
    check_bad("{\"x\":1}", "unknown member \"x\"");
    check_bad("{\"bom\":1}", "bom must be true or false");
    check_bad("{\"eol\":\"lfcr\"}", "eol must be");
    check_bad("{\"write\":-1}", "write must be a whole number");
    check_bad("{\"cut\":3}", "cut must be {");
    check_bad("{\"cut\":{\"lines\":3}}", "unknown member \"lines\"");
    check_bad("{\"cut\":{\"bytes\":3},\"stall\":{\"bytes\":3}}", "only one of");
    check_bad("{\"type\":7}", "type must be");
    check_bad("{\"chaos\":true}", "chaos must be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_legal_shapes),
        TEST(test_stops),
        TEST(test_events_lost_and_doubled),
        TEST(test_answers_in_one_piece),
        TEST(test_a_status_and_a_stall),
        TEST(test_finish_words),
        TEST(test_seeds),
        cmocka_unit_test(test_wrong_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
