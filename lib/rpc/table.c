#include "rpc/table.h"

#include "base/err.h"

#include <stdlib.h>

#define FIRST_SIZE 16

static struct list *new_buckets(size_t size)
{
    struct list *buckets = malloc(size * sizeof *buckets);
    for (size_t i = 0; buckets && i < size; i++)
        list_init(&buckets[i]);
    return buckets;
}

int table_init(struct table *t)
{
    struct list *buckets = new_buckets(FIRST_SIZE);
    if (!buckets)
        return E_NOMEM;
    *t = (struct table){.buckets = buckets, .size = FIRST_SIZE};
    return 0;
}

void table_deinit(struct table *t)
{
    free(t->buckets);
    *t = (struct table){0};
}

static struct list *bucket(const struct table *t, uint64_t hash)
{
    return &t->buckets[hash & (t->size - 1)];
}

static struct table_node *node_of(struct list *link)
{
    return CONTAINER_OF(link, struct table_node, link);
}

static void grow(struct table *t)
{
    struct table bigger = {.size = t->size * 2, .n = t->n};
    bigger.buckets = new_buckets(bigger.size);
    if (!bigger.buckets)
        return;
    for (size_t i = 0; i < t->size; i++) {
        struct list *head = &t->buckets[i];
        while (!list_empty(head)) {
            struct table_node *node = node_of(head->next);
            list_remove(&node->link);
            list_append(bucket(&bigger, node->hash), &node->link);
        }
    }
    free(t->buckets);
    *t = bigger;
}

void table_add(struct table *t, struct table_node *node, uint64_t hash)
{
    if (t->n >= t->size)
        grow(t);
    node->hash = hash;
    list_append(bucket(t, hash), &node->link);
    t->n++;
}

void table_remove(struct table *t, struct table_node *node)
{
    if (list_empty(&node->link))
        return;
    list_remove(&node->link);
    t->n--;
}

struct table_node *table_find(const struct table *t, uint64_t hash, const struct table_node *after)
{
    struct list *head = bucket(t, hash);
    for (struct list *at = after ? after->link.next : head->next; at != head; at = at->next)
        if (node_of(at)->hash == hash)
            return node_of(at);
    return NULL;
}

/* FNV-1a, its high bits folded down: the buckets are chosen by the low ones. */
uint64_t table_hash(const char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}
