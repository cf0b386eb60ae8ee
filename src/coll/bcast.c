#include "coll/coll.h"
#include "coll/step.h"

/* Ranks relative to the root form the tree: the parent of r is r without its lowest bit. Good for long
 * messages too: between ranks of one host each rank copies straight out of its parent's buffer, and sending
 * pieces round a ring took nearly twice as long (2 MiB, 4 and 8 ranks on 2 cores). */
static void bcast_binomial(struct coll *c, struct block b, int root)
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

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm)
{
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    bcast_binomial(&c, (struct block){buffer, count, type}, root);
    return coll_finish(&c);
}
