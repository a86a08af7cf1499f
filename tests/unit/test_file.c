/* Reading files of a workspace: slices, bad bytes, and everything that must not be read. */
#include "agent/file.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char base[64];  /* a fresh folder */
    char root[128]; /* base/root */
};

static void path_in(char *ret, size_t n, const char *folder, const char *name)
{
    assert_in_range(snprintf(ret, n, "%s/%s", folder, name), 1, n - 1);
}

static void write_file(const char *folder, const char *name, const char *bytes, size_t n)
{
    char path[256];
    path_in(path, sizeof path, folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->base, "/tmp/test_file_XXXXXX");
    if (!mkdtemp(p->base))
        return -1;
    path_in(p->root, sizeof p->root, p->base, "root");
    *state = p;
    return mkdir(p->root, 0700);
}

static int teardown(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", p->base);
    int rc = system(command); /* NOLINT(cert-env33-c): a fixed command on a folder of our own */
    free(p);
    return rc;
}

static int read_it(const struct place *p, const char *name, struct file_request req,
                   struct file_text *ret)
{
    char path[256];
    path_in(path, sizeof path, p->root, name);
    req.root = p->root;
    req.path = path;
    req.max = req.max ? req.max : 1000;
    return file_read_text(&req, ret);
}

static void check(const struct place *p, struct file_request req, const char *want, bool more)
{
    struct file_text t;
    assert_int_equal(read_it(p, "f", req, &t), 0);
    assert_string_equal(t.text.p, want);
    assert_int_equal(t.more, more);
    file_text_deinit(&t);
}

static void test_slices(void **state)
{
    const struct place *p = *state;
    write_file(p->root, "f", "one\ntwo\nthree", 13);
    check(p, (struct file_request){0}, "one\ntwo\nthree", false);
    check(p, (struct file_request){.line = 1}, "one\ntwo\nthree", false);
    check(p, (struct file_request){.line = 2}, "two\nthree", false);
    check(p, (struct file_request){.line = 2, .limit = 1}, "two\n", true);
    check(p, (struct file_request){.line = 3, .limit = 1}, "three", false);
    check(p, (struct file_request){.line = 3, .limit = UINT32_MAX}, "three", false);
    check(p, (struct file_request){.line = 4}, "", false);
    check(p, (struct file_request){.line = UINT32_MAX, .limit = UINT32_MAX}, "", false);
    check(p, (struct file_request){.max = 5}, "one\nt", true);
    check(p, (struct file_request){.max = 13}, "one\ntwo\nthree", false);
    write_file(p->root, "f", "", 0);
    check(p, (struct file_request){0}, "", false);
}

static void test_lines_are_counted(void **state)
{
    const struct place *p = *state;
    struct file_text t;
    write_file(p->root, "f", "one\ntwo\nthree\n", 14);
    assert_int_equal(read_it(p, "f", (struct file_request){.line = 2, .limit = 1}, &t), 0);
    assert_int_equal(t.first, 2);
    assert_int_equal(t.last, 2);
    assert_false(t.cut);
    file_text_deinit(&t);
    assert_int_equal(read_it(p, "f", (struct file_request){.max = 9}, &t), 0);
    assert_int_equal(t.last, 3);
    assert_true(t.cut);
    file_text_deinit(&t);
}

static void test_bytes(void **state)
{
    const struct place *p = *state;
    write_file(p->root, "f", "a\xff\xe4\xb8\xad", 5);
    check(p, (struct file_request){0}, "a\xef\xbf\xbd\xe4\xb8\xad", false);
    check(p, (struct file_request){.max = 4}, "a\xef\xbf\xbd", true); /* not inside a character */
    char *big = malloc(10000);
    memset(big, 'x', 10000);
    big[9000] = '\0'; /* late: no binary file */
    write_file(p->root, "f", big, 10000);
    struct file_text t;
    assert_int_equal(read_it(p, "f", (struct file_request){.max = 20000}, &t), 0);
    assert_int_equal(t.text.n, 9999 + 3);
    assert_int_equal(strlen(t.text.p), t.text.n);
    file_text_deinit(&t);
    free(big);
}

static void refuse(const struct place *p, const char *name, const char *why)
{
    struct file_text t;
    assert_true(read_it(p, name, (struct file_request){0}, &t) < 0);
    assert_non_null(strstr(t.error, why));
    assert_non_null(strstr(t.error, name));
    assert_int_equal(t.text.n, 0);
    file_text_deinit(&t);
}

