#include "acp/check.h"

#include "acp/walk.h"
#include "base/err.h"

#include <assert.h>
#include <math.h>
#include <string.h>

unsigned walk_type(const cJSON *value)
{
    switch (value->type & 0xff) {
    case cJSON_NULL:
        return SCHEMA_NULL;
    case cJSON_False:
    case cJSON_True:
        return SCHEMA_BOOLEAN;
    case cJSON_String:
        return SCHEMA_STRING;
    case cJSON_Array:
        return SCHEMA_ARRAY;
    case cJSON_Object:
        return SCHEMA_OBJECT;
    case cJSON_Number:
        if (!isfinite(value->valuedouble))
            return 0; /* 1e999 */
        /* 1.0 is an integer: JSON Schema judges values, not spellings */
        return SCHEMA_NUMBER |
               (value->valuedouble == floor(value->valuedouble) ? SCHEMA_INTEGER : 0u);
    default:
        return 0;
    }
}

const cJSON *walk_member(const cJSON *object, const char *name)
{
    const cJSON *found = NULL;
    for (const cJSON *m = object->child; m; m = m->next)
        if (strcmp(m->string, name) == 0)
            found = m;
    return found;
}

/* JSON Schema counts characters; the text is valid UTF-8. */
static bool is_shorter(const char *text, unsigned characters)
{
    unsigned n = 0;
    for (; *text && n < characters; text++)
        n += (*text & 0xC0) != 0x80;
    return n < characters;
}

static bool check_text(const struct walk *w, const struct schema_node *node, const cJSON *value,
                       const struct walk_at *at)
{
    if (!cJSON_IsString(value))
        return node->texts.n == 0 || walk_fail_text(w, node->texts, value, at);
    if (node->min_length && is_shorter(value->valuestring, node->min_length))
        return walk_fail(w, at, "shorter than %d character(s)", node->min_length);
    for (unsigned i = 0; i < node->texts.n; i++)
        if (strcmp(w->schema->texts[node->texts.at + i], value->valuestring) == 0)
            return true;
    return node->texts.n == 0 || walk_fail_text(w, node->texts, value, at);
}

static bool check_range(const struct walk *w, const struct schema_node *node, const cJSON *value,
                        const struct walk_at *at)
{
    if (!cJSON_IsNumber(value))
        return true;
    if (node->has_minimum && value->valuedouble < node->minimum)
        return walk_fail(w, at, "%.15g is less than %d", value->valuedouble, (int)node->minimum);
    if (node->has_maximum && value->valuedouble > node->maximum)
        return walk_fail(w, at, "%.15g is more than %d", value->valuedouble, (int)node->maximum);
    return true;
}

static bool check_props(const struct walk *w, const struct schema_node *node, const cJSON *value,
                        const struct walk_at *at)
{
    for (unsigned i = 0; i < node->props.n; i++) {
        const struct schema_prop *prop = &w->schema->props[node->props.at + i];
        const cJSON *member = walk_member(value, prop->name);
        struct walk_at below = {.up = at, .name = prop->name, .def = at->def};
        if (!member && prop->required)
            return walk_fail(w, &below, "missing");
        if (member && !walk_check(w, prop->node, member, &below))
            return false;
    }
    return true;
}

static bool is_prop(const struct schema *schema, struct schema_run props, const char *name)
{
    for (unsigned i = 0; i < props.n; i++)
        if (strcmp(schema->props[props.at + i].name, name) == 0)
            return true;
    return false;
}

/* The members that no property names. */
static bool check_map(const struct walk *w, const struct schema_node *node, const cJSON *value,
                      const struct walk_at *at)
{
    for (const cJSON *m = node->map ? value->child : NULL; m; m = m->next) {
        struct walk_at below = {.up = at, .name = m->string, .def = at->def};
        if (is_prop(w->schema, node->props, m->string) || walk_accepts(w->schema, node->map, m))
            continue;
        if (walk_member(value, m->string) == m) /* a doubled name overrules this member */
            return walk_check(w, node->map, m, &below);
    }
    return true;
}

static bool check_items(const struct walk *w, const struct schema_node *node, const cJSON *value,
                        const struct walk_at *at)
{
    size_t i = 0;
    for (const cJSON *m = node->items ? value->child : NULL; m; m = m->next) {
        struct walk_at below = {.up = at, .index = i, .def = at->def};
        if (!walk_check(w, node->items, m, &below))
            return false;
        i++;
    }
    return true;
}

