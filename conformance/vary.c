#include "conformance/vary.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"
#include "json/pointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER "vary"

static int add_case(struct catalog *c, struct case_file *taken)
{
    struct case_file *more = realloc(c->cases, (c->n + 1) * sizeof *more);
    if (!more) {
        case_file_deinit(taken);
        return E_NOMEM;
    }
    c->cases = more;
    c->cases[c->n++] = *taken;
    return 0;
}

static int add_variant(struct catalog *c, const struct case_file *file, const char *name)
{
    struct case_file variant = {.text = file->text, .n = file->n};
    struct buf id = {0};
    if (buf_adds(&id, file->id) < 0 || buf_addc(&id, '@') < 0 || buf_adds(&id, name) < 0)
        goto fail;
    variant.id = buf_take(&id);
    variant.path = strdup(file->path);
    if (file->owned)
        variant.text = variant.owned = strndup(file->owned, file->n);
    if (variant.id && variant.path && variant.text)
        return add_case(c, &variant);

fail:
    buf_deinit(&id);
    case_file_deinit(&variant);
    return E_NOMEM;
}

/* Most files vary nothing and are not parsed for it. */
static int read_variants(const struct case_file *file, cJSON **ret)
{
    if (!strstr(file->text, "\"" MEMBER "\""))
        return 0;
    int rc = json_parse(file->text, file->n, ret, NULL);
    return rc == E_NOMEM ? rc : 0; /* whoever looks into it is told what is wrong */
}

int vary_add(struct catalog *c, struct case_file *taken)
{
    cJSON *root = NULL;
    int rc = read_variants(taken, &root);
    const cJSON *list = json_get(root, MEMBER), *variant;
    if (rc < 0 || !cJSON_IsObject(list) || !list->child) {
        cJSON_Delete(root);
        if (rc == 0)
            return add_case(c, taken);
        case_file_deinit(taken);
        return rc;
    }
    cJSON_ArrayForEach(variant, list)
    {
        if (rc == 0)
            rc = add_variant(c, taken, variant->string);
    }
    cJSON_Delete(root);
    case_file_deinit(taken);
    return rc;
}

const char *vary_name(const struct case_file *c)
{
    const char *at = c->id ? strchr(c->id, '@') : NULL;
    return at ? at + 1 : NULL;
}

static int set_one(cJSON *root, const cJSON *value, const char *name, char *err, size_t err_n)
{
    cJSON *copy = cJSON_Duplicate(value, true);
    if (copy) { /* its name is the pointer, which an element of an array must not have */
        cJSON_free(copy->string);
        copy->string = NULL;
    }
    int rc = copy ? json_pointer_add(root, value->string, copy) : E_NOMEM;
    if (rc < 0 && rc != E_NOMEM) {
        snprintf(err, err_n, "vary: %s: \"%s\" leads nowhere in this case", name, value->string);
        rc = E_INVALID;
    }
    return rc;
}

/* What makes a name unfit to be a part of an id; NULL: nothing. */
static const char *fault_of(const cJSON *list, const char *name)
{
    const cJSON *variant;
    unsigned n = 0;
    cJSON_ArrayForEach(variant, list) n += strcmp(variant->string, name) == 0;
    if (n > 1)
        return "stands twice";
    if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return "is no name: small letters, digits and hyphens";
    return cJSON_IsObject(json_get(list, name)) ? NULL : "must be {POINTER: VALUE, ...}";
}

int vary_apply(const struct case_file *c, cJSON *root, char *err, size_t err_n)
{
    const char *name = vary_name(c);
    cJSON *list = name ? cJSON_DetachItemFromObjectCaseSensitive(root, MEMBER) : NULL;
    const cJSON *value, *variant = json_get(list, name ? name : "");
    const char *fault = list ? fault_of(list, name) : NULL;
    int rc = fault ? E_INVALID : 0;
    if (fault)
        snprintf(err, err_n, "vary: \"%s\" %s", name, fault);
    cJSON_ArrayForEach(value, variant)
    {
        if (rc == 0)
            rc = set_one(root, value, name, err, err_n);
    }
    cJSON_Delete(list);
    return rc;
}
