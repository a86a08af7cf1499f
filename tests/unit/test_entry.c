/* The JSON inside entries of the store, and titles. */
#include "agent/entry.h"
#include "agent/title.h"
#include "base/err.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void calls_come_back(void **state)
{
    (void)state;
    static char id[] = "call\"1", name[] = "read_file", args[] = "{\"path\":\"a\\n\"}";
    static char none[] = "", x[] = "x", empty[] = "{}", extra[] = "{\"s\":[1,null]}";
    const struct history_call in[] = {{id, name, args, NULL}, {none, x, empty, extra}};
    struct history_call *out = NULL;
    struct buf json = {0};
    size_t n = 0;
    assert_int_equal(entry_write_calls(&json, in, ARRAY_LEN(in)), 0);
    assert_int_equal(entry_read_calls(buf_cstr(&json), &out, &n), 0);
    assert_int_equal(n, ARRAY_LEN(in));
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(out[i].id, in[i].id);
        assert_string_equal(out[i].name, in[i].name);
        assert_string_equal(out[i].args, in[i].args);
    }
    assert_null(out[0].extra);
    assert_string_equal(out[1].extra, in[1].extra);
    history_free_calls(out, n);
    buf_deinit(&json);
}

static void broken_calls_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "{}",  "[",
                                        "[]", "[1]", "[{\"id\":\"a\",\"name\":\"b\",\"args\":{}}]"};
    struct history_call *out = NULL;
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_int_equal(entry_read_calls(texts[i], &out, &n), E_PARSE);
}

static void runs_join_and_are_plain(void **state)
{
    (void)state;
    struct buf runs = {0}, json = {0};
    assert_true(entry_runs_are_plain(&runs));
    assert_int_equal(entry_add_run(&runs, LLM_THOUGHT, 2), 0);
    assert_int_equal(entry_add_run(&runs, LLM_THOUGHT, 3), 0);
    assert_true(entry_runs_are_plain(&runs));
    assert_int_equal(entry_add_run(&runs, LLM_TEXT, 4), 0);
    assert_true(entry_runs_are_plain(&runs));
    assert_int_equal(entry_add_run(&runs, LLM_TEXT, 1), 0);
    assert_int_equal(entry_add_run(&runs, LLM_THOUGHT, 1), 0);
    assert_false(entry_runs_are_plain(&runs));
    assert_int_equal(entry_write_runs(&json, &runs), 0);
    assert_string_equal(buf_cstr(&json), "[-5,5,-1]");
    runs.n = 0;
    assert_int_equal(entry_add_run(&runs, LLM_TEXT, 1), 0);
    assert_int_equal(entry_add_run(&runs, LLM_THOUGHT, 1), 0);
    assert_false(entry_runs_are_plain(&runs)); /* text first */
    buf_deinit(&runs);
    buf_deinit(&json);
}

static void add_shown(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct buf *out = ctx;
    buf_addf(out, "%s%.*s ", kind == LLM_TEXT ? "" : "~", (int)n, p);
}

static void runs_are_shown_in_turn(void **state)
{
    (void)state;
    static const struct {
        const char *json, *shown;
        int rc;
    } rows[] = {
        {"[]", "", 0},
        {"[-2,3,-1]", "~th tex ~o ", 0},
        {"[9,-99]", "text ~thought ", 0}, /* never beyond the end */
        {"[1,true,\"x\",1]", "t e ", 0},
        {"{}", "", E_PARSE},
        {"[1", "", E_PARSE},
    };
    const struct entry_texts texts = {"text", "thought"};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        assert_int_equal(entry_show_runs(rows[i].json, &texts, add_shown, &out), rows[i].rc);
        assert_string_equal(buf_cstr(&out), rows[i].shown);
        buf_deinit(&out);
    }
}

static char *title_of(const char *text)
{
    char copy[512], name[] = "a.c";
    struct prompt_part parts[] = {{.kind = PROMPT_LINK, .name = name},
                                  {.kind = PROMPT_TEXT, .text = copy}};
    struct prompt p = {.parts = parts, .n = 2};
    snprintf(copy, sizeof copy, "%s", text);
    return title_make(&p);
}

static void titles_are_first_words(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Fix it", "Fix it"},
        {"\n\t  Fix \t the\x01 bug \r\nin main.c", "Fix the bug"},
        {"   ", "a.c"},
        {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4\xc3\xb6\xc3\xbc"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *title = title_of(rows[i][0]);
        assert_string_equal(title, rows[i][1]);
        free(title);
    }
}

static void long_titles_are_cut_between_words(void **state)
{
    (void)state;
    char wide[400] = "";
    char *title =
        title_of("one two three four five six seven eight nine ten eleven twelve thirteen "
                 "fourteen fifteen");
    assert_string_equal(title, "one two three four five six seven eight nine ten eleven twelve "
                               "thirteen\xe2\x80\xa6");
    free(title);
    for (int i = 0; i < 130; i++)
        strcat(wide, "\xe2\x82\xac");
    title = title_of(wide);
    assert_in_range(strlen(title), 70, 80);
    assert_int_equal(utf8_valid_prefix(title, strlen(title)), strlen(title));
    free(title);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_come_back),
        cmocka_unit_test(broken_calls_are_refused),
        cmocka_unit_test(runs_join_and_are_plain),
        cmocka_unit_test(runs_are_shown_in_turn),
        cmocka_unit_test(titles_are_first_words),
        cmocka_unit_test(long_titles_are_cut_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
