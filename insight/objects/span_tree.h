/* span_tree: stretches of memory, to be asked for those that have a byte in common with another: a treap by the first byte, whose nodes
 * know how far those below them reach. Each step takes the logarithm of how many there are.
 */
#ifndef INSIGHT_OBJECTS_SPAN_TREE_H
#define INSIGHT_OBJECTS_SPAN_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct span {
    uintptr_t low, high, reach; /* reach: the highest `high` of this one and of those below it */
    uint64_t weight;            /* higher up are the heavier ones */
    struct span *left, *right;
    void *of;
    bool is_written; /* which tree it is in: request_memory.c */
};

/* Puts in a span whose low, high and `of` are set. */
void span_tree_add(struct span **root, struct span *span);
/* Takes out one that is in. */
void span_tree_remove(struct span **root, struct span *span);
/* One that meets the bytes, and of which `is_it` says so; NULL: none. */
struct span *span_tree_find(struct span *root, uintptr_t low, uintptr_t high,
                            bool (*is_it)(const struct span *span, const void *with), const void *with);

#endif
