#include "agent/pattern.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Of one match: some 20 ms of work, and what it may keep. */
#define STEPS_MAX 1000000u
#define HEAP_KIB  20000u

struct pattern {
    pcre2_general_context *memory;
    pcre2_match_context *limits;
    pcre2_match_data *data;
    pcre2_code *code;
};

static void *get(size_t n, void *ctx)
{
    (void)ctx;
    return malloc(n);
}

static void give_back(void *p, void *ctx)
{
    (void)ctx;
    free(p);
}

void pattern_destroy(struct pattern *p)
{
    if (!p)
        return;
    pcre2_code_free(p->code);
    pcre2_match_data_free(p->data);
    pcre2_match_context_free(p->limits);
    pcre2_general_context_free(p->memory);
    free(p);
}

static int refuse(int code, size_t at, struct pattern_error *err)
{
    PCRE2_UCHAR text[sizeof err->text] = "";
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return E_NOMEM;
    pcre2_get_error_message(code, text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s", (const char *)text);
    err->at = at;
    return E_PARSE;
}

static int compile_code(struct pattern *p, const char *text, uint32_t options,
                        struct pattern_error *err)
{
    int code = 0;
    size_t at = 0;
    pcre2_compile_context *c = pcre2_compile_context_create(p->memory);
    if (!c)
        return E_NOMEM;
    p->code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &code, &at, c);
    pcre2_compile_context_free(c);
    return p->code ? 0 : refuse(code, at, err);
}

static int prepare_matches(struct pattern *p)
{
    p->limits = pcre2_match_context_create(p->memory);
    p->data = pcre2_match_data_create(1, p->memory);
    if (!p->limits || !p->data)
        return E_NOMEM;
    pcre2_set_match_limit(p->limits, STEPS_MAX);
    pcre2_set_heap_limit(p->limits, HEAP_KIB);
    return 0;
}

static int compile(const char *text, uint32_t options, struct pattern **ret,
                   struct pattern_error *err)
{
    int rc = E_NOMEM;
    struct pattern *p = calloc(1, sizeof *p);
    if (!p)
        return E_NOMEM;
    p->memory = pcre2_general_context_create(get, give_back, NULL);
    if (p->memory)
        rc = compile_code(p, text, options, err);
    if (rc == 0)
        rc = prepare_matches(p);
    if (rc == 0)
        *ret = p;
    else
        pattern_destroy(p);
    return rc;
}

/* So that a refusal has a place in what was given, not in what it was made into. */
static int check_size(const char *text, struct pattern_error *err)
{
    if (strlen(text) <= PATTERN_MAX)
        return 0;
    snprintf(err->text, sizeof err->text, "longer than %u bytes", PATTERN_MAX);
    err->at = PATTERN_MAX;
    return E_PARSE;
}

int pattern_compile(const char *text, struct pattern **ret, struct pattern_error *err)
{
    const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    int rc = check_size(text, err);
    return rc == 0 ? compile(text, options, ret, err) : rc;
}

int pattern_compile_glob(const char *text, bool braces, struct pattern **ret,
                         struct pattern_error *err)
{
    struct buf regex = {0};
    int rc = check_size(text, err);
    if (rc == 0)
        rc = pattern_glob_to_regex(text, braces, &regex);
    if (rc == 0)
        rc = buf_cstr(&regex) ? 0 : E_NOMEM;
    if (rc == 0)
        rc = compile(regex.p, PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, ret, err);
    if (rc == E_PARSE && strlen(text) <= PATTERN_MAX)
        err->at = 0;
    buf_deinit(&regex);
    return rc;
}

int pattern_match(struct pattern *p, const char *text, size_t n)
{
    int rc = pcre2_match(p->code, (PCRE2_SPTR)text, n, 0, 0, p->data, p->limits);
    if (rc >= 0)
        return 1;
    if (rc == PCRE2_ERROR_NOMATCH || rc == PCRE2_ERROR_PARTIAL)
        return 0;
    return rc == PCRE2_ERROR_NOMEMORY ? E_NOMEM : E_TOOBIG;
}