static bool check_all(const struct walk *w, const struct schema_node *node, const cJSON *value,
                      const struct walk_at *at)
{
    for (unsigned i = 0; i < node->all.n; i++)
        if (!walk_check(w, w->schema->lists[node->all.at + i], value, at))
            return false;
    return true;
}

/* How many branches hold; stops counting at `enough`. */
static unsigned count_holding(const struct schema *schema, struct schema_run branches,
                              const cJSON *value, unsigned enough)
{
    unsigned n = 0;
    for (unsigned i = 0; i < branches.n && n < enough; i++)
        n += walk_accepts(schema, schema->lists[branches.at + i], value);
    return n;
}

static bool check_unions(const struct walk *w, const struct schema_node *node, const cJSON *value,
                         const struct walk_at *at)
{
    if (node->any.n && count_holding(w->schema, node->any, value, 1) == 0)
        return walk_fail_union(w, node->any, value, at);
    unsigned held = node->one.n ? count_holding(w->schema, node->one, value, 2) : 1;
    if (held == 0)
        return walk_fail_union(w, node->one, value, at);
    if (held > 1)
        return walk_fail(w, at, "fits more than one of the alternatives");
    if (node->not &&walk_accepts(w->schema, node->not, value))
        return walk_fail(w, at, "is of a form that the schema excludes here");
    return true;
}

bool walk_check(const struct walk *w, unsigned n, const cJSON *value, const struct walk_at *place)
{
    const struct schema_node *node = &w->schema->nodes[n];
    struct walk_at at = *place;
    if (n > 0 && n <= w->schema->def_n)
        at.def = w->schema->defs[n - 1];
    if (node->types && !(node->types & walk_type(value)))
        return walk_fail_type(w, node->types, value, &at);
    if (!check_text(w, node, value, &at) || !check_range(w, node, value, &at))
        return false;
    if (cJSON_IsObject(value) &&
        (!check_props(w, node, value, &at) || !check_map(w, node, value, &at)))
        return false;
    if (cJSON_IsArray(value) && !check_items(w, node, value, &at))
        return false;
    return check_all(w, node, value, &at) && check_unions(w, node, value, &at);
}

bool walk_accepts(const struct schema *schema, unsigned n, const cJSON *value)
{
    struct walk quiet = {.schema = schema};
    struct walk_at nowhere = {0};
    return walk_check(&quiet, n, value, &nowhere);
}

int acp_def(const char *name)
{
    for (size_t i = 0; name && i < schema_v1.def_n; i++)
        if (strcmp(schema_v1.defs[i], name) == 0)
            return (int)i;
    return -1;
}

const char *acp_def_name(int def)
{
    return def >= 0 && (size_t)def < schema_v1.def_n ? schema_v1.defs[def] : NULL;
}

size_t acp_def_count(void)
{
    return schema_v1.def_n;
}

int acp_check_value(int def, const cJSON *value, struct acp_fault *ret)
{
    static const cJSON empty = {.type = cJSON_Object};
    struct acp_fault fault = {0};
    struct walk w = {.schema = &schema_v1, .fault = &fault};
    struct walk_at root = {0};
    assert(def >= 0 && (size_t)def < schema_v1.def_n);
    if (!value)
        value = &empty;
    if (walk_accepts(&schema_v1, (unsigned)def + 1, value))
        return 0;
    if (ret) {
        walk_check(&w, (unsigned)def + 1, value, &root);
        *ret = fault;
    }
    return E_INVALID;
}

static const struct schema_method *find_method(enum acp_side receiver, const char *name)
{
    unsigned bit = receiver == ACP_AGENT ? SCHEMA_AGENT : SCHEMA_CLIENT;
    for (size_t i = 0; name && i < schema_v1.method_n; i++) {
        const struct schema_method *m = &schema_v1.methods[i];
        if ((m->receiver & bit) && strcmp(m->name, name) == 0)
            return m;
    }
    return NULL;
}

int acp_params_def(enum acp_side receiver, const char *method)
{
    const struct schema_method *m = find_method(receiver, method);
    return m ? m->params : -1;
}

int acp_result_def(enum acp_side receiver, const char *method)
{
    const struct schema_method *m = find_method(receiver, method);
    return m ? m->result : -1;
}
