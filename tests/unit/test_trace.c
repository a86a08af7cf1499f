#include "base/buf.h"
#include "base/err.h"
#include "mock-client/base64.h"
#include "mock-client/trace.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_parsing(void **state)
{
    struct trace t;
    (void)state;
    trace_init(&t, 1000);
    t.step = 3;
    t.invalid_ok = true;
    const struct trace_event *e =
        trace_add(&t, TRACE_AGENT, "line", "{\"id\": 12345678901234567890} ", 29, NULL, 5000);
    assert_int_equal(e->seq, 0);
    assert_int_equal(e->t_us, 4);
    assert_int_equal(e->step, 3);
    assert_false(e->invalid_ok);
    assert_int_equal(e->parse_rc, 0);
    assert_int_equal(e->scan.id.n, 20);
    assert_memory_equal(e->scan.id.p, "12345678901234567890", 20);
    assert_non_null(e->json);
    e = trace_add(&t, TRACE_CLIENT, "raw", "{\"a\":", 5, NULL, 6000);
    assert_true(e->invalid_ok);
    assert_int_equal(e->parse_rc, E_PARSE);
    assert_null(e->json);
    e = trace_add(&t, TRACE_AGENT, "too-long", "{}", 2, NULL, 6000);
    assert_null(e->json);
    e = trace_add(&t, TRACE_STDERR, "bytes", "{}", 2, NULL, 6000);
    assert_null(e->json);
    trace_deinit(&t);
    trace_deinit(&t);
}

static void test_many(void **state)
{
    struct trace t;
    (void)state;
    trace_init(&t, 0);
    for (unsigned i = 0; i < 1000; i++)
        assert_non_null(trace_note(&t, TRACE_NOTE, "note", "x", i));
    assert_int_equal(t.n, 1000);
    assert_int_equal(t.events[999]->seq, 999);
    trace_deinit(&t);
}

static void add_one_more(void *ctx, const struct trace_event *e)
{
    struct trace *t = ctx;
    if (e->seq == 0)
        assert_non_null(trace_note(t, TRACE_NOTE, "nested", "", 0));
}

static void test_listener_may_add(void **state)
{
    struct trace t;
    (void)state;
    trace_init(&t, 0);
    t.on_add = add_one_more;
    t.ctx = &t;
    assert_string_equal(trace_note(&t, TRACE_NOTE, "first", "", 0)->kind, "first");
    assert_int_equal(t.n, 2);
    trace_deinit(&t);
}

static void check_line(const struct trace_event *e, const char *want)
{
    struct buf out = {0};
    assert_int_equal(trace_write_event(&out, e), 0);
    assert_string_equal(buf_cstr(&out), want);
    buf_deinit(&out);
}

static void test_writing(void **state)
{
    struct trace t;
    (void)state;
    trace_init(&t, 0);
    check_line(trace_add(&t, TRACE_AGENT, "line", "{\"id\":1e2}\r", 11, NULL, 1500000),
               "{\"seq\":0,\"t\":1.5,\"side\":\"agent\",\"kind\":\"line\",\"step\":-1,\"message\":"
               "{\"id\":1e2}}");
    check_line(trace_add(&t, TRACE_CLIENT, "raw", "{\"id\":\n1}\n", 10, NULL, 0),
               "{\"seq\":1,\"t\":0,\"side\":\"client\",\"kind\":\"raw\",\"step\":-1,\"text\":"
               "\"{\\\"id\\\":\\n1}\\n\"}");
    check_line(trace_add(&t, TRACE_AGENT, "line", "no \"JSON\"", 9, NULL, 0),
               "{\"seq\":2,\"t\":0,\"side\":\"agent\",\"kind\":\"line\",\"step\":-1,\"text\":"
               "\"no \\\"JSON\\\"\"}");
    check_line(trace_add(&t, TRACE_AGENT, "rest", "\377", 1, NULL, 0),
               "{\"seq\":3,\"t\":0,\"side\":\"agent\",\"kind\":\"rest\",\"step\":-1,\"base64\":"
               "\"/w==\"}");
    check_line(trace_model_event(&t, "hold", 2, "h", "A-1", 0),
               "{\"seq\":4,\"t\":0,\"side\":\"model_event\",\"kind\":\"hold\",\"step\":-1,"
               "\"message\":{\"kind\":\"hold\",\"n\":2,\"text\":\"h\",\"check\":\"A-1\"}}");
    check_line(trace_model_request(&t, cJSON_CreateObject(), 0),
               "{\"seq\":5,\"t\":0,\"side\":\"model\",\"kind\":\"request\",\"step\":-1,"
               "\"message\":{}}");
    trace_deinit(&t);
}