static void test_what_is_no_text(void **state)
{
    const struct place *p = *state;
    char path[256];
    write_file(p->root, "bin", "a\0b", 3);
    refuse(p, "bin", "binary");
    refuse(p, "none", "No such file");
    refuse(p, "bin/x", "Not a directory");
    path_in(path, sizeof path, p->root, "dir");
    assert_int_equal(mkdir(path, 0700), 0);
    refuse(p, "dir", "directory");
    path_in(path, sizeof path, p->root, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(p, "pipe", "no regular file"); /* and does not wait for a writer */
}

static void link_in(const struct place *p, const char *name, const char *target)
{
    char path[256];
    path_in(path, sizeof path, p->root, name);
    assert_int_equal(symlink(target, path), 0);
}

static void test_the_root_holds(void **state)
{
    const struct place *p = *state;
    char sibling[160], inside[256];
    write_file(p->base, "secret", "s", 1);
    path_in(sibling, sizeof sibling, p->base, "root2");
    assert_int_equal(mkdir(sibling, 0700), 0);
    write_file(sibling, "secret", "s", 1);
    write_file(p->root, "f", "fine", 4);
    link_in(p, "up", "..");
    link_in(p, "out", "../secret");
    link_in(p, "abs", "/etc/passwd");
    link_in(p, "dangling", "../nothing");
    link_in(p, "in", "f");
    refuse(p, "../secret", "outside");
    refuse(p, "../root2/secret", "outside");
    refuse(p, "up/secret", "outside");
    refuse(p, "out", "outside");
    refuse(p, "abs", "outside");
    refuse(p, "dangling", "No such file");
    struct file_text t;
    assert_int_equal(read_it(p, "in", (struct file_request){0}, &t), 0);
    assert_string_equal(t.text.p, "fine");
    file_text_deinit(&t);
    path_in(inside, sizeof inside, p->root, "f");
    struct file_request whole = {.root = "/", .path = inside, .max = 10};
    assert_int_equal(file_read_text(&whole, &t), 0);
    file_text_deinit(&t);
}

static void test_further_roots(void **state)
{
    const struct place *p = *state;
    char other[160], gone[160], path[256], link[256];
    struct file_text t;
    path_in(other, sizeof other, p->base, "other");
    path_in(gone, sizeof gone, p->base, "gone");
    assert_int_equal(mkdir(other, 0700), 0);
    write_file(other, "f", "fine", 4);
    write_file(p->base, "secret", "s", 1);
    const char *const more[] = {gone, other, NULL};
    path_in(path, sizeof path, other, "f");
    struct file_request req = {.root = p->root, .more = more, .path = path, .max = 10};
    assert_int_equal(file_read_text(&req, &t), 0);
    assert_string_equal(t.text.p, "fine");
    file_text_deinit(&t);
    path_in(link, sizeof link, other, "out");
    assert_int_equal(symlink("../secret", link), 0);
    req.path = link;
    assert_int_equal(file_read_text(&req, &t), E_UNSUPPORTED);
    assert_non_null(strstr(t.error, "outside the workspace"));
    file_text_deinit(&t);
    req.path = path;
    req.more = NULL;
    assert_int_equal(file_read_text(&req, &t), E_UNSUPPORTED);
    file_text_deinit(&t);
}

/* A workspace that is itself reached through a link. */
static void test_linked_root(void **state)
{
    const struct place *p = *state;
    char link[160], path[256];
    struct file_text t;
    write_file(p->root, "f", "fine", 4);
    path_in(link, sizeof link, p->base, "link");
    assert_int_equal(symlink("root", link), 0);
    path_in(path, sizeof path, link, "f");
    struct file_request req = {.root = link, .path = path, .max = 10};
    assert_int_equal(file_read_text(&req, &t), 0);
    assert_string_equal(t.text.p, "fine");
    file_text_deinit(&t);
}

static void test_stop(void **state)
{
    const struct place *p = *state;
    atomic_bool stop = true;
    struct file_text t;
    write_file(p->root, "f", "x", 1);
    assert_int_equal(read_it(p, "f", (struct file_request){.stop = &stop}, &t), E_CANCELLED);
    file_text_deinit(&t);
}

static void test_read_all(void **state)
{
    const struct place *p = *state;
    struct buf out = {0};
    char path[256];
    write_file(p->root, "f", "0123456789", 10);
    path_in(path, sizeof path, p->root, "f");
    assert_int_equal(buf_adds(&out, ">"), 0);
    assert_int_equal(file_read_all(path, 10, &out), 0);
    assert_string_equal(buf_cstr(&out), ">0123456789");
    assert_int_equal(file_read_all(path, 9, &out), E_TOOBIG);
    assert_int_equal(out.n, 11);
    assert_int_equal(file_read_all(p->root, 9, &out), E_INVALID);
    path_in(path, sizeof path, p->root, "none");
    assert_int_equal(file_read_all(path, 9, &out), E_NOTFOUND);
    buf_deinit(&out);
}

static void check_join(const char *cwd, const char *path, const char *want)
{
    char *got = file_join(cwd, path);
    assert_string_equal(got, want);
    free(got);
}

static void test_join(void **state)
{
    (void)state;
    check_join("/w", "a/b", "/w/a/b");
    check_join("/w/", "./a//b/", "/w/a/b");
    check_join("/w", "/x", "/x");
    check_join("/w", "../x", "/x");
    check_join("/w", "../../../x", "/x");
    check_join("/w", "a/../..", "/");
    check_join("/w", "", "/w");
    check_join("/", "...", "/...");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_slices),         TEST(test_lines_are_counted),
        TEST(test_bytes),          TEST(test_what_is_no_text),
        TEST(test_the_root_holds), TEST(test_further_roots),
        TEST(test_linked_root),    TEST(test_stop),
        TEST(test_read_all),       cmocka_unit_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
