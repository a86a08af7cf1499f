#include "agent/config_provider.h"

#include "agent/file.h"
#include "agent/media.h"
#include "agent/mode.h"
#include "base/err.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX    (1u << 20)
#define HEADERS_MAX 32

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

/* --- the text --- */

static bool is_comment(const struct buf *text, size_t at)
{
    const char *p = text->p + at;
    return *p == '#' || (*p == '/' && (p[1] == '/' || p[1] == '*'));
}

static int explain(const char *path, const struct buf *text, struct config_text error)
{
    struct json_scan scan;
    size_t line = 1, column = 1;
    int rc = json_scan(text->p, text->n, &scan);
    for (size_t i = 0; i < scan.error_at; i++) {
        column = text->p[i] == '\n' ? 1 : column + 1;
        line += text->p[i] == '\n';
    }
    bool comment = rc == E_PARSE && is_comment(text, scan.error_at);
    snprintf(error.error, error.size, "%s: line %zu, column %zu: %s", path, line, column,
             comment         ? "JSON has no comments: remove it"
             : rc == E_PARSE ? scan.error_text
                             : "nested too deep");
    return E_INVALID;
}

static int parse(const char *path, struct buf *text, struct config_text error, cJSON **ret)
{
    cJSON *root = NULL;
    if (!buf_cstr(text))
        return E_NOMEM;
    int rc = json_parse(text->p, text->n, &root, NULL);
    if (rc == E_PARSE || rc == E_TOOBIG)
        return explain(path, text, error);
    if (rc == 0 && !cJSON_IsObject(root)) {
        cJSON_Delete(root);
        snprintf(error.error, error.size, "%s: line 1, column 1: expected an object, got %s", path,
                 text->n > 0 && text->p[0] == '[' ? "an array" : "something else");
        return E_INVALID;
    }
    if (rc == 0)
        *ret = root;
    return rc;
}

int config_parse_file(const char *path, struct config_text error, cJSON **ret)
{
    struct buf text = {0};
    int rc = file_read_all(path, FILE_MAX, &text);
    if (rc == 0) {
        rc = parse(path, &text, error, ret);
    } else if (rc != E_NOTFOUND && rc != E_NOMEM) {
        snprintf(error.error, error.size, "%s: %s", path, err_text(rc));
        rc = E_INVALID;
    }
    buf_deinit(&text);
    return rc;
}

int config_read_members(const cJSON *obj, const char *where, struct json_fields fields,
                        void *target, struct json_error *err)
{
    int rc = json_read_fields(obj, where, fields, target, err);
    for (const cJSON *m = obj->child; rc == 0 && m; m = m->next) {
        char at[160];
        bool known = false;
        for (size_t i = 0; i < fields.n; i++)
            known = known || strcmp(fields.list[i].name, m->string) == 0;
        snprintf(at, sizeof at, "%s.%.60s", where, m->string);
        if (!known)
            rc = complain(err, at, "no such setting");
    }
    return rc;
}

/* --- models --- */

struct model_members {
    const char *id, *name;
    uint32_t context, max_output;
    const cJSON *efforts, *input;
};

static int read_efforts(const cJSON *list, const char *where, struct buf *out,
                        struct json_error *err)
{
    const cJSON *item;
    int rc = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_IsString(item) ? item->valuestring : "";
        size_t n = strlen(word);
        if (n == 0 || n > 32 || strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_-") != n)
            return complain(err, where, "efforts are words of small letters, such as \"low\"");
        if (rc == 0)
            rc = buf_addf(out, "%s%s", out->n > 0 ? " " : "", word);
    }
    return rc == 0 && !buf_cstr(out) ? E_NOMEM : rc;
}

static int read_input(const cJSON *list, const char *where, unsigned *ret, struct json_error *err)
{
    const cJSON *item;
    *ret = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_IsString(item) ? item->valuestring : "";
        unsigned kind = media_kind_find(word);
        if (!kind && strcmp(word, "text") != 0)
            return complain(err, where, "input is a list of \"text\", \"image\" and \"audio\"");
        *ret |= kind;
    }
    return 0;
}

