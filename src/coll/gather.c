#include "coll/coll.h"

#include "coll/dispatch.h"

/* The root of a gather may have its block in place. */
static inline int coll_gather_to(struct coll_call *call, struct comm *comm, enum form form, struct info *info,
                                 struct request **request)
{
    const struct places *all = &call->places->to;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, info, request);
    if (call->in.at == MPI_IN_PLACE)
        call->in = block_place_of(all, call->root);
    call->bytes = block_bytes(call->in);
    if (comm->rank == call->root)
        call->out = block_of_root(all->base, call->is_irregular ? 0 : all->each, comm->size, all->type);
    return dispatch_call(comm, call, form, info, request);
}

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                struct info *info, struct request **request)
{
    struct coll_places places = {.to = {.base = recvbuf, .each = recvcount, .type = recvtype}};
    struct coll_call call = {.collective = COLL_GATHER,
                             .root = root,
                             .in = block_of(sendbuf, sendcount, sendtype),
                             .out = block_empty(),
                             .places = &places};

    return coll_gather_to(&call, comm, form, info, request);
}

int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.collective = COLL_GATHER,
                             .root = root,
                             .in = block_of(sendbuf, sendcount, sendtype),
                             .out = block_empty(),
                             .places = &places,
                             .is_irregular = true};

    return coll_gather_to(&call, comm, form, info, request);
}
