/* alltoallw: bodies of the collectives that take an array of datatypes, as handles. */
#ifndef COLL_ALLTOALLW_H
#define COLL_ALLTOALLW_H

#include "base/counts.h"
#include "coll/sched/schedule.h"

int coll_alltoallw_of_handles(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                              const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                              struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm,
                              enum form form, struct request **request);
/* Displacements in bytes. */
int coll_neighbor_alltoallw_of_handles(const void *sendbuf, struct counts sendcounts,
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, struct counts recvcounts, const MPI_Aint rdispls[],
                                       const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                                       struct request **request);

#endif
