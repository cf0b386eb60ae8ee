#include "coll/shm/tree_shape.h"

#include <stdlib.h>
#include <string.h>

struct tree_node {
    struct machine_place place;
    int first[MACHINE_LEVELS]; /* the first rank of its part of each level */
    int rank;
};

static int compare_places(const void *a, const void *b)
{
    const struct tree_node *left = a, *right = b;

    for (int level = 0; level < MACHINE_LEVELS; level++)
        if (left->place.part[level] != right->place.part[level])
            return left->place.part[level] < right->place.part[level] ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Parts stand in the order of their first ranks. */
static int compare_firsts(const void *a, const void *b)
{
    const struct tree_node *left = a, *right = b;

    for (int level = 0; level < MACHINE_LEVELS; level++)
        if (left->first[level] != right->first[level])
            return left->first[level] < right->first[level] ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Where the part of so many levels ends that begins with node `first`. */
static int part_end(const struct tree_node *node, int count, int first, int levels)
{
    int end = first + 1;

    while (end < count && memcmp(node[first].place.part, node[end].place.part,
                                 (size_t)levels * sizeof node->place.part[0]) == 0)
        end++;
    return end;
}

static void find_firsts(struct tree_node *node, int count, int level)
{
    for (int begin = 0, end; begin < count; begin = end) {
        int first = node[begin].rank;

        end = part_end(node, count, begin, level + 1);
        for (int i = begin; i < end; i++)
            first = node[i].rank < first ? node[i].rank : first;
        for (int i = begin; i < end; i++)
            node[i].first[level] = first;
    }
}

/* The nodes of each part, which stand together, become one tree; their tops stay. Returns how many. */
static int join_parts(struct tree_node *node, int count, int levels, struct tree_edge *edge)
{
    int tops = 0;

    for (int begin = 0, end; begin < count; begin = end) {
        end = part_end(node, count, begin, levels);
        for (int i = 1; i < end - begin; i++) {
            const struct tree_node *parent = &node[begin + (i & (i - 1))];

            edge[node[begin + i].rank] = (struct tree_edge){
                (int16_t)parent->rank, (int16_t)((MACHINE_LEVELS - levels) * TREE_RANKS + i)};
        }
        node[tops++] = node[begin];
    }
    return tops;
}

bool tree_shape(const struct machine_place *place, int size, struct tree_edge *edge)
{
    struct tree_node *node = calloc((size_t)size, sizeof *node);
    int count = size;

    if (!node)
        return false;
    for (int r = 0; r < size; r++)
        node[r] = (struct tree_node){.place = place[r], .rank = r};
    qsort(node, (size_t)size, sizeof *node, compare_places);
    for (int level = 0; level < MACHINE_LEVELS; level++)
        find_firsts(node, size, level);
    qsort(node, (size_t)size, sizeof *node, compare_firsts);
    edge[node[0].rank] = (struct tree_edge){-1, 0};
    for (int levels = MACHINE_LEVELS; levels >= 0; levels--)
        count = join_parts(node, count, levels, edge);
    free(node);
    return true;
}

/* A parent is a smaller rank than its children. */
bool tree_spans(const struct tree_edge *edge, int size, struct tree_span *span)
{
    int16_t *next = calloc((size_t)size, sizeof *next); /* where the next child of a rank begins */

    if (!next)
        return false;
    for (int r = 0; r < size; r++)
        span[r] = (struct tree_span){0, 1};
    for (int r = size - 1; r > 0; r--)
        span[edge[r].parent].ranks = (int16_t)(span[edge[r].parent].ranks + span[r].ranks);
    next[0] = 1;
    for (int r = 1; r < size; r++) {
        int parent = edge[r].parent;

        span[r].first = next[parent];
        next[parent] = (int16_t)(next[parent] + span[r].ranks);
        next[r] = (int16_t)(span[r].first + 1);
    }
    free(next);
    return true;
}

int tree_children(const struct tree_edge *edge, int size, int rank, int *child)
{
    int count = 0, at;

    for (int r = 0; r < size; r++) {
        if (edge[r].parent != rank)
            continue;
        for (at = count++; at && edge[child[at - 1]].turn > edge[r].turn; at--)
            child[at] = child[at - 1];
        child[at] = r;
    }
    return count;
}
