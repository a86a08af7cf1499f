#include "base/buf.h"
#include "conformance/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *markup(struct buf *out, const char *text, size_t n)
{
    struct sheet s = {.out = out};
    out->n = 0;
    sheet_markup_n(&s, text, n);
    assert_int_equal(s.rc, 0);
    return buf_cstr(out);
}

static void foreign_text_stays_in_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *want;
    } cases[] = {
        {"", 0, ""},
        {"plain \"x\" 'y'", 13, "plain \"x\" 'y'"},
        {"</script><!--&amp;", 18, "&lt;/script&gt;&lt;!--&amp;amp;"},
        {"a\tb\nc\r", 6, "a\tb\nc\xe2\x90\x8d"},
        {"\0\x1b[31m\x7f", 7, "\xe2\x90\x80\xe2\x90\x9b[31m\xe2\x90\xa1"},
        {"\xc3\xa4\xf0\x9f\x98\x80", 6, "\xc3\xa4\xf0\x9f\x98\x80"},
        {"\xff\xc3", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* ill-formed, cut off */
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xc2\x85|\xc2\xa0", 5, "\xef\xbf\xbd|\xc2\xa0"},           /* C1, and what is none */
        /* NOLINTNEXTLINE(misc-misleading-bidirectional): that is what is tested */
        {"\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", 8, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe2\x80\x94\xe2\x80\x8d", 6, "\xe2\x80\x94\xe2\x80\x8d"}, /* a dash, a joiner */
        {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbc", 9, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbc"},
    };
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(markup(&out, cases[i].text, cases[i].n), cases[i].want);
    buf_deinit(&out);
}

static void quotes_matter_where_there_are_some(void **state)
{
    struct buf out = {0};
    struct sheet s = {.out = &out};
    (void)state;
    sheet_attribute(&s, "a", "\"'<>&\n");
    sheet_attribute(&s, "b", NULL);
    sheet_quoted(&s, "\"\\\n\t\x01/\xff");
    sheet_quoted(&s, NULL);
    assert_string_equal(buf_cstr(&out), " a=\"&quot;&#39;&lt;&gt;&amp;\n\" b=\"\""
                                        "\"\\\"\\\\\\n\\t\xe2\x90\x81/\xef\xbf\xbd\"\"\"");
    buf_deinit(&out);
}

static void elements_are_closed_or_left_out(void **state)
{
    struct buf out = {0};
    struct sheet s = {.out = &out};
    (void)state;
    sheet_element(&s, "p class=\"x\"", "<b>");
    sheet_element(&s, "p", "");
    sheet_element(&s, "p", NULL);
    sheet_markup(&s, NULL);
    assert_string_equal(buf_cstr(&out), "<p class=\"x\">&lt;b&gt;</p>");
    buf_deinit(&out);
}

static void our_own_words_have_no_limit(void **state)
{
    char text[3000];
    struct buf out = {0};
    struct sheet s = {.out = &out};
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    sheet_addf(&s, "<%s|%d>", text, 7);
    assert_int_equal(out.n, sizeof text - 1 + 4);
    assert_int_equal(memcmp(out.p + out.n - 3, "|7>", 3), 0);
    buf_deinit(&out);
}

static void errors_stick(void **state)
{
    struct buf out = {0};
    struct sheet s = {.out = &out, .rc = -1};
    (void)state;
    sheet_add(&s, "x");
    sheet_addf(&s, "%d", 1);
    sheet_markup(&s, "x<");
    assert_int_equal(s.rc, -1);
    assert_int_equal(out.n, 0);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_text_stays_in_its_place),
        cmocka_unit_test(quotes_matter_where_there_are_some),
        cmocka_unit_test(elements_are_closed_or_left_out),
        cmocka_unit_test(our_own_words_have_no_limit),
        cmocka_unit_test(errors_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
