#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Intrusive doubly linked list. The head is a node of its own; members embed `struct list` and are
 * reached with CONTAINER_OF (base/err.h). A member may be removed during iteration only if the
 * iteration took its successor first.
 */
struct list {
    struct list *prev, *next;
};

static inline void list_init(struct list *head)
{
    head->prev = head->next = head;
}

static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}

static inline void list_append(struct list *head, struct list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

/* Leaves the node pointing at itself, so that removing twice does no harm. */
static inline void list_remove(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

#endif
