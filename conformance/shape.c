#include "conformance/shape.h"

#include "conformance/nearest.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    unsigned type;
    const char *name;
} type_names[] = {
    {SHAPE_STRING, "string"}, {SHAPE_NUMBER, "number"}, {SHAPE_BOOL, "boolean"},
    {SHAPE_OBJECT, "object"}, {SHAPE_ARRAY, "array"},   {SHAPE_NULL, "null"},
};

enum { TYPES = sizeof type_names / sizeof type_names[0] };

void shape_init(struct shape *s, void (*on_fault)(void *, const char *, const char *), void *ctx)
{
    *s = (struct shape){.on_fault = on_fault, .ctx = ctx};
}

void shape_fault(struct shape *s, const char *fmt, ...)
{
    char text[384];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    s->faults++;
    s->on_fault(s->ctx, s->path, text);
}

static void put(struct shape *s, char c)
{
    if (s->path_n + 1 < sizeof s->path)
        s->path[s->path_n++] = c;
    s->path[s->path_n] = '\0';
}

size_t shape_enter(struct shape *s, const char *name)
{
    size_t mark = s->path_n;
    put(s, '/');
    for (; *name; name++) {
        if (*name != '~' && *name != '/') {
            put(s, *name);
            continue;
        }
        put(s, '~');
        put(s, *name == '~' ? '0' : '1');
    }
    return mark;
}

size_t shape_enter_index(struct shape *s, size_t index)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", index);
    return shape_enter(s, name);
}

void shape_leave(struct shape *s, size_t mark)
{
    s->path_n = mark;
    s->path[mark] = '\0';
}

static unsigned type_of(const cJSON *value)
{
    return cJSON_IsString(value)   ? SHAPE_STRING
           : cJSON_IsNumber(value) ? SHAPE_NUMBER
           : cJSON_IsBool(value)   ? SHAPE_BOOL
           : cJSON_IsObject(value) ? SHAPE_OBJECT
           : cJSON_IsArray(value)  ? SHAPE_ARRAY
                                   : SHAPE_NULL;
}

static void describe(unsigned types, char *out, size_t n)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < TYPES; i++)
        if (types & type_names[i].type && at < n)
            at += (size_t)snprintf(out + at, n - at, "%s%s", at ? " or " : "", type_names[i].name);
}

bool shape_is(struct shape *s, const cJSON *value, unsigned types)
{
    char expected[64], got[16];
    unsigned type = type_of(value);
    if (type & types)
        return true;
    describe(types, expected, sizeof expected);
    describe(type, got, sizeof got);
    shape_fault(s, "expected %s, got %s", expected, got);
    return false;
}

static const struct shape_member *find(const struct shape_member *members, size_t n,
                                       const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

static void unknown_member(struct shape *s, const char *name, const struct shape_member *members,
                           size_t n)
{
    struct nearest best = nearest_begin(name);
    for (size_t i = 0; i < n; i++)
        nearest_try(&best, members[i].name);
    if (best.name)
        shape_fault(s, "unknown member \"%s\"; did you mean \"%s\"?", name, best.name);
    else
        shape_fault(s, "unknown member \"%s\"; docs/cases.md has the known ones", name);
}

void shape_object(struct shape *s, const cJSON *object, const struct shape_member *members,
                  size_t n, const void *arg)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, object)
    {
        const struct shape_member *m = find(members, n, value->string);
        size_t mark = shape_enter(s, value->string);
        if (!m)
            unknown_member(s, value->string, members, n);
        else if (shape_is(s, value, m->types) && m->check)
            m->check(s, value, arg);
        shape_leave(s, mark);
    }
    for (size_t i = 0; i < n; i++)
        if (members[i].required && !json_get(object, members[i].name))
            shape_fault(s, "missing member \"%s\"", members[i].name);
}

void shape_each(struct shape *s, const cJSON *container, unsigned types)
{
    size_t i = 0;
    const cJSON *value;
    cJSON_ArrayForEach(value, container)
    {
        size_t mark = value->string ? shape_enter(s, value->string) : shape_enter_index(s, i);
        shape_is(s, value, types);
        shape_leave(s, mark);
        i++;
    }
}
