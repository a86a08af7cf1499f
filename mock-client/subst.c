#include "mock-client/subst.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subst {
    subst_fn look_up;
    void *ctx;
    struct json_error *err;
};

/* The next ${name} at or behind p: sets the name and where it begins and ends; false if none. */
static bool next_name(const char *p, const char **ret_at, const char **ret_name, size_t *ret_n)
{
    for (const char *at = p; (at = strstr(at, "${")) != NULL; at += 2) {
        const char *end = strchr(at, '}');
        if (at > p && at[-1] == '$')
            continue; /* "$${" is an escape */
        if (!end)
            return false;
        *ret_at = at;
        *ret_name = at + 2;
        *ret_n = (size_t)(end - at - 2);
        return true;
    }
    return false;
}

static int look_up(struct subst *s, const char *name, size_t n, cJSON **ret)
{
    int rc = s->look_up(s->ctx, name, n, ret);
    if (rc != E_NOTFOUND)
        return rc;
    snprintf(s->err->path, sizeof s->err->path, "%.*s", (int)(n < 150 ? n : 150), name);
    snprintf(s->err->text, sizeof s->err->text, "${%s} has no value", s->err->path);
    return rc;
}

/* Text without names: "$${" becomes "${". */
static int add_plain(struct buf *out, const char *p, size_t n)
{
    const char *end = p + n;
    int rc = 0;
    while (p < end && rc == 0) {
        size_t skip = end - p >= 3 && !strncmp(p, "$${", 3) ? 1 : 0;
        rc = buf_addc(out, p[skip]);
        p += skip + 1;
    }
    return rc;
}

static int add_value(struct buf *out, const cJSON *value)
{
    if (cJSON_IsString(value))
        return buf_adds(out, value->valuestring);
    char *text = cJSON_PrintUnformatted(value);
    int rc = text ? buf_adds(out, text) : E_NOMEM;
    cJSON_free(text);
    return rc;
}

static int fill_text(struct subst *s, const char *text, struct buf *out)
{
    const char *at, *name;
    size_t n;
    int rc = 0;
    while (rc == 0 && next_name(text, &at, &name, &n)) {
        cJSON *value = NULL;
        rc = look_up(s, name, n, &value);
        if (rc == 0)
            rc = add_plain(out, text, (size_t)(at - text));
        if (rc == 0)
            rc = add_value(out, value);
        cJSON_Delete(value);
        text = name + n + 1;
    }
    return rc < 0 ? rc : add_plain(out, text, strlen(text));
}

static int fill_string(struct subst *s, const char *text, cJSON **ret)
{
    const char *at, *name;
    size_t n;
    if (next_name(text, &at, &name, &n) && at == text && name[n + 1] == '\0')
        return look_up(s, name, n, ret);
    struct buf out = {0};
    int rc = fill_text(s, text, &out);
    const char *whole = rc == 0 ? buf_cstr(&out) : NULL;
    *ret = whole ? cJSON_CreateString(whole) : NULL;
    buf_deinit(&out);
    return rc < 0 ? rc : *ret ? 0 : E_NOMEM;
}

static int fill(struct subst *s, const cJSON *in, cJSON **ret);

static int attach(cJSON *to, const cJSON *like, cJSON *item)
{
    bool ok = cJSON_IsObject(to) ? cJSON_AddItemToObject(to, like->string, item)
                                 : cJSON_AddItemToArray(to, item);
    if (!ok)
        cJSON_Delete(item);
    return ok ? 0 : E_NOMEM;
}

static int fill_children(struct subst *s, const cJSON *in, cJSON **ret)
{
    cJSON *out = cJSON_IsObject(in) ? cJSON_CreateObject() : cJSON_CreateArray();
    int rc = out ? 0 : E_NOMEM;
    for (const cJSON *m = in->child; m && rc == 0; m = m->next) {
        cJSON *item = NULL;
        rc = fill(s, m, &item);
        if (rc == 0)
            rc = attach(out, m, item);
    }
    if (rc < 0) {
        cJSON_Delete(out);
        return rc;
    }
    *ret = out;
    return 0;
}

static int fill(struct subst *s, const cJSON *in, cJSON **ret)
{
    if (cJSON_IsString(in) && strchr(in->valuestring, '$'))
        return fill_string(s, in->valuestring, ret);
    if (cJSON_IsObject(in) || cJSON_IsArray(in))
        return fill_children(s, in, ret);
    *ret = cJSON_Duplicate(in, true);
    return *ret ? 0 : E_NOMEM;
}

int subst_apply(const cJSON *in, subst_fn value_of, void *ctx, cJSON **ret,
                struct json_error *reterr)
{
    struct subst s = {.look_up = value_of, .ctx = ctx, .err = reterr};
    cJSON *out = NULL;
    int rc = fill(&s, in, &out);
    if (rc < 0)
        return rc;
    *ret = out;
    return 0;
}

static void names_in(const char *text, void (*cb)(void *, const char *, size_t), void *ctx)
{
    const char *at, *name;
    size_t n;
    while (next_name(text, &at, &name, &n)) {
        cb(ctx, name, n);
        text = name + n + 1;
    }
}

void subst_names(const cJSON *in, void (*cb)(void *ctx, const char *name, size_t n), void *ctx)
{
    if (cJSON_IsString(in))
        names_in(in->valuestring, cb, ctx);
    for (const cJSON *m = in ? in->child : NULL; m; m = m->next)
        subst_names(m, cb, ctx);
}
