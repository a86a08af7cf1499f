#include "oom.h"

#include "base/err.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t max);

/* The linker's hooks take no context, so this is the one place that has to be global. */
static struct {
    long seen, fail_at, count;
} oom = {0, -1, 0};

static bool refused(void)
{
    long number = oom.seen++;
    return number >= oom.fail_at && number < oom.fail_at + oom.count;
}

void *__wrap_malloc(size_t n)
{
    return refused() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
    return refused() ? NULL : __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
    return refused() ? NULL : __real_realloc(p, n);
}

char *__wrap_strndup(const char *text, size_t max)
{
    size_t n = strnlen(text, max);
    char *copy = refused() ? NULL : __real_malloc(n + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, SIZE_MAX);
}

void oom_reset_run(long fail_at, long count)
{
    cJSON_InitHooks(&(cJSON_Hooks){__wrap_malloc, free});
    oom.seen = 0;
    oom.fail_at = fail_at;
    oom.count = count;
}

void oom_reset(long fail_at)
{
    oom_reset_run(fail_at, 1);
}

long oom_seen(void)
{
    return oom.seen;
}

void oom_fail_each(int (*run)(void *ctx), void *ctx)
{
    oom_reset(-1);
    assert_int_equal(run(ctx), 0);
    long n = oom_seen();
    assert_true(n > 0);
    for (long i = 0; i < n; i++) {
        oom_reset(i);
        int rc = run(ctx);
        if (rc != E_NOMEM)
            fail_msg("allocation %ld of %ld refused: got %d (%s), wanted E_NOMEM", i, n, rc,
                     err_text(rc));
    }
    oom_reset(-1);
}
