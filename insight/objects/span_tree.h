/* span_tree: stretches of memory, to be asked for those that have a byte in common with another: a treap by the first byte, whose nodes
 * know how far those below them reach. Each step takes the logarithm of how many there are.
 */
#ifndef INSIGHT_OBJECTS_SPAN_TREE_H
#define INSIGHT_OBJECTS_SPAN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uintptr_t low, high, reach; /* reach: the highest `high` of this one and of those below it */
    uint64_t weight;            /* higher up are the heavier ones */
    struct span *left, *right;  /* left: the next one, of those in a cell */
    struct span **at;           /* what points to it, in a cell */
    int level;                  /* span_tree.c */
    void *of;
    bool is_written; /* which set it is in: request_memory.c */
};

/* Puts in a span whose low, high and `of` are set. */
void span_tree_add(struct span **root, struct span *span);
/* Takes out one that is in. */
void span_tree_remove(struct span **root, struct span *span);
/* One that meets the bytes, and of which `is_it` says so; NULL: none. */
struct span *span_tree_find(struct span *root, uintptr_t low, uintptr_t high,
                            bool (*is_it)(const struct span *span, const void *with), const void *with);

/* span_set: the same for stretches that are mostly short. One that lies in a cell of memory, of 64 bytes or of one of the next larger
 * sizes, is in a list of that cell, the others are in a tree: so to put in, to find and to take out a small buffer takes no search.
 */

enum {
    SPAN_LEVELS = 4, /* sizes of cells */
    SPAN_CELL_BITS = 14
};

/* All zero: empty. */
struct span_set {
    struct span *cell[SPAN_LEVELS][1 << SPAN_CELL_BITS];
    size_t all, count[SPAN_LEVELS];
    uintptr_t lowest, highest; /* all lies between them, since there was none */
    uintptr_t low[SPAN_LEVELS],
        high[SPAN_LEVELS]; /* all that is in cells lies between them, since there was none */
    struct span *tree;
};

void span_set_add(struct span_set *set, struct span *span);
void span_set_remove(struct span_set *set, struct span *span);
struct span *span_set_search(const struct span_set *set, uintptr_t low, uintptr_t high,
                             bool (*is_it)(const struct span *span, const void *with), const void *with);

/* False: none of them meets these bytes, as is seen at once. */
static inline bool span_set_may_meet(const struct span_set *set, uintptr_t low, uintptr_t high)
{
    return set->all > 0 && low < set->highest && high > set->lowest;
}

static inline struct span *span_set_find(const struct span_set *set, uintptr_t low, uintptr_t high,
                                         bool (*is_it)(const struct span *span, const void *with),
                                         const void *with)
{
    return span_set_may_meet(set, low, high) ? span_set_search(set, low, high, is_it, with) : NULL;
}

#endif
