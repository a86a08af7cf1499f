/* Every allocation of the two HTTP parsers fails once. */
#include "base/err.h"
#include "http/httpd_parse.h"
#include "http/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "oom.h"

static void ignore(void *ctx, const struct sse_event *event)
{
    (void)ctx;
    (void)event;
}

/* Small parts, so that each buffer is used; long ones, so that each grows. */
static int feed_events(void *ctx)
{
    const char in[] = "\xEF\xBB\xBF: note\nevent: a-name\ndata: one\r\ndata: two\n\n"
                      "data: 0123456789012345678901234567890123456789\n\n"
                      "data: far too long 01234567890123456789012345678901234567890123456789\n\n"
                      "data: last";
    struct sse s;
    int rc = 0;
    (void)ctx;
    sse_init(&s, 60, ignore, NULL);
    for (size_t at = 0; rc == 0 && at < sizeof in - 1; at++) {
        rc = sse_feed(&s, in + at, 1);
        if (rc == E_TOOBIG)
            rc = 0;
    }
    if (rc == 0)
        rc = sse_finish(&s);
    sse_deinit(&s);
    return rc;
}

static int feed_request(void *ctx)
{
    const char in[] = "POST /path HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "14\r\n01234567890123456789\r\n0\r\n\r\n"
                      "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";
    struct httpd_parser p = {0};
    int rc = 0;
    (void)ctx;
    for (size_t at = 0; rc >= 0 && at < sizeof in - 1; at++) {
        size_t used;
        rc = httpd_parser_feed(&p, in + at, 1, &used);
        if (rc < 0)
            assert_int_equal(p.status, 503);
        if (rc == 1)
            httpd_parser_reset(&p);
    }
    httpd_parser_deinit(&p);
    return rc < 0 ? rc : 0;
}

static void test_sse(void **state)
{
    (void)state;
    oom_fail_each(feed_events, NULL);
}

static void test_request(void **state)
{
    (void)state;
    oom_fail_each(feed_request, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sse), cmocka_unit_test(test_request)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
