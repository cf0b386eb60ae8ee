#include "coll/coll.h"

#include "coll/dispatch.h"

static inline int coll_scatter_from(struct coll_call *call, struct comm *comm, enum form form,
                                    struct info *info, struct request **request)
{
    const struct places *all = &call->places->from;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, info, request);
    if (call->out.at == MPI_IN_PLACE)
        call->out = block_place_of(all, call->root);
    call->bytes = block_bytes(call->out);
    if (comm->rank == call->root)
        call->in = block_of_root(all->base, call->is_irregular ? 0 : all->each, comm->size, all->type);
    return dispatch_call(comm, call, form, info, request);
}

int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                 struct info *info, struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .each = sendcount, .type = sendtype}};
    struct coll_call call = {.collective = COLL_SCATTER,
                             .root = root,
                             .in = block_empty(),
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places};

    return coll_scatter_from(&call, comm, form, info, request);
}

int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = displs, .type = sendtype}};
    struct coll_call call = {.collective = COLL_SCATTER,
                             .root = root,
                             .in = block_empty(),
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places,
                             .is_irregular = true};

    return coll_scatter_from(&call, comm, form, info, request);
}
