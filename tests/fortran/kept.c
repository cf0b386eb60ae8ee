/* Stands before MPI_Ialltoallw, MPI_Alltoallw_init and what completes their requests, and looks whether the arrays of datatypes
 * that C got are still there and the same: C may read them until then. For kept.f90. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void look_for_kept_(void);
void heap_in_use_(long *bytes);

static const MPI_Datatype *arrays[2];
static MPI_Datatype copies[2][8];
static int ranks;

static void remember(const MPI_Datatype *sendtypes, const MPI_Datatype *recvtypes, MPI_Comm comm)
{
    PMPI_Comm_size(comm, &ranks);
    arrays[0] = sendtypes;
    arrays[1] = recvtypes;
    for (int i = 0; i < 2; i++)
        memcpy(copies[i], arrays[i], (size_t)ranks * sizeof *copies[i]);
}

static void look(void)
{
    for (int i = 0; i < 2; i++) {
        if (arrays[i] && memcmp(copies[i], arrays[i], (size_t)ranks * sizeof *copies[i])) {
            fprintf(stderr, "FAILED: an array of datatypes is not kept until the request completes\n");
            abort();
        }
    }
}

/* Where nothing was remembered, other functions were called than those here. */
void look_for_kept_(void)
{
    if (!arrays[0] || !arrays[1] || ranks == 0) {
        fprintf(stderr, "FAILED: no arrays of datatypes were seen\n");
        abort();
    }
    look();
}

void heap_in_use_(long *bytes)
{
    *bytes = (long)mallinfo2().uordblks;
}

int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    remember(sendtypes, recvtypes, comm);
    return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                           comm, request);
}

int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    remember(sendtypes, recvtypes, comm);
    return PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                               recvtypes, comm, info, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    look();
    arrays[0] = arrays[1] = NULL;
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Request_free(MPI_Request *request)
{
    look();
    arrays[0] = arrays[1] = NULL;
    return PMPI_Request_free(request);
}
