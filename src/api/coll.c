#include "api/coll.h"

#include "api/handle.h"
#include "base/fail.h"
#include "coll/coll.h"

#include <stdlib.h>

/* The entry point has checked that all types are valid. */
static void find_types(const MPI_Datatype handles[], struct datatype **types, int count)
{
    for (int i = 0; i < count; i++)
        types[i] = handle_find_datatype(handles[i]);
}

int api_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                  const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                  struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                  struct request **request)
{
    int n = comm_peer_count(comm), error;
    struct datatype **types = malloc(2 * (size_t)n * sizeof *types);

    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for the datatypes of %d ranks", n);
    if (sendbuf != MPI_IN_PLACE)
        find_types(sendtypes, types, n);
    find_types(recvtypes, types + n, n);
    error = coll_alltoallw(sendbuf, sendcounts, sdispls, types, recvbuf, recvcounts, rdispls, types + n, comm,
                           form, request);
    free(types);
    return error;
}
