/* Every allocation of the line reader fails once. */
#include "base/err.h"
#include "rpc/ndjson.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "oom.h"

static int read_lines(void *ctx)
{
    struct ndjson d;
    char *line, text[500];
    size_t n;
    int rc = 0, lines = 0;
    (void)ctx;
    memset(text, 'x', sizeof text);
    text[99] = text[299] = '\n';
    ndjson_init(&d, 5000);
    for (int i = 0; rc == 0 && i < 10; i++) {
        size_t before = d.in.n - d.head;
        rc = ndjson_feed(&d, text, sizeof text);
        if (rc < 0)
            assert_int_equal(d.in.n - d.head, before);
        while (rc == 0 && ndjson_next(&d, &line, &n) == 1)
            lines++;
    }
    if (rc == 0)
        assert_int_equal(lines, 20);
    /* What came before the failure is still there, and the last line needs no memory. */
    assert_true(ndjson_rest(&d, &line, &n) == 1 || rc < 0);
    ndjson_deinit(&d);
    return rc;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    oom_fail_each(read_lines, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
