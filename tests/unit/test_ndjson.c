/* Lines in every cut: whatever the chunk size, the same lines and the same complaints come out. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/ndjson.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_LINE 8

/* Appends what comes out: "[line]" or "!" for one that was too long. */
static void drain(struct ndjson *d, struct buf *got)
{
    char *line;
    size_t n;
    int rc;
    while ((rc = ndjson_next(d, &line, &n)) != 0) {
        if (rc == E_TOOBIG) {
            assert_int_equal(buf_addc(got, '!'), 0);
            continue;
        }
        assert_int_equal(rc, 1);
        assert_int_equal(line[n], '\0');
        assert_int_equal(buf_addc(got, '[') | buf_add(got, line, n) | buf_addc(got, ']'), 0);
    }
}

static void rest(struct ndjson *d, struct buf *got)
{
    char *line;
    size_t n;
    if (ndjson_rest(d, &line, &n) == 0)
        return;
    assert_int_equal(line[n], '\0');
    assert_int_equal(buf_addc(got, '<') | buf_add(got, line, n) | buf_addc(got, '>'), 0);
    assert_int_equal(ndjson_rest(d, &line, &n), 0);
}

static void check_step(const char *in, size_t n, size_t step, const char *want)
{
    struct ndjson d;
    struct buf got = {0};
    ndjson_init(&d, MAX_LINE);
    for (size_t at = 0; at < n; at += step) {
        assert_int_equal(ndjson_feed(&d, in + at, n - at < step ? n - at : step), 0);
        drain(&d, &got);
    }
    rest(&d, &got);
    assert_string_equal(buf_cstr(&got), want);
    buf_deinit(&got);
    ndjson_deinit(&d);
}

/* Fed all at once and only then drained: nothing depends on draining in between. */
static void check_late(const char *in, size_t n, const char *want)
{
    struct ndjson d;
    struct buf got = {0};
    ndjson_init(&d, MAX_LINE);
    for (size_t at = 0; at < n; at++)
        assert_int_equal(ndjson_feed(&d, in + at, 1), 0);
    drain(&d, &got);
    rest(&d, &got);
    assert_string_equal(buf_cstr(&got), want);
    buf_deinit(&got);
    ndjson_deinit(&d);
}

/* The input ends where readable memory ends. */
static char *guarded(const char *in, size_t n, size_t page, char **ret_map)
{
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
    if (n > 0)
        memcpy(map + page - n, in, n);
    *ret_map = map;
    return map + page - n;
}

static void check(const char *in, size_t n, const char *want)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map;
    char *text = guarded(in, n, page, &map);
    for (size_t step = 1; step <= n; step++)
        check_step(text, n, step, want);
    check_late(text, n, want);
    munmap(map, 2 * page);
}

#define CHECK(in, want) check(in, sizeof(in) - 1, want)

static void lines_come_whole(void **state)
{
    (void)state;
    CHECK("", "");
    CHECK("a\n", "[a]");
    CHECK("a\nbb\nccc\n", "[a][bb][ccc]");
    CHECK("{\"a\":1}\n{}\n", "[{\"a\":1}][{}]");
    CHECK("\xf0\x9f\x98\x80\n\xff\n", "[\xf0\x9f\x98\x80][\xff]");
}

static void crlf_and_blanks_do_no_harm(void **state)
{
    (void)state;
    CHECK("a\r\nb\r\n", "[a][b]");
    CHECK("\n\r\n  \n\t \r\n a \n", "[ a ]");
    CHECK("a\rb\n", "[a\rb]");
    CHECK("a\r\r\n", "[a\r]");
    CHECK("\n\n\n", "");
}

static void the_last_line_may_be_unfinished(void **state)
{
    (void)state;
    CHECK("a\nb", "[a]<b>");
    CHECK("b\r", "<b>");
    CHECK("a\n  ", "[a]");
    CHECK("12345678", "<12345678>");
}

static void long_lines_are_dropped_once(void **state)
{
    (void)state;
    CHECK("12345678\n", "[12345678]");
    CHECK("123456789\n", "!");
    CHECK("123456789\na\n", "![a]");
    CHECK("a\n12345678901234567890\nb\n", "[a]![b]");
    CHECK("1234567890\n1234567890\nb", "!!<b>");
    CHECK("1234567890", "!");
    CHECK("1234567890\n", "!");
    CHECK("12345678\r\n", "!"); /* the CR counts */
}

static void nul_bytes_are_content(void **state)
{
    (void)state;
    struct ndjson d;
    char *line;
    size_t n;
    ndjson_init(&d, MAX_LINE);
    assert_int_equal(ndjson_feed(&d, "a\0b\n", 4), 0);
    assert_int_equal(ndjson_next(&d, &line, &n), 1);
    assert_int_equal(n, 3);
    assert_memory_equal(line, "a\0b", 4);
    ndjson_deinit(&d);
}

/* A peer that never ends its line costs no memory. */
static void skipping_costs_no_memory(void **state)
{
    (void)state;
    static const char junk[1000] = {'x'};
    struct ndjson d;
    struct buf got = {0};
    ndjson_init(&d, MAX_LINE);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(ndjson_feed(&d, junk, sizeof junk), 0);
        drain(&d, &got);
    }
    assert_true(d.in.cap <= 4 * sizeof junk);
    assert_int_equal(ndjson_feed(&d, "\nok\n", 4), 0);
    drain(&d, &got);
    assert_string_equal(buf_cstr(&got), "![ok]");
    buf_deinit(&got);
    ndjson_deinit(&d);
}

/* 64 MiB in pipe-sized parts, then the memory goes back. */
static void a_huge_line_fits(void **state)
{
    (void)state;
    const size_t size = 64u << 20, part = 64u << 10;
    struct ndjson d;
    char *line;
    size_t n;
    char *text = malloc(part);
    assert_non_null(text);
    memset(text, 'x', part);
    ndjson_init(&d, size);
    for (size_t at = 0; at < size; at += part) {
        assert_int_equal(ndjson_feed(&d, text, part), 0);
        assert_int_equal(ndjson_next(&d, &line, &n), 0);
    }
    assert_int_equal(ndjson_feed(&d, "\n", 1), 0);
    assert_int_equal(ndjson_next(&d, &line, &n), 1);
    assert_int_equal(n, size);
    assert_int_equal(ndjson_feed(&d, "b\n", 2), 0);
    assert_int_equal(ndjson_next(&d, &line, &n), 1);
    assert_string_equal(line, "b");
    assert_true(d.in.cap < size / 64);
    ndjson_deinit(&d);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole),
        cmocka_unit_test(crlf_and_blanks_do_no_harm),
        cmocka_unit_test(the_last_line_may_be_unfinished),
        cmocka_unit_test(long_lines_are_dropped_once),
        cmocka_unit_test(nul_bytes_are_content),
        cmocka_unit_test(skipping_costs_no_memory),
        cmocka_unit_test(a_huge_line_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
