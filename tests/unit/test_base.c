#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

static void test_zeroed_buffer_is_empty(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_consume(&b, 0);
    assert_int_equal(buf_add(&b, NULL, 0), 0);
    assert_int_equal(buf_reserve(&b, 0), 0);
    assert_null(b.p);
    buf_deinit(&b);
    assert_string_equal(buf_cstr(&b), "");
    buf_deinit(&b);
    assert_null(b.p);
    assert_int_equal(b.cap, 0);
}

static void test_appending(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_int_equal(buf_adds(&b, "ab"), 0);
    assert_int_equal(buf_addc(&b, 'c'), 0);
    assert_int_equal(buf_add(&b, "d\0e", 3), 0);
    assert_int_equal(buf_addf(&b, "%d-%s", 42, "x"), 0);
    assert_int_equal(b.n, 10);
    assert_memory_equal(b.p, "abcd\0e42-x", 10);
    buf_consume(&b, 6);
    assert_string_equal(buf_cstr(&b), "42-x");
    buf_consume(&b, 4);
    assert_string_equal(buf_cstr(&b), "");
    buf_deinit(&b);
}

static void test_every_length_grows(void **state)
{
    (void)state;
    struct buf b = {0};
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(buf_addc(&b, (char)('a' + i % 26)), 0);
        assert_true(b.cap <= 64 || b.cap < 2 * b.n);
    }
    for (size_t i = 0; i < b.n; i++)
        assert_int_equal(b.p[i], 'a' + i % 26);
    buf_deinit(&b);
}

static void test_formatting_longer_than_the_buffer(void **state)
{
    (void)state;
    for (int width = 0; width < 200; width++) {
        struct buf b = {0};
        assert_int_equal(buf_addf(&b, "<%*s>", width, ""), 0);
        assert_int_equal(b.n, width + 2);
        assert_int_equal(b.p[b.n - 1], '>');
        buf_deinit(&b);
    }
}

static void test_absurd_sizes_are_refused(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_int_equal(buf_adds(&b, "kept"), 0);
    assert_int_equal(buf_reserve(&b, SIZE_MAX), E_NOMEM);
    assert_int_equal(buf_reserve(&b, SIZE_MAX - 2), E_NOMEM);
    assert_string_equal(buf_cstr(&b), "kept");
    buf_deinit(&b);
}

static void test_taking(void **state)
{
    (void)state;
    struct buf b = {0};
    char *text = buf_take(&b);
    assert_string_equal(text, "");
    free(text);
    buf_adds(&b, "mine");
    text = buf_take(&b);
    assert_string_equal(text, "mine");
    assert_null(b.p);
    assert_int_equal(b.n, 0);
    free(text);
}

static void test_error_texts(void **state)
{
    (void)state;
    assert_string_equal(err_text(0), "success");
    assert_string_equal(err_text(7), "success");
    assert_string_equal(err_text(E_NOMEM), "out of memory");
    assert_string_equal(err_text(E_UNSUPPORTED), "not supported");
    assert_string_equal(err_text(UV_EOF), "end of file");
    assert_string_equal(err_text(UV_UNKNOWN), "unknown error");
    assert_string_equal(err_text(UV_ENOENT), strerror(ENOENT));
    assert_string_equal(err_text(UV_EAI_NONAME), "unknown host or service name");
    assert_non_null(strstr(err_text(-4000), "4000"));
    assert_non_null(err_text(INT_MIN));
}

static void test_log_levels(void **state)
{
    (void)state;
    assert_int_equal(log_level_parse("error"), LOG_ERROR);
    assert_int_equal(log_level_parse("debug"), LOG_DEBUG);
    assert_int_equal(log_level_parse("Debug"), -1);
    assert_int_equal(log_level_parse(""), -1);
    enum log_level before = log_get_level();
    log_set_level(LOG_INFO);
    assert_int_equal(log_get_level(), LOG_INFO);
    log_set_level(before);
}

/* What `say` wrote to stderr. */
static size_t captured(void (*say)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    say();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return n;
}

static void say_some(void)
{
    enum log_level before = log_get_level();
    log_set_level(LOG_WARN);
    log_info("unheard");
    log_debug("unheard");
    log_warn("two\nlines \x1b[31m%d", 5);
    log_error("bad");
    log_set_level(before);
}

static void say_much(void)
{
    log_error("%5000s", "x");
}

static void test_log_lines(void **state)
{
    (void)state;
    char text[8000];
    captured(say_some, text, sizeof text);
    assert_string_equal(text, "warn: two lines  [31m5\nerror: bad\n");
    size_t n = captured(say_much, text, sizeof text);
    assert_true(n < 3000);
    assert_string_equal(text + n - 7, " [cut]\n");
}

struct entry {
    int value;
    struct list node;
};

static void test_list(void **state)
{
    (void)state;
    struct list head;
    struct entry a = {.value = 1}, b = {.value = 2};
    list_init(&head);
    assert_true(list_empty(&head));
    list_append(&head, &a.node);
    list_append(&head, &b.node);
    assert_int_equal(CONTAINER_OF(head.next, struct entry, node)->value, 1);
    assert_int_equal(CONTAINER_OF(head.prev, struct entry, node)->value, 2);
    list_remove(&a.node);
    list_remove(&a.node);
    assert_ptr_equal(head.next, &b.node);
    list_remove(&b.node);
    assert_true(list_empty(&head));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed_buffer_is_empty),
        cmocka_unit_test(test_appending),
        cmocka_unit_test(test_every_length_grows),
        cmocka_unit_test(test_formatting_longer_than_the_buffer),
        cmocka_unit_test(test_absurd_sizes_are_refused),
        cmocka_unit_test(test_taking),
        cmocka_unit_test(test_error_texts),
        cmocka_unit_test(test_log_levels),
        cmocka_unit_test(test_log_lines),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
