/* Images and sounds of a prompt. */
#include "agent/media.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(media_kind_find("image"), MEDIA_IMAGE);
    assert_int_equal(media_kind_find("audio"), MEDIA_AUDIO);
    assert_int_equal(media_kind_find("text"), 0);
    assert_string_equal(media_kind_name(MEDIA_IMAGE), "image");
    assert_string_equal(media_kind_name(MEDIA_AUDIO), "audio");
}

static const char *check(enum media_kind kind, const char *type, const char *data)
{
    const char *why = NULL;
    int rc = media_check(kind, type, data, &why);
    assert_int_equal(rc, why ? E_INVALID : 0);
    return why;
}

static void test_check(void **state)
{
    (void)state;
    assert_null(check(MEDIA_IMAGE, "image/png", "aGk="));
    assert_null(check(MEDIA_AUDIO, "audio/wav", "aG\nk"));
    assert_non_null(check(MEDIA_IMAGE, "image/../../x", "aGk="));
    assert_non_null(check(MEDIA_IMAGE, "audio/wav", "aGk="));
    assert_non_null(check(MEDIA_AUDIO, "image/png", "aGk="));
    assert_string_equal(check(MEDIA_IMAGE, "image/png", "?"), "expected base64");
    assert_string_equal(check(MEDIA_IMAGE, "image/png", " "), "there are no data");
}

static void test_read(void **state)
{
    (void)state;
    struct media_list l = {0};
    assert_int_equal(
        media_read("[{\"type\":\"text\",\"text\":\"a\"},"
                   "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aG k=\\n\"},"
                   "{\"type\":\"image\"},"
                   "{\"type\":\"audio\",\"mimeType\":\"audio/mp3\",\"data\":\"eA==\"}]",
                   &l),
        0);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.items[0].kind, MEDIA_IMAGE);
    assert_string_equal(l.items[0].type, "image/png");
    assert_string_equal(l.items[0].data, "aGk=");
    assert_int_equal(l.items[1].kind, MEDIA_AUDIO);
    media_deinit(&l);
    assert_int_equal(l.n, 0);
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {NULL, "", "[]", "[\"image\"", "{\"image\":\"image\"}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct media_list l = {0};
        assert_int_equal(media_read(texts[i], &l), 0);
        assert_int_equal(l.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