static int read_model(const cJSON *item, const char *where, struct config_provider *p,
                      struct json_error *err)
{
    static const struct json_field fields[] = {
        {"id", JSON_STR, JSON_REQUIRED, offsetof(struct model_members, id)},
        {"name", JSON_STR, JSON_OPTIONAL, offsetof(struct model_members, name)},
        {"context", JSON_U32, JSON_OPTIONAL, offsetof(struct model_members, context)},
        {"maxOutput", JSON_U32, JSON_OPTIONAL, offsetof(struct model_members, max_output)},
        {"efforts", JSON_ARR, JSON_OPTIONAL, offsetof(struct model_members, efforts)},
        {"input", JSON_ARR, JSON_OPTIONAL, offsetof(struct model_members, input)},
    };
    struct model_members v = {0};
    struct config_model *m = NULL;
    unsigned input = 0;
    struct buf efforts = {0};
    if (!cJSON_IsObject(item))
        return complain(err, where, "expected an object");
    int rc =
        config_read_members(item, where, (struct json_fields){fields, ARRAY_LEN(fields)}, &v, err);
    if (rc == 0 && !*v.id)
        rc = complain(err, where, "the id is empty");
    if (rc == 0)
        rc = read_efforts(v.efforts, where, &efforts, err);
    if (rc == 0)
        rc = read_input(v.input, where, &input, err);
    if (rc == 0)
        rc = config_add_model(p, v.id, efforts.p, &m);
    if (rc == 0)
        rc = config_set_text(&m->name, v.name);
    if (rc == 0) {
        m->input = input;
        m->context = v.context;
        m->max_output = v.max_output;
    }
    buf_deinit(&efforts);
    return rc;
}

static int read_models(const cJSON *list, const char *where, struct config_provider *p,
                       struct json_error *err)
{
    const cJSON *item;
    int rc = 0, i = 0;
    if (!list)
        return 0;
    config_drop_models(p);
    cJSON_ArrayForEach(item, list)
    {
        char at[160];
        snprintf(at, sizeof at, "%.120s.models[%d]", where, i++);
        if (rc == 0)
            rc = read_model(item, at, p, err);
    }
    return rc;
}

/* --- providers --- */

struct provider_members {
    const char *dialect, *base, *key_env;
    const cJSON *headers, *models;
};

/* A line end would smuggle in another header. */
static bool is_header(const cJSON *item)
{
    return cJSON_IsString(item) && *item->string &&
           strcspn(item->string, " :\r\n") == strlen(item->string) &&
           strcspn(item->valuestring, "\r\n") == strlen(item->valuestring);
}

static int read_headers(const cJSON *obj, const char *where, struct config_provider *p,
                        struct json_error *err)
{
    const cJSON *item;
    size_t n = 0;
    if (!obj)
        return 0;
    if (cJSON_GetArraySize(obj) > HEADERS_MAX)
        return complain(err, where, "more than 32 headers");
    p->headers = calloc((size_t)cJSON_GetArraySize(obj) + 1, sizeof *p->headers);
    if (!p->headers)
        return E_NOMEM;
    cJSON_ArrayForEach(item, obj)
    {
        struct buf line = {0};
        if (!is_header(item))
            return complain(err, where, "headers are names with a text of one line each");
        int rc = buf_addf(&line, "%s: %s", item->string, item->valuestring);
        p->headers[n] = rc == 0 ? buf_take(&line) : NULL;
        buf_deinit(&line);
        if (!p->headers[n++])
            return E_NOMEM;
    }
    return 0;
}

static int complain_of_dialect(struct json_error *err, const char *where)
{
    struct buf names = {0};
    char what[200];
    const char *list = llm_list_dialects(&names) == 0 ? buf_cstr(&names) : NULL;
    snprintf(what, sizeof what, "dialect: this version speaks %s", list ? list : "others");
    buf_deinit(&names);
    return complain(err, where, what);
}

static int check_provider(const struct config_provider *p, const char *id,
                          const struct provider_members *v, const char *where,
                          struct json_error *err)
{
    size_t n = strlen(id);
    bool is_url =
        v->base && (strncmp(v->base, "http://", 7) == 0 || strncmp(v->base, "https://", 8) == 0);
    if (n == 0 || n > 40 || strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789._-") != n)
        return complain(err, where, "ids of providers are small letters, digits and . _ -");
    if (v->dialect && !llm_find_dialect(v->dialect))
        return complain_of_dialect(err, where);
    if (v->base && !is_url)
        return complain(err, where, "baseUrl must begin with http:// or https://");
    if (!v->base && !p->base)
        return complain(err, where, "baseUrl: missing");
    return 0;
}

static int fill_provider(struct config_provider *p, const struct provider_members *v,
                         const char *where, struct json_error *err)
{
    if (v->dialect)
        p->dialect = llm_find_dialect(v->dialect);
    int rc = v->base ? config_set_base(p, v->base) : 0;
    if (rc == 0 && v->key_env)
        rc = config_set_text(&p->key_env, v->key_env);
    if (rc == 0)
        rc = read_headers(v->headers, where, p, err);
    return rc == 0 ? read_models(v->models, where, p, err) : rc;
}

static int read_provider(struct config *c, const cJSON *item, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"dialect", JSON_STR, JSON_OPTIONAL, offsetof(struct provider_members, dialect)},
        {"baseUrl", JSON_STR, JSON_OPTIONAL, offsetof(struct provider_members, base)},
        {"keyEnv", JSON_STR, JSON_OPTIONAL, offsetof(struct provider_members, key_env)},
        {"headers", JSON_OBJ, JSON_OPTIONAL, offsetof(struct provider_members, headers)},
        {"models", JSON_ARR, JSON_OPTIONAL, offsetof(struct provider_members, models)},
    };
    struct provider_members v = {0};
    struct config_provider *p = NULL;
    char where[160];
    snprintf(where, sizeof where, "providers.%.60s", item->string);
    if (!cJSON_IsObject(item))
        return complain(err, where, "expected an object");
    int rc =
        config_read_members(item, where, (struct json_fields){fields, ARRAY_LEN(fields)}, &v, err);
    if (rc == 0)
        rc = config_add_provider(c, item->string, &p);
    if (rc == 0)
        rc = check_provider(p, item->string, &v, where, err);
    if (rc == 0)
        rc = fill_provider(p, &v, where, err);
    if (rc == 0)
        p->wanted = true;
    return rc;
}

