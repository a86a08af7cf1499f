#include "acp/walk.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTED_MAX 40 /* bytes of the sender's text that a fault repeats */

static const struct {
    unsigned bit;
    const char *name;
} type_names[] = {
    {SCHEMA_NULL, "null"},     {SCHEMA_BOOLEAN, "boolean"}, {SCHEMA_INTEGER, "integer"},
    {SCHEMA_NUMBER, "number"}, {SCHEMA_STRING, "string"},   {SCHEMA_ARRAY, "array"},
    {SCHEMA_OBJECT, "object"},
};
#define TYPE_N (sizeof type_names / sizeof type_names[0])

/* A text of fixed size that swallows what does not fit. */
struct text {
    char *p;
    size_t n, max; /* max counts the NUL */
};

static void text_add(struct text *t, const char *s, size_t n)
{
    size_t room = t->max - 1 - t->n;
    size_t take = n < room ? n : room;
    while (take < n && take > 0 && (s[take] & 0xC0) == 0x80)
        take--; /* never half a character */
    memcpy(t->p + t->n, s, take);
    t->n += take;
    t->p[t->n] = '\0';
    if (take < n)
        t->max = t->n + 1; /* nothing may follow a cut */
}

static void text_adds(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

/* Faults are printed on one line of a terminal: a sender's control characters must not act there.
 */
static void blank_controls(char *p)
{
    for (; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            *p = '?';
}

static void add_token(struct text *t, const char *name)
{
    text_add(t, "/", 1);
    for (; *name; name++) {
        if (*name == '~' || *name == '/')
            text_add(t, *name == '~' ? "~0" : "~1", 2);
        else {
            size_t n = 1;
            while ((name[n] & 0xC0) == 0x80)
                n++;
            text_add(t, name, n);
            name += n - 1;
        }
    }
}

static void add_place(struct text *t, const struct walk_at *at)
{
    char index[24];
    if (!at->up)
        return; /* the root adds nothing */
    add_place(t, at->up);
    snprintf(index, sizeof index, "%zu", at->index);
    add_token(t, at->name ? at->name : index);
}

void walk_pointer(const struct walk_at *at, char *ret, size_t n)
{
    struct text t = {.p = ret, .max = n};
    ret[0] = '\0';
    add_place(&t, at);
    blank_controls(ret);
}

bool walk_fail(const struct walk *w, const struct walk_at *at, const char *fmt, ...)
{
    char words[sizeof w->fault->text * 2];
    va_list args;
    if (!w->fault)
        return false;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    struct text t = {.p = w->fault->text, .max = sizeof w->fault->text};
    text_adds(&t, words);
    blank_controls(w->fault->text);
    walk_pointer(at, w->fault->pointer, sizeof w->fault->pointer);
    w->fault->def = at->def;
    return false;
}

static void add_types(struct text *t, unsigned types)
{
    if (types & SCHEMA_NUMBER)
        types &= ~(unsigned)SCHEMA_INTEGER;
    for (size_t i = 0; i < TYPE_N; i++) {
        if (!(types & type_names[i].bit))
            continue;
        types &= ~type_names[i].bit;
        text_adds(t, type_names[i].name);
        if (types)
            text_adds(t, (types & (types - 1)) ? ", " : " or ");
    }
}

/* Where a type is wrong the value is not repeated: it may be long, and it may be secret. */
static void add_value(struct text *t, const cJSON *value, bool quote)
{
    char part[QUOTED_MAX + 1] = "";
    struct text p = {.p = part, .max = sizeof part};
    if (cJSON_IsNumber(value)) {
        snprintf(part, sizeof part, "%.15g", value->valuedouble);
        text_adds(t, part);
    } else if (quote && cJSON_IsString(value)) {
        text_adds(&p, value->valuestring);
        text_adds(t, "\"");
        text_adds(t, part);
        text_adds(t, value->valuestring[p.n] ? "…\"" : "\"");
    } else {
        add_types(t, walk_type(value));
    }
}

bool walk_fail_type(const struct walk *w, unsigned types, const cJSON *value,
                    const struct walk_at *at)
{
    char expected[96], got[96];
    struct text e = {.p = expected, .max = sizeof expected};
    struct text g = {.p = got, .max = sizeof got};
    if (!w->fault)
        return false;
    add_types(&e, types);
    add_value(&g, value, false);
    return walk_fail(w, at, "expected %s, got %s", expected, got);
}

bool walk_fail_text(const struct walk *w, struct schema_run texts, const cJSON *value,
                    const struct walk_at *at)
{
    char got[96], list[sizeof w->fault->text] = "";
    struct text g = {.p = got, .max = sizeof got};
    struct text l = {.p = list, .max = sizeof list};
    if (!w->fault)
        return false;
    add_value(&g, value, true);
    for (unsigned i = 0; i < texts.n; i++) {
        text_adds(&l, i ? ", " : "");
        text_adds(&l, w->schema->texts[texts.at + i]);
    }
    return walk_fail(w, at, "%s is not %s%s", got, texts.n > 1 ? "one of " : "", list);
}

unsigned walk_types(const struct schema *schema, unsigned n)
{
    const struct schema_node *node = &schema->nodes[n];
    unsigned types = node->types ? node->types : ~0u, of_union = 0;
    struct schema_run branches = node->any.n ? node->any : node->one;
    for (unsigned i = 0; i < node->all.n; i++)
        types &= walk_types(schema, schema->lists[node->all.at + i]);
    for (unsigned i = 0; i < branches.n; i++)
        of_union |= walk_types(schema, schema->lists[branches.at + i]);
    return branches.n ? types & of_union : types;
}

const struct schema_prop *walk_tag(const struct schema *schema, unsigned n)
{
    struct schema_run props = schema->nodes[n].props;
    for (unsigned i = 0; i < props.n; i++) {
        const struct schema_prop *prop = &schema->props[props.at + i];
        if (prop->required && schema->nodes[prop->node].texts.n == 1)
            return prop;
    }
    return NULL;
}

unsigned walk_tagged_branch(const struct schema *schema, struct schema_run branches,
                            const cJSON *value)
{
    for (unsigned i = 0; cJSON_IsObject(value) && i < branches.n; i++) {
        unsigned branch = schema->lists[branches.at + i];
        const struct schema_prop *tag = walk_tag(schema, branch);
        const cJSON *member = tag ? walk_member(value, tag->name) : NULL;
        if (member && walk_accepts(schema, tag->node, member))
            return branch;
    }
    return 0;
}

/* Only branches with a tag could have been meant, and the value has none of their tags. */
static bool fail_tag(const struct walk *w, struct schema_run branches, const cJSON *value,
                     const struct walk_at *at)
{
    const struct schema *s = w->schema;
    const char *name = NULL;
    char got[96] = "", list[sizeof w->fault->text] = "";
    struct text g = {.p = got, .max = sizeof got};
    struct text l = {.p = list, .max = sizeof list};
    for (unsigned i = 0; i < branches.n; i++) {
        const struct schema_prop *tag = walk_tag(s, s->lists[branches.at + i]);
        if (!tag)
            continue;
        text_adds(&l, name ? ", " : "");
        text_adds(&l, s->texts[s->nodes[tag->node].texts.at]);
        name = tag->name;
    }
    assert(name && cJSON_IsObject(value)); /* else some branch would have been an untagged one */
    const cJSON *member = walk_member(value, name);
    struct walk_at below = {.up = at, .name = name, .def = at->def};
    if (!member)
        return walk_fail(w, &below, "missing");
    if (!cJSON_IsString(member))
        return walk_fail_type(w, SCHEMA_STRING, member, &below);
    add_value(&g, member, true);
    return walk_fail(w, &below, "%s is not one of %s", got, list);
}

/* The deeper a branch came, the likelier it was meant; a member that is there but wrong says more
 * than one that is not there. */
static unsigned score_of(const struct acp_fault *fault)
{
    unsigned depth = 0;
    for (const char *p = fault->pointer; *p; p++)
        depth += *p == '/';
    return 2 * depth + (strcmp(fault->text, "missing") != 0);
}

/* A branch of the right type whose tag, if the value had one, would have been looked at already. */
static bool is_untagged(const struct schema *schema, unsigned branch, const cJSON *value)
{
    return (walk_types(schema, branch) & walk_type(value)) && !walk_tag(schema, branch);
}

static bool fail_best(const struct walk *w, struct schema_run branches, const cJSON *value,
                      const struct walk_at *at)
{
    struct acp_fault best = {0}, rival = {0};
    unsigned best_score = 0, rivals = 0;
    for (unsigned i = 0; i < branches.n; i++) {
        unsigned branch = w->schema->lists[branches.at + i];
        struct acp_fault fault = {0};
        struct walk trial = {.schema = w->schema, .fault = &fault};
        if (!is_untagged(w->schema, branch, value) || walk_check(&trial, branch, value, at))
            continue;
        unsigned score = score_of(&fault);
        rivals = score == best_score ? rivals + 1 : score > best_score ? 0 : rivals;
        if (score > best_score)
            best = fault, best_score = score;
        else if (score == best_score && rivals == 1)
            rival = fault;
    }
    if (rivals == 0 || strcmp(best.pointer, rival.pointer) == 0) {
        *w->fault = best;
        return false;
    }
    return walk_fail(w, at, "needs one of: %s (%s); %s (%s)", best.pointer, best.text,
                     rival.pointer, rival.text);
}

bool walk_fail_union(const struct walk *w, struct schema_run branches, const cJSON *value,
                     const struct walk_at *at)
{
    const struct schema *s = w->schema;
    unsigned types = 0, untagged = 0;
    if (!w->fault)
        return false;
    unsigned meant = walk_tagged_branch(s, branches, value);
    if (meant)
        return walk_check(w, meant, value, at);
    for (unsigned i = 0; i < branches.n; i++) {
        types |= walk_types(s, s->lists[branches.at + i]);
        untagged += is_untagged(s, s->lists[branches.at + i], value);
    }
    if (!(types & walk_type(value)))
        return walk_fail_type(w, types, value, at);
    return untagged ? fail_best(w, branches, value, at) : fail_tag(w, branches, value, at);
}
