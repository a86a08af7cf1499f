/* The request parser: every request in every chunk size, ending at a guard page. */
#include "base/err.h"
#include "http/httpd_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* "METHOD path|name=value,|body;" per request; "!status" where the parser gave up. */
static void describe(struct httpd_parser *p, struct buf *got)
{
    int rc = buf_addf(got, "%s %s|", p->method, p->path);
    for (size_t i = 0; rc == 0 && i < p->header_n; i++)
        if (strcmp(p->headers[i].name, "Host") != 0)
            rc = buf_addf(got, "%s=%s,", p->headers[i].name, p->headers[i].value);
    assert_int_equal(rc, 0);
    assert_int_equal(p->body.p[p->body.n], '\0');
    assert_int_equal(buf_addf(got, "|%s%s;", p->body.p, p->keep_alive ? "" : "(close)"), 0);
}

static int feed_part(struct httpd_parser *p, const char *bytes, size_t n, struct buf *got)
{
    for (size_t at = 0; at < n;) {
        size_t used = 0;
        int rc = httpd_parser_feed(p, bytes + at, n - at, &used);
        if (rc < 0) {
            assert_non_null(p->fault);
            assert_int_equal(buf_addf(got, "!%d", p->status), 0);
            return rc;
        }
        at += used;
        if (rc == 1) {
            describe(p, got);
            httpd_parser_reset(p);
        } else {
            assert_int_equal(at, n);
        }
    }
    return 0;
}

static void check_n(const char *in, size_t n, const char *want)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), map_n = (n / page + 2) * page;
    char *map = mmap(NULL, map_n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + map_n - page, page, PROT_NONE), 0);
    char *p = map + map_n - page - n;
    memcpy(p, in, n);
    for (size_t step = 1; step <= n; step++) {
        struct httpd_parser parser = {0};
        struct buf got = {0};
        int rc = 0;
        for (size_t at = 0; at < n && rc == 0; at += step)
            rc = feed_part(&parser, p + at, n - at < step ? n - at : step, &got);
        assert_string_equal(got.n ? buf_cstr(&got) : "", want);
        buf_deinit(&got);
        httpd_parser_deinit(&parser);
    }
    munmap(map, map_n);
}

static void check(const char *in, const char *want)
{
    check_n(in, strlen(in), want);
}

static void test_plain(void **state)
{
    (void)state;
    check("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /||;");
    check("GET /a?b=c HTTP/1.1\nHost: h\nX-A:1\nx-b: \t two words \t\n\n",
          "GET /a?b=c|X-A=1,x-b=two words,|;");
    check("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /||;");
    check("GET http://h/p HTTP/1.1\r\nHost: h\r\nEmpty:\r\n\r\n", "GET http://h/p|Empty=,|;");
    check("GET / HTTP/1.1\r\nHost: h\r\n", "");
}

static void test_bodies(void **state)
{
    (void)state;
    check("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
          "POST /p|Content-Length=5,|hello;");
    check("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
          "POST /p|Content-Length=0,|;");
    check("POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
          "3\r\nabc\r\nA ;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n",
          "POST /p|Transfer-Encoding=chunked,|abc0123456789;");
    check("POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
          "POST /p|Transfer-Encoding=Chunked,|;");
}

static void test_pipelined(void **state)
{
    (void)state;
    check("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
          "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
          "GET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
          "GET /1||;POST /2|Content-Length=2,|hi;GET /3|Connection=close,|(close);");
}

static void test_versions(void **state)
{
    (void)state;
    check("GET / HTTP/1.0\r\n\r\n", "GET /||(close);");
    check("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /|Connection=keep-alive,|;");
    check("GET / HTTP/2.0\r\nHost: h\r\n\r\n", "!505");
    check("GET / XTTP/1.1\r\nHost: h\r\n\r\n", "!400");
    check("GET /\r\n\r\n", "!400");
}