static void test_base64(void **state)
{
    static const char *const rows[][2] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        assert_int_equal(base64_encode(&out, rows[i][0], strlen(rows[i][0])), 0);
        assert_string_equal(buf_cstr(&out), rows[i][1]);
        out.n = 0;
        assert_int_equal(base64_decode(&out, rows[i][1], strlen(rows[i][1])), 0);
        assert_string_equal(buf_cstr(&out), rows[i][0]);
        buf_deinit(&out);
    }
}

static void test_base64_refusals(void **state)
{
    static const char *const rows[] = {
        "Z", "Zg=", "Zg", "Z===", "====", "Zm9 ", "Zg==Zg==", "Zm9\n"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        assert_int_equal(buf_adds(&out, "x"), 0);
        assert_int_equal(base64_decode(&out, rows[i], strlen(rows[i])), E_PARSE);
        assert_string_equal(buf_cstr(&out), "x");
        buf_deinit(&out);
    }
}

/* What is written reads back: the bytes, the times, who it was and what was meant to be wrong. */
static void test_reading_back(void **state)
{
    static const struct {
        enum trace_side side;
        const char *kind, *bytes;
        size_t n;
    } events[] = {
        {TRACE_CLIENT, "line", "{ \"id\": 1.0, \"params\": {\"message\": \"}\"} }", 0},
        {TRACE_CLIENT, "raw", "{}\r\n", 4},
        {TRACE_AGENT, "line", "[1, 2]", 6},
        {TRACE_AGENT, "line", "no \xff text\0", 10},
        {TRACE_STDERR, "bytes", "\"message\": {}", 0},
        {TRACE_PROCESS, "exit", "code 0", 6},
    };
    struct trace a, b;
    struct buf text = {0};
    cJSON *header;
    struct trace_fault fault;
    (void)state;
    trace_init(&a, 0);
    trace_init(&b, 0);
    assert_int_equal(buf_adds(&text, "{\"trace\": 1, \"cwd\": \"/x\"}\n\n"), 0);
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        a.invalid_ok = i == 1;
        a.agent = i == 2 ? trace_name_agent(&a, "b") : NULL;
        assert_int_equal(
            trace_write_event(&text, trace_add(&a, events[i].side, events[i].kind, events[i].bytes,
                                               events[i].n, NULL, i * 1000000)),
            0);
        assert_int_equal(buf_addc(&text, '\n'), 0);
    }
    assert_non_null(buf_cstr(&text));
    assert_int_equal(trace_read(&b, text.p, text.n, &header, &fault), 0);
    assert_string_equal(json_get_str(header, "cwd"), "/x");
    assert_int_equal(b.n, a.n);
    for (size_t i = 0; i < a.n; i++) {
        const struct trace_event *x = a.events[i], *y = b.events[i];
        assert_int_equal(x->side, y->side);
        assert_string_equal(x->kind, y->kind);
        assert_int_equal(x->t_us, y->t_us);
        assert_int_equal(x->n, y->n);
        assert_memory_equal(x->bytes, y->bytes, x->n);
        assert_int_equal(x->invalid_ok, y->invalid_ok);
        assert_int_equal(x->parse_rc, y->parse_rc);
        assert_int_equal(!x->agent, !y->agent);
    }
    cJSON_Delete(header);
    buf_deinit(&text);
    trace_deinit(&a);
    trace_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsing),
        cmocka_unit_test(test_reading_back),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_listener_may_add),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_base64_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
