#include "acp/walk.h"

#include <assert.h>
#include <string.h>

/* The nodes that describe one value together: the one it was reached by, what that includes, and
 * the branches of unions that hold. */
struct cover {
    unsigned nodes[SCHEMA_MAX_COVER];
    unsigned n;
    bool open;       /* some node names every member, or a union does not say what was meant */
    bool has_props;  /* without any the value is free-form */
    const char *def; /* the first definition among the nodes */
};

struct unknown {
    const struct schema *schema;
    void (*cb)(void *ctx, const char *pointer, const char *def_name);
    void *ctx;
};

static void cover_add(struct cover *c, const struct schema *s, unsigned n, const cJSON *value);

static void cover_union(struct cover *c, const struct schema *s, struct schema_run branches,
                        const cJSON *value)
{
    bool held = branches.n == 0;
    for (unsigned i = 0; i < branches.n; i++) {
        unsigned branch = s->lists[branches.at + i];
        if (!walk_accepts(s, branch, value))
            continue;
        cover_add(c, s, branch, value);
        held = true;
    }
    unsigned meant = held ? 0 : walk_tagged_branch(s, branches, value);
    if (meant)
        cover_add(c, s, meant, value);
    else if (!held)
        c->open = true;
}

static void cover_add(struct cover *c, const struct schema *s, unsigned n, const cJSON *value)
{
    const struct schema_node *node = &s->nodes[n];
    if (c->n == SCHEMA_MAX_COVER) { /* oneOf with several holding branches: the value is invalid */
        c->open = true;
        return;
    }
    c->nodes[c->n++] = n;
    c->open |= node->open != 0;
    c->has_props |= node->props.n > 0;
    if (!c->def && n > 0 && n <= s->def_n)
        c->def = s->defs[n - 1];
    for (unsigned i = 0; i < node->all.n; i++)
        cover_add(c, s, s->lists[node->all.at + i], value);
    cover_union(c, s, node->any, value);
    cover_union(c, s, node->one, value);
}

/* The property of that name, NULL if no node names it. */
static const struct schema_prop *cover_prop(const struct cover *c, const struct schema *s,
                                            const char *name)
{
    for (unsigned i = 0; i < c->n; i++) {
        struct schema_run props = s->nodes[c->nodes[i]].props;
        for (unsigned k = 0; k < props.n; k++)
            if (strcmp(s->props[props.at + k].name, name) == 0)
                return &s->props[props.at + k];
    }
    return NULL;
}

/* The node of array elements, or of members that are not named; 0 if there is none. */
static unsigned cover_rest(const struct cover *c, const struct schema *s, const cJSON *value)
{
    unsigned found = 0;
    for (unsigned i = 0; i < c->n && !found; i++) {
        const struct schema_node *node = &s->nodes[c->nodes[i]];
        found = cJSON_IsArray(value) ? node->items : node->map;
    }
    return found;
}

static void visit(const struct unknown *u, unsigned n, const cJSON *value, const struct walk_at *at)
{
    char pointer[sizeof((struct acp_fault *)0)->pointer];
    struct cover c = {0};
    size_t index = 0;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value))
        return;
    cover_add(&c, u->schema, n, value);
    unsigned rest = cover_rest(&c, u->schema, value);
    for (const cJSON *m = value->child; m; m = m->next) {
        struct walk_at below = {.up = at, .name = m->string, .index = index};
        const struct schema_prop *prop = m->string ? cover_prop(&c, u->schema, m->string) : NULL;
        unsigned next = prop ? prop->node : rest;
        index++;
        if (next) {
            visit(u, next, m, &below);
        } else if (!prop && m->string && c.has_props && !c.open) {
            walk_pointer(&below, pointer, sizeof pointer);
            u->cb(u->ctx, pointer, c.def);
        }
    }
}

void acp_unknown_members(int def, const cJSON *value,
                         void (*cb)(void *ctx, const char *pointer, const char *def_name),
                         void *ctx)
{
    struct unknown u = {.schema = &schema_v1, .cb = cb, .ctx = ctx};
    struct walk_at root = {0};
    assert(def >= 0 && (size_t)def < schema_v1.def_n);
    if (value)
        visit(&u, (unsigned)def + 1, value, &root);
}
