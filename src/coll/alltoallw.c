#include "coll/alltoallw.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "comm/topology.h"

#include <stdlib.h>

/* The entry point has checked that all types are valid. */
static void find_types(const MPI_Datatype handles[], struct datatype **types, int count)
{
    for (int i = 0; i < count; i++)
        types[i] = datatype_find(handles[i]);
}

int coll_alltoallw_of_handles(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                              const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                              struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm,
                              enum form form, struct request **request)
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

/* The types of so many neighbours; nobody has checked them yet. */
static int find_neighbor_types(const MPI_Datatype handles[], struct datatype **types, int count,
                               const char *name)
{
    if (count > 0 && !handles)
        return fail(MPI_ERR_ARG, "%s is NULL", name);
    for (int i = 0; i < count; i++) {
        types[i] = datatype_find(handles[i]);
        if (!datatype_is_usable(types[i]))
            return fail(MPI_ERR_TYPE, "%s[%d] is not a committed datatype", name, i);
    }
    return MPI_SUCCESS;
}

int coll_neighbor_alltoallw_of_handles(const void *sendbuf, struct counts sendcounts,
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, struct counts recvcounts, const MPI_Aint rdispls[],
                                       const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                                       struct request **request)
{
    int out = comm->topology ? comm->topology->out.count : 0,
        in = comm->topology ? comm->topology->in.count : 0;
    struct counts to = {.wide = (const int64_t *)sdispls}, from = {.wide = (const int64_t *)rdispls};
    struct datatype **types = malloc(((size_t)out + (size_t)in + 1) * sizeof *types);
    int error;

    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for the datatypes of %d neighbors", out + in);
    error = find_neighbor_types(sendtypes, types, out, "sendtypes");
    if (!error)
        error = find_neighbor_types(recvtypes, types + out, in, "recvtypes");
    if (!error)
        error = coll_neighbor_alltoallw(sendbuf, sendcounts, to, types, recvbuf, recvcounts, from,
                                        types + out, comm, form, request);
    free(types);
    return error;
}
