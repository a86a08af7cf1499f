/* Writing files whole or not at all, only where it was allowed; where a path leads. */
#include "agent/file_write.h"
#include "agent/roots.h"
#include "base/buf.h"
#include "base/err.h"

#include "agent/file.h"

#include <errno.h>
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
    char base[64];
    char path[256]; /* of the last `in` */
};

static const char *in(struct place *p, const char *name)
{
    assert_in_range(snprintf(p->path, sizeof p->path, "%s/%s", p->base, name), 1, 255);
    return p->path;
}

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->base, "/tmp/test_write_XXXXXX");
    *state = p;
    return mkdtemp(p->base) ? 0 : -1;
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

static int write_it(const char *real, const char *text, const atomic_bool *stop)
{
    char error[FILE_ERROR_MAX] = "";
    struct file_write w = {.path = real, .real = real, .text = text, .stop = stop};
    int rc = file_write_text(&w, error);
    assert_int_equal(rc < 0, *error != '\0');
    return rc;
}

static void assert_holds(const char *path, const char *text)
{
    struct buf got = {0};
    assert_int_equal(file_read_all(path, 1000, &got), 0);
    assert_string_equal(buf_cstr(&got), text);
    buf_deinit(&got);
}

static void test_new_and_old(void **state)
{
    struct place *p = *state;
    struct stat st;
    const char *path = in(p, "x/y/z/a.txt");
    assert_int_equal(write_it(path, "one", NULL), 0);
    assert_holds(path, "one");
    assert_int_equal(chmod(path, 0751), 0);
    assert_int_equal(write_it(path, "", NULL), 0);
    assert_holds(path, "");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0751);
}

static void test_what_is_in_the_way(void **state)
{
    struct place *p = *state;
    assert_int_equal(mkdir(in(p, "folder"), 0700), 0);
    assert_int_equal(write_it(in(p, "folder"), "x", NULL), -EISDIR);
    assert_int_equal(mkfifo(in(p, "pipe"), 0600), 0);
    assert_int_equal(write_it(in(p, "pipe"), "x", NULL), E_INVALID);
    assert_int_equal(symlink("folder", in(p, "link")), 0);
    assert_int_equal(write_it(in(p, "link"), "x", NULL), E_STATE);
    assert_true(write_it(in(p, "link/a.txt"), "x", NULL) < 0);
    assert_true(write_it(in(p, "link/new/a.txt"), "x", NULL) < 0);
    assert_int_equal(rmdir(in(p, "folder")), 0); /* still empty */
}

static void test_stopped(void **state)
{
    struct place *p = *state;
    atomic_bool stop = true;
    assert_int_equal(write_it(in(p, "a.txt"), "x", &stop), E_CANCELLED);
    assert_int_equal(rmdir(p->base), 0); /* nothing is left */
    assert_int_equal(mkdir(p->base, 0700), 0);
}

static void test_resolve(void **state)
{
    struct place *p = *state;
    char *real = NULL;
    char wanted[256];
    assert_int_equal(symlink("/", in(p, "root")), 0);
    assert_int_equal(symlink("none", in(p, "lost")), 0);
    assert_int_equal(roots_resolve(in(p, "root/no-such-folder-xyz/a"), &real), 0);
    assert_string_equal(real, "/no-such-folder-xyz/a");
    assert_false(roots_hold(p->base, NULL, real));
    free(real);
    assert_int_equal(roots_resolve(in(p, "a/b/c"), &real), 0);
    assert_int_equal(snprintf(wanted, sizeof wanted, "%s/a/b/c", p->base) > 0, 1);
    assert_string_equal(real, wanted);
    assert_true(roots_hold(p->base, NULL, real));
    free(real);
    assert_int_equal(roots_resolve(in(p, "lost"), &real), E_INVALID);
    assert_int_equal(roots_resolve(in(p, "lost/a"), &real), E_INVALID);
    assert_int_equal(roots_resolve("/", &real), 0);
    assert_string_equal(real, "/");
    free(real);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_and_old, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_in_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resolve, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
