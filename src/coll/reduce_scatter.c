#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    PAIRWISE_BYTES = 4 * 1024 /* of the whole vector: below, 2(n-1) messages are better than n(n-1) */
};

/* Rank 0 combines everything and gives each rank its piece. */
static void reduce_then_scatter(struct coll *c, struct block input, const struct cut *cut, struct block piece,
                                const struct op *op)
{
    struct block whole = {NULL, 0, input.type};

    if (c->rank) {
        reduce_tree(c, input, whole, op, 0);
        step_recv(c, piece, 0);
        return;
    }
    whole = step_scratch(c, input.count, input.type);
    reduce_tree(c, input, whole, op, 0);
    for (int r = 1; r < c->size; r++)
        step_post_send(c, whole.count ? cut_piece(cut, whole, r) : whole, r);
    if (whole.count)
        step_copy(c, cut_piece(cut, whole, 0), piece);
    step_wait_posted(c);
    step_free(whole);
}

/* As reduce_scatter_pairwise; `piece` may lie in `input`. */
static void reduce_pairwise(struct coll *c, struct block input, const struct cut *cut, struct block piece,
                            bool in_place, const struct op *op)
{
    struct block apart = in_place ? step_scratch(c, piece.count, piece.type) : piece;

    reduce_scatter_pairwise(c, input, cut, apart, op);
    if (in_place) {
        step_copy(c, apart, piece);
        step_free(apart);
    }
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const struct cut *cut, struct datatype *type,
                          struct op *op, struct comm *comm)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    struct block input = block_at(in_place ? recvbuf : sendbuf, 0, cut_offset(cut, comm->size), type);
    struct block piece = {recvbuf, cut_length(cut, comm->rank), type};
    struct coll c;
    int error = op_check(op, type);

    if (!error)
        error = coll_start(&c, comm);
    if (error)
        return error;
    if (op->commutative && block_bytes(input) >= PAIRWISE_BYTES)
        reduce_pairwise(&c, input, cut, piece, in_place, op);
    else
        reduce_then_scatter(&c, input, cut, piece, op);
    return coll_finish(&c);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm)
{
    struct cut cut = {.each = recvcount};

    return reduce_scatter(sendbuf, recvbuf, &cut, type, op, comm);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm)
{
    struct cut cut = {.counts = recvcounts};

    return reduce_scatter(sendbuf, recvbuf, &cut, type, op, comm);
}
