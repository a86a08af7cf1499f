#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "oom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int fill_buf(void *ctx)
{
    (void)ctx;
    char block[200];
    struct buf b = {0};
    memset(block, 'x', sizeof block);
    int rc = buf_addc(&b, 'a');
    size_t before = b.n;
    if (rc == 0)
        rc = buf_add(&b, block, sizeof block);
    if (rc == 0)
        before = b.n, rc = buf_addf(&b, "%300s", "text");
    if (rc == 0)
        before = b.n, rc = utf8_append_repaired(&b, "ok\xFF then \xC3\xA9", 11);
    if (rc < 0)
        assert_int_equal(b.n, before);
    buf_deinit(&b);
    return rc;
}

static int take_buf(void *ctx)
{
    (void)ctx;
    struct buf b = {0};
    char *text = buf_take(&b);
    free(text);
    return text ? 0 : E_NOMEM;
}

static int repair_across_growth(void *ctx)
{
    (void)ctx;
    struct buf b = {0};
    int rc = 0;
    for (int i = 0; rc == 0 && i < 100; i++)
        rc = utf8_append_repaired(&b, "\xFF", 1);
    assert_int_equal(b.n % 3, 0);
    buf_deinit(&b);
    return rc;
}

static void test_every_allocation(void **state)
{
    (void)state;
    oom_fail_each(fill_buf, NULL);
    oom_fail_each(take_buf, NULL);
    oom_fail_each(repair_across_growth, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
