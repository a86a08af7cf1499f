#include "dialect.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static const struct dialect *const dialects[] = {&dialect_openai_chat};

const struct dialect *dialect_for(const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (dialects[i]->owns(path))
            return dialects[i];
    return dialects[0];
}

/* splitmix64: every bit of the input reaches every bit of the output. */
uint64_t dialect_hash(uint64_t seed, unsigned n, unsigned what)
{
    uint64_t x = seed + ((uint64_t)n << 32 | what) * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

int fault_set(struct fault *f, int status, const char *param, const char *fmt, ...)
{
    va_list args;
    *f = (struct fault){.status = status};
    snprintf(f->param, sizeof f->param, "%s", param);
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
    return E_INVALID;
}
