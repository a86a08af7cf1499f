#ifndef ACP_SCHEMA_H
#define ACP_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

/*
 * The JSON Schema of a protocol version as constant tables; scripts/gen-schema.mjs writes them.
 * Internal to lib/acp and its tests: everybody else uses acp/check.h.
 */

/* The bits of schema_node.types. An integral number has both SCHEMA_INTEGER and SCHEMA_NUMBER. */
enum schema_type {
    SCHEMA_NULL = 1,
    SCHEMA_BOOLEAN = 2,
    SCHEMA_INTEGER = 4,
    SCHEMA_NUMBER = 8,
    SCHEMA_STRING = 16,
    SCHEMA_ARRAY = 32,
    SCHEMA_OBJECT = 64
};

/* `n` consecutive entries of one of the flat arrays below. */
struct schema_run {
    uint16_t at;
    uint8_t n;
};

/* All conditions hold at once. A node index of 0 means "anything", as does a field left 0. */
struct schema_node {
    uint8_t types; /* bit set, 0: any */
    uint8_t open;  /* additionalProperties stands there: every member is a named one */
    uint8_t has_minimum, has_maximum;
    struct schema_run texts; /* the strings allowed, if any */
    struct schema_run props;
    struct schema_run all, any, one; /* runs of `lists` */
    uint16_t map;                    /* node of the members that props does not name */
    uint16_t items;                  /* node of every array element */
    uint16_t not ;                   /* node that must not hold */
    uint16_t min_length;             /* in characters */
    int32_t minimum, maximum;
};

struct schema_prop {
    const char *name;
    uint16_t node;
    uint8_t required;
};

enum schema_receiver { SCHEMA_AGENT = 1, SCHEMA_CLIENT = 2, SCHEMA_BOTH = 3 };

struct schema_method {
    const char *name;
    enum schema_receiver receiver;
    int is_notification;
    int params, result; /* definitions, -1 if none */
};

struct schema {
    const char *const *defs; /* definition d is node d + 1 */
    const char *const *texts;
    const uint16_t *lists;
    const struct schema_prop *props;
    const struct schema_node *nodes;
    const struct schema_method *methods;
    size_t def_n, node_n, method_n;
};

extern const struct schema schema_v1;

/* How many nodes may describe one object at once; the generated tables assert that it is enough. */
#define SCHEMA_MAX_COVER 32

#endif
