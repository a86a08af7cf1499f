#ifndef CONFORMANCE_SHAPE_H
#define CONFORMANCE_SHAPE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Objects checked against a table of their members, for files that people write: unknown members
 * are faults here, with the nearest known name.
 */
enum shape_type {
    SHAPE_STRING = 1,
    SHAPE_NUMBER = 2,
    SHAPE_BOOL = 4,
    SHAPE_OBJECT = 8,
    SHAPE_ARRAY = 16,
    SHAPE_NULL = 32,
    SHAPE_ANY = 63
};

/* Where the check stands and how many faults it has found. */
struct shape {
    void (*on_fault)(void *ctx, const char *pointer, const char *text);
    void *ctx;
    unsigned faults;
    char path[256];
    size_t path_n;
};

struct shape_member {
    const char *name;
    unsigned types; /* enum shape_type */
    bool required;
    /* Looks further into the value, which has one of the types; may be NULL. */
    void (*check)(struct shape *s, const cJSON *value, const void *arg);
};

void shape_init(struct shape *s, void (*on_fault)(void *, const char *, const char *), void *ctx);

/* Reports a fault at the present path. */
void shape_fault(struct shape *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One level down and up again; the mark is what shape_leave needs. */
size_t shape_enter(struct shape *s, const char *name);
size_t shape_enter_index(struct shape *s, size_t index);
void shape_leave(struct shape *s, size_t mark);

/* False, and a fault, if the value has none of the types. */
bool shape_is(struct shape *s, const cJSON *value, unsigned types);

/* Checks the object's members; arg goes to their check functions. */
void shape_object(struct shape *s, const cJSON *object, const struct shape_member *members,
                  size_t n, const void *arg);

/* Every element / member value has one of the types. */
void shape_each(struct shape *s, const cJSON *container, unsigned types);

#endif
