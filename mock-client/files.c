#define _XOPEN_SOURCE 700 /* realpath */

#include "mock-client/files.h"

#include "mock-client/disk.h"
#include "mock-client/policy.h"
#include "mock-client/response.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths -------------------------------------------------------------------------------------
 */

/* Drops the last part. */
static void step_up(struct buf *out)
{
    while (out->n > 0 && out->p[out->n - 1] != '/')
        out->n--;
    out->n -= out->n > 0;
}

static int add_parts(struct buf *out, const char *path)
{
    int rc = 0;
    for (size_t n; *path && rc == 0; path += n) {
        path += strspn(path, "/");
        n = strcspn(path, "/");
        if (n == 2 && !strncmp(path, "..", 2))
            step_up(out);
        else if (n > 0 && !(n == 1 && *path == '.'))
            rc = buf_addf(out, "/%.*s", (int)n, path);
    }
    return rc;
}

/* Absolute, without empty parts, "." and ".."; links are not followed. NULL: out of memory. */
static char *full_path(const struct files *f, const char *path)
{
    struct buf out = {0};
    int rc = path[0] == '/' ? 0 : add_parts(&out, f->cwd);
    if (rc == 0)
        rc = add_parts(&out, path);
    if (rc == 0 && out.n == 0)
        rc = buf_addc(&out, '/');
    char *full = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return full;
}

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (path[n] == '/' || path[n] == '\0');
}

/* Where the nearest part of the path that is there really is; false if it cannot be told. */
static bool real_place(const char *path, char real[PATH_MAX])
{
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return false;
    while (!realpath(part, real)) {
        char *slash = strrchr(part, '/');
        if (errno != ENOENT || !slash || slash == part)
            return false;
        *slash = '\0';
    }
    return true;
}

static bool may_write(const struct files *f, const char *path)
{
    char real[PATH_MAX];
    return f->outside || (real_place(path, real) && is_below(real, f->cwd));
}

/* ---- the configuration --------------------------------------------------------------------------
 */

const char *files_buffer(const struct files *f, const char *path)
{
    char *full = full_path(f, path);
    const char *text = full ? json_get_str(f->buffers, full) : NULL;
    free(full);
    return text;
}

int files_set_buffer(struct files *f, const char *path, const char *text)
{
    char *full = full_path(f, path);
    int rc = E_NOMEM;
    if (full) {
        cJSON_DeleteItemFromObjectCaseSensitive(f->buffers, full);
        rc = cJSON_AddStringToObject(f->buffers, full, text) ? 0 : E_NOMEM;
    }
    free(full);
    return rc;
}

/* A copy, since cJSON 1.7.15 leaks a reference that it cannot add. */
static int add_error(struct files *f, const cJSON *error)
{
    char *full = full_path(f, error->string);
    cJSON *copy = full ? cJSON_Duplicate(error, true) : NULL;
    bool ok = copy && cJSON_AddItemToObject(f->errors, full, copy);
    if (!ok)
        cJSON_Delete(copy);
    free(full);
    return ok ? 0 : E_NOMEM;
}

int files_init(struct files *f, const cJSON *config, const char *cwd)
{
    const cJSON *m;
    *f = (struct files){.cwd = cwd,
                        .buffers = cJSON_CreateObject(),
                        .errors = cJSON_CreateObject(),
                        .outside = json_get_bool(config, "outside")};
    int rc = f->buffers && f->errors ? 0 : E_NOMEM;
    cJSON_ArrayForEach(m, json_get(config, "errors"))
    {
        if (rc == 0)
            rc = add_error(f, m);
    }
    cJSON_ArrayForEach(m, json_get(config, "buffers"))
    {
        if (rc == 0 && cJSON_IsString(m))
            rc = files_set_buffer(f, m->string, m->valuestring);
    }
    if (rc < 0)
        files_deinit(f);
    return rc;
}

void files_deinit(struct files *f)
{
    cJSON_Delete(f->buffers);
    cJSON_Delete(f->errors);
    *f = (struct files){0};
}

static bool all_are(const cJSON *object, int type)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, object) if ((m->type & 0xff) != type) return false;
    return !object || cJSON_IsObject(object);
}

int files_check(const cJSON *config, char *err, size_t err_n)
{
    const cJSON *m, *outside = json_get(config, "outside");
    if (!cJSON_IsObject(config)) {
        snprintf(err, err_n, "fs: expected {\"buffers\", \"errors\", \"outside\"}");
        return E_INVALID;
    }
    cJSON_ArrayForEach(m, config)
    {
        if (!strcmp(m->string, "buffers") || !strcmp(m->string, "errors") || m == outside)
            continue;
        snprintf(err, err_n, "fs: unknown member \"%s\"", m->string);
        return E_INVALID;
    }
    const char *wrong = !all_are(json_get(config, "buffers"), cJSON_String)
                            ? "fs: buffers holds a text for each path"
                        : !all_are(json_get(config, "errors"), cJSON_Object)
                            ? "fs: errors holds an error object for each path"
                        : outside && !cJSON_IsBool(outside) ? "fs: outside is true or false"
                                                            : NULL;
    if (wrong)
        snprintf(err, err_n, "%s", wrong);
    return wrong ? E_INVALID : 0;
}

/* ---- what both have in common -------------------------------------------------------------------
 */

static int fail(struct json_slice id, int code, const char *message, struct buf *out)
{
    return response_error(id, &(struct response_error){.code = code, .message = message}, out);
}

