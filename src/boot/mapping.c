#include "boot/launcher.h"

#include <stdio.h>
#include <string.h>

enum {
    BLOCKS = 256
};

struct mapping_block {
    int first, nodes, ranks;
};

/* Returns the number of blocks; 0: the text makes no sense. */
static int mapping_parse(const char *text, struct mapping_block *block)
{
    int count = 0, used;

    if (strncmp(text, "(vector", 7) != 0)
        return 0;
    for (text += 7; *text == ','; text += used, count++) {
        struct mapping_block *b = &block[count];

        used = 0;
        if (count == BLOCKS || sscanf(text, ",(%d,%d,%d)%n", &b->first, &b->nodes, &b->ranks, &used) != 3 ||
            !used || b->first < 0 || b->nodes < 1 || b->ranks < 1)
            return 0;
    }
    return strcmp(text, ")") == 0 ? count : 0;
}

/* Position in the assignment of ranks to nodes. */
struct mapping_cursor {
    int block, node, rank;
};

/* The node of the next rank. */
static int mapping_next_node(struct mapping_cursor *d, const struct mapping_block *block, int blocks)
{
    const struct mapping_block *b = &block[d->block];
    int node = b->first + d->node;

    if (++d->rank < b->ranks)
        return node;
    d->rank = 0;
    if (++d->node < b->nodes)
        return node;
    d->node = 0;
    d->block = (d->block + 1) % blocks;
    return node;
}

bool mapping_find(const char *text, int size, uint64_t *node)
{
    struct mapping_block block[BLOCKS];
    struct mapping_cursor d = {0};
    int blocks = mapping_parse(text, block);

    for (int rank = 0; rank < size && blocks; rank++)
        node[rank] = (uint64_t)mapping_next_node(&d, block, blocks);
    return blocks > 0;
}
