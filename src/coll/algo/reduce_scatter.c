#include "coll/algo/algorithm.h"
#include "coll/algo/inter_coll.h"
#include "coll/coll.h"
#include "coll/shm/direct.h"

/* Rank 0 combines everything and gives each rank its piece. */
static void reduce_scatter_tree(struct schedule *s, const struct places *input, MPI_Count count,
                                struct coll_block piece)
{
    struct coll_block vector = block_at(input->base, 0, count, input->type), whole = {NULL, 0, input->type};
    struct places pieces;

    if (s->rank) {
        reduce_tree(s, vector, whole, 0);
        step_recv(s, piece, 0);
        return;
    }
    whole = schedule_scratch(s, count, input->type);
    reduce_tree(s, vector, whole, 0);
    pieces = places_in(input, whole.at);
    for (int r = 1; r < s->size; r++)
        step_send(s, whole.count ? place_of(&pieces, r) : whole, r);
    if (whole.count)
        step_copy(s, place_of(&pieces, 0), piece);
}

/* Each piece of all ranks' inputs goes to its owner, who combines them. */
static void reduce_scatter_direct(struct schedule *s, const struct places *input, struct coll_block piece)
{
    struct coll_block mine = place_of(input, s->rank);
    struct vectors others = schedule_vectors(s, s->size - 1, mine.count, mine.type);

    for (int i = 1; i < s->size; i++) {
        int to = (s->rank + i) % s->size, from = (s->rank - i + s->size) % s->size;

        step_recv(s, reduce_vector_of(s, &others, from, mine.count), from);
        step_send(s, place_of(input, to), to);
    }
    step_wait(s);
    reduce_vectors(s, mine, &others, piece);
}

static void build_reduce_scatter(struct schedule *s, const struct places *input, MPI_Count count,
                                 struct coll_block piece)
{
    size_t bytes = (size_t)count * (size_t)input->type->size;

    switch (choice_make(COLL_REDUCE_SCATTER, bytes, s->size, reduce_traits(s, count))) {
    case ALGORITHM_PAIRWISE:
        reduce_scatter_pairwise(s, input, piece);
        break;
    case ALGORITHM_LINEAR:
        reduce_scatter_direct(s, input, piece);
        break;
    default:
        reduce_scatter_tree(s, input, count, piece);
    }
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const struct places *input, struct op *op,
                          struct comm *comm, enum form form, struct request **request)
{
    struct coll_block piece = {recvbuf, place_of(input, comm->rank).count, input->type}, apart;
    MPI_Count count = places_count(input, comm->size);
    struct shm_call call;
    struct mailboxes *boxes;
    struct schedule *s;
    int error;

    if (comm_is_inter(comm))
        return inter_coll_reduce_scatter(input, piece, op, comm, form, request);
    error = op_check(op, input->type);
    if (error)
        return error;
    call = (struct shm_call){.collective = COLL_REDUCE_SCATTER,
                             .in = block_at(input->base, 0, count, input->type),
                             .out = piece,
                             .bytes = (size_t)count * (size_t)input->type->size,
                             .first = places_count(input, comm->rank),
                             .op = op};
    boxes = shm_coll_for_reduction(comm, form, COLL_REDUCE_SCATTER, count, input->type);
    if (!boxes)
        boxes = direct_for(comm, form, &call);
    if (boxes)
        return shm_coll_do(comm, boxes, &call, form, request);
    error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    /* in place the piece lies in the input */
    apart = sendbuf == MPI_IN_PLACE ? schedule_scratch(s, piece.count, piece.type) : piece;
    build_reduce_scatter(s, input, count, apart);
    step_wait(s);
    if (apart.at != piece.at)
        step_copy(s, apart, piece);
    return schedule_close(s, request);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct places input = {
        .base = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, .type = type, .each = recvcount};

    return reduce_scatter(sendbuf, recvbuf, &input, op, comm, form, request);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct places input = {
        .base = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, .type = type, .counts = recvcounts};

    return reduce_scatter(sendbuf, recvbuf, &input, op, comm, form, request);
}