static int fail_missing(struct json_slice id, const char *full, struct buf *out)
{
    struct buf uri = {0};
    int rc = buf_adds(&uri, "file://");
    for (const char *c = full; *c && rc == 0; c++) {
        bool plain = *c > ' ' && *c < 127 && !strchr("\"#%<>?[\\]^`{|}", *c);
        rc = plain ? buf_addc(&uri, *c) : buf_addf(&uri, "%%%02X", (unsigned)(unsigned char)*c);
    }
    const char *value = rc == 0 ? buf_cstr(&uri) : NULL;
    rc = value ? response_error(id,
                                &(struct response_error){.code = -32002,
                                                         .message = "Resource not found",
                                                         .key = "uri",
                                                         .value = value},
                                out)
               : E_NOMEM;
    buf_deinit(&uri);
    return rc;
}

static int fail_disk(struct json_slice id, const char *full, int why, struct buf *out)
{
    char text[200];
    if (why == E_NOMEM)
        return why;
    if (why == -ENOENT || why == -ENOTDIR)
        return fail_missing(id, full, out);
    snprintf(text, sizeof text, "%s", why == E_UNSUPPORTED ? "not a regular file" : err_text(why));
    return fail(id, -32603, text, out);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

struct slice {
    const char *path; /* lent by the params */
    uint32_t line, limit;
};

/* Behind the n-th line feed; the end if there are not so many. */
static const char *skip_lines(const char *p, const char *end, uint32_t n)
{
    while (n > 0 && p < end) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        p = lf ? lf + 1 : end;
        n--;
    }
    return p;
}

static int give_text(const struct slice *s, struct json_slice id, const struct buf *text,
                     struct buf *out)
{
    struct jsonw w;
    const char *from = text->p ? text->p : "", *end = from + text->n;
    from = skip_lines(from, end, s->line > 0 ? s->line - 1 : 0);
    if (s->limit != UINT32_MAX)
        end = skip_lines(from, end, s->limit);
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_key(&w, "content");
    jw_str(&w, from, (size_t)(end - from));
    jw_close(&w);
    return response_end(&w);
}

static int read_full(const struct files *f, const char *full, struct buf *text)
{
    const char *buffer = json_get_str(f->buffers, full);
    return buffer ? buf_adds(text, buffer) : disk_read(full, text);
}

static int serve_read(const struct files *f, const struct slice *s, struct json_slice id,
                      struct buf *out)
{
    struct buf text = {0};
    char *full = full_path(f, s->path);
    const cJSON *error = full ? json_get(f->errors, full) : NULL;
    int rc = full ? 0 : E_NOMEM;
    if (error)
        rc = policy_write_error(id, error, out);
    else if (full)
        rc = read_full(f, full, &text);
    if (full && !error)
        rc = rc < 0 ? fail_disk(id, full, rc, out) : give_text(s, id, &text, out);
    buf_deinit(&text);
    free(full);
    return rc;
}

int files_read(const struct files *f, const cJSON *params, struct json_slice id, struct buf *out)
{
    static const struct json_field fields[] = {
        {"path", JSON_STR, JSON_REQUIRED, offsetof(struct slice, path)},
        {"line", JSON_U32, JSON_NULLABLE, offsetof(struct slice, line)},
        {"limit", JSON_U32, JSON_NULLABLE, offsetof(struct slice, limit)},
    };
    struct slice s = {.line = 1, .limit = UINT32_MAX};
    struct json_error err;
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), &s, &err);
    if (rc < 0)
        return rc == E_NOMEM ? rc : fail(id, -32602, err.text, out);
    if (s.path[0] != '/')
        return fail(id, -32602, "params.path: has to be absolute", out);
    return serve_read(f, &s, id, out);
}

/* ---- writing -----------------------------------------------------------------------------------
 */

struct write {
    const char *path, *content; /* lent by the params */
};

static int write_full(struct files *f, char *full, const char *content)
{
    if (json_get_str(f->buffers, full))
        return files_set_buffer(f, full, content);
    int rc = disk_make_folders(full, 1);
    return rc < 0 ? rc : disk_write(full, content, strlen(content));
}

static int serve_write(struct files *f, const struct write *w, struct json_slice id,
                       struct buf *out)
{
    char *full = full_path(f, w->path);
    int rc = full ? 0 : E_NOMEM;
    const cJSON *error = full ? json_get(f->errors, full) : NULL;
    if (error) {
        rc = policy_write_error(id, error, out);
    } else if (rc == 0 && !may_write(f, full)) {
        rc = fail(id, -32602, "params.path: lies outside the working directory", out);
    } else if (rc == 0) {
        rc = write_full(f, full, w->content);
        rc = rc < 0 ? fail_disk(id, full, rc, out) : response_empty(id, out);
    }
    free(full);
    return rc;
}

int files_write(struct files *f, const cJSON *params, struct json_slice id, struct buf *out)
{
    static const struct json_field fields[] = {
        {"path", JSON_STR, JSON_REQUIRED, offsetof(struct write, path)},
        {"content", JSON_STR, JSON_REQUIRED, offsetof(struct write, content)},
    };
    struct write w = {0};
    struct json_error err;
    int rc = json_read(params, "params", fields, ARRAY_LEN(fields), &w, &err);
    if (rc < 0)
        return rc == E_NOMEM ? rc : fail(id, -32602, err.text, out);
    if (w.path[0] != '/')
        return fail(id, -32602, "params.path: has to be absolute", out);
    return serve_write(f, &w, id, out);
}
