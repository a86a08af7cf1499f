#include "base/buf.h"
#include "base/utf8.h"
#include "guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t encode(uint32_t c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3F));
    to[0] = (char)((0xF0u << (4 - n)) | c);
    return n;
}

static void test_every_code_point(void **state)
{
    (void)state;
    char text[4];
    for (uint32_t c = 0; c < 0x110400; c++) {
        size_t n = encode(c, text);
        bool valid = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
        if (utf8_char(text, n) != (valid ? n : 0) || utf8_valid_prefix(text, n) != (valid ? n : 0))
            fail_msg("U+%04X judged wrongly", (unsigned)c);
        for (size_t cut = 1; valid && cut < n; cut++)
            if (utf8_char(text, cut) != 0 || utf8_incomplete_tail(text, cut) != cut)
                fail_msg("U+%04X cut after %zu judged wrongly", (unsigned)c, cut);
    }
}

/* The definition, naively: decode by the lead byte, then compare with the shortest encoding. */
static bool naive_valid(const unsigned char *p, size_t n)
{
    char again[4];
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return false;
    return encode(c, again) == n && memcmp(again, p, n) == 0;
}

static void test_every_three_bytes(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 0x1000000; v += 1 + (v & 0xFF) % 13) {
        unsigned char p[3] = {(unsigned char)(v >> 16), (unsigned char)(v >> 8), (unsigned char)v};
        size_t want = naive_valid(p, 1) ? 1 : naive_valid(p, 2) ? 2 : naive_valid(p, 3) ? 3 : 0;
        if (utf8_char((const char *)p, 3) != want)
            fail_msg("%02X %02X %02X: got %zu", p[0], p[1], p[2], utf8_char((const char *)p, 3));
    }
}

static void test_prefix_at_a_guard_page(void **state)
{
    (void)state;
    char text[64];
    for (size_t n = 0; n < sizeof text; n++)
        for (size_t bad = 0; bad <= n; bad++) {
            memset(text, 'a', sizeof text);
            if (bad < n)
                text[bad] = (char)0xFF;
            struct guarded g = guard_copy(text, n);
            assert_int_equal(utf8_valid_prefix(g.p, n), bad);
            guard_free(&g);
        }
}

static const struct {
    const char *in, *out;
    size_t tail;
} cases[] = {
    {"", "", 0},
    {"plain", "plain", 0},
    {"h\xC3\xA9", "h\xC3\xA9", 0},
    {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", 0},
    {"a\xFFz", "a\xEF\xBF\xBDz", 0},
    {"\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD", 0},
    {"\xE2\x82", "\xEF\xBF\xBD", 2},
    {"\xE2\x82z", "\xEF\xBF\xBDz", 0},
    {"\xE2", "\xEF\xBF\xBD", 1},
    {"\xF0\x9F\x98", "\xEF\xBF\xBD", 3},
    {"\xF0\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 0},
    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 0},
    {"\xF4\x90", "\xEF\xBF\xBD\xEF\xBF\xBD", 0},
    {"\xF4\x8F", "\xEF\xBF\xBD", 2},
    {"\x80\x80\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 0},
    {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
     "A",
     "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
     "A",
     0},
};

static void test_repair_and_tail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].in);
        struct guarded g = guard_copy(cases[i].in, n);
        struct buf out = {0};
        assert_int_equal(utf8_append_repaired(&out, g.p, n), 0);
        assert_string_equal(buf_cstr(&out), cases[i].out);
        assert_int_equal(utf8_incomplete_tail(g.p, n), cases[i].tail);
        assert_int_equal(utf8_valid_prefix(out.p, out.n), out.n);
        buf_deinit(&out);
        guard_free(&g);
    }
}

/* A stream cut anywhere, the unfinished tail carried over, reads as the whole. */
static void test_stream_in_every_chunk_size(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF\xE2\x82z\xF0\x9F";
    struct buf whole = {0};
    utf8_append_repaired(&whole, text, sizeof text - 1);
    for (size_t step = 1; step < sizeof text; step++) {
        struct buf out = {0}, held = {0};
        for (size_t i = 0; i < sizeof text - 1; i += step) {
            size_t left = sizeof text - 1 - i;
            buf_add(&held, text + i, left < step ? left : step);
            size_t ready = held.n - utf8_incomplete_tail(held.p, held.n);
            assert_int_equal(utf8_append_repaired(&out, held.p, ready), 0);
            buf_consume(&held, ready);
        }
        assert_int_equal(utf8_append_repaired(&out, held.p, held.n), 0);
        assert_string_equal(buf_cstr(&out), buf_cstr(&whole));
        buf_deinit(&out);
        buf_deinit(&held);
    }
    buf_deinit(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_point),           cmocka_unit_test(test_every_three_bytes),
        cmocka_unit_test(test_prefix_at_a_guard_page),     cmocka_unit_test(test_repair_and_tail),
        cmocka_unit_test(test_stream_in_every_chunk_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
