/* Bodies of collectives that need the API's own types. */
#ifndef API_COLL_H
#define API_COLL_H

#include "base/counts.h"
#include "coll/sched/schedule.h"

int api_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                  const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                  struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                  struct request **request);
/* Displacements in bytes. */
int api_neighbor_alltoallw(const void *sendbuf, struct counts sendcounts, const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], struct comm *comm,
                           enum form form, struct request **request);

#endif
