#include "agent/prompt.h"

#include "agent/blob.h"
#include "agent/media.h"
#include "agent/uri.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    const char *type, *text, *uri, *name, *mime, *data;
    const cJSON *resource;
};

struct resource {
    const char *uri, *text, *blob;
};

void prompt_deinit(struct prompt *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->parts[i].text);
        free(p->parts[i].typed);
        free(p->parts[i].name);
        free(p->parts[i].uri);
        free(p->parts[i].path);
        free(p->parts[i].note);
    }
    free(p->parts);
    free(p->shown);
    *p = (struct prompt){0};
}

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

static int read_text(const cJSON *block, const char *where, struct prompt_part *ret,
                     struct json_error *err)
{
    static const struct json_field fields[] = {
        {"text", JSON_STR, JSON_REQUIRED, offsetof(struct block, text)},
    };
    struct block b = {0};
    if (json_read(block, where, fields, ARRAY_LEN(fields), &b, err) < 0)
        return E_INVALID;
    ret->kind = PROMPT_TEXT;
    ret->text = strdup(b.text);
    return ret->text ? 0 : E_NOMEM;
}

static int read_link(const cJSON *block, const char *where, struct prompt_part *ret,
                     struct json_error *err)
{
    static const struct json_field fields[] = {
        {"uri", JSON_STR, JSON_REQUIRED, offsetof(struct block, uri)},
        {"name", JSON_STR, JSON_REQUIRED, offsetof(struct block, name)},
    };
    struct block b = {0};
    if (json_read(block, where, fields, ARRAY_LEN(fields), &b, err) < 0)
        return E_INVALID;
    ret->kind = PROMPT_LINK;
    ret->uri = strdup(b.uri);
    ret->name = strdup(b.name);
    int rc = uri_to_path(b.uri, &ret->path);
    return rc == E_NOMEM || !ret->uri || !ret->name ? E_NOMEM : 0;
}

/* A blob that is text is given as text; other bytes are only named. */
static int read_blob(const char *blob, const char *where, struct prompt_part *ret,
                     struct json_error *err)
{
    struct buf bytes = {0}, note = {0};
    int rc = blob_decode(blob, &bytes);
    if (rc == E_PARSE) {
        rc = complain(err, where, "expected base64");
    } else if (rc == 0 && utf8_valid_prefix(bytes.p, bytes.n) == bytes.n &&
               (bytes.n == 0 || !memchr(bytes.p, '\0', bytes.n))) {
        ret->text = buf_take(&bytes);
        rc = ret->text ? 0 : E_NOMEM;
    } else if (rc == 0) {
        rc = buf_addf(&note, "%zu bytes of binary data, not shown", bytes.n);
        ret->note = rc == 0 ? buf_take(&note) : NULL;
        rc = ret->note ? 0 : E_NOMEM;
    }
    buf_deinit(&bytes);
    buf_deinit(&note);
    return rc;
}

static int fill_resource(const struct resource *r, const char *where, struct prompt_part *ret,
                         struct json_error *err)
{
    char at[128];
    const char *slash = strrchr(r->uri, '/');
    ret->kind = PROMPT_RESOURCE;
    ret->uri = strdup(r->uri);
    ret->name = strdup(slash && slash[1] ? slash + 1 : r->uri);
    if (!ret->uri || !ret->name)
        return E_NOMEM;
    snprintf(at, sizeof at, "%s.blob", where);
    if (!r->text)
        return read_blob(r->blob, at, ret, err);
    ret->text = strdup(r->text);
    return ret->text ? 0 : E_NOMEM;
}

static int read_resource(const cJSON *block, const char *where, struct prompt_part *ret,
                         struct json_error *err)
{
    static const struct json_field outer[] = {
        {"resource", JSON_OBJ, JSON_REQUIRED, offsetof(struct block, resource)},
    };
    static const struct json_field inner[] = {
        {"uri", JSON_STR, JSON_REQUIRED, offsetof(struct resource, uri)},
        {"text", JSON_STR, JSON_NULLABLE, offsetof(struct resource, text)},
        {"blob", JSON_STR, JSON_NULLABLE, offsetof(struct resource, blob)},
    };
    struct block b = {0};
    struct resource r = {0};
    char at[96];
    if (json_read(block, where, outer, ARRAY_LEN(outer), &b, err) < 0)
        return E_INVALID;
    snprintf(at, sizeof at, "%s.resource", where);
    if (json_read(b.resource, at, inner, ARRAY_LEN(inner), &r, err) < 0)
        return E_INVALID;
    if (!r.text && !r.blob)
        return complain(err, at, "needs text or blob");
    return fill_resource(&r, at, ret, err);
}

static int read_media(const cJSON *block, const char *where, struct prompt_part *ret,
                      struct json_error *err)
{
    static const struct json_field fields[] = {
        {"type", JSON_STR, JSON_REQUIRED, offsetof(struct block, type)},
        {"mimeType", JSON_STR, JSON_REQUIRED, offsetof(struct block, mime)},
        {"data", JSON_STR, JSON_REQUIRED, offsetof(struct block, data)},
    };
    struct block b = {0};
    if (json_read(block, where, fields, ARRAY_LEN(fields), &b, err) < 0)
        return E_INVALID;
    const char *why = NULL;
    int rc = media_check(media_kind_find(b.type), b.mime, b.data, &why);
    if (rc < 0)
        return rc == E_INVALID ? complain(err, where, why) : rc;
    ret->kind = PROMPT_MEDIA;
    ret->name = strdup(b.type);
    return ret->name ? 0 : E_NOMEM;
}

