/* The bodies of coll.h describe their call; dispatch.c does the rest. */
#include "coll/coll.h"

#include "base/fail.h"
#include "coll/dispatch.h"

static struct coll_block coll_block_of(const void *at, MPI_Count count, struct datatype *type)
{
    return (struct coll_block){(void *)(uintptr_t)at, count, type};
}

/* All blocks of a root; none where items have no data. */
static struct coll_block coll_root_blocks(const void *base, MPI_Count each, struct datatype *type, int ranks)
{
    return coll_block_of(base, type->size ? (MPI_Count)((uint64_t)each * (uint64_t)ranks) : 0, type);
}

int coll_barrier(struct comm *comm, enum form form, struct request **request)
{
    struct coll_call call = {.collective = COLL_BARRIER, .in = block_empty(), .out = block_empty()};

    return dispatch_call(comm, &call, form, request);
}

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct request **request)
{
    struct coll_block b = {buffer, count, type};
    struct coll_call call = {.collective = COLL_BCAST, .root = root, .in = b, .out = b};

    if (!comm_is_inter(comm))
        call.bytes = block_bytes(b);
    return dispatch_call(comm, &call, form, request);
}

/* The root of a gather may have its block in place. */
static int coll_gather_to(struct coll_call *call, struct comm *comm, enum form form, struct request **request)
{
    const struct places *all = &call->places->to;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, request);
    if (call->in.at == MPI_IN_PLACE)
        call->in = block_place_of(all, call->root);
    call->bytes = block_bytes(call->in);
    if (comm->rank == call->root && !call->is_irregular)
        call->out = coll_root_blocks(all->base, all->each, all->type, comm->size);
    return dispatch_call(comm, call, form, request);
}

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                struct request **request)
{
    struct coll_places places = {.to = {.base = recvbuf, .each = recvcount, .type = recvtype}};
    struct coll_call call = {.collective = COLL_GATHER,
                             .root = root,
                             .in = coll_block_of(sendbuf, sendcount, sendtype),
                             .out = block_empty(),
                             .places = &places};

    return coll_gather_to(&call, comm, form, request);
}

int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.collective = COLL_GATHER,
                             .root = root,
                             .in = coll_block_of(sendbuf, sendcount, sendtype),
                             .places = &places,
                             .is_irregular = true};

    return coll_gather_to(&call, comm, form, request);
}

static int coll_scatter_from(struct coll_call *call, struct comm *comm, enum form form,
                             struct request **request)
{
    const struct places *all = &call->places->from;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, request);
    if (call->out.at == MPI_IN_PLACE)
        call->out = block_place_of(all, call->root);
    if (block_bytes(call->out) > SIZE_MAX / (size_t)comm->size)
        call->is_irregular = true; /* too much to count */
    call->bytes = block_bytes(call->out) * (size_t)comm->size;
    if (comm->rank == call->root && !call->is_irregular)
        call->in = coll_root_blocks(all->base, all->each, all->type, comm->size);
    return dispatch_call(comm, call, form, request);
}

int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                 struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .each = sendcount, .type = sendtype}};
    struct coll_call call = {.collective = COLL_SCATTER,
                             .root = root,
                             .in = block_empty(),
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places};

    return coll_scatter_from(&call, comm, form, request);
}

int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = displs, .type = sendtype}};
    struct coll_call call = {.collective = COLL_SCATTER,
                             .root = root,
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places,
                             .is_irregular = true};

    return coll_scatter_from(&call, comm, form, request);
}

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                   struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .each = recvtype->size ? recvcount : 0, .type = recvtype}};
    struct coll_block place = block_place_of(&places.to, comm->rank);
    struct coll_call call = {.collective = COLL_ALLGATHER,
                             .in = sendbuf == MPI_IN_PLACE ? place
                                                           : coll_block_of(sendbuf, sendcount, sendtype),
                             .bytes = block_bytes(place),
                             .places = &places};
    int error = block_of_all(recvbuf, recvcount, comm_peer_count(comm), recvtype, &call.out);

    return error ? error : dispatch_call(comm, &call, form, request);
}

