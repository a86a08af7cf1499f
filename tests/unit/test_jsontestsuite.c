/* The public JSON test suite, where it is there: y_ files must be accepted, n_ files refused, and
 * what is accepted must survive parsing and writing. Other files need only not hurt. */
#include "base/buf.h"
#include "base/err.h"
#include "guard.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/scan.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SKIPPED 77 /* what ctest knows as "not run" */

static DIR *open_suite(char *folder, size_t size, const char *part)
{
    const char *shared = getenv("ACP_SHARED");
    snprintf(folder, size, "%s/vectors/jsontestsuite/%s", shared ? shared : SOURCE_DIR "/../shared",
             part);
    return opendir(folder);
}

static void read_file(struct buf *out, const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n;
    do {
        assert_int_equal(buf_reserve(out, 4096), 0);
        n = fread(out->p + out->n, 1, 4096, f);
        out->n += n;
    } while (n > 0);
    fclose(f);
}

static void check_round_trip(const char *name, const char *text, size_t n)
{
    cJSON *root = NULL;
    struct json_scan s;
    struct buf out = {0};
    struct jsonw w;
    if (json_parse(text, n, &root, NULL) < 0)
        fail_msg("%s: scanned, but not parsed", name);
    jw_begin(&w, &out);
    jw_tree(&w, root);
    assert_int_equal(jw_end(&w), 0);
    if (json_scan(out.p, out.n, &s) < 0)
        fail_msg("%s: what was written is not valid: %s", name, s.error_text);
    cJSON_Delete(root);
    buf_deinit(&out);
}

static void check_file(const char *folder, const char *name)
{
    char path[4096];
    struct buf text = {0};
    struct json_scan s;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    read_file(&text, path);
    struct guarded g = guard_copy(text.p, text.n);
    int rc = json_scan(g.p, text.n, &s);
    guard_free(&g);
    if (name[0] == 'y' && rc < 0)
        fail_msg("%s refused: %zu: %s", name, s.error_at, s.error_text);
    if (strncmp(name, "n_", 2) == 0 && rc == 0)
        fail_msg("%s accepted", name);
    if (rc == 0)
        check_round_trip(name, buf_cstr(&text), text.n);
    buf_deinit(&text);
}

static int check_folder(const char *part)
{
    char folder[2048];
    int n = 0;
    DIR *dir = open_suite(folder, sizeof folder, part);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strstr(e->d_name, ".json"))
            continue;
        check_file(folder, e->d_name);
        n++;
    }
    closedir(dir);
    return n;
}

static void test_parsing(void **state)
{
    (void)state;
    assert_true(check_folder("test_parsing") > 300);
}

static void test_transform(void **state)
{
    (void)state;
    assert_true(check_folder("test_transform") > 10);
}

int main(void)
{
    char folder[2048];
    DIR *dir = open_suite(folder, sizeof folder, "test_parsing");
    if (!dir) {
        printf("skipped: no test suite at %s (ACP_SHARED names the folder that holds vectors)\n",
               folder);
        return SKIPPED;
    }
    closedir(dir);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsing),
        cmocka_unit_test(test_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
