#include "coll/algorithm.h"
#include "coll/coll.h"

enum {
    PAIRWISE_BYTES = 4 * 1024 /* of the whole vector: below, 2(n-1) messages are better than n(n-1) */
};

/* Rank 0 combines everything and gives each rank its piece. */
static void reduce_then_scatter(struct schedule *s, struct block input, const struct cut *cut,
                                struct block piece)
{
    struct block whole = {NULL, 0, input.type};

    if (s->rank) {
        reduce_tree(s, input, whole, 0);
        step_recv(s, piece, 0);
        return;
    }
    whole = schedule_scratch(s, input.count, input.type);
    reduce_tree(s, input, whole, 0);
    for (int r = 1; r < s->size; r++)
        step_send(s, whole.count ? cut_piece(cut, whole, r) : whole, r);
    if (whole.count)
        step_copy(s, cut_piece(cut, whole, 0), piece);
}

/* As reduce_scatter_pairwise; `piece` may lie in `input`. */
static void reduce_pairwise(struct schedule *s, struct block input, const struct cut *cut, struct block piece,
                            bool in_place)
{
    struct block apart = in_place ? schedule_scratch(s, piece.count, piece.type) : piece;

    reduce_scatter_pairwise(s, input, cut, apart);
    if (in_place)
        step_copy(s, apart, piece);
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const struct cut *cut, struct datatype *type,
                          struct op *op, struct comm *comm, enum form form, struct request **request)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    struct block input = block_at(in_place ? recvbuf : sendbuf, 0, cut_offset(cut, comm->size), type);
    struct block piece = {recvbuf, cut_length(cut, comm->rank), type};
    struct schedule *s;
    int error = op_check(op, type);

    if (!error)
        error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    if (op->commutative && block_bytes(input) >= PAIRWISE_BYTES)
        reduce_pairwise(s, input, cut, piece, in_place);
    else
        reduce_then_scatter(s, input, cut, piece);
    return schedule_close(s, request);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct cut cut = {.each = recvcount};

    return reduce_scatter(sendbuf, recvbuf, &cut, type, op, comm, form, request);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct cut cut = {.counts = recvcounts};

    return reduce_scatter(sendbuf, recvbuf, &cut, type, op, comm, form, request);
}
