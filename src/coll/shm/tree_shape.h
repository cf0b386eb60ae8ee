/* tree_shape: who is next to whom in the tree along which the ranks of a host synchronize. Pure data.
 *
 * The groups follow the machine: the ranks of a cache are a subtree, then the caches of a memory node, the nodes of a package, the packages,
 * so only as many edges lie between the parts of a level as must. Each group is a binomial tree under its first rank: with one unit of time
 * for a cache line that a rank reads, no tree takes less than log2 of the ranks from the leaves to the top, and this one takes that, plus at
 * most one for each level whose groups are no powers of two. Rank 0 is the top.
 */
#ifndef COLL_SHM_TREE_SHAPE_H
#define COLL_SHM_TREE_SHAPE_H

#include "boot/boot.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TREE_RANKS = 1024, /* at most */
    TREE_CHILDREN_MOST = 10 * (MACHINE_LEVELS + 1)
};

/* A rank's edge to its parent. */
struct tree_edge {
    int16_t parent; /* -1: this is the top */
    int16_t turn;   /* children of smaller turns are ready earlier */
};

/* Fills edge[rank] of `size` ranks. The same on all ranks that see the same places. False: no memory. */
bool tree_shape(const struct machine_place *place, int size, struct tree_edge *edge);

/* The places of a rank and of all below it, when those stand behind it: from `first` on. */
struct tree_span {
    int16_t first, ranks;
};

/* Fills span[rank]. False: no memory. */
bool tree_spans(const struct tree_edge *edge, int size, struct tree_span *span);

/* The children of a rank in the order of their turns; returns how many. */
int tree_children(const struct tree_edge *edge, int size, int rank, int *child);

#endif