static void test_refused_heads(void **state)
{
    (void)state;
    check("hello\r\n", "!400");
    check(" GET / HTTP/1.1\r\n", "!400");
    check("G@T / HTTP/1.1\r\n", "!400");
    check("GET relative HTTP/1.1\r\n", "!400");
    check("GET / HTTP/1.1\r\n\r\n", "!400"); /* no Host */
    check("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "!400");
    check("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", "!400");
    check("GET / HTTP/1.1\r\nHost : h\r\n\r\n", "!400");
    check("GET / HTTP/1.1\r\nno colon\r\n\r\n", "!400");
    check("GET / HTTP/1.1\r\nX: a\rb\r\n\r\n", "!400");
    check_n("GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", 25, "!400");
    check_n("GET /\0 HTTP/1.1\r\n\r\n", 19, "!400");
}

static void test_refused_lengths(void **state)
{
    (void)state;
#define HEAD "POST / HTTP/1.1\r\nHost: h\r\n"
    check(HEAD "Content-Length: -1\r\n\r\n", "!400");
    check(HEAD "Content-Length: 1x\r\n\r\n", "!400");
    check(HEAD "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "!400");
    check(HEAD "Content-Length: 99999999999999999999\r\n\r\n", "!400");
    check(HEAD "Content-Length: 999999999\r\n\r\n", "!413");
    check(HEAD "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "!400");
    check(HEAD "Transfer-Encoding: gzip\r\n\r\n", "!501");
    check(HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", "!501");
    check("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "!400");
#define CHUNKED HEAD "Transfer-Encoding: chunked\r\n\r\n"
    check(CHUNKED "x\r\n", "!400");
    check(CHUNKED "\r\n", "!400");
    check(CHUNKED "fffffffffffffff\r\n", "!413");
    check(CHUNKED "1\r\nab\r\n", "!400");
}

/* Only some step sizes: the input is long. */
static void check_long(const char *head, size_t filler, int want_status)
{
    const size_t steps[] = {1000, 4096, 1u << 20};
    size_t head_n = strlen(head), n = head_n + filler;
    char *in = malloc(n);
    assert_non_null(in);
    memcpy(in, head, head_n);
    memset(in + head_n, 'a', filler);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct httpd_parser p = {0};
        struct buf got = {0};
        char want[16];
        int rc = 0;
        for (size_t at = 0; at < n && rc == 0; at += steps[i])
            rc = feed_part(&p, in + at, n - at < steps[i] ? n - at : steps[i], &got);
        snprintf(want, sizeof want, "!%d", want_status);
        assert_string_equal(buf_cstr(&got), want);
        buf_deinit(&got);
        httpd_parser_deinit(&p);
    }
    free(in);
}

static void test_bounds(void **state)
{
    (void)state;
    check_long("GET /", HTTPD_HEAD_MAX, 414);
    check_long("GET / HTTP/1.1\r\nX: ", HTTPD_HEAD_MAX, 431);
    struct buf many = {0};
    int rc = buf_adds(&many, "GET / HTTP/1.1\r\n");
    for (int i = 0; rc == 0 && i <= HTTPD_HEADERS_MAX; i++)
        rc = buf_adds(&many, "a:b\n");
    assert_int_equal(rc, 0);
    check(buf_cstr(&many), "!431");
    buf_deinit(&many);
}

static void test_continue_is_asked_for(void **state)
{
    (void)state;
    const char in[] = HEAD "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n";
    struct httpd_parser p = {0};
    size_t used;
    assert_int_equal(httpd_parser_feed(&p, in, sizeof in - 1, &used), 0);
    assert_true(p.wants_continue);
    assert_int_equal(httpd_parser_feed(&p, "x", 1, &used), 1);
    assert_string_equal(p.body.p, "x");
    httpd_parser_deinit(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),         cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_pipelined),     cmocka_unit_test(test_versions),
        cmocka_unit_test(test_refused_heads), cmocka_unit_test(test_refused_lengths),
        cmocka_unit_test(test_bounds),        cmocka_unit_test(test_continue_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
