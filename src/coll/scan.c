#include "coll/coll.h"
#include "coll/step.h"

#include <stdlib.h>

/* What a rank of a prefix reduction knows. */
struct prefix {
    struct block below; /* of all lower ranks in its block, when have_below */
    struct block block; /* of all ranks of its block of 1, 2, 4 ... neighbours */
    struct block in;    /* to receive into */
    bool have_below;
};

/* The other block's ranks are lower: they come first in `below` and in `block`. */
static void prefix_take_left(struct prefix *p, const struct op *op)
{
    if (p->have_below)
        step_reduce(op, p->in, p->below);
    else if (p->below.count)
        datatype_copy(p->in.at, p->in.count, p->in.type, p->below.at, p->below.count, p->below.type);
    p->have_below = true;
    step_reduce(op, p->in, p->block);
}

/* They are higher: they come last in `block`. */
static void prefix_take_right(struct prefix *p, const struct op *op)
{
    struct block old = p->block;

    step_reduce(op, old, p->in);
    p->block = p->in;
    p->in = old;
}

/* Blocks of neighbouring ranks double, as in an allreduce. A last, incomplete block misses partners, but then
 * no rank lies behind it that would need its sum. */
static void scan_doubling(struct coll *c, struct prefix *p, const struct op *op)
{
    for (int width = 1; width < c->size; width *= 2) {
        int peer = c->rank ^ width;

        if (peer >= c->size)
            continue;
        step_exchange(c, p->block, peer, p->in, peer);
        if (peer < c->rank)
            prefix_take_left(p, op);
        else
            prefix_take_right(p, op);
    }
}

/* Inclusive: below + own input; exclusive: below, and nothing at all on rank 0. */
static int scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                bool inclusive, struct comm *comm)
{
    struct block result = {recvbuf, count, type};
    struct block input = sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, count, type);
    struct block scratch[3];
    struct prefix p;
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    for (int i = 0; i < 3; i++)
        scratch[i] = step_scratch(&c, count, type);
    p = (struct prefix){.below = scratch[0], .block = scratch[1], .in = scratch[2]};
    if (p.block.count)
        step_copy(&c, input, p.block);
    scan_doubling(&c, &p, op);
    if (inclusive)
        step_copy(&c, input, result);
    if (inclusive && p.have_below)
        step_reduce(op, p.below, result);
    else if (p.have_below)
        step_copy(&c, p.below, result);
    for (int i = 0; i < 3; i++)
        free(scratch[i].at);
    return coll_finish(&c);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm)
{
    return scan(sendbuf, recvbuf, count, type, op, true, comm);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm)
{
    return scan(sendbuf, recvbuf, count, type, op, false, comm);
}
