/* The event parser: every text in every chunk size, ending at a guard page. */
#include "base/err.h"
#include "http/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX 32

/* "name|data;" for each event. */
static void collect(void *ctx, const struct sse_event *event)
{
    struct buf *got = ctx;
    assert_int_equal(event->data[event->data_n], '\0');
    assert_int_equal(buf_adds(got, event->name), 0);
    assert_int_equal(buf_addc(got, '|'), 0);
    assert_int_equal(buf_add(got, event->data, event->data_n), 0);
    assert_int_equal(buf_addc(got, ';'), 0);
}

/* Memory whose last byte is the last one that may be read. */
struct guarded {
    char *map, *p;
    size_t map_n;
};

static struct guarded guard(const char *in, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = {.map_n = (n / page + 2) * page};
    g.map = mmap(NULL, g.map_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.map, MAP_FAILED);
    assert_int_equal(mprotect(g.map + g.map_n - page, page, PROT_NONE), 0);
    g.p = g.map + g.map_n - page - n;
    memcpy(g.p, in, n);
    return g;
}

static unsigned run(const char *p, size_t n, size_t step, struct buf *got)
{
    struct sse s;
    unsigned dropped = 0;
    sse_init(&s, MAX, collect, got);
    for (size_t at = 0; at < n; at += step) {
        size_t part = n - at < step ? n - at : step;
        int rc = sse_feed(&s, p + at, part);
        assert_true(rc == 0 || rc == E_TOOBIG);
        dropped += rc == E_TOOBIG;
    }
    dropped += sse_finish(&s) == E_TOOBIG;
    sse_deinit(&s);
    return dropped;
}

/* dropped: at least one event was over the limit. */
static void check_n(const char *in, size_t n, const char *want, bool dropped)
{
    struct guarded g = guard(in, n);
    for (size_t step = 1; step <= (n ? n : 1); step++) {
        struct buf got = {0};
        assert_int_equal(run(g.p, n, step, &got) > 0, dropped);
        assert_string_equal(got.n ? buf_cstr(&got) : "", want);
        buf_deinit(&got);
    }
    munmap(g.map, g.map_n);
}

static void check(const char *in, const char *want)
{
    check_n(in, strlen(in), want, false);
}

static void test_line_ends(void **state)
{
    (void)state;
    check("data: a\n\ndata: b\n\n", "|a;|b;");
    check("data: a\r\n\r\ndata: b\r\n\r\n", "|a;|b;");
    check("data: a\r\rdata: b\r\r", "|a;|b;");
    check("data: a\r\n\rdata: b\n\r\n", "|a;|b;");
    check("\n\n\r\r\n", "");
    check("", "");
}

static void test_fields(void **state)
{
    (void)state;
    check("data:a\n\n", "|a;");
    check("data:  a\n\n", "| a;");
    check("data: a\ndata: b\ndata:\ndata\n\n", "|a\nb\n\n;");
    check("data\n\n", "|;");
    check("data:\n\n", "|;");
    check("event: x\ndata: a\n\ndata: b\n\n", "x|a;|b;");
    check("event: x\nevent: yy\ndata: a\n\n", "yy|a;");
    check("event: x\n\ndata: a\n\n", "|a;");
    check("id: 7\nretry: 3\ndatas: no\nDATA: no\ndata: a: b\n\n", "|a: b;");
    check("data: \xC3\xA4\xE2\x82\xAC\n\n", "|\xC3\xA4\xE2\x82\xAC;");
}

static void test_comments(void **state)
{
    (void)state;
    check(": keep-alive\n\n:\n\ndata: a\n: in between\ndata: b\n\n", "|a\nb;");
    check("data: : keepalive\n\n", "|: keepalive;");
}

static void test_bom(void **state)
{
    (void)state;
    check("\xEF\xBB\xBF"
          "data: a\n\n",
          "|a;");
    check("\xEF\xBB\xBF\n\xEF\xBB\xBF"
          "data: a\n\n",
          "");
    check("\xEF\xBB", "");
}

