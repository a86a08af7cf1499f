#include "agent/surface.h"

#include "agent/config_provider.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#define ID_MAX      100
#define FIELDS_MAX  8
#define OPTIONS_MAX 12

static const char *const kind_names[SURFACE_KINDS] = {"status", "card", "notification", "form"};
static const char *const type_names[] = {"choice", "boolean", "text"};

const char *surface_kind_name(enum surface_kind kind)
{
    return kind_names[kind];
}

static int find_word(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; word && i < n; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    return -1;
}

static int complain(struct json_error *err, const char *where, const char *what)
{
    snprintf(err->path, sizeof err->path, "%s", where);
    snprintf(err->text, sizeof err->text, "%s: %s", where, what);
    return E_INVALID;
}

/* --- payloads --- */

struct text_payload {
    const char *title, *body, *severity;
};

/* A status calls its title and body label and detail. */
static int read_text(const struct surface *s, struct text_payload *ret, struct json_error *err)
{
    static const char *const severities[] = {"info", "success", "warning", "error"};
    bool status = s->kind == SURFACE_STATUS;
    const struct json_field fields[] = {
        {status ? "label" : "title", JSON_STR, JSON_REQUIRED, offsetof(struct text_payload, title)},
        {status ? "detail" : "body", JSON_STR, JSON_NULLABLE, offsetof(struct text_payload, body)},
        {"severity", JSON_STR, JSON_NULLABLE, offsetof(struct text_payload, severity)},
    };
    *ret = (struct text_payload){.title = NULL};
    int rc = config_read_members(s->payload, "params.payload",
                                 (struct json_fields){fields, ARRAY_LEN(fields)}, ret, err);
    if (rc == 0 && ret->severity && find_word(severities, ARRAY_LEN(severities), ret->severity) < 0)
        rc = complain(err, "params.payload.severity", "must be info, success, warning or error");
    return rc;
}

static int read_options(const cJSON *list, const char *where, struct json_error *err)
{
    const cJSON *option;
    int n = cJSON_GetArraySize(list);
    if (n < 1 || n > OPTIONS_MAX)
        return complain(err, where, "a choice has 1 to 12 options");
    cJSON_ArrayForEach(option, list)
    {
        if (!json_get_str(option, "value") || !json_get_str(option, "label"))
            return complain(err, where, "each option has a value and a label");
    }
    return 0;
}

static int read_field(const cJSON *item, const char *where, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"name", JSON_STR, JSON_REQUIRED, 0},
        {"type", JSON_STR, JSON_REQUIRED, sizeof(void *)},
        {"label", JSON_STR, JSON_OPTIONAL, 2 * sizeof(void *)},
        {"options", JSON_ARR, JSON_OPTIONAL, 3 * sizeof(void *)},
        {"default", JSON_ANY, JSON_OPTIONAL, 4 * sizeof(void *)},
    };
    const void *v[5] = {NULL};
    if (!cJSON_IsObject(item))
        return complain(err, where, "expected an object");
    int rc =
        config_read_members(item, where, (struct json_fields){fields, ARRAY_LEN(fields)}, v, err);
    if (rc < 0)
        return rc;
    int type = find_word(type_names, ARRAY_LEN(type_names), v[1]);
    if (type < 0)
        return complain(err, where, "its type must be choice, boolean or text");
    if (type == SURFACE_CHOICE)
        return read_options(v[3], where, err);
    return v[3] ? complain(err, where, "only a choice has options") : 0;
}

static int read_fields(const cJSON *list, struct json_error *err)
{
    const cJSON *item;
    int rc = 0, i = 0, n = cJSON_GetArraySize(list);
    if (n < 1 || n > FIELDS_MAX)
        return complain(err, "params.payload.fields", "a form has 1 to 8 fields");
    cJSON_ArrayForEach(item, list)
    {
        char at[64];
        snprintf(at, sizeof at, "params.payload.fields[%d]", i++);
        if (rc == 0)
            rc = read_field(item, at, err);
    }
    return rc;
}

static int read_form(const cJSON *payload, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"title", JSON_STR, JSON_REQUIRED, 0},
        {"message", JSON_STR, JSON_NULLABLE, sizeof(void *)},
        {"fields", JSON_ARR, JSON_REQUIRED, 2 * sizeof(void *)},
    };
    const void *v[3] = {NULL};
    int rc = config_read_members(payload, "params.payload",
                                 (struct json_fields){fields, ARRAY_LEN(fields)}, v, err);
    return rc == 0 ? read_fields(v[2], err) : rc;
}

struct publish {
    const char *id, *kind;
    const cJSON *payload;
};

int surface_read(const cJSON *params, bool asks, struct surface *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"surfaceId", JSON_STR, JSON_REQUIRED, offsetof(struct publish, id)},
        {"kind", JSON_STR, JSON_OPTIONAL, offsetof(struct publish, kind)},
        {"payload", JSON_OBJ, JSON_REQUIRED, offsetof(struct publish, payload)},
    };
    struct publish v = {NULL, asks ? "form" : NULL, NULL};
    struct text_payload text;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &v, err) < 0)
        return E_INVALID;
    int kind = find_word(kind_names, SURFACE_KINDS, v.kind);
    if (!*v.id || strlen(v.id) > ID_MAX)
        return complain(err, "params.surfaceId", "must have 1 to 100 bytes");
    if (asks && kind != SURFACE_FORM)
        return complain(err, "params.kind", "only a form can be asked");
    if (!asks && (kind < 0 || kind == SURFACE_FORM))
        return complain(err, "params.kind",
                        "must be status, card or notification (forms go to host/ui/request)");
    ret->id = v.id;
    ret->kind = (enum surface_kind)kind;
    ret->payload = v.payload;
    return asks ? read_form(v.payload, err) : read_text(ret, &text, err);
}

int surface_render(const struct surface *s, struct buf *out)
{
    struct json_error err;
    struct text_payload t;
    if (s->kind == SURFACE_FORM || read_text(s, &t, &err) < 0)
        return 0;
    const char *body = t.body ? t.body : "";
    if (s->kind == SURFACE_CARD)
        return buf_addf(out, "**%s**%s%s\n\n", t.title, *body ? "\n\n" : "", body);
    return buf_addf(out, "%s%s%s\n\n", t.title, *body ? ": " : "", body);
}

bool surface_field_at(const struct surface *form, int i, struct surface_field *ret)
{
    const cJSON *item = cJSON_GetArrayItem(json_get(form->payload, "fields"), i);
    if (!item)
        return false;
    int type = find_word(type_names, ARRAY_LEN(type_names), json_get_str(item, "type"));
    const char *label = json_get_str(item, "label");
    *ret = (struct surface_field){.name = json_get_str(item, "name"),
                                  .label = label ? label : json_get_str(item, "name"),
                                  .type = (enum surface_field_type)type,
                                  .options = json_get(item, "options"),
                                  .fallback = json_get(item, "default")};
    return true;
}
