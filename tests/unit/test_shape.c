/* The shape of a stream, alone: each shape's bytes, in pieces of every size. */
#include "mock-provider/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const char two[] = "event: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n\n";

static void check_in(const struct shape *s, const char *in, const char *want)
{
    size_t n = strlen(in);
    for (size_t step = 1; step <= n + 1; step++) {
        struct shape_run w = {0};
        struct buf out = {0};
        for (size_t at = 0; at < n; at += step)
            assert_int_equal(shape_feed(&w, s, in + at, at + step < n ? step : n - at, &out), 0);
        assert_int_equal(shape_end(&w, s, &out), 0);
        if (strcmp(out.n ? buf_cstr(&out) : "", want) != 0)
            fail_msg("in pieces of %zu\n  want: %s\n  got:  %s", step, want, out.n ? out.p : "");
        buf_deinit(&out);
        shape_deinit(&w);
    }
}

#define CHECK(want, ...)                                                                           \
    do {                                                                                           \
        const struct shape s = {.any = true, __VA_ARGS__};                                         \
        check_in(&s, two, want);                                                                   \
    } while (0)

static void test_legal_shapes(void **state)
{
    (void)state;
    CHECK("event: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n\n", .eol = SHAPE_EOL_OWN);
    CHECK("event: a\r\ndata: {\"x\":1}\r\n\r\ndata: {\"y\":22}\r\n\r\n", .eol = SHAPE_EOL_CRLF);
    CHECK("event: a\rdata: {\"x\":1}\r\rdata: {\"y\":22}\r\r", .eol = SHAPE_EOL_CR);
    CHECK("\xEF\xBB\xBF"
          "event: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n\n",
          .bom = true);
    CHECK("\n\nevent: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n\n", .blank = 2);
    CHECK("event:a\ndata:{\"x\":1}\n\ndata:{\"y\":22}\n\n", .no_space = true);
    CHECK(": keep-alive\nevent: a\ndata: {\"x\":1}\n\n: keep-alive\ndata: {\"y\":22}\n\n",
          .comments = true);
    CHECK("data:\n\nevent: a\ndata: {\"x\":1}\n\ndata:\n\ndata: {\"y\":22}\n\n",
          .empty_data = true);
    CHECK("id: 1\nretry: 3000\nevent: a\ndata: {\"x\":1}\n\nid: 2\nretry: 3000\n"
          "data: {\"y\":22}\n\n",
          .fields = true);
    CHECK("event: a\ndata: {\ndata: \"x\":1}\n\ndata: {\ndata: \"y\":22}\n\n", .multiline = true);
    CHECK("data: {\"x\":1}\n\ndata: {\"y\":22}\n\n", .no_event_lines = true);
    CHECK("event: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n", .no_last_blank = true);
    CHECK("event: a\ndata: {\"x\":1}  \n\ndata: {\"y\":22}  \n\n", .trailing = true);
    CHECK("event: a\ndata: {\"x_mock\":{\"a\":[null,1e3,\"\"]},\"x\":1}\n\n"
          "data: {\"x_mock\":{\"a\":[null,1e3,\"\"]},\"y\":22}\n\n",
          .extra = true);
    CHECK("event: x_mock\ndata: {\"type\":\"x_mock\"}\n\nevent: a\ndata: {\"x\":1}\n\n"
          "event: x_mock\ndata: {\"type\":\"x_mock\"}\n\ndata: {\"y\":22}\n\n",
          .unknown = true);
    CHECK("data:{\"type\":\"ping\"}\n\ndata:{\"x\":1}\n\n"
          "data:{\"type\":\"ping\"}\n\ndata:{\"y\":22}\n\n",
          .pings = true, .no_space = true, .no_event_lines = true);
    CHECK("event: a\ndata: {   \"x\":1}\n\ndata: {\"y\":22}\n\n", .huge = 3);
}

static void test_broken_shapes(void **state)
{
    (void)state;
    CHECK("event: a\ndata: {\"x\":1}\n\n", .drop = 2);
    CHECK("event: a\ndata: {\"x\":1}\n\nevent: a\ndata: {\"x\":1}\n\ndata: {\"y\":22}\n\n",
          .duplicate = 1);
    CHECK("event: a\ndata: {\"x\":1}\n\ndata: {\"y\"\n\n", .garble = 2);
    CHECK("event: a\ndata: {\"x\":1}\n\n", .stop = SHAPE_CUT, .stop_by_events = true, .stop_at = 1);
    CHECK("", .stop = SHAPE_CUT, .stop_by_events = true);
}

/* At every byte, and through a change of the line ends. */
static void test_stop_at_every_byte(void **state)
{
    static const char whole[] = "event: a\r\ndata: {\"x\":1}\r\n\r\ndata: {\"y\":22}\r\n\r\n";
    char want[sizeof whole];
    (void)state;
    for (uint32_t at = 0; at < sizeof whole; at++) {
        snprintf(want, at + 1, "%s", whole);
        CHECK(want, .stop = SHAPE_CUT, .stop_at = at, .eol = SHAPE_EOL_CRLF);
    }
}

static void test_crlf_in(void **state)
{
    (void)state;
    const struct shape own = {.any = true}, lf = {.any = true, .eol = SHAPE_EOL_LF};
    check_in(&own, "data: {}\r\n\r\ndata: 7\r\n\r\n", "data: {}\r\n\r\ndata: 7\r\n\r\n");
    check_in(&lf, "data: {}\r\n\r\ndata: 7\r\n\r\n", "data: {}\n\ndata: 7\n\n");
    check_in(&lf, "half an event", "half an event");
}

static void test_plain(void **state)
{
    (void)state;
    const struct shape s = {.any = true, .blank = 1, .stop = SHAPE_RESET, .stop_at = 3};
    struct shape_run w = {0};
    struct buf out = {0};
    assert_int_equal(shape_plain(&w, &s, "{\"a\":1}", 7, &out), 0);
    assert_string_equal(buf_cstr(&out), "\n{\"");
    assert_true(w.stopped);
    buf_deinit(&out);
    shape_deinit(&w);
}

static void test_chaos(void **state)
{
    (void)state;
    struct shape a = {0}, b = {0}, c = {.write = 5, .stop = SHAPE_STALL};
    shape_chaos(&a, 0x123456789ABCDEFu, true);
    shape_chaos(&b, 0x123456789ABCDEFu, true);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.any && a.write > 0 && (a.stop == SHAPE_CUT || a.stop == SHAPE_RESET));
    shape_chaos(&c, 99, true);
    assert_int_equal(c.write, 5); /* what the script says stays */
    assert_int_equal(c.stop, SHAPE_STALL);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct shape legal = {0};
        shape_chaos(&legal, seed * 0x9E3779B97F4A7C15u, false);
        assert_int_equal(legal.stop, SHAPE_GO_ON);
        assert_true(legal.eol <= SHAPE_EOL_CR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legal_shapes),
        cmocka_unit_test(test_broken_shapes),
        cmocka_unit_test(test_stop_at_every_byte),
        cmocka_unit_test(test_crlf_in),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_chaos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
