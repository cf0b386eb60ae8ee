#include "coll/coll.h"

#include "coll/dispatch.h"

/* `places` are those of the input. */
static int coll_reduce_scatter_from(void *recvbuf, struct coll_places *places, struct op *op,
                                    struct comm *comm, enum form form, struct info *info,
                                    struct request **request)
{
    struct places *input = &places->from;
    MPI_Count count = block_places_count(input, comm->size);
    struct coll_call call = {.collective = COLL_REDUCE_SCATTER,
                             .out = {recvbuf, 0, input->type},
                             .bytes = (size_t)count * (size_t)input->type->size,
                             .first = block_places_count(input, comm->rank),
                             .op = op,
                             .places = places};
    int error = op_check_items(op, count, input->type);

    places->is_in_place = input->base == MPI_IN_PLACE;
    if (places->is_in_place)
        input->base = recvbuf;
    call.in = block_of(input->base, count, input->type);
    call.out.count = block_place_of(input, comm->rank).count;
    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct info *info,
                              struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .each = recvcount}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, info, request);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct info *info,
                        struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .counts = recvcounts}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, info, request);
}
