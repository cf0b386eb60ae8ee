#include "coll/coll.h"
#include "coll/step.h"

/* Ranks form a chain; each portion of the vector travels along it, so that long vectors are worked on by all
 * ranks at once. 2(n-1) steps for the last rank, but only n-1 messages. */

/* Adds what lies below this rank to `result`, which holds its own input. */
static void scan_chain(struct coll *c, struct block result, const struct op *op)
{
    MPI_Count portion = block_portion(result.type);
    struct block below = {NULL, 0, result.type};

    if (c->rank)
        below = step_scratch(c, result.count < portion ? result.count : portion, result.type);
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct block part = block_slice(result, at, portion), in = block_slice(below, 0, part.count);

        if (c->rank) {
            step_recv(c, in, c->rank - 1);
            step_reduce(op, in, part);
        }
        if (c->rank < c->size - 1)
            step_post_send(c, part, c->rank + 1);
    }
    step_free(below);
}

/* `upto` is what the next rank gets: what lies below this rank, and its own input. */
static void exscan_portion(struct coll *c, struct block input, struct block result, struct block upto,
                           const struct op *op)
{
    if (!c->rank) {
        if (c->size > 1)
            step_send(c, input, 1);
        return;
    }
    if (upto.count)
        step_copy(c, input, upto);
    step_recv(c, result, c->rank - 1);
    if (c->rank == c->size - 1)
        return;
    step_reduce(op, result, upto);
    step_send(c, upto, c->rank + 1);
}

static void exscan_chain(struct coll *c, struct block input, struct block result, const struct op *op)
{
    MPI_Count portion = block_portion(result.type);
    struct block upto = {NULL, 0, result.type};

    if (c->rank && c->rank < c->size - 1)
        upto = step_scratch(c, result.count < portion ? result.count : portion, result.type);
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion)
        exscan_portion(c, block_slice(input, at, portion), block_slice(result, at, portion),
                       block_slice(upto, 0, block_slice(input, at, portion).count), op);
    step_free(upto);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm)
{
    struct block result = {recvbuf, count, type};
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    if (sendbuf != MPI_IN_PLACE)
        step_copy(&c, block_at(sendbuf, 0, count, type), result);
    scan_chain(&c, result, op);
    return coll_finish(&c);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm)
{
    struct block result = {recvbuf, count, type};
    struct block input = sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, count, type);
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    exscan_chain(&c, input, result, op);
    return coll_finish(&c);
}
