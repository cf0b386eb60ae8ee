/* host: what ranks of one host share. */
#ifndef TESTS_MPI_HOST_H
#define TESTS_MPI_HOST_H

#include "check.h"

/* Whether all members have memory in common, and may use it: not where messages are forced over a network. */
static inline int shares_memory(MPI_Comm comm)
{
    const char *transport = getenv("INKLING_TRANSPORT");
    MPI_Comm host;
    int members, neighbours, together;

    if (transport && (!strcmp(transport, "ofi") || !strcmp(transport, "ucx")))
        return 0;
    CHECK_EQ(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &members), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &neighbours), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    neighbours = neighbours == members;
    CHECK_EQ(MPI_Allreduce(&neighbours, &together, 1, MPI_INT, MPI_LAND, comm), MPI_SUCCESS);
    return together;
}

#endif