int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.collective = COLL_ALLGATHER,
                             .in = sendbuf == MPI_IN_PLACE ? block_place_of(&places.to, comm->rank)
                                                           : coll_block_of(sendbuf, sendcount, sendtype),
                             .places = &places,
                             .is_irregular = true};

    return dispatch_call(comm, &call, form, request);
}

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                  struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .each = sendcount, .type = sendtype},
                                 .to = {.base = recvbuf, .each = recvcount, .type = recvtype},
                                 .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.collective = COLL_ALLTOALL, .places = &places};
    int ranks = comm_peer_count(comm), error = block_of_all(recvbuf, recvcount, ranks, recvtype, &call.out);

    call.in = call.out;
    if (!error && !places.is_in_place)
        error = block_of_all(sendbuf, sendcount, ranks, sendtype, &call.in);
    if (error)
        return error;
    call.bytes = block_bytes(call.out);
    return dispatch_call(comm, &call, form, request);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.collective = COLL_ALLTOALL, .places = &places, .is_irregular = true};

    return dispatch_call(comm, &call, form, request);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *const *sendtypes, void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, struct datatype *const *recvtypes, struct comm *comm,
                   enum form form, struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.collective = COLL_ALLTOALL, .places = &places, .is_irregular = true};

    return dispatch_call(comm, &call, form, request);
}

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm, enum form form, struct request **request)
{
    struct coll_call call = {.collective = COLL_REDUCE,
                             .root = root,
                             .in = coll_block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .op = op};
    int error = root == MPI_PROC_NULL ? MPI_SUCCESS : op_check(op, type);

    if (error)
        return error;
    if (!comm_is_inter(comm))
        call.bytes = block_bytes(call.out);
    return dispatch_call(comm, &call, form, request);
}

int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm, enum form form, struct request **request)
{
    struct coll_call call = {.collective = COLL_ALLREDUCE,
                             .in = coll_block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .bytes = (size_t)count * (size_t)type->size,
                             .op = op};
    int error = op_check(op, type);

    return error ? error : dispatch_call(comm, &call, form, request);
}

/* `places` are those of the input. */
static int coll_reduce_scatter_from(void *recvbuf, struct coll_places *places, struct op *op,
                                    struct comm *comm, enum form form, struct request **request)
{
    struct places *input = &places->from;
    MPI_Count count = block_places_count(input, comm->size);
    struct coll_call call = {.collective = COLL_REDUCE_SCATTER,
                             .out = {recvbuf, 0, input->type},
                             .bytes = (size_t)count * (size_t)input->type->size,
                             .first = block_places_count(input, comm->rank),
                             .op = op,
                             .places = places};
    int error = op_check(op, input->type);

    places->is_in_place = input->base == MPI_IN_PLACE;
    if (places->is_in_place)
        input->base = recvbuf;
    call.in = coll_block_of(input->base, count, input->type);
    call.out.count = block_place_of(input, comm->rank).count;
    return error ? error : dispatch_call(comm, &call, form, request);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .each = recvcount}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, request);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .type = type, .counts = recvcounts}};

    return coll_reduce_scatter_from(recvbuf, &places, op, comm, form, request);
}

/* leaves_out: exscan, whose results leave out the own vector. */
static int coll_scan_of(bool leaves_out, const void *sendbuf, struct coll_block result, struct op *op,
                        struct comm *comm, enum form form, struct request **request)
{
    struct coll_call call = {
        .collective = COLL_SCAN,
        .root = leaves_out,
        .in = sendbuf == MPI_IN_PLACE ? result : coll_block_of(sendbuf, result.count, result.type),
        .out = result,
        .bytes = block_bytes(result),
        .op = op};
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "scans are for intracommunicators: two groups have no order");
    error = op_check(op, result.type);
    return error ? error : dispatch_call(comm, &call, form, request);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm, enum form form, struct request **request)
{
    return coll_scan_of(false, sendbuf, coll_block_of(recvbuf, count, type), op, comm, form, request);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm, enum form form, struct request **request)
{
    return coll_scan_of(true, sendbuf, coll_block_of(recvbuf, count, type), op, comm, form, request);
}

int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return coll_allgather(mine, (MPI_Count)size, byte, all, (MPI_Count)size, byte, comm, FORM_BLOCKING, NULL);
}

/* OR is AND of the complements, so one reduction does both. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    uint64_t words[2] = {word_and ? *word_and : 0, word_or ? ~*word_or : 0};
    int error = coll_allreduce(MPI_IN_PLACE, words, 2, datatype_predefined(MPI_UINT64_T),
                               &op_predefined[OP_BAND], comm, FORM_BLOCKING, NULL);

    if (error)
        return error;
    if (word_and)
        *word_and = words[0];
    if (word_or)
        *word_or = ~words[1];
    return MPI_SUCCESS;
}
