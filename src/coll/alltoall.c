#include "coll/coll.h"

#include "base/fail.h"
#include "coll/dispatch.h"

#include <stdlib.h>

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                  struct info *info, struct request **request)
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
    return dispatch_call(comm, &call, form, info, request);
}

int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct info *info,
                   struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    struct coll_call call = {.collective = COLL_ALLTOALL, .places = &places, .is_irregular = true};

    return dispatch_call(comm, &call, form, info, request);
}

/* The entry point has checked that all types are valid. */
static void find_types(const MPI_Datatype handles[], struct datatype **types, int count)
{
    for (int i = 0; i < count; i++)
        types[i] = datatype_find(handles[i]);
}

int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                   struct info *info, struct request **request)
{
    int n = comm_peer_count(comm), error;
    struct datatype **types = malloc(2 * (size_t)n * sizeof *types);
    struct coll_places places;
    struct coll_call call = {.collective = COLL_ALLTOALL, .places = &places, .is_irregular = true};

    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for the datatypes of %d ranks", n);
    if (sendbuf != MPI_IN_PLACE)
        find_types(sendtypes, types, n);
    find_types(recvtypes, types + n, n);
    places = (struct coll_places){
        .from = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .types = types},
        .to = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .types = types + n},
        .is_in_place = sendbuf == MPI_IN_PLACE};
    error = dispatch_call(comm, &call, form, info, request);
    free(types);
    return error;
}
