#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    SCATTER_BYTES = 512 * 1024, /* from here on the root sends each byte about once, not log2(n) times */
    SCATTER_RANKS = 4
};

/* Ranks relative to the root form the tree: the parent of r is r without its lowest bit. */
void bcast_binomial(struct coll *c, struct block b, int root)
{
    int relative = (c->rank - root + c->size) % c->size;
    int bit = 1;

    while (bit < c->size && !(relative & bit))
        bit *= 2;
    if (relative)
        step_recv(c, b, (c->rank - bit + c->size) % c->size);
    for (bit /= 2; bit; bit /= 2)
        if (relative + bit < c->size)
            step_post_send(c, b, (c->rank + bit) % c->size);
    step_wait_posted(c);
}

/* The root gives each rank one piece; the ranks then pass the pieces round. */
static void bcast_scatter_ring(struct coll *c, struct block b, int root)
{
    struct cut cut = cut_evenly(b.count, c->size);

    if (c->rank == root) {
        for (int r = 0; r < c->size; r++)
            if (r != root)
                step_post_send(c, cut_piece(&cut, b, r), r);
        step_wait_posted(c);
    } else {
        step_recv(c, cut_piece(&cut, b, c->rank), root);
    }
    allgather_ring(c, b, &cut);
}

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm)
{
    struct block b = {buffer, count, type};
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    if (block_bytes(b) >= SCATTER_BYTES && c.size >= SCATTER_RANKS)
        bcast_scatter_ring(&c, b, root);
    else
        bcast_binomial(&c, b, root);
    return coll_finish(&c);
}
