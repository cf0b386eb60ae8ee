#include "coll/coll.h"

#include "coll/dispatch.h"

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                   struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .each = recvtype->size ? recvcount : 0, .type = recvtype}};
    struct coll_block place = block_place_of(&places.to, comm->rank);
    struct coll_call call = {.collective = COLL_ALLGATHER,
                             .in = sendbuf == MPI_IN_PLACE ? place : block_of(sendbuf, sendcount, sendtype),
                             .bytes = block_bytes(place),
                             .places = &places};
    int error = block_of_all(recvbuf, recvcount, comm_peer_count(comm), recvtype, &call.out);

    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.collective = COLL_ALLGATHER,
                             .in = sendbuf == MPI_IN_PLACE ? block_place_of(&places.to, comm->rank)
                                                           : block_of(sendbuf, sendcount, sendtype),
                             .out = block_of(recvbuf, 0, recvtype),
                             .places = &places,
                             .is_irregular = true};

    if (!comm_is_inter(comm)) {
        call.bytes = block_bytes(block_place_of(&places.to, comm->rank));
        call.out.count = block_places_count(&places.to, comm->size);
    }
    return dispatch_call(comm, &call, form, info, request);
}

int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return coll_allgather(mine, (MPI_Count)size, byte, all, (MPI_Count)size, byte, comm, FORM_BLOCKING, NULL,
                          NULL);
}
