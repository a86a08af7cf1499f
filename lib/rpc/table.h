#ifndef RPC_TABLE_H
#define RPC_TABLE_H

#include "base/list.h"

#include <stdint.h>

/*
 * Intrusive hash table: finds open requests and calls in O(1), however many there are. Allocates
 * only to grow, and goes on with long chains when that fails. Private to rpc.
 */
struct table_node {
    struct list link;
    uint64_t hash;
};

struct table {
    struct list *buckets; /* owned */
    size_t size, n;       /* buckets (a power of two), nodes */
};

/* 0 or E_NOMEM. */
int table_init(struct table *t);
/* Accepts a zeroed table. The nodes are the owner's business. */
void table_deinit(struct table *t);

void table_add(struct table *t, struct table_node *node, uint64_t hash);
/* Removing twice does no harm. */
void table_remove(struct table *t, struct table_node *node);

/* The first node with that hash after `after` (NULL: of all), oldest first. NULL: none. */
struct table_node *table_find(const struct table *t, uint64_t hash, const struct table_node *after);

uint64_t table_hash(const char *p, size_t n);

#endif
