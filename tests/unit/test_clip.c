/* Output of commands, kept within bounds: whatever the pieces it came in. */
#include "agent/clip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *render(const char *p, size_t n, size_t piece)
{
    struct clip c = {0};
    struct buf out = {0};
    for (size_t at = 0; at < n; at += piece)
        assert_int_equal(clip_add(&c, p + at, n - at < piece ? n - at : piece), 0);
    assert_int_equal(clip_render(&c, &out), 0);
    clip_deinit(&c);
    char *text = buf_take(&out);
    assert_non_null(text);
    return text;
}

static void test_pieces(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,     1,     100,   16383, 16384,  16385,
                                   32767, 32768, 32769, 49152, 100000, 500000};
    static const size_t pieces[] = {1, 7, 4096, 16384, 65536, 500000};
    char *bytes = malloc(500000);
    assert_non_null(bytes);
    for (size_t i = 0; i < 500000; i++)
        bytes[i] = (char)('a' + i % 23);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char *whole = render(bytes, sizes[s], 500000);
        if (sizes[s] <= CLIP_HEAD + CLIP_TAIL)
            assert_int_equal(strlen(whole), sizes[s]);
        else
            assert_memory_equal(whole + strlen(whole) - CLIP_TAIL, bytes + sizes[s] - CLIP_TAIL,
                                CLIP_TAIL);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            char *again = render(bytes, sizes[s], pieces[i]);
            assert_string_equal(again, whole);
            free(again);
        }
        free(whole);
    }
    free(bytes);
}

static void test_bad_bytes(void **state)
{
    (void)state;
    char *text = render("a\0b\xff\xc3\xa4", 6, 1);
    assert_string_equal(text, "a\xef\xbf\xbd"
                              "b\xef\xbf\xbd\xc3\xa4");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_bad_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
