#include "agent/media.h"

#include "agent/blob.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum media_kind kind;
    const char *name;
    const char *types[6]; /* what the providers' models read */
    const char *refusal;
} kinds[] = {
    {MEDIA_IMAGE,
     "image",
     {"image/png", "image/jpeg", "image/gif", "image/webp"},
     "must be image/png, image/jpeg, image/gif or image/webp"},
    {MEDIA_AUDIO,
     "audio",
     {"audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"},
     "must be audio/wav or audio/mpeg"},
};

void media_deinit(struct media_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].type);
        free(l->items[i].data);
    }
    free(l->items);
    *l = (struct media_list){0};
}

const char *media_kind_name(enum media_kind kind)
{
    return kinds[kind == MEDIA_AUDIO].name;
}

const char *media_placeholder(enum media_kind kind)
{
    return kind == MEDIA_IMAGE ? "[An image that is not shown to you.]"
                               : "[A sound that is not given to you.]";
}

unsigned media_kind_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    return 0;
}

static int complain(const char **ret_why, const char *why)
{
    *ret_why = why;
    return E_INVALID;
}

int media_check(enum media_kind kind, const char *type, const char *data, const char **ret_why)
{
    const size_t k = kind == MEDIA_AUDIO;
    struct buf bytes = {0};
    bool known = false;
    for (size_t i = 0; kinds[k].types[i]; i++)
        known = known || strcmp(kinds[k].types[i], type) == 0;
    if (!known)
        return complain(ret_why, kinds[k].refusal);
    int rc = blob_decode(data, &bytes);
    bool empty = bytes.n == 0;
    buf_deinit(&bytes);
    if (rc == E_PARSE)
        return complain(ret_why, "expected base64");
    return rc == 0 && empty ? complain(ret_why, "there are no data") : rc;
}

/* White space, which decoders skip, would not be skipped inside a URL. */
static char *copy_data(const char *data)
{
    char *copy = strdup(data), *to = copy;
    for (const char *from = data; copy && *from; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
    if (copy)
        *to = '\0';
    return copy;
}

static int add(struct media_list *l, unsigned kind, const cJSON *block)
{
    const char *type = json_get_str(block, "mimeType"), *data = json_get_str(block, "data");
    struct media *more = type && data ? realloc(l->items, (l->n + 1) * sizeof *more) : NULL;
    if (!type || !data)
        return 0;
    if (!more)
        return E_NOMEM;
    l->items = more;
    struct media *m = &more[l->n++];
    *m = (struct media){.kind = kind, .type = strdup(type), .data = copy_data(data)};
    return m->type && m->data ? 0 : E_NOMEM;
}

/* Is it worth parsing? */
static bool may_hold_media(const char *blocks)
{
    return strstr(blocks, "\"image\"") || strstr(blocks, "\"audio\"");
}

int media_read(const char *blocks, struct media_list *ret)
{
    struct media_list l = {0};
    cJSON *root = NULL;
    const cJSON *block;
    int rc = blocks && may_hold_media(blocks) ? json_parse(blocks, strlen(blocks), &root, NULL) : 0;
    if (rc < 0 && rc != E_NOMEM)
        rc = 0;
    cJSON_ArrayForEach(block, root)
    {
        const char *type = json_get_str(block, "type");
        unsigned kind = type ? media_kind_find(type) : 0;
        if (rc == 0 && kind)
            rc = add(&l, kind, block);
    }
    cJSON_Delete(root);
    if (rc < 0)
        media_deinit(&l);
    else
        *ret = l;
    return rc;
}