/* --- the whole --- */

struct members {
    const char *model, *effort, *work_mode, *tool_approval;
    uint32_t max_tokens;
    const cJSON *providers, *trusted;
};

/* Whoever is trusted here may run programs as the user: no name that could mean several folders. */
static int read_trusted(struct config *c, const cJSON *list, struct json_error *err)
{
    const cJSON *item;
    size_t n = 0;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item) || *item->valuestring != '/')
            return complain(err, "trustedProjects", "must be a list of absolute paths");
    }
    if (!list)
        return 0;
    c->trusted = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *c->trusted);
    if (!c->trusted)
        return E_NOMEM;
    cJSON_ArrayForEach(item, list)
    {
        c->trusted[n] = strdup(item->valuestring);
        if (!c->trusted[n++])
            return E_NOMEM;
    }
    return 0;
}

static int check_words(const struct members *v, struct json_error *err)
{
    if (v->work_mode && work_find(v->work_mode) < 0)
        return complain(err, "workMode", "must be economy, balanced or delivery");
    if (v->tool_approval && approval_find(v->tool_approval) < 0)
        return complain(err, "toolApproval", "must be ask, auto or yolo");
    return 0;
}

static int take_members(struct config *c, const struct members *v, struct json_error *err)
{
    const cJSON *item;
    int rc = check_words(v, err);
    cJSON_ArrayForEach(item, v->providers)
    {
        if (rc == 0)
            rc = read_provider(c, item, err);
    }
    if (rc == 0 && v->model && !config_knows(c, v->model))
        rc = complain(err, "model", "must be PROVIDER/MODEL with a known provider");
    if (rc == 0)
        rc = config_set_text(&c->model, v->model);
    if (rc == 0)
        rc = config_set_text(&c->effort, v->effort);
    if (rc == 0)
        rc = config_set_text(&c->work_mode, v->work_mode);
    if (rc == 0)
        rc = config_set_text(&c->tool_approval, v->tool_approval);
    if (rc == 0)
        rc = read_trusted(c, v->trusted, err);
    c->max_tokens = v->max_tokens;
    return rc;
}

static int read_root(struct config *c, const cJSON *root, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"model", JSON_STR, JSON_OPTIONAL, offsetof(struct members, model)},
        {"effort", JSON_STR, JSON_OPTIONAL, offsetof(struct members, effort)},
        {"workMode", JSON_STR, JSON_OPTIONAL, offsetof(struct members, work_mode)},
        {"toolApproval", JSON_STR, JSON_OPTIONAL, offsetof(struct members, tool_approval)},
        {"maxTokens", JSON_U32, JSON_OPTIONAL, offsetof(struct members, max_tokens)},
        {"providers", JSON_OBJ, JSON_OPTIONAL, offsetof(struct members, providers)},
        {"trustedProjects", JSON_ARR, JSON_OPTIONAL, offsetof(struct members, trusted)},
    };
    struct members v = {0};
    int rc = config_read_members(root, "config", (struct json_fields){fields, ARRAY_LEN(fields)},
                                 &v, err);
    return rc == 0 ? take_members(c, &v, err) : rc;
}

int config_read_file(struct config *c, config_env env)
{
    struct buf path = {0};
    struct json_error err;
    cJSON *root = NULL;
    int rc = config_locate(env, "config.json", &path);
    if (rc == 0)
        rc = buf_cstr(&path)
                 ? config_parse_file(path.p, (struct config_text){c->error, sizeof c->error}, &root)
                 : E_NOMEM;
    if (rc == 0) {
        rc = read_root(c, root, &err);
        if (rc == E_INVALID)
            snprintf(c->error, sizeof c->error, "%s: %s", path.p, err.text);
    }
    cJSON_Delete(root);
    buf_deinit(&path);
    return rc == E_NOTFOUND ? 0 : rc;
}