static int refuse_media(const char *type, const char *where, struct json_error *err)
{
    char what[96];
    snprintf(what, sizeof what, "the model in use takes no %s blocks", type);
    return complain(err, where, what);
}

struct place {
    const char *where;
    unsigned input; /* bits of enum media_kind */
};

static int read_block(const cJSON *block, const struct place *at, struct prompt_part *ret,
                      struct json_error *err)
{
    const char *where = at->where;
    static const struct json_field fields[] = {
        {"type", JSON_STR, JSON_REQUIRED, offsetof(struct block, type)},
    };
    static const struct {
        const char *type;
        int (*read)(const cJSON *, const char *, struct prompt_part *, struct json_error *);
    } kinds[] = {{"text", read_text},
                 {"resource_link", read_link},
                 {"resource", read_resource},
                 {"image", read_media},
                 {"audio", read_media}};
    struct block b = {0};
    if (!cJSON_IsObject(block))
        return complain(err, where, "expected a content block, an object");
    if (json_read(block, where, fields, ARRAY_LEN(fields), &b, err) < 0)
        return E_INVALID;
    unsigned media = media_kind_find(b.type);
    if (media && !(media & at->input))
        return refuse_media(b.type, where, err);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].type, b.type) == 0)
            return kinds[i].read(block, where, ret, err);
    return complain(err, where, "unknown type of content block");
}

static bool has_content(const struct prompt *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->parts[i].kind != PROMPT_TEXT || *p->parts[i].text)
            return true;
    return false;
}

static int read_blocks(const cJSON *blocks, const struct place *list, struct prompt *p,
                       struct json_error *err)
{
    const char *where = list->where;
    char at[64];
    const struct place one = {at, list->input};
    int rc = 0;
    size_t n = (size_t)cJSON_GetArraySize(blocks);
    const cJSON *block = blocks->child;
    p->parts = calloc(n ? n : 1, sizeof *p->parts);
    if (!p->parts)
        return E_NOMEM;
    for (; rc == 0 && block; block = block->next) {
        snprintf(at, sizeof at, "%s[%zu]", where, p->n);
        rc = read_block(block, &one, &p->parts[p->n++], err);
    }
    return rc == 0 && !has_content(p) ? complain(err, where, "holds nothing to answer") : rc;
}

int prompt_read(const cJSON *params, unsigned input, struct prompt *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"prompt", JSON_ARR, JSON_NULLABLE, 0},
    };
    static const struct json_field legacy[] = {
        {"content", JSON_ARR, JSON_NULLABLE, 0},
    };
    const cJSON *prompt = NULL, *content = NULL;
    struct prompt p = {0};
    if (json_read(params, "params", fields, 1, &prompt, err) < 0)
        return E_INVALID;
    if ((!prompt || !prompt->child) && json_read(params, "params", legacy, 1, &content, err) < 0)
        return E_INVALID;
    if (!prompt && !content)
        return complain(err, "params.prompt", "missing");
    bool old = content && content->child;
    const struct place list = {old ? "params.content" : "params.prompt", input};
    int rc = read_blocks(old || !prompt ? content : prompt, &list, &p, err);
    if (rc == 0) {
        p.shown = prompt_write_shown(old ? content : prompt);
        rc = p.shown ? 0 : E_NOMEM;
    }
    if (rc < 0)
        prompt_deinit(&p);
    else
        *ret = p;
    return rc;
}

/* Two texts in a row are two paragraphs; around a mention the sentence goes on. */
static int render_inline(const struct prompt *p, size_t i, struct buf *out)
{
    const struct prompt_part *part = &p->parts[i];
    int rc = 0;
    if (part->kind == PROMPT_MEDIA)
        return 0;
    if (part->kind != PROMPT_TEXT) {
        rc = buf_addf(out, "[%s](%s)", part->name, part->uri);
        return rc == 0 && part->note && !part->text ? buf_addf(out, " (%s)", part->note) : rc;
    }
    if (i > 0 && p->parts[i - 1].kind == PROMPT_TEXT)
        rc = buf_addc(out, '\n');
    return rc == 0 ? buf_adds(out, part->text) : rc;
}

static int render_contents(const struct prompt_part *part, struct buf *out)
{
    if (part->kind == PROMPT_TEXT || !part->text)
        return 0;
    int rc = buf_addf(out, "\n\n<context uri=\"%s\">\n", part->uri);
    if (rc == 0)
        rc = buf_adds(out, part->text);
    if (rc == 0 && part->note)
        rc = buf_addf(out, "\n[%s]", part->note);
    return rc == 0 ? buf_adds(out, "\n</context>") : rc;
}

char *prompt_render(const struct prompt *p)
{
    struct buf out = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->n; i++)
        rc = render_inline(p, i, &out);
    for (size_t i = 0; rc == 0 && i < p->n; i++)
        rc = render_contents(&p->parts[i], &out);
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}

int prompt_replace(struct prompt *p, const char *text)
{
    struct prompt_part *part = &p->parts[0];
    char *copy = strdup(text);
    if (!copy)
        return E_NOMEM;
    if (part->typed)
        free(part->text);
    else
        part->typed = part->text;
    part->text = copy;
    return 0;
}
