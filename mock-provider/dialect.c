#include "dialect.h"

#include "base/err.h"
#include "rule.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct dialect *const dialects[] = {&dialect_openai_chat, &dialect_openai_responses,
                                                 &dialect_anthropic, &dialect_gemini};

/* Whose mark the request carries comes first. */
const struct dialect *dialect_for(const struct httpd_req *req)
{
    const struct dialect *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
        const struct dialect *d = dialects[i];
        if (!d->owns(httpd_path(req)))
            continue;
        if (d->mark && httpd_header(req, d->mark))
            return d;
        if (!found)
            found = d;
    }
    return found ? found : dialects[0];
}

bool dialect_is_path(const char *path, const char *want)
{
    size_t n = strcspn(path, "?");
    if (n > 3 && strncmp(path, "/v1", 3) == 0) {
        path += 3;
        n -= 3;
    }
    return n == strlen(want) && strncmp(path, want, n) == 0;
}

/* splitmix64: every bit of the input reaches every bit of the output. */
uint64_t dialect_hash(uint64_t seed, unsigned n, unsigned what)
{
    uint64_t x = seed + ((uint64_t)n << 32 | what) * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* FNV-1a: goes on where it stopped, however the text was cut. */
uint64_t dialect_sign(uint64_t signature, const char *text, size_t n)
{
    uint64_t x = signature ? signature : 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        x = (x ^ (unsigned char)text[i]) * 0x100000001B3u;
    return x;
}

size_t dialect_cut(const struct call *c, uint32_t part)
{
    size_t at = (size_t)((double)c->args_n * part / c->fragments);
    while (at < c->args_n && ((unsigned char)c->args[at] & 0xC0) == 0x80)
        at++;
    return at < c->args_n ? at : c->args_n;
}

int dialect_send(struct buf *out, const char *type, const char *json, size_t n)
{
    if (buf_addf(out, "event: %s\ndata: ", type) < 0 || buf_add(out, json, n) < 0)
        return E_NOMEM;
    return buf_add(out, "\n\n", 2);
}

int dialect_send_typed(struct writer *w, const char *fallback, const char *json, size_t n)
{
    cJSON *tree = NULL;
    struct buf copy = {0}; /* parsing wants a NUL behind the text */
    int rc = buf_add(&copy, json, n);
    if (rc == 0 && !buf_cstr(&copy))
        rc = E_NOMEM;
    if (rc == 0 && json_parse(copy.p, copy.n, &tree, NULL) == E_NOMEM)
        rc = E_NOMEM;
    const char *type = json_get_str(tree, "type");
    if (rc == 0)
        rc = dialect_send(w->out, type ? type : fallback, json, n);
    cJSON_Delete(tree);
    buf_deinit(&copy);
    return rc;
}

void dialect_write_args(struct jsonw *w, const char *args)
{
    if (rule_is_json(args))
        jw_raw(w, args, strlen(args));
    else
        jw_cstr(w, args);
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

const char *dialect_finish_word(const struct ending *e, const char *const words[])
{
    if (e->word)
        return e->word;
    return e->finish >= FINISH_STOP ? words[e->finish] : NULL;
}