static void test_end_without_blank_line(void **state)
{
    (void)state;
    check("data: a\n\ndata: [DONE]", "|a;|[DONE];");
    check("data: a\n", "|a;");
    check("data: a\r", "|a;");
    check("event: x", "");
}

static void test_nul_byte_is_data(void **state)
{
    (void)state;
    char want[] = "|a";
    struct buf got = {0};
    assert_int_equal(run("data: a\0b\n\n", 11, 3, &got), 0);
    assert_int_equal(got.n, 5);
    assert_memory_equal(got.p, "|a\0b;", 5);
    assert_memory_equal(got.p, want, 2);
    buf_deinit(&got);
}

static void check_dropped(const char *in, const char *want)
{
    check_n(in, strlen(in), want, true);
}

static void test_too_big(void **state)
{
    (void)state;
    check("data: 12345678901234567890123456\n\n", "|12345678901234567890123456;");
    check("\xEF\xBB\xBF"
          "data: 12345678901234567890123456\n\n",
          "|12345678901234567890123456;");
    check_dropped("data: 123456789012345678901234567\n\ndata: b\n\n", "|b;");
    check_dropped("\xEF\xBB\xBF"
                  "data: 123456789012345678901234567\n\ndata: b\n\n",
                  "|b;");
    check_dropped("data: 12345678901234567890\ndata: 12345678901234567890\ndata: c\n\ndata: b\n\n",
                  "|b;");
    check_dropped("data: a\n\ndata: 123456789012345678901234567890", "|a;");
    check_dropped(": 12345678901234567890123456789012345\ndata: a\n\ndata: b\r\n\r\n", "|b;");
}

static void count(void *ctx, const struct sse_event *event)
{
    size_t *n = ctx;
    *n += event->data_n == 1;
}

/* Streams with only one kind of line end must not be searched once per line for the other. */
static void test_many_lines_are_linear(void **state)
{
    (void)state;
    enum { EVENTS = 200000 };
    const char *texts[] = {"data:x\r\r", "data:x\n\n"};
    for (size_t t = 0; t < ARRAY_LEN(texts); t++) {
        size_t n = strlen(texts[t]), seen = 0;
        char *in = malloc(n * EVENTS);
        assert_non_null(in);
        for (size_t i = 0; i < EVENTS; i++)
            memcpy(in + i * n, texts[t], n);
        struct sse s;
        sse_init(&s, MAX, count, &seen);
        assert_int_equal(sse_feed(&s, in, n * EVENTS), 0);
        assert_int_equal(seen, EVENTS);
        sse_deinit(&s);
        free(in);
    }
}

static void test_deinit_accepts_zero(void **state)
{
    (void)state;
    struct sse s = {0};
    sse_deinit(&s);
}

/* What a stream says about being taken up again, in every chunk size. */
static void test_ids_and_retries(void **state)
{
    static const char text[] =
        "id: 1\nretry: 250\ndata: a\n\nid\nid: a b\ndata:\n\nid: x\0y\nretry: 9s\n\n";
    (void)state;
    for (size_t step = 1; step < sizeof text; step++) {
        struct buf got = {0};
        struct sse s;
        sse_init(&s, MAX, collect, &got);
        assert_int_equal(s.retry_ms, -1);
        for (size_t at = 0; at < sizeof text - 1; at += step)
            assert_int_equal(
                sse_feed(&s, text + at, sizeof text - 1 - at < step ? sizeof text - 1 - at : step),
                0);
        assert_string_equal(buf_cstr(&s.id), "a b");
        assert_int_equal(s.retry_ms, 250);
        sse_deinit(&s);
        buf_deinit(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_and_retries),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_bom),
        cmocka_unit_test(test_end_without_blank_line),
        cmocka_unit_test(test_nul_byte_is_data),
        cmocka_unit_test(test_too_big),
        cmocka_unit_test(test_many_lines_are_linear),
        cmocka_unit_test(test_deinit_accepts_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
